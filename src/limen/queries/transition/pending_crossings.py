"""Pending crossings of all queries and streams, with their deadlines: the windows and tables of Tran-Seq."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from limen.arrays import Array, Codes, Ints, Mask, Slots
from limen.growable import grown
from limen.queries.transition.kernels.transitions import compose, end_streams, fall_due, pass_by
from limen.regions.column_set import ColumnSet, OptionColumns
from limen.runtime.kernels.pair_state import DUE, LIVE, OVER, schedule
from limen.runtime.pair_state import PairState
from limen.runtime.stream_table import StreamTable


@dataclass(frozen=True, slots=True)
class Crossings(ColumnSet):
    """Borders crossed, in order: the query, ~query where it is left, the stream and the time.

    `place` is twice the row before which it happened, by a deadline, and one more where it was the row.
    """

    place: Ints
    query: Slots
    stream: Slots
    time: Ints

    @classmethod
    def by_rows(cls, row: Slots, query: Slots, slot: Slots, time: Ints) -> Crossings:
        """Make the crossings of rows; `slot` and `time` are of all rows."""
        return cls(2 * row.astype(np.int64) + 1, query, slot[row], time[row])

    def with_others(self, others: Crossings) -> Crossings:
        """Put these and others in one order."""
        both = Crossings.joined([self, others])
        return both.only(np.argsort(both.place, kind="stable"))


@dataclass(frozen=True, slots=True)
class ComposedTransitions(ColumnSet):
    """Transitions: query, stream, kind (passed, returned, stayed, gone: 0 to 3), time, and start time.

    `row` is the row that answered, -1 for a deadline; of streams that were forgotten, their position among those.
    """

    query: Slots
    stream: Slots
    kind: Codes
    time: Ints
    started: Ints
    row: Ints

    @classmethod
    def room(cls, size: int) -> ComposedTransitions:
        """Make room for so many."""
        kinds = (np.int32, np.int32, np.int8, np.int64, np.int64, np.int64)
        columns: list[Array] = [np.empty(size, kind) for kind in kinds]
        return cls(*columns)


NOTHING = ComposedTransitions.room(0)


@dataclass(frozen=True, slots=True)
class TransitionLimits(OptionColumns):
    """The options of queries, by handle: time limits, and a bit for each kind that they want."""

    within: Ints
    wanted: Codes


class PendingCrossings(PairState):
    """Pending crossings and their deadlines. A query and a stream have at most one: their last crossing."""

    PART: ClassVar[dict[str, type]] = {
        "count": np.int32, "query": np.int32, "at": np.int64, "leaves": np.bool_, "over": np.bool_,
    }  # fmt: skip

    def _clear(self) -> None:
        super()._clear()
        self._heap = np.empty(0, np.int64), np.empty(0, np.int32)
        self._unscheduled: list[Slots] = []  # read from somewhere, when time limits were not known yet
        self._stamp = 0
        self._visited = np.empty(0, np.int32)  # by slot, the last call in which its deadlines were looked at
        self._out = ComposedTransitions.room(1024)

    @property
    def waiting(self) -> int:
        """How many wait for their deadline; the others are kept for rows that may still come."""
        return int(self._marks[LIVE] - self._marks[OVER])

    # ---- what happens ------------------------------------------------------------------------------------------------

    def compose(
        self, crossings: Crossings, expired: tuple[Ints, Slots, Ints], limits: TransitionLimits, slots: int
    ) -> ComposedTransitions:
        """Compose crossings and evictions (row after it, stream, time), both by row, of `slots` streams."""
        if not len(crossings) and not len(self):
            return NOTHING
        self._prepare(len(crossings), slots, limits)
        crossed, ended = 0, 0

        def go_on() -> tuple[bool, int]:
            nonlocal crossed, ended
            crossed, ended, count = compose(
                crossings.place, crossings.query, crossings.stream, crossings.time, *expired, crossed, ended,
                limits.within, limits.wanted,
                *self._arrays, *self._heap, self._marks, *self._out.columns,
            )  # fmt: skip
            return crossed == len(crossings) and ended == len(expired[0]), count

        return self._collect(go_on)

    def pass_by(self, slot: Slots, late: Mask, last_time: Ints, limits: TransitionLimits) -> ComposedTransitions:
        """Return the deadlines missed by streams that have rows in a step; `last_time` is by slot."""
        if not len(self):
            return NOTHING
        self._prepare(0, len(last_time), limits)
        self._stamp += 1
        row = 0

        def go_on() -> tuple[bool, int]:
            nonlocal row
            row, count = pass_by(
                slot, late, last_time, self._stamp, self._visited, limits.within, limits.wanted,
                *self._arrays, self._marks, row, *self._out.columns,
            )  # fmt: skip
            return row == len(slot), count

        return self._collect(go_on)

    def fall_due(self, complete: int, limits: TransitionLimits, *, keep: bool) -> ComposedTransitions:
        """Return the deadlines before a time.

        With `keep`, rows before it may still come, and starts that such a row may answer are kept.
        """
        if not len(self):
            return NOTHING
        self._prepare(0, 0, limits)
        if not self._marks[DUE] or self._heap[0][0] >= complete:
            return NOTHING

        def go_on() -> tuple[bool, int]:
            count, done = fall_due(
                complete, keep, limits.within, limits.wanted,
                *self._arrays, *self._heap, self._marks, *self._out.columns,
            )  # fmt: skip
            return done, count

        return self._collect(go_on)

    def end(self, slots: Slots, times: Ints, limits: TransitionLimits) -> ComposedTransitions:
        """Drop the pending crossings of streams evicted at these times; return the deadlines up to then."""
        if not len(self):
            return NOTHING
        self._prepare(0, int(slots.max(initial=-1)) + 1, limits)
        ended = 0

        def go_on() -> tuple[bool, int]:
            nonlocal ended
            ended, count = end_streams(
                slots, times, ended, limits.within, limits.wanted,
                *self._arrays, self._marks, *self._out.columns,
            )  # fmt: skip
            return ended == len(slots), count

        return self._collect(go_on)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        own = (*self._heap, self._visited)
        return super().nbytes + sum(array.nbytes for array in own) if len(self._chain) else 0

    # ---- room --------------------------------------------------------------------------------------------------------

    def _put(self, *args: Any, **columns: Any) -> Slots:
        entries = super()._put(*args, **columns)
        self._unscheduled.append(entries)
        return entries

    def _collect(self, go_on: Callable[[], tuple[bool, int]]) -> ComposedTransitions:
        """Call a kernel until it is done, and make its output room larger whenever it was not."""
        parts: list[ComposedTransitions] = []
        done = False
        while not done:
            done, count = go_on()
            if count or (done and not parts):
                parts.append(self._out.only(np.arange(count)))
            if not done:
                self._out = ComposedTransitions.room(2 * len(self._out))
        return ComposedTransitions.joined(parts)

    def _prepare(self, more: int, slots: int, limits: TransitionLimits) -> None:
        """Make room for more starts and so many streams, and see that all deadlines are known."""
        self._make_room(more, slots)
        self._visited = grown(self._visited, slots)
        self._schedule(more, limits)

    def _schedule(self, more: int, limits: TransitionLimits) -> None:
        marks = self._marks
        if marks[DUE] > 2 * marks[LIVE] + self.FEWEST:
            marks[DUE] = 0  # most deadlines have no start any more: rebuild the heap from the others
            self._unscheduled = [self._live().astype(np.int32)]
        needed = int(marks[DUE]) + more + sum(map(len, self._unscheduled))
        self._heap = grown(self._heap[0], needed), grown(self._heap[1], needed)
        for entries in self._unscheduled:
            schedule(entries, limits.within, self._entries, *self._heap, marks)
        self._unscheduled = []


def pending_of(streams: StreamTable) -> PendingCrossings:
    """Return the pending crossings of a stream table."""
    return cast("PendingCrossings", streams.pair_state["starts"])
