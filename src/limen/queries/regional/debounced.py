"""Hysteresis and debouncing: confirm the crossings of border queries before they count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from limen.arrays import Array, Codes, Floats, Ints, Mask, Slots
from limen.model.debounced import BorderQuery
from limen.model.event import CROSS, ENTER, EXIT, MOVED
from limen.model.query import Query
from limen.queries.regional.group import Group
from limen.queries.regional.kernels.unconfirmed import ENTERS, LEAVES, PASSES
from limen.queries.regional.unconfirmed import ConfirmedCrossings, DebounceLimits, StepRows, unconfirmed_of
from limen.regions.edges import NO_STREAMS
from limen.regions.pairs import LOWER_HALF, NO_PAIRS
from limen.runtime.events import Events
from limen.runtime.kernels.streams import NEVER
from limen.runtime.step import Expired, Step
from limen.runtime.stream_table import StreamTable

if TYPE_CHECKING:
    from limen.queries.regional.operator import RegionOperator


FOREVER = 2**63 - 1
_KIND = np.array([ENTER, EXIT, CROSS], np.int8)  # of ENTERS, LEAVES and PASSES


class DebouncedBorders:
    """The debouncing options of an operator's queries, by handle; its crossings are stored with the streams."""

    def __init__(self, family: RegionOperator) -> None:
        self._operator = family
        self._limits = DebounceLimits(np.empty(0), np.empty(0, np.int32), np.empty(0, np.int64))
        self._looked = (-1, NEVER)  # `put_in` at the last scan of all, and when the next is due

    def insert(self, queries: Sequence[Query], handles: Slots) -> None:
        """Store the options of queries; those without debouncing are skipped."""
        debounced = [
            number for number, query in enumerate(queries) if isinstance(query, BorderQuery) and query.debounced
        ]
        chosen = [query for query in queries if isinstance(query, BorderQuery) and query.debounced]
        if debounced:
            margin = np.array([query.margin for query in chosen])
            confirm = np.array([query.confirm for query in chosen], np.int32)
            min_stay = np.array([query.min_stay // query.min_stay.resolution for query in chosen], np.int64)
            self.put(handles[debounced], {"margin": margin, "confirm": confirm, "min_stay": min_stay})

    def columns(self, handles: Slots) -> dict[str, Array]:
        """Return the debouncing options of queries as named arrays, for `put`."""
        return self._limits.of(handles)

    def put(self, handles: Slots, columns: dict[str, Array]) -> None:
        """Set what `columns` returned."""
        self._limits = self._limits.put(handles, columns)

    def renumber(self, handles: Slots) -> None:
        """Keep these handles only and number them in this order."""
        if len(self._limits.margin):
            self._limits = self._limits.renumbered(handles)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._limits.nbytes

    # ---- what happens ------------------------------------------------------------------------------------------------

    def step(self, step: Step) -> list[tuple[ConfirmedCrossings, Ints, Ints]]:
        """Return by group the crossings that rows confirm, and the unconfirmed ones of evicted streams."""
        numbers = [number for number, group in enumerate(self._operator.groups) if group.debounced]
        if not numbers:
            return []
        entries = self._own(step.streams, unconfirmed_of(step.streams).of_streams(step.slot))
        group_of = self._operator.group_of[unconfirmed_of(step.streams).queries(entries)]
        parts = [entries[group_of == number] for number in numbers]  # before any of them is settled, and changed
        groups = [self._operator.groups[number] for number in numbers]
        return [self._resolve(step, group, part) for group, part in zip(groups, parts, strict=True)]

    def due(self, before: int, streams: StreamTable, *, rows_may_follow: bool) -> ConfirmedCrossings:
        """Return the crossings that `min_stay` confirms before a time."""
        entries, times = NO_STREAMS, NO_PAIRS
        put_in, soonest = self._looked
        if put_in != unconfirmed_of(streams).put_in or soonest < before:
            entries, times = self._due(streams, unconfirmed_of(streams).all())
            self._looked = unconfirmed_of(streams).put_in, int(times[times >= before].min(initial=FOREVER))
        now = times < before
        confirmed = unconfirmed_of(streams).resolve_by_time(entries[now], times[now])
        if rows_may_follow:
            streams.keep_late(confirmed.stream, confirmed.time)
        streams.touch(confirmed.stream)
        return confirmed

    def expire(self, expired: Expired, streams: StreamTable) -> tuple[ConfirmedCrossings, Ints]:
        """Return the crossings confirmed before streams are evicted, and those dropped with the streams."""
        unconfirmed = unconfirmed_of(streams)
        entries = self._own(streams, unconfirmed.of_streams(expired.slot))
        until = np.zeros(len(streams), np.int64)
        until[expired.slot] = expired.time
        ready, times = self._due(streams, entries)
        in_time = times <= until[unconfirmed.pairs(ready) & LOWER_HALF]
        taken = np.setdiff1d(entries, ready[in_time])
        pairs = unconfirmed.pairs(taken)
        unconfirmed.forget(taken)
        return unconfirmed.resolve_by_time(ready[in_time], times[in_time]), pairs

    def _due(self, streams: StreamTable, entries: Slots) -> tuple[Slots, Ints]:
        return unconfirmed_of(streams).due(self._own(streams, entries), self._limits)

    def _own(self, streams: StreamTable, entries: Slots) -> Slots:
        """Leave out the crossings of other operators."""
        queries, group_of = unconfirmed_of(streams).queries(entries), self._operator.group_of
        known = queries < len(group_of)
        known[known] = group_of[queries[known]] >= 0
        return entries[known]

    def _resolve(self, step: Step, group: Group, entries: Slots) -> tuple[ConfirmedCrossings, Ints, Ints]:
        crossings = self._crossings(step, group)
        expired_at = np.empty(0, np.int64)
        if len(step.expired):
            expired_at = np.full(len(step.slot), NEVER)
            expired_at[step.expired.row] = step.expired.time
        rows = StepRows.of(
            step.slot, step.late, len(step.streams), step.rows.time, step.seen(group.columns), expired_at
        )  # fmt: skip

        def is_far(handles: Slots, row: Ints) -> Mask:
            return group.is_far(step, row, self._operator.slot_of[handles], self._limits.margin[handles])

        return unconfirmed_of(step.streams).resolve(crossings, entries, rows, self._limits, is_far)

    def _crossings(self, step: Step, group: Group) -> tuple[Slots, Slots, Slots, Codes]:
        row, signed = group.moved(step).arrays()
        leaves: Slots = signed >> 31
        kind = np.where(leaves, LEAVES, ENTERS).astype(np.int8)
        slot = signed ^ leaves
        if group.passing:
            jumped, over = group.passed(step).arrays()
            row, slot = np.concatenate([row, jumped]), np.concatenate([slot, over])
            kind = np.concatenate([kind, np.full(len(over), PASSES, np.int8)])
        return row, step.slot[row], group.handle[slot], kind


def events_of_rows(step: Step, confirmed: ConfirmedCrossings) -> list[Events]:
    """Make events of the crossings confirmed in a step."""
    by_row = confirmed.place & 1 == 1
    rows, late = confirmed.only(by_row), confirmed.only(~by_row)
    row = rows.place >> 1
    return [
        *events_of(rows, lambda first, last: step.after[:, row[first:last]]),
        *events_of(late, lambda first, last: step.known_at(late.stream[first:last], late.time[first:last])),
    ]


def events_of(confirmed: ConfirmedCrossings, values: Callable[[int, int], Floats]) -> list[Events]:
    """Make events of confirmed crossings."""
    if not len(confirmed):
        return []
    return [
        Events(
            confirmed.query,
            confirmed.stream,
            _KIND[confirmed.kind],
            MOVED,
            confirmed.time,
            values,
            started=confirmed.since,
        )
    ]
