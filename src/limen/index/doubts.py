"""Queries and streams that are in doubt at calm borders, and how doubts are settled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from limen.index.pairs import LOWER_HALF, as_pairs
from limen.index.remembered import Remembered
from limen.kernels.doubts import ENTERS, JOB, LEAVES, NO_ROW, SETTLED, next_rows, rows_to_tell, settle
from limen.kernels.starts import NOBODY, USED

if TYPE_CHECKING:
    from collections.abc import Callable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]
Codes = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]

# Rows of a job of which is told at first whether they are beyond the margin; then twice as many, so many at most.
FIRST_TOLD, MOST_TOLD = 4, 256


@dataclass(frozen=True, slots=True)
class Limits:
    """What queries ask before they take a change of side for one, by handle."""

    margin: Floats
    confirm: Slots
    min_stay: Ints

    @property
    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        """All columns, in the order in which kernels take them."""
        return self.margin, self.confirm, self.min_stay


@dataclass(frozen=True, slots=True)
class Settled:
    """Changes of side that count, and jumps: whose, ENTERS, LEAVES or PASSES, when, since when, and in which order.

    `place` is as in `Crossings`: odd where a row is the cause, which is half of it.
    """

    query: Slots
    stream: Slots
    kind: Codes
    time: Ints
    since: Ints
    place: Ints

    def __len__(self) -> int:
        return len(self.query)

    def only(self, which: Mask) -> Settled:
        """Return some of it."""
        return Settled(*(column[which] for column in self.columns))

    @property
    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        """All columns."""
        return self.query, self.stream, self.kind, self.time, self.since, self.place

    def by_time(self) -> Settled:
        """Return it in the order of time."""
        order = np.argsort(self.time, kind="stable")
        return Settled(*(column[order] for column in self.columns))


@dataclass(frozen=True, slots=True)
class StepRows:
    """The rows of a step as a group of queries sees them: when; which it sees; whose stream was forgotten before, when.

    `following` is the next row of the same stream, `first` (by slot) the first row of each stream.
    """

    time: Ints
    seen: Mask
    expired_at: Ints
    following: Ints
    first: Ints

    @classmethod
    def of(cls, slot: Slots, late: Mask, slots: int, time: Ints, seen: Mask, expired_at: Ints) -> StepRows:
        """Find which row follows which."""
        following, first = np.empty(len(slot), np.int64), np.full(slots, NO_ROW, np.int64)
        next_rows(slot, late, following, first)
        return cls(time, seen, expired_at, following, first)


class Doubts(Remembered):
    """Doubts: at most one a query and stream. `leaves` says that the stream counts as inside, `at` since when not."""

    PART: ClassVar[dict[str, type]] = {
        "count": np.int32, "query": np.int32, "at": np.int64, "leaves": np.bool_, "rows": np.int32,
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.put_in = 0  # how often doubts were put in, so that who has looked at all knows whether to look again

    def _put(self, *args: Any, **columns: Any) -> Slots:
        self.put_in += 1
        return super()._put(*args, **columns)

    def all(self) -> Slots:
        """Return where all doubts are."""
        return self._live().astype(np.int32)

    def of_streams(self, slots: Slots) -> Slots:
        """Return where the doubts of some streams are."""
        if not len(self):
            return np.empty(0, np.int32)
        self._make_room(0, int(slots.max(initial=-1)) + 1)
        return self._entries_of(np.unique(slots[self._chain[slots] != NOBODY]))[1]

    def of_queries(self, queries: Slots) -> Slots:
        """Return where the doubts of some queries are."""
        return np.flatnonzero(np.isin(self._entries["query"][: self._marks[USED]], queries)).astype(np.int32)

    def pairs(self, entries: Slots) -> Ints:
        """Return queries and streams of doubts as one number each: the query in the upper half."""
        found = self._entries[entries]
        return as_pairs(found["query"], found["stream"])

    def queries(self, entries: Slots) -> Slots:
        """Return the queries of doubts."""
        queries: Slots = self._entries["query"][entries]
        return queries

    def forget(self, entries: Slots) -> None:
        """Forget doubts."""
        self._remove(entries)

    def due(self, entries: Slots, limits: Limits) -> tuple[Slots, Ints]:
        """Return which of some doubts only wait for time to pass, and the time until which they do."""
        found = self._entries[entries]
        ready = found["rows"] >= limits.confirm[found["query"]]
        return entries[ready], found["at"][ready] + limits.min_stay[found["query"][ready]]

    def settle_by_time(self, entries: Slots, times: Ints) -> Settled:
        """Take doubts for settled at times, and forget them."""
        found = self._entries[entries]
        kind = np.where(found["leaves"], LEAVES, ENTERS).astype(np.int8)
        self._remove(entries)  # `found` is a copy
        nowhere = np.zeros(len(times), np.int64)
        return Settled(found["query"], found["stream"], kind, times, found["at"], nowhere).by_time()

    def settle(
        self,
        crossings: tuple[Slots, Slots, Slots, Codes],
        entries: Slots,
        rows: StepRows,
        limits: Limits,
        is_far: Callable[[Slots, Ints], Mask],
    ) -> tuple[Settled, Ints, Ints]:
        """Take the crossings of a step, and the doubts of its streams, and settle what can be.

        Parameters
        ----------
        crossings
            Rows, their streams, queries, and ENTERS, LEAVES or PASSES.
        entries
            The doubts of streams that have rows.
        rows, limits
            See there.
        is_far
            Tells of pairs of a query and a row outside its region whether the row is beyond the margin.

        Returns
        -------
        tuple
            What is settled; doubts that a stream took along when it was forgotten, as `pairs`, and before which row.
        """
        jobs, row, kind = self._jobs(crossings, entries, rows)
        room = len(jobs) + len(row)
        settled, count = np.empty(room, SETTLED), 0
        lapsed_job, lapsed_row, lapsed = np.empty(room, np.int32), np.empty(room, np.int64), 0
        some, far, told = np.arange(len(jobs), dtype=np.int32), np.empty(0, np.bool_), FIRST_TOLD
        while len(some):
            steps = row, kind, rows.time, rows.seen, rows.following, rows.expired_at
            out = settled, count, lapsed_job, lapsed_row, lapsed
            count, lapsed = settle(jobs, some, *steps, limits.margin, limits.confirm, limits.min_stay, far, *out)
            some = some[jobs["ask"][some] != NO_ROW]
            if len(some):
                far, told = self._tell(jobs, some, rows.following, told, is_far), min(2 * told, MOST_TOLD)
        self._remove(entries)
        left = jobs[jobs["doubt"]]
        if len(left):
            self._put(left["query"], left["stream"], left["since"], left["inside"], rows=left["rows"])
        done = settled[:count]
        job = jobs[done["job"]]
        found = Settled(job["query"], job["stream"], done["kind"], done["time"], done["since"], done["place"])
        gone = jobs[lapsed_job[:lapsed]]
        return found, as_pairs(gone["query"], gone["stream"]), lapsed_row[:lapsed]

    def _jobs(
        self, crossings: tuple[Slots, Slots, Slots, Codes], entries: Slots, rows: StepRows
    ) -> tuple[npt.NDArray[Any], Slots, Codes]:
        """Make a job of every query and stream that crosses or is in doubt; and order crossings by job and row."""
        row, stream, query, kind = crossings
        number = as_pairs(query, stream)
        order = np.lexsort((row, number))
        row, kind, number = row[order], kind[order], number[order]
        doubts = self.pairs(entries)
        own = np.unique(np.concatenate([number, doubts]))
        jobs = np.zeros(len(own), JOB)
        jobs["query"], jobs["stream"] = own >> 32, own & LOWER_HALF
        jobs["crossing"], jobs["last"] = np.searchsorted(number, own), np.searchsorted(number, own, side="right")
        jobs["ask"] = jobs["row"] = NO_ROW
        at, found = np.searchsorted(own, doubts), self._entries[entries]
        jobs["doubt"][at] = True
        jobs["inside"][at], jobs["rows"][at], jobs["since"][at] = found["leaves"], found["rows"], found["at"]
        jobs["row"][at] = rows.first[found["stream"]]
        return jobs, row, kind

    def _tell(
        self, jobs: npt.NDArray[Any], asking: Slots, following: Ints, most: int, is_far: Callable[[Slots, Ints], Mask]
    ) -> Mask:
        """Find out for jobs what they ask, and as much of the rows behind."""
        row, job_of = np.empty(most * len(asking), np.int64), np.empty(most * len(asking), np.int32)
        count = rows_to_tell(jobs, asking, following, most, row, job_of)
        return is_far(jobs["query"][job_of[:count]], row[:count])
