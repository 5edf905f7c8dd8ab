"""Border crossings that wait for their answer, of all queries and streams: the windows and tables of Tran-Seq."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from limen.index.level import NOBODY as NO_SLOTS
from limen.kernels.starts import (
    DUE,
    FREE,
    LIVE,
    MARKS,
    NOBODY,
    OVER,
    START,
    USED,
    add_some,
    count_of,
    entries_of,
    list_all,
    remove_of,
    remove_some,
    schedule,
)
from limen.kernels.transitions import compose, end_streams, fall_due, pass_by

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]
Codes = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]

#: The arrays of a part, and their types; all but the first have one value a start.
PART = {"count": np.int32, "query": np.int32, "at": np.int64, "leaves": np.bool_, "over": np.bool_}
FEWEST = 4096  # deadlines without a start, and free entries, that are never worth tidying up


@dataclass(frozen=True, slots=True)
class Happened:
    """What became of starts: whose, which of passed, returned, stayed and gone (0 to 3), when, since when.

    `row` is the row that answered, -1 for a deadline; of streams that were forgotten, their position among those.
    """

    query: Slots
    stream: Slots
    kind: Codes
    time: Ints
    started: Ints
    row: Ints

    def __len__(self) -> int:
        return len(self.query)

    def only(self, which: Mask) -> Happened:
        """Return some of it."""
        return Happened(*(column[which] for column in self.columns))

    @property
    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        """All columns, in the order in which kernels write them."""
        return self.query, self.stream, self.kind, self.time, self.started, self.row

    @classmethod
    def room(cls, size: int) -> Happened:
        """Make room for so many."""
        kinds = (np.int32, np.int32, np.int8, np.int64, np.int64, np.int64)
        columns: list[npt.NDArray[Any]] = [np.empty(size, kind) for kind in kinds]
        return cls(*columns)

    @classmethod
    def joined(cls, parts: list[Happened]) -> Happened:
        """Put parts one behind the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(*(np.concatenate(columns) for columns in zip(*(part.columns for part in parts), strict=True)))


NOTHING = Happened.room(0)


@dataclass(frozen=True, slots=True)
class Limits:
    """What queries ask, by handle: their time limits, and a bit for each kind that they want."""

    within: Ints
    wanted: Codes


class Starts:
    """Starts and their deadlines. A query and a stream have at most one: their last crossing."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._entries = np.empty(0, START)
        self._chain = np.empty(0, np.int32)
        self._table = np.full(2, NOBODY, np.int32)
        self._heap = np.empty(0, np.int64), np.empty(0, np.int32)
        self._marks = np.zeros(MARKS, np.int64)
        self._marks[FREE] = NOBODY
        self._unscheduled: list[Slots] = []  # read from somewhere, when time limits were not known yet
        self._stamp = 0
        self._visited = np.empty(0, np.int32)  # by slot, the last call in which its deadlines were looked at
        self._out = Happened.room(1024)

    def __len__(self) -> int:
        return int(self._marks[LIVE])

    @property
    def waiting(self) -> int:
        """How many wait for their deadline; the others are kept for rows that may still come."""
        return int(self._marks[LIVE] - self._marks[OVER])

    # ---- what happens ------------------------------------------------------------------------------------------------

    def compose(
        self,
        crossings: tuple[Slots, Slots],
        slot: Slots,
        time: Ints,
        expired: tuple[Ints, Ints],
        limits: Limits,
        slots: int,
    ) -> Happened:
        """Take crossings (row, query; ~query for an exit) and streams forgotten (before which row, when), by row.

        `slot` and `time` are of all rows, `slots` is how many streams there are.
        """
        if not len(crossings[0]) and not len(self):
            return NOTHING
        self._make_room(len(crossings[0]), slots, limits)
        crossed, ended = 0, 0

        def go_on() -> tuple[bool, int]:
            nonlocal crossed, ended
            crossed, ended, count = compose(
                *crossings, slot, time, *expired, crossed, ended, limits.within, limits.wanted,
                *self._table_of_starts, *self._heap, self._marks, *self._out.columns,
            )  # fmt: skip
            return crossed == len(crossings[0]) and ended == len(expired[0]), count

        return self._collect(go_on)

    def pass_by(self, slot: Slots, late: Mask, last_time: Ints, limits: Limits) -> Happened:
        """Tell of the deadlines that streams have let pass which have rows in a step; `last_time` is by slot."""
        if not len(self):
            return NOTHING
        self._make_room(0, len(last_time), limits)
        self._stamp += 1
        row = 0

        def go_on() -> tuple[bool, int]:
            nonlocal row
            row, count = pass_by(
                slot, late, last_time, self._stamp, self._visited, limits.within, limits.wanted,
                *self._table_of_starts, self._marks, row, *self._out.columns,
            )  # fmt: skip
            return row == len(slot), count

        return self._collect(go_on)

    def fall_due(self, complete: int, limits: Limits, *, keep: bool) -> Happened:
        """Tell of deadlines before a time.

        With `keep`, rows before it may still come, and starts that such a row may answer are kept.
        """
        if not len(self):
            return NOTHING
        self._make_room(0, 0, limits)
        if not self._marks[DUE] or self._heap[0][0] >= complete:
            return NOTHING

        def go_on() -> tuple[bool, int]:
            count, done = fall_due(
                complete, keep, limits.within, limits.wanted,
                *self._table_of_starts, *self._heap, self._marks, *self._out.columns,
            )  # fmt: skip
            return done, count

        return self._collect(go_on)

    def end(self, slots: Slots, times: Ints, limits: Limits) -> Happened:
        """Forget the starts of streams that are forgotten at these times, after their deadlines up to then."""
        if not len(self):
            return NOTHING
        self._make_room(0, int(slots.max(initial=-1)) + 1, limits)
        ended = 0

        def go_on() -> tuple[bool, int]:
            nonlocal ended
            ended, count = end_streams(
                slots, times, ended, limits.within, limits.wanted,
                *self._table_of_starts, self._marks, *self._out.columns,
            )  # fmt: skip
            return ended == len(slots), count

        return self._collect(go_on)

    def discard(self, queries: Slots) -> Slots:
        """Forget the starts of queries, and return the streams that had one."""
        if not len(self) or not len(queries):
            return NO_SLOTS
        handed_out = self._entries[: self._marks[USED]]
        entries = np.flatnonzero(np.isin(handed_out["query"], queries))  # free ones belong to nobody
        streams: Slots = handed_out["stream"][entries]
        self._remove(entries)
        return streams

    # ---- all of them, or some streams', as arrays --------------------------------------------------------------------

    def part(self, slots: Slots) -> dict[str, npt.NDArray[Any]]:
        """Return the starts of some streams as arrays, for `put_part`: how many each has, and all in a row.

        Without any start there are no arrays.
        """
        if not len(self):
            return {}
        self._make_room(0, int(slots.max(initial=-1)) + 1, None)
        count = np.empty(len(slots), np.int32)
        own = np.empty(count_of(slots, self._entries, self._chain, count), np.int32)
        entries_of(slots, self._entries, self._chain, own)
        starts = self._entries[own]
        # Whoever has the same starts writes the same bytes, in whatever order they came.
        starts = starts[np.lexsort((starts["query"], np.repeat(np.arange(len(slots)), count)))]
        return {"count": count, **{name: starts[name].copy() for name in PART if name != "count"}}

    def put_part(self, slots: Slots, part: Mapping[str, npt.NDArray[Any]]) -> None:
        """Set the starts of some streams."""
        if len(self):
            self._make_room(0, int(slots.max(initial=-1)) + 1, None)
            remove_of(slots, *self._table_of_starts, self._marks)
        if part and len(part["query"]):
            count, query, at, leaves, over = (part[name] for name in PART)
            self._put(query, np.repeat(slots, count), at, leaves, over)

    def tidy(self) -> None:
        """Give back room, when most of it is not needed any more."""
        if len(self._entries) > 4 * len(self) + FEWEST:
            self.renumber()

    def renumber(self, queries: Slots | None = None, streams: Slots | None = None) -> None:
        """Follow a renumbering of queries or streams: the new number of each old one, -1 for those that are gone."""
        starts = self._entries[self._live()]
        query = starts["query"] if queries is None else queries[starts["query"]]
        stream = starts["stream"] if streams is None else streams[starts["stream"]]
        kept = (query >= 0) & (stream >= 0)
        self._clear()
        self._put(query[kept], stream[kept], *(starts[name][kept] for name in ("at", "leaves", "over")))

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        arrays = (*self._table_of_starts, *self._heap, self._visited)
        return sum(array.nbytes for array in arrays) if len(self._chain) else 0

    # ---- room --------------------------------------------------------------------------------------------------------

    @property
    def _table_of_starts(self) -> tuple[npt.NDArray[Any], Slots, Slots]:
        return self._entries, self._chain, self._table

    def _live(self) -> npt.NDArray[np.int64]:
        return np.flatnonzero(self._entries["query"][: self._marks[USED]] != NOBODY)

    def _put(self, query: Slots, stream: Slots, at: Ints, leaves: Mask, over: Mask) -> None:
        self._make_room(len(query), int(stream.max(initial=-1)) + 1, None)
        entries = np.empty(len(query), np.int32)
        add_some(query, stream, at, leaves, over, entries, *self._table_of_starts, self._marks)
        self._unscheduled.append(entries)

    def _remove(self, entries: npt.NDArray[np.int64]) -> None:
        remove_some(entries, *self._table_of_starts, self._marks)

    def _collect(self, go_on: Callable[[], tuple[bool, int]]) -> Happened:
        """Call a kernel until it is done, and make its output room larger whenever it was not."""
        parts: list[Happened] = []
        done = False
        while not done:
            done, count = go_on()
            if count or (done and not parts):
                parts.append(Happened(*(column[:count].copy() for column in self._out.columns)))
            if not done:
                self._out = Happened.room(2 * len(self._out))
        return Happened.joined(parts)

    def _make_room(self, more: int, slots: int, limits: Limits | None) -> None:
        """Make room for more starts and so many streams; given the time limits, see that all deadlines are known."""
        marks = self._marks
        if slots > len(self._chain):
            new = max(slots, len(self._chain) * 5 // 4) - len(self._chain)
            self._chain = np.concatenate([self._chain, np.full(new, NOBODY, np.int32)])
            self._visited = np.concatenate([self._visited, np.zeros(new, np.int32)])
        needed = int(marks[LIVE]) + more
        if needed > len(self._entries):
            grown = np.empty(max(needed, len(self._entries) * 5 // 4), START)
            grown[: len(self._entries)] = self._entries
            self._entries = grown
        if 2 * needed > len(self._table):
            self._table = np.full(1 << (2 * needed - 1).bit_length(), NOBODY, np.int32)
            list_all(self._entries, self._table, marks)
        if limits is not None:
            self._schedule(more, limits)

    def _schedule(self, more: int, limits: Limits) -> None:
        marks = self._marks
        if marks[DUE] > 2 * marks[LIVE] + FEWEST:
            marks[DUE] = 0  # most deadlines belong to no one: begin anew with those that do
            self._unscheduled = [self._live().astype(np.int32)]
        needed = int(marks[DUE]) + more + sum(map(len, self._unscheduled))
        if needed > len(self._heap[0]):
            size = max(needed, len(self._heap[0]) * 5 // 4)
            time, entry = np.empty(size, np.int64), np.empty(size, np.int32)
            time[: marks[DUE]], entry[: marks[DUE]] = (column[: marks[DUE]] for column in self._heap)
            self._heap = time, entry
        for entries in self._unscheduled:
            schedule(entries, limits.within, self._entries, *self._heap, marks)
        self._unscheduled = []
