"""Base of the operators that maintain live result sets: queries in groups, changes emitted in order of time.

`Within` on a stationary region is evaluated like a border (`stationary.py`) and does not use this base.
"""

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from limen.arrays import Floats, Ints, Mask, Slots
from limen.checkpoint.codec import Sections, array_of
from limen.model.columns import Columns
from limen.model.event import ADD, EXPIRED, MOVED, REMOVE, SHED
from limen.model.expressions.expression import Expression
from limen.model.nearest import Nearest
from limen.model.within import Within
from limen.queries.answer.group import AnswerGroup, AnswerKey
from limen.queries.answer.kernels.layout import PositionTimeline
from limen.queries.answer.kernels.object_grid import GONE
from limen.regions.pairs import NO_PAIRS, as_pairs
from limen.runtime.events import Events
from limen.runtime.query_operator import QueryOperator
from limen.runtime.replacement import differences
from limen.runtime.step import Expired, Step
from limen.runtime.stream_table import StreamTable

#: Returns the last values of the streams of some changes.
ValuesOf: TypeAlias = "Callable[[Ints], Floats]"
OneGroup = TypeVar("OneGroup", bound=AnswerGroup)


class AnswerOperator(QueryOperator, Generic[OneGroup]):
    """Maintain the live result sets of queries."""

    needs_global_order = True

    def __init__(self, columns: Columns) -> None:
        super().__init__(columns)
        self.groups: list[OneGroup] = []
        self.keys: dict[AnswerKey, int] = {}

    def new_group(self, key: AnswerKey) -> OneGroup:
        """Make an empty group."""
        raise NotImplementedError

    # ---- queries -----------------------------------------------------------------------------------------------------

    def change(
        self,
        removed: Slots,
        queries: list[Within | Nearest],
        handles: Slots,
        streams: StreamTable,
        time: int | None,
    ) -> list[Events]:
        """Remove and add queries; emit the differences between old and new answers."""
        emits = time is not None
        if emits:
            self.prepare(streams)
        old = self.answers(removed) if emits else None
        kept = {int(handle): self.identity(int(handle)) for handle in np.intersect1d(removed, handles)}
        out = [(number, self.slot_of[members]) for number, members in self.numbers_of(removed)]
        self.displace(removed)
        self._insert(queries, handles, streams)
        for (
            number,
            slots,
        ) in out:  # last, so that what an old query has of streams is there for the one that replaces it
            self.groups[number].index.remove(slots)
        if time is None or old is None:
            return []
        self.prepare(streams)
        replaced = [handle for handle, identity in kept.items() if identity == self.identity(handle)]
        return differences(old, self.answers(handles), replaced, (ADD, REMOVE), time, streams)

    def identity(self, handle: int) -> tuple[tuple[int, ...], bool]:
        """Return what a new definition of a query must share to be a replacement: its columns and its type."""
        group = self.groups[self.group_of[handle]]
        return tuple(group.columns.tolist()), group.index.is_nearest(int(self.slot_of[handle]))

    def replacement_key(self, handle: int) -> tuple[int, ...] | None:
        """Return the columns of a `Within`, which one in a fixed region on the same columns can replace; else None."""
        columns, nearest = self.identity(handle)
        return None if nearest else columns

    def answers(self, handles: Slots) -> tuple[Slots, Slots]:
        """Return the answers of queries: handles, and streams."""
        found = [NO_PAIRS]
        for number, members in self.numbers_of(handles):
            group = self.groups[number]
            if group.index.ready:
                place, stream = group.index.answers(self.slot_of[members])
                found.append(as_pairs(members[place], stream))
        pairs = np.concatenate(found)
        return (pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32)

    def _insert(self, queries: list[Within | Nearest], handles: Slots, streams: StreamTable) -> None:
        members: dict[AnswerKey, list[int]] = {}
        for number, query in enumerate(queries):
            members.setdefault(self.key_of(query), []).append(number)
        for key, numbers in members.items():
            group = self.groups[self.number_of(key)]
            own = handles[numbers]
            self.place(self.keys[key], own, group.take([queries[number] for number in numbers], own, streams))

    def key_of(self, query: Within | Nearest) -> AnswerKey:
        """Return the key of the group that a query belongs to."""
        condition = None if query.where is None else Expression.parse(query.where).canonical
        return AnswerKey(self.columns.positions(query.on), condition)

    def number_of(self, key: AnswerKey) -> int:
        """Return the group of a key, a new one if there is none."""
        if key not in self.keys:
            vacant = [other for other, number in self.keys.items() if not len(self.groups[number].index)]
            number = self.keys.pop(vacant[0]) if vacant else len(self.groups)
            self.groups[number : number + 1] = [self.new_group(key)]
            self.keys[key] = number
        return self.keys[key]

    # ---- streams -----------------------------------------------------------------------------------------------------

    def prepare(self, streams: StreamTable) -> None:
        """Load the positions of streams from the stream table, unless they are loaded."""
        for group in self.groups:
            group.prepare(streams)

    def step(self, step: Step) -> list[Events]:
        """Emit the changes of answers that a step causes."""
        if not self.count or step.late.all():
            return []
        silent = step.silent()
        events = []
        for group in self.groups:
            if len(group.index):
                timeline, time, over = group.timeline(step, silent)
                changes = group.play(timeline, time, step.streams)
                events += _events_of(group, changes, time, over, _Values(step, changes, time))
        return events

    def expire(self, expired: Expired, streams: StreamTable) -> list[Events]:
        """Emit the changes of answers that expired streams cause."""
        self.prepare(streams)
        events = []
        order = np.argsort(expired.time, kind="stable")
        time, over = expired.time[order], np.ones(len(expired), np.bool_)
        instant = np.zeros(len(time), np.int64)
        np.cumsum(time[1:] != time[:-1], out=instant[1:])
        for group in self.groups:
            if len(group.index):
                timeline = PositionTimeline(
                    instant, expired.slot[order], np.full(len(time), GONE, np.int8), np.full(len(time), -1),
                    np.full((len(time), len(group.columns)), np.nan),
                )  # fmt: skip
                changes = group.play(timeline, time, streams)
                values = streams.last[changes.stream].T
                events += _events_of(group, changes, time, over, partial(_some, values))
        return events

    # ---- accounting --------------------------------------------------------------------------------------------------

    @property
    def reporting(self) -> bool:
        """Whether changes of queries can cause events."""
        return self.count > 0

    def reports(self, handle: int) -> bool:  # noqa: ARG002
        """Return whether removing or replacing this query can cause events: always."""
        return True

    def conditions(self) -> list[tuple[Expression, int]]:
        """Return the different conditions of all queries, each with the handle of a query that has it."""
        used = [group for group in self.groups if len(group.index)]
        return [
            (group.condition, int(group.handle[np.argmax(group.index.alive)]))
            for group in used
            if group.condition is not None
        ]

    def renumber(self, handles: Slots) -> None:
        """Keep these handles only and number them in this order."""
        self.keep_handles(handles)
        for number, group in enumerate(self.groups):
            own = np.flatnonzero(self.group_of == number)
            group.handle[self.slot_of[own]] = own

    def concerned(self) -> Slots:
        """Return the streams that queries name, which must not lose their slots."""
        return np.concatenate([np.empty(0, np.int32), *(group.index.concerned() for group in self.groups)])

    def renumber_streams(self, number: Slots) -> None:
        """Follow a renumbering of the streams."""
        for group in self.groups:
            group.index.renumber_streams(number)

    def forget_streams(self) -> None:
        """Discard the positions of streams; `prepare` loads them again from the stream table."""
        for group in self.groups:
            group.forget_streams()

    def dump_queries(self, place: str, arrays: dict[str, Any]) -> list[Any]:
        """Add all queries to `arrays`, under names that begin with `place`; return facts about them."""
        facts = []
        for key, number in sorted(self.keys.items(), key=lambda entry: entry[1]):
            group = self.groups[number]
            slots = np.flatnonzero(group.index.alive).astype(np.int32)
            queries = group.index.queries(slots)
            arrays |= {f"{place}/{number}/{each.name}": getattr(queries, each.name) for each in fields(queries)}
            arrays[f"{place}/{number}/handle"] = group.handle[slots]
            facts.append({**key._asdict(), "number": number})
        return facts

    def load_queries(self, place: str, arrays: Sections, facts: list[Any], streams: StreamTable) -> None:
        """Add the queries that `dump_queries` wrote."""
        for stored in facts:
            at = f"{place}/{stored['number']}"
            key = AnswerKey(tuple(stored["columns"]), stored["condition"], stored.get("alone", False))  # or older ones
            own = self.number_of(key)
            group, wide = self.groups[own], len(key.columns)
            columns = {
                name: array_of(arrays, f"{at}/{name}", kind, (-1, *(wide if size == -1 else size for size in shape)))
                for name, (kind, shape) in group.stored_columns.items()
            }
            handles = array_of(arrays, f"{at}/handle", np.int32)
            self.place(own, handles, group.insert(group.stored_as(**columns), handles, streams))

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return super().nbytes_queries + sum(int(group.index.nbytes_queries) for group in self.groups)

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams."""
        return sum(int(group.index.nbytes_streams) for group in self.groups)


class _Values:
    """Look up the values of streams at the time their changes happened."""

    def __init__(self, step: Step, changes: Any, time: Ints) -> None:
        self._after, self._row = step.after, changes.row.copy()
        # Streams without a row in this batch before the change: copy their values now, they may be evicted soon.
        without_row = np.flatnonzero(changes.row < 0)
        if len(without_row):
            earlier = step.known_at(changes.stream[without_row], time[changes.entry[without_row]])
            self._row[without_row] = step.after.shape[1] + np.arange(len(without_row))
            self._after = np.concatenate([step.after, earlier], axis=1)

    def __call__(self, chosen: Ints) -> Floats:
        return self._after[:, self._row[chosen]]


def _events_of(group: AnswerGroup, changes: Any, time: Ints, over: Mask, values_of: ValuesOf) -> list[Events]:
    """Convert changes to events."""
    kind = np.where(changes.adds, ADD, REMOVE).astype(np.int8)
    reasons = np.where(changes.shed, SHED, np.where(over[changes.entry], EXPIRED, MOVED))
    events = []
    for reason in (MOVED, EXPIRED, SHED):
        chosen = np.flatnonzero(reasons == reason)
        if len(chosen):
            events.append(
                Events(
                    group.handle[changes.query[chosen]],
                    changes.stream[chosen],
                    kind[chosen],
                    reason,
                    time[changes.entry[chosen]],
                    partial(_piece, values_of, chosen),
                )
            )
    return events


def _some(values: Floats, chosen: Ints) -> Floats:
    return values[:, chosen]


def _piece(values_of: ValuesOf, chosen: Ints, first: int, last: int) -> Floats:
    return values_of(chosen[first:last])
