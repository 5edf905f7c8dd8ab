"""Transition queries: who comes back over a border in time, and who does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from limen.index.starts import NOTHING, Crossings, Happened, Limits
from limen.kernels.doubts import LEAVES
from limen.model.event import MOVED, PASSED, STAYED, TIMER
from limen.model.transition import TRANSITIONS, Transition
from limen.operators.events import Events
from limen.operators.family import Family

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from limen.index.doubts import Settled
    from limen.model.columns import Columns
    from limen.model.query import RegionQuery
    from limen.operators.family import Key
    from limen.operators.step import Expired, Step
    from limen.operators.streams import StreamTable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]

NOBODY_EXPIRED = np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64)


class TransitionFamily(Family):
    """Composes the crossings of borders: Tran-Seq, one for all queries, kinds and streams.

    Borders are found as border queries find them, and only crossings get here. What waits to be answered belongs to the
    stream, and is kept in the stream table.
    """

    def __init__(self, columns: Columns) -> None:
        super().__init__(columns)
        self.limits = Limits(np.empty(0, np.int64), np.empty(0, np.int8))  # by handle

    def insert(self, queries: list[RegionQuery], handles: Slots, streams: StreamTable) -> None:
        """Add queries; each handle must be free."""
        super().insert(queries, handles, streams)
        asked = [query for query in queries if isinstance(query, Transition)]
        within = np.array([_micros(query.within) for query in asked], np.int64)
        wanted = np.array([_bits(query.kinds) for query in asked], np.int8)
        self.put_columns(handles, {"within": within, "wanted": wanted})

    def change(
        self, removed: Slots, queries: list[RegionQuery], handles: Slots, streams: StreamTable, time: int | None
    ) -> list[Events]:
        """Take queries out and put queries in. What waited for an answer to a query that is gone waits no more."""
        if time is not None:
            streams.touch(streams.starts.discard(removed))
        return super().change(removed, queries, handles, streams, time)

    def step(self, step: Step) -> list[Events]:
        """Compose what rows cross, and find the deadlines that streams have let pass."""
        streams, starts = step.streams, step.streams.starts
        if not self.count and not len(starts):
            return []
        crossings = Crossings.by_rows(*self.moved(step), step.slot, step.rows.time)
        for settled, _, _ in self.calm.step(step):
            crossings = crossings.with_others(_crossings(settled))
        expired = step.expired.row, step.expired.slot, step.expired.time
        answered = starts.compose(crossings, expired, self.limits, len(streams))
        missed = starts.pass_by(step.slot, step.late, streams.last_time, self.limits)
        by_row = answered.row >= 0
        in_time, late = answered.only(by_row), Happened.joined([answered.only(~by_row), missed])
        return [
            *_events(in_time, lambda first, last: step.after[:, in_time.row[first:last]]),
            *_events(late, lambda first, last: step.known_at(late.stream[first:last], late.time[first:last])),
        ]

    def expire(self, expired: Expired, streams: StreamTable) -> list[Events]:
        """Tell of deadlines that came before their stream is forgotten."""
        answered = self._compose(self.calm.expire(expired, streams)[0], streams)
        happened = Happened.joined([answered, streams.starts.end(expired.slot, expired.time, self.limits)])
        position = np.zeros(len(streams), np.int64)
        position[expired.slot] = np.arange(len(expired))
        where = position[happened.stream]
        return _events(happened, lambda first, last: expired.values[:, where[first:last]])

    def due(self, before: int, streams: StreamTable, *, rows_may_follow: bool) -> list[Events]:
        """Tell of deadlines before a time."""
        answered = self._compose(self.calm.due(before, streams, rows_may_follow=rows_may_follow), streams)
        missed = streams.starts.fall_due(before, self.limits, keep=rows_may_follow)
        happened = Happened.joined([answered, missed])
        if not len(happened):
            return []
        if rows_may_follow:
            streams.keep_late(happened.stream, happened.time)
        streams.touch(happened.stream)
        values = streams.last[happened.stream].T
        return _events(happened, lambda first, last: values[:, first:last])

    def _compose(self, settled: Settled, streams: StreamTable) -> Happened:
        """Compose crossings that time has confirmed, of streams that have been silent since."""
        if not len(settled):
            return NOTHING
        return streams.starts.compose(_crossings(settled), NOBODY_EXPIRED, self.limits, len(streams))

    def own_columns(self, handles: Slots, key: Key) -> dict[str, npt.NDArray[Any]]:
        """Return the queries' time limits, and what they want to be told."""
        own: dict[str, npt.NDArray[Any]]
        own = {"within": self.limits.within[handles], "wanted": self.limits.wanted[handles]}
        return own | super().own_columns(handles, key)

    def put_columns(self, handles: Slots, columns: dict[str, npt.NDArray[Any]]) -> None:
        """Set what `own_columns` returned."""
        super().put_columns(handles, columns)
        size = int(handles.max(initial=-1)) + 1
        if size > len(self.limits.within):
            more = max(size, len(self.limits.within) * 5 // 4) - len(self.limits.within)
            self.limits = Limits(
                np.concatenate([self.limits.within, np.zeros(more, np.int64)]),
                np.concatenate([self.limits.wanted, np.zeros(more, np.int8)]),
            )
        self.limits.within[handles] = columns["within"]
        self.limits.wanted[handles] = columns["wanted"]

    def renumber(self, handles: Slots) -> None:
        """Keep these handles only and number them in this order."""
        super().renumber(handles)
        known = handles < len(self.limits.within)  # the last ones may be of other families
        within, wanted = np.zeros(len(handles), np.int64), np.zeros(len(handles), np.int8)
        within[known], wanted[known] = self.limits.within[handles[known]], self.limits.wanted[handles[known]]
        self.limits = Limits(within, wanted)

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return super().nbytes_queries + self.limits.within.nbytes + self.limits.wanted.nbytes


def _crossings(settled: Settled) -> Crossings:
    """Return changes of side that count as crossings: transitions have no jumps."""
    signed = np.where(settled.kind == LEAVES, ~settled.query, settled.query)
    return Crossings(settled.place, signed, settled.stream, settled.time)


def _events(happened: Happened, values: Callable[[int, int], Floats]) -> list[Events]:
    """Make events of what happened: in time by whoever crossed, or not in time, by the clock."""
    answered = happened.kind < STAYED - PASSED
    events = []
    for which, reason in ((np.flatnonzero(answered), MOVED), (np.flatnonzero(~answered), TIMER)):
        if len(which):
            some = happened.only(which)
            kind = some.kind + np.int8(PASSED)  # the four kinds follow one another, here and there
            own = _picked(values, which) if len(which) < len(happened) else values
            events.append(Events(some.query, some.stream, kind, reason, some.time, own, started=some.started))
    return events


def _picked(values: Callable[[int, int], Floats], which: Ints) -> Callable[[int, int], Floats]:
    """Have values of some events only."""
    everything = values(0, int(which[-1]) + 1)
    return lambda first, last: everything[:, which[first:last]]


def _bits(kinds: tuple[str, ...]) -> int:
    return sum(1 << TRANSITIONS.index(kind) for kind in kinds)


def _micros(duration: timedelta) -> int:
    return duration // duration.resolution
