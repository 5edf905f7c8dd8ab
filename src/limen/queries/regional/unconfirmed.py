"""Unconfirmed crossings of debounced borders, by query and stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from limen.arrays import Array, Codes, Floats, Ints, Mask, Slots
from limen.queries.regional.kernels.unconfirmed import (
    CONFIRMED,
    ENTERS,
    JOB,
    LEAVES,
    NO_ROW,
    next_rows,
    resolve,
    rows_to_measure,
)
from limen.regions.column_set import ColumnSet, OptionColumns
from limen.regions.pairs import LOWER_HALF, as_pairs
from limen.runtime.kernels.pair_state import NO_ENTRY, USED
from limen.runtime.pair_state import PairState
from limen.runtime.stream_table import StreamTable

# Rows of a job that are measured against the margin at first; then twice as many each time, up to a limit.
FIRST_MEASURED, MOST_MEASURED = 4, 256


@dataclass(frozen=True, slots=True)
class DebounceLimits(OptionColumns):
    """The debouncing options of queries, by handle."""

    margin: Floats
    confirm: Slots
    min_stay: Ints


@dataclass(frozen=True, slots=True)
class ConfirmedCrossings(ColumnSet):
    """Confirmed crossings and jumps: query, stream, ENTERS, LEAVES or PASSES, time, since when, and order.

    `place` is as in `Crossings`: odd where a row is the cause, which is half of it.
    """

    query: Slots
    stream: Slots
    kind: Codes
    time: Ints
    since: Ints
    place: Ints

    def by_time(self) -> ConfirmedCrossings:
        """Return it in the order of time."""
        return self.only(np.argsort(self.time, kind="stable"))


@dataclass(frozen=True, slots=True)
class StepRows:
    """The rows of a step as a group of queries sees them: times, which it sees, and when streams were evicted.

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


class Unconfirmed(PairState):
    """Unconfirmed crossings: at most one for a query and stream.

    `leaves` is set while the stream counts as inside; `at` is the time since which its rows are on the other side.
    """

    PART: ClassVar[dict[str, type]] = {
        "count": np.int32, "query": np.int32, "at": np.int64, "leaves": np.bool_, "rows": np.int32,
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.put_in = 0  # how often crossings were stored, so that a scan of all is not repeated without need

    def _put(self, *args: Any, **columns: Any) -> Slots:
        self.put_in += 1
        return super()._put(*args, **columns)

    def all(self) -> Slots:
        """Return the entries of all unconfirmed crossings."""
        return self._live().astype(np.int32)

    def of_streams(self, slots: Slots) -> Slots:
        """Return the entries of some streams."""
        if not len(self):
            return np.empty(0, np.int32)
        self._make_room(0, int(slots.max(initial=-1)) + 1)
        return self._entries_of(np.unique(slots[self._chain[slots] != NO_ENTRY]))[1]

    def of_queries(self, queries: Slots) -> Slots:
        """Return the entries of some queries."""
        return np.flatnonzero(np.isin(self._entries["query"][: self._marks[USED]], queries)).astype(np.int32)

    def pairs(self, entries: Slots) -> Ints:
        """Return queries and streams of entries as one number each: the query in the upper half."""
        found = self._entries[entries]
        return as_pairs(found["query"], found["stream"])

    def queries(self, entries: Slots) -> Slots:
        """Return the queries of entries."""
        queries: Slots = self._entries["query"][entries]
        return queries

    def forget(self, entries: Slots) -> None:
        """Drop entries."""
        self._remove(entries)

    def due(self, entries: Slots, limits: DebounceLimits) -> tuple[Slots, Ints]:
        """Return the entries that only wait for `min_stay`, and the time at which it ends."""
        found = self._entries[entries]
        ready = found["rows"] >= limits.confirm[found["query"]]
        return entries[ready], found["at"][ready] + limits.min_stay[found["query"][ready]]

    def resolve_by_time(self, entries: Slots, times: Ints) -> ConfirmedCrossings:
        """Confirm entries at these times, and drop them."""
        found = self._entries[entries]
        kind = np.where(found["leaves"], LEAVES, ENTERS).astype(np.int8)
        self._remove(entries)  # `found` is a copy
        nowhere = np.zeros(len(times), np.int64)
        return ConfirmedCrossings(found["query"], found["stream"], kind, times, found["at"], nowhere).by_time()

    def resolve(
        self,
        crossings: tuple[Slots, Slots, Slots, Codes],
        entries: Slots,
        rows: StepRows,
        limits: DebounceLimits,
        is_far: Callable[[Slots, Ints], Mask],
    ) -> tuple[ConfirmedCrossings, Ints, Ints]:
        """Confirm or drop the crossings of a step and the unconfirmed ones of its streams.

        Parameters
        ----------
        crossings
            Rows, their streams, queries, and ENTERS, LEAVES or PASSES.
        entries
            The unconfirmed crossings of streams that have rows.
        rows, limits
            See there.
        is_far
            Returns, for pairs of a query and a row outside its region, whether the row is beyond the margin.

        Returns
        -------
        tuple
            Confirmed crossings; the unconfirmed ones of evicted streams, as `pairs`, and the row after the eviction.
        """
        jobs, row, kind = self._jobs(crossings, entries, rows)
        room = len(jobs) + len(row)
        confirmed, count = np.empty(room, CONFIRMED), 0
        lapsed_job, lapsed_row, lapsed = np.empty(room, np.int32), np.empty(room, np.int64), 0
        some, far, measured = np.arange(len(jobs), dtype=np.int32), np.empty(0, np.bool_), FIRST_MEASURED
        while len(some):
            steps = row, kind, rows.time, rows.seen, rows.following, rows.expired_at
            out = confirmed, count, lapsed_job, lapsed_row, lapsed
            count, lapsed = resolve(jobs, some, *steps, limits.margin, limits.confirm, limits.min_stay, far, *out)
            some = some[jobs["wanted_row"][some] != NO_ROW]
            if len(some):
                far = self._measure(jobs, some, rows.following, measured, is_far)
                measured = min(2 * measured, MOST_MEASURED)
        self._remove(entries)
        left = jobs[jobs["unconfirmed"]]
        if len(left):
            self._put(left["query"], left["stream"], left["since"], left["inside"], rows=left["rows"])
        done = confirmed[:count]
        job = jobs[done["job"]]
        found = ConfirmedCrossings(
            job["query"], job["stream"], done["kind"], done["time"], done["since"], done["place"]
        )
        gone = jobs[lapsed_job[:lapsed]]
        return found, as_pairs(gone["query"], gone["stream"]), lapsed_row[:lapsed]

    def _jobs(
        self, crossings: tuple[Slots, Slots, Slots, Codes], entries: Slots, rows: StepRows
    ) -> tuple[Array, Slots, Codes]:
        """Make a job of every query and stream with a crossing, and order new crossings by job and row."""
        row, stream, query, kind = crossings
        number = as_pairs(query, stream)
        order = np.lexsort((row, number))
        row, kind, number = row[order], kind[order], number[order]
        unconfirmed = self.pairs(entries)
        own = np.unique(np.concatenate([number, unconfirmed]))
        jobs = np.zeros(len(own), JOB)
        jobs["query"], jobs["stream"] = own >> 32, own & LOWER_HALF
        jobs["crossing"], jobs["last"] = np.searchsorted(number, own), np.searchsorted(number, own, side="right")
        jobs["wanted_row"] = jobs["row"] = NO_ROW
        at, found = np.searchsorted(own, unconfirmed), self._entries[entries]
        jobs["unconfirmed"][at] = True
        jobs["inside"][at], jobs["rows"][at], jobs["since"][at] = found["leaves"], found["rows"], found["at"]
        jobs["row"][at] = rows.first[found["stream"]]
        return jobs, row, kind

    def _measure(
        self, jobs: Array, unresolved: Slots, following: Ints, most: int, is_far: Callable[[Slots, Ints], Mask]
    ) -> Mask:
        """Measure the rows that jobs need, and some of those that follow."""
        row, job_of = np.empty(most * len(unresolved), np.int64), np.empty(most * len(unresolved), np.int32)
        count = rows_to_measure(jobs, unresolved, following, most, row, job_of)
        return is_far(jobs["query"][job_of[:count]], row[:count])


def unconfirmed_of(streams: StreamTable) -> Unconfirmed:
    """Return the unconfirmed crossings of a stream table."""
    return cast("Unconfirmed", streams.pair_state["doubts"])
