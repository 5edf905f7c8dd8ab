"""Pattern queries: emit an alert when rows of several streams together meet the constraints of a pattern.

Rows that may become part of an alert are stored as tuples until no later row can complete them. A new row searches the
stored tuples by forward checking. The idea is that of CCQ ("Continuous Constraint Query Evaluation For Spatiotemporal
Streams"): section 2 defines the queries as constraint satisfaction problems, section 3.1 evaluates them, section 3.3
describes the forward checking, and section 4.1 computes tight expiration times.
"""

from typing import Any

import numpy as np
import pyarrow as pa

from limen.arrays import Slots
from limen.checkpoint.codec import Sections
from limen.formats.query_json import query_from_dict, query_to_dict
from limen.model.columns import Columns
from limen.model.event import ALERT, MOVED
from limen.model.expressions.expression import Expression
from limen.model.graph import graph_of
from limen.model.options import Options
from limen.model.pattern import Pattern
from limen.queries.pattern.group import PatternGroup
from limen.queries.pattern.kernels.layout import NONE
from limen.queries.pattern.stored_tuples import dump_tuples, load_tuples
from limen.runtime.bindings import Bindings
from limen.runtime.events import Events
from limen.runtime.ids import Ids
from limen.runtime.query_operator import QueryOperator
from limen.runtime.step import Step
from limen.runtime.stream_table import StreamTable


class PatternOperator(QueryOperator):
    """Emit alerts, and store the tuples that may become part of one."""

    needs_global_order = True
    state_name = "patterns"

    def __init__(self, columns: Columns) -> None:
        super().__init__(columns)
        self.groups: list[PatternGroup] = []
        self.keys: dict[tuple[int, ...], int] = {}
        self.expiry = "tight"
        self._names = Ids()  # of variables

    def use(self, options: Options) -> None:
        """Set the options of patterns, before the first is registered."""
        self.expiry = options.expiry

    # ---- queries -----------------------------------------------------------------------------------------------------

    def change(
        self,
        removed: Slots,
        queries: list[Pattern],
        handles: Slots,
        streams: StreamTable,
        time: int | None,  # noqa: ARG002
    ) -> list[Events]:
        """Deregister and register patterns; a replaced pattern starts without tuples."""
        for number, members in self.numbers_of(removed) if len(removed) else ():
            self.groups[number].remove(set(members.tolist()))
            self.groups[number].build_index(streams.memory.types)
        self.displace(removed)
        for handle, query in zip(handles.tolist(), queries, strict=True):
            self.insert(handle, query)
        return []

    def insert(self, handle: int, pattern: Pattern) -> None:
        """Add a pattern."""
        number = self.number_of(pattern)
        self.groups[number].add(handle, pattern)
        self.place(number, np.array([handle], np.int32), np.zeros(1, np.int32))

    def number_of(self, pattern: Pattern) -> int:
        """Return the group of a pattern, a new one if there is none."""
        uses_distance = graph_of(pattern).uses_distance
        return self.number_of_key(self.columns.positions(pattern.on) if uses_distance else ())

    def number_of_key(self, key: tuple[int, ...]) -> int:
        """Return the group of patterns with distances on some columns, or on none."""
        if key not in self.keys:
            self.keys[key] = len(self.groups)
            self.groups.append(PatternGroup(self.columns, key, self.expiry))
        return self.keys[key]

    # ---- rows --------------------------------------------------------------------------------------------------------

    def step(self, step: Step) -> list[Events]:
        """Emit the alerts that rows complete."""
        events = []
        for group in self.groups:
            if group.members:
                events += [self._alerts(group, found) for found, _ in group.play(step)]
        return events

    def pass_time(self, before: int) -> None:
        """Evict the tuples that expired before a time."""
        for group in self.groups:
            group.index.expire(before)
            group.index.release()

    def _alerts(self, group: PatternGroup, found: Slots) -> Events:
        sizes = np.array([len(member.pattern.variables) for member in group.members], np.int64)
        names = np.full((len(sizes), found.shape[1] - 2), NONE, np.int32)
        for number, member in enumerate(group.members):
            names[number, : sizes[number]] = self._names.slots([each.name for each in member.pattern.variables])
        handle = np.array([member.handle for member in group.members], np.int32)
        query = found[:, 1]
        bound = np.arange(found.shape[1] - 2) < sizes[query][:, None]
        slots = found[:, 2:][bound]
        starts = np.concatenate([[0], np.cumsum(sizes[query])])
        time = group.index.tuples.record["time"][slots]
        bindings = Bindings(starts, names[query][bound], group.index.tuples.record["stream"][slots], time, self._names)
        return Events(
            handle[query], np.full(len(found), NONE, np.int32), np.full(len(found), ALERT, np.int8), MOVED,
            np.maximum.reduceat(time, starts[:-1]), _no_values, bindings=bindings,
        )  # fmt: skip

    # ---- properties --------------------------------------------------------------------------------------------------

    @property
    def reporting(self) -> bool:
        """Whether changes of queries can cause events: never, only rows complete a pattern."""
        return False

    def reports(self, handle: int) -> bool:  # noqa: ARG002
        """Return whether removing or replacing this query can cause events: never."""
        return False

    def conditions(self) -> list[tuple[Expression, int]]:
        """Return the conditions of all patterns, each with the handle of the pattern."""
        members = (member for group in self.groups for member in group.members)
        return [(condition, member.handle) for member in members for _, condition in member.pattern.conditions()]

    def renumber(self, handles: Slots) -> None:
        """Keep these handles only and number them in this order."""
        self.keep_handles(handles)
        number = {int(handle): position for position, handle in enumerate(handles)}
        for group in self.groups:
            for member in group.members:
                member.handle = number[member.handle]

    def concerned(self) -> Slots:
        """Return the streams of stored tuples, which must not lose their slots."""
        kept = [group.index.tuples.record["stream"][group.index.taken] for group in self.groups]
        return np.concatenate([np.empty(0, np.int32), *kept])

    def renumber_streams(self, number: Slots) -> None:
        """Follow a renumbering of the streams."""
        for group in self.groups:
            group.renumber_streams(number)

    def dump_queries(self, place: str, arrays: dict[str, Any]) -> list[Any]:  # noqa: ARG002
        """Return all patterns as JSON."""
        members = (member for group in self.groups for member in group.members)
        return [{"handle": member.handle, "query": query_to_dict(member.pattern)} for member in members]

    def load_queries(self, place: str, arrays: Sections, facts: list[Any], streams: StreamTable) -> None:  # noqa: ARG002
        """Add the patterns that `dump_queries` wrote."""
        for each in facts:
            pattern = query_from_dict(each["query"])
            assert isinstance(pattern, Pattern)
            self.insert(each["handle"], pattern)

    def dump(self) -> tuple[dict[str, Any], list[Any]]:
        """Return the stored tuples as named arrays, and facts about them, for `load`."""
        return dump_tuples(self)

    def load(self, arrays: Sections, facts: list[Any], types: dict[str, pa.DataType], ids: Ids) -> None:
        """Replace the stored tuples by what `dump` returned, once the patterns are there."""
        load_tuples(self, arrays, facts, types, ids)

    @property
    def left_out(self) -> int:
        """How many alerts a cap has left out so far."""
        return sum(group.left_out + group.index.left_out for group in self.groups)

    def gauges(self, streams: StreamTable) -> dict[str, Any]:  # noqa: ARG002
        """Return how many tuples are stored, and how many were at the most."""
        return {
            "stored": sum(group.index.stored for group in self.groups),
            "most_stored": sum(group.index.most_stored for group in self.groups),
        }

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return super().nbytes_queries + sum(group.index.nbytes_queries for group in self.groups)

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the stored tuples."""
        return sum(group.index.nbytes_streams + group.kept.nbytes for group in self.groups)


def _no_values(first: int, last: int) -> Any:
    """Alerts have no values."""
    raise AssertionError((first, last))
