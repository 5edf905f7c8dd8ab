"""Calm borders: what a family of border queries does with crossings that must be confirmed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from limen.index.doubts import Limits, Settled, StepRows
from limen.index.level import NOBODY
from limen.index.pairs import LOWER_HALF, NO_PAIRS
from limen.kernels.doubts import ENTERS, LEAVES, PASSES
from limen.kernels.streams import NEVER
from limen.model.calm import BorderQuery
from limen.model.event import CROSS, ENTER, EXIT, MOVED
from limen.operators.events import Events

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from limen.model.query import Query
    from limen.operators.family import Family
    from limen.operators.groups import Group
    from limen.operators.step import Expired, Step
    from limen.operators.streams import StreamTable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

FOREVER = 2**63 - 1
NAMES = ("margin", "confirm", "min_stay")
_KIND = np.array([ENTER, EXIT, CROSS], np.int8)  # of ENTERS, LEAVES and PASSES


class CalmBorders:
    """What the calm queries of a family ask, by handle, and the doubts of theirs, which belong to the streams."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._limits = Limits(np.empty(0), np.empty(0, np.int32), np.empty(0, np.int64))
        self._looked = (-1, NEVER)  # how often doubts had been put in when all were looked at, and when the next is due

    def insert(self, queries: Sequence[Query], handles: Slots) -> None:
        """Take what queries ask; those that are not calm are passed over."""
        calm = [number for number, query in enumerate(queries) if isinstance(query, BorderQuery) and query.calm]
        asked = [query for query in queries if isinstance(query, BorderQuery) and query.calm]
        if calm:
            margin = np.array([query.margin for query in asked])
            confirm = np.array([query.confirm for query in asked], np.int32)
            min_stay = np.array([query.min_stay // query.min_stay.resolution for query in asked], np.int64)
            self.put(handles[calm], dict(zip(NAMES, (margin, confirm, min_stay), strict=True)))

    def columns(self, handles: Slots) -> dict[str, npt.NDArray[Any]]:
        """Return what calm queries ask, as named arrays, for `put`."""
        return {name: column[handles] for name, column in zip(NAMES, self._limits.columns, strict=True)}

    def put(self, handles: Slots, columns: dict[str, npt.NDArray[Any]]) -> None:
        """Set what `columns` returned."""
        size = int(handles.max(initial=-1)) + 1
        if size > len(self._limits.margin):
            more = max(size, len(self._limits.margin) * 5 // 4) - len(self._limits.margin)
            self._limits = Limits(
                *(np.concatenate([column, np.zeros(more, column.dtype)]) for column in self._limits.columns)
            )
        for name, column in zip(NAMES, self._limits.columns, strict=True):
            column[handles] = columns[name]

    def renumber(self, handles: Slots) -> None:
        """Keep these handles only and number them in this order."""
        if not len(self._limits.margin):
            return
        known = handles < len(self._limits.margin)  # the last ones may be of others
        limits = Limits(*(np.zeros(len(handles), column.dtype) for column in self._limits.columns))
        for new, old in zip(limits.columns, self._limits.columns, strict=True):
            new[known] = old[handles[known]]
        self._limits = limits

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(column.nbytes for column in self._limits.columns)

    # ---- what happens ------------------------------------------------------------------------------------------------

    def step(self, step: Step) -> list[tuple[Settled, Ints, Ints]]:
        """Settle what rows cross and confirm: by group what is settled, and which doubts ended with their stream."""
        numbers = [number for number, group in enumerate(self._family.groups) if group.calm]
        if not numbers:
            return []
        entries = self._own(step.streams, step.streams.doubts.of_streams(step.slot))
        group_of = self._family.group_of[step.streams.doubts.queries(entries)]
        parts = [entries[group_of == number] for number in numbers]  # before any of them is settled, and changed
        groups = [self._family.groups[number] for number in numbers]
        return [self._settle(step, group, part) for group, part in zip(groups, parts, strict=True)]

    def due(self, before: int, streams: StreamTable, *, rows_may_follow: bool) -> Settled:
        """Settle what time confirms before a time."""
        entries, times = NOBODY, NO_PAIRS
        put_in, soonest = self._looked
        if put_in != streams.doubts.put_in or soonest < before:
            entries, times = self._due(streams, streams.doubts.all())
            self._looked = streams.doubts.put_in, int(times[times >= before].min(initial=FOREVER))
        now = times < before
        settled = streams.doubts.settle_by_time(entries[now], times[now])
        if rows_may_follow:
            streams.keep_late(settled.stream, settled.time)
        streams.touch(settled.stream)
        return settled

    def expire(self, expired: Expired, streams: StreamTable) -> tuple[Settled, Ints]:
        """Settle what time confirms before streams are forgotten; return that, and the doubts that they take along."""
        doubts = streams.doubts
        entries = self._own(streams, doubts.of_streams(expired.slot))
        until = np.zeros(len(streams), np.int64)
        until[expired.slot] = expired.time
        ready, times = self._due(streams, entries)
        in_time = times <= until[doubts.pairs(ready) & LOWER_HALF]
        taken = np.setdiff1d(entries, ready[in_time])
        pairs = doubts.pairs(taken)
        doubts.forget(taken)
        return doubts.settle_by_time(ready[in_time], times[in_time]), pairs

    def _due(self, streams: StreamTable, entries: Slots) -> tuple[Slots, Ints]:
        return streams.doubts.due(self._own(streams, entries), self._limits)

    def _own(self, streams: StreamTable, entries: Slots) -> Slots:
        """Leave out the doubts of other families."""
        queries, group_of = streams.doubts.queries(entries), self._family.group_of
        known = queries < len(group_of)
        known[known] = group_of[queries[known]] >= 0
        return entries[known]

    def _settle(self, step: Step, group: Group, entries: Slots) -> tuple[Settled, Ints, Ints]:
        crossings = self._crossings(step, group)
        expired_at = np.empty(0, np.int64)
        if len(step.expired):
            expired_at = np.full(len(step.slot), NEVER)
            expired_at[step.expired.row] = step.expired.time
        rows = StepRows.of(
            step.slot, step.late, len(step.streams), step.rows.time, step.seen(group.columns), expired_at
        )  # fmt: skip

        def is_far(handles: Slots, row: Ints) -> Mask:
            return group.is_far(step, row, self._family.slot_of[handles], self._limits.margin[handles])

        return step.streams.doubts.settle(crossings, entries, rows, self._limits, is_far)

    def _crossings(self, step: Step, group: Group) -> tuple[Slots, Slots, Slots, npt.NDArray[np.int8]]:
        row, signed = group.moved(step).arrays()
        leaves: Slots = signed >> 31
        kind = np.where(leaves, LEAVES, ENTERS).astype(np.int8)
        slot = signed ^ leaves
        if group.passing:
            jumped, over = group.passed(step).arrays()
            row, slot = np.concatenate([row, jumped]), np.concatenate([slot, over])
            kind = np.concatenate([kind, np.full(len(over), PASSES, np.int8)])
        return row, step.slot[row], group.handle[slot], kind


def events_of_rows(step: Step, settled: Settled) -> list[Events]:
    """Make events of what was settled in a step."""
    by_row = settled.place & 1 == 1
    rows, late = settled.only(by_row), settled.only(~by_row)
    row = rows.place >> 1
    return [
        *events_of(rows, lambda first, last: step.after[:, row[first:last]]),
        *events_of(late, lambda first, last: step.known_at(late.stream[first:last], late.time[first:last])),
    ]


def events_of(settled: Settled, values: Callable[[int, int], Floats]) -> list[Events]:
    """Make events of what is settled."""
    if not len(settled):
        return []
    return [
        Events(settled.query, settled.stream, _KIND[settled.kind], MOVED, settled.time, values, started=settled.since)
    ]
