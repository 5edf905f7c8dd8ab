"""All queries of a job by id, whatever their family, and what changes to them cause."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from limen.arrays import Slots
from limen.errors import InvalidQuery
from limen.growable import grown
from limen.kernels import progress
from limen.model.change import Deregister, Register
from limen.model.columns import Columns
from limen.model.query import Query
from limen.regions.edges import NO_STREAMS
from limen.runtime.condition_check import check_condition
from limen.runtime.events import Events
from limen.runtime.ids import Ids
from limen.runtime.pair_state import PairState
from limen.runtime.query_operator import QueryOperator
from limen.runtime.replacement import as_replaced
from limen.runtime.timeline import Timeline

_NONE = -1


@dataclass(frozen=True, slots=True)
class Families:
    """The query families of a shard.

    Attributes
    ----------
    operators : function
        Makes one operator a family. State names families by their position, so new ones go to the end.
    number : dict
        By the family of a query, the position of the operator that has it.
    pair_state : function
        Makes what is stored for a query and a stream together, by the name it has in the state.
    """

    operators: Callable[[], list[QueryOperator]]
    number: dict[str, int]
    pair_state: Callable[[], dict[str, PairState]]


class Catalogue:
    """Queries by id. A query's *handle* is the number of its id; operators know queries by it."""

    def __init__(self, families: Families) -> None:
        self.ids = Ids()
        self.operators = families.operators()
        self._number = families.number
        self.family_of = np.empty(0, np.int8)
        self.renumbered = 0  # how often handles were given anew
        # The operators that have queries, by `needs_global_order`: the others have nothing to do.
        self.active: tuple[list[QueryOperator], list[QueryOperator]] = [], []
        self.timed: list[QueryOperator] = []  # those of them to which the passing of time is an event
        self.gone = 0  # handles of queries that are gone

    def refresh(self) -> None:
        """Update what follows from the queries that there are, after they changed."""
        active = [operator for operator in self.operators if operator.count]
        self.timed = [operator for operator in active if operator.has_deadlines]
        self.gone = len(self.ids) - len(self)
        self.active = (
            [operator for operator in active if not operator.needs_global_order],
            [operator for operator in active if operator.needs_global_order],
        )

    def __len__(self) -> int:
        return sum(operator.count for operator in self.operators)

    def reports(self, query_id: str) -> bool:
        """Whether a query is registered that reports containment completely, so that its change can cause events."""
        if not any(operator.reporting for operator in self.operators):
            return False
        handle = int(self.ids.find([query_id])[0])
        family = int(self.family_of[handle]) if handle >= 0 else _NONE
        return family != _NONE and self.operators[family].reports(handle)

    def __contains__(self, query_id: str) -> bool:
        handle = int(self.ids.find([query_id])[0])
        return handle >= 0 and self.family_of[handle] != _NONE

    def apply(
        self, changes: list[Register | Deregister], timelines: tuple[Timeline, Timeline], time: int | None
    ) -> tuple[list[Events], dict[str, int], list[str]]:
        """Make changes at a time, given in their order; return the events they cause, their outcomes, and unknown ids.

        Of several changes to one id the last wins. Without a time the changes were made elsewhere and cause nothing.
        Each operator makes them on its own timeline, of the two for `needs_global_order` false and true.
        """
        final: dict[str, Query | None] = {}
        for change in changes:
            if isinstance(change, Register):
                final[change.query.id] = change.query
            else:
                final[change.id] = None
        progress.expect({type(query).__name__ for query in final.values() if query is not None})
        handles = self.ids.slots(list(final))
        self.family_of = grown(self.family_of, len(self.ids), _NONE)
        # By operator: handles to remove, queries to add, and their handles. Lists, since one change is the usual case.
        removed: list[list[int]] = [[] for _ in self.operators]
        added: list[list[Query]] = [[] for _ in self.operators]
        added_handles: list[list[int]] = [[] for _ in self.operators]
        moved: dict[int, tuple[int, ...]] = {}  # queries that another operator may replace, and their keys
        unknown: list[str] = []
        for handle, old, (id, query) in zip(
            handles.tolist(), self.family_of[handles].tolist(), final.items(), strict=True
        ):
            new = _NONE if query is None else self._number[query.family]
            if old != _NONE:
                removed[old].append(handle)
            elif query is None:
                unknown.append(id)
            if query is not None:
                added[new].append(query)
                added_handles[new].append(handle)
            if new != old:
                self.family_of[handle] = new
                if _NONE not in (old, new) and (key := self.operators[old].replacement_key(handle)) is not None:
                    moved[handle] = key
        events: list[Events] = []
        for operator, gone, queries, theirs in zip(self.operators, removed, added, added_handles, strict=True):
            if gone or queries:
                out = np.array(gone, np.int32) if gone else NO_STREAMS
                timeline = timelines[operator.needs_global_order]
                when = None if time is None else timeline.at(time)
                events += operator.change(out, queries, np.array(theirs, np.int32), timeline.streams, when)
        if moved:
            events = as_replaced(events, [handle for handle, key in moved.items() if key == self._key_of(handle)])
        self.refresh()
        applied, superseded = len(final) - len(unknown), len(changes) - len(final)
        return events, {"applied": applied, "rejected": len(unknown), "superseded": superseded}, unknown

    def _key_of(self, handle: int) -> tuple[int, ...] | None:
        return self.operators[int(self.family_of[handle])].replacement_key(handle)

    def check_conditions(self, columns: Columns, types: dict[str, pa.DataType]) -> None:
        """Test all conditions against the types of the data; an error names a query that does not fit."""
        for operator in self.operators:
            for condition, handle in operator.conditions():
                try:
                    check_condition(condition, columns, types)
                except InvalidQuery as error:
                    name = self.ids.take(np.array([handle]))[0].as_py()
                    raise error.within(f"query {name!r}") from None

    def forget_unused(self) -> Slots | None:
        """Give back the handles of queries that are gone, when they have become the most.

        Returns the new handle of each old one, -1 for those that are gone; None when nothing was done.
        """
        if self.gone < len(self) + 4096:
            return None
        used = np.flatnonzero(self.family_of[: len(self.ids)] != _NONE).astype(np.int32)
        number = np.full(len(self.ids), -1, np.int32)
        number[used] = np.arange(len(used))
        self.ids = Ids.of(self.ids.take(used))
        self.family_of = self.family_of[used]
        self.renumbered += 1
        for operator in self.operators:
            operator.renumber(used)
        self.gone = 0
        return number

    @property
    def nbytes(self) -> int:
        """Bytes held for queries, ids aside."""
        return self.family_of.nbytes + sum(operator.nbytes_queries for operator in self.operators)
