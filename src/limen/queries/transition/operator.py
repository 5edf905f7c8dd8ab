"""Transition queries: emit an event when a stream crosses a border back within a time limit, or fails to.

The last crossing of each query and stream is stored as pending, with a deadline; the next crossing or the deadline
completes it. The idea is that of BMQ-Processor: section 6.2 defines the queries (region transition monitoring), section
6.3 composes them from border crossings, and section 6.4 gives the algorithm.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np

from limen.arrays import Array, Floats, Ints, Slots
from limen.model.columns import Columns
from limen.model.event import MOVED, PASSED, STAYED, TIMER
from limen.model.query import RegionQuery
from limen.model.transition import TRANSITIONS, Transition
from limen.queries.regional.group_key import GroupKey
from limen.queries.regional.kernels.unconfirmed import LEAVES
from limen.queries.regional.operator import RegionOperator
from limen.queries.regional.unconfirmed import ConfirmedCrossings
from limen.queries.transition.pending_crossings import (
    NOTHING,
    ComposedTransitions,
    Crossings,
    TransitionLimits,
    pending_of,
)
from limen.runtime.events import Events
from limen.runtime.step import Expired, Step
from limen.runtime.stream_table import StreamTable

NONE_EXPIRED = np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64)


class TransitionOperator(RegionOperator):
    """Compose border crossings into transitions: one Tran-Seq for all queries, kinds and streams.

    Borders are found as border queries find them, and only crossings get here. What waits to be answered belongs to the
    stream, and is kept in the stream table.
    """

    has_deadlines = True

    def __init__(self, columns: Columns) -> None:
        super().__init__(columns)
        self.limits = TransitionLimits(np.empty(0, np.int64), np.empty(0, np.int8))  # by handle

    def insert(self, queries: list[RegionQuery], handles: Slots, streams: StreamTable) -> None:
        """Add queries; each handle must be free."""
        super().insert(queries, handles, streams)
        transitions = [query for query in queries if isinstance(query, Transition)]
        within = np.array([_micros(query.within) for query in transitions], np.int64)
        wanted = np.array([_bits(query.kinds) for query in transitions], np.int8)
        self.put_columns(handles, {"within": within, "wanted": wanted})

    def change(
        self, removed: Slots, queries: list[RegionQuery], handles: Slots, streams: StreamTable, time: int | None
    ) -> list[Events]:
        """Take queries out and put queries in. Pending crossings of deregistered queries are dropped."""
        if time is not None:
            streams.touch(pending_of(streams).discard(removed))
        return super().change(removed, queries, handles, streams, time)

    def step(self, step: Step) -> list[Events]:
        """Compose the crossings of rows, and find the deadlines that streams have missed."""
        streams, pending = step.streams, pending_of(step.streams)
        if not self.count and not len(pending):
            return []
        crossings = Crossings.by_rows(*self.moved(step), step.slot, step.rows.time)
        for confirmed, _, _ in self.debounced.step(step):
            crossings = crossings.with_others(_crossings(confirmed))
        expired = step.expired.row, step.expired.slot, step.expired.time
        answered = pending.compose(crossings, expired, self.limits, len(streams))
        missed = pending.pass_by(step.slot, step.late, streams.last_time, self.limits)
        by_row = answered.row >= 0
        in_time, late = answered.only(by_row), ComposedTransitions.joined([answered.only(~by_row), missed])
        return [
            *_events(in_time, lambda first, last: step.after[:, in_time.row[first:last]]),
            *_events(late, lambda first, last: step.known_at(late.stream[first:last], late.time[first:last])),
        ]

    def expire(self, expired: Expired, streams: StreamTable) -> list[Events]:
        """Emit the deadlines that passed before their stream is evicted."""
        answered = self._compose(self.debounced.expire(expired, streams)[0], streams)
        composed = ComposedTransitions.joined(
            [answered, pending_of(streams).end(expired.slot, expired.time, self.limits)]
        )
        position = np.zeros(len(streams), np.int64)
        position[expired.slot] = np.arange(len(expired))
        where = position[composed.stream]
        return _events(composed, lambda first, last: expired.values[:, where[first:last]])

    def due(self, before: int, streams: StreamTable, *, rows_may_follow: bool) -> list[Events]:
        """Emit the deadlines before a time."""
        answered = self._compose(self.debounced.due(before, streams, rows_may_follow=rows_may_follow), streams)
        missed = pending_of(streams).fall_due(before, self.limits, keep=rows_may_follow)
        composed = ComposedTransitions.joined([answered, missed])
        if not len(composed):
            return []
        if rows_may_follow:
            streams.keep_late(composed.stream, composed.time)
        streams.touch(composed.stream)
        values = streams.last[composed.stream].T
        return _events(composed, lambda first, last: values[:, first:last])

    def _compose(self, confirmed: ConfirmedCrossings, streams: StreamTable) -> ComposedTransitions:
        """Compose crossings that time has confirmed, of streams that have been silent since."""
        if not len(confirmed):
            return NOTHING
        return pending_of(streams).compose(_crossings(confirmed), NONE_EXPIRED, self.limits, len(streams))

    def own_columns(self, handles: Slots, key: GroupKey) -> dict[str, Array]:
        """Return the queries' time limits, and the kinds that they want."""
        return self.limits.of(handles) | super().own_columns(handles, key)

    def put_columns(self, handles: Slots, columns: dict[str, Array]) -> None:
        """Set what `own_columns` returned."""
        super().put_columns(handles, columns)
        self.limits = self.limits.put(handles, columns)

    def renumber(self, handles: Slots) -> None:
        """Keep these handles only and number them in this order."""
        super().renumber(handles)
        self.limits = self.limits.renumbered(handles)

    def gauges(self, streams: StreamTable) -> dict[str, Any]:
        """Return how much is stored now, by name."""
        return {**super().gauges(streams), "starts": pending_of(streams).waiting}

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return super().nbytes_queries + self.limits.nbytes


def _crossings(confirmed: ConfirmedCrossings) -> Crossings:
    """Return changes of side that count as crossings: transitions have no jumps."""
    signed = np.where(confirmed.kind == LEAVES, ~confirmed.query, confirmed.query)
    return Crossings(confirmed.place, signed, confirmed.stream, confirmed.time)


def _events(composed: ComposedTransitions, values: Callable[[int, int], Floats]) -> list[Events]:
    """Make events of transitions: in time with the crossing row, or not in time, by the clock."""
    answered = composed.kind < STAYED - PASSED
    events = []
    for which, reason in ((np.flatnonzero(answered), MOVED), (np.flatnonzero(~answered), TIMER)):
        if len(which):
            some = composed.only(which)
            kind = some.kind + np.int8(PASSED)  # the four kinds follow one another, here and there
            own = _picked(values, which) if len(which) < len(composed) else values
            events.append(Events(some.query, some.stream, kind, reason, some.time, own, started=some.started))
    return events


def _picked(values: Callable[[int, int], Floats], which: Ints) -> Callable[[int, int], Floats]:
    """Restrict the values to some events."""
    everything = values(0, int(which[-1]) + 1)
    return lambda first, last: everything[:, which[first:last]]


def _bits(kinds: tuple[str, ...]) -> int:
    return sum(1 << TRANSITIONS.index(kind) for kind in kinds)


def _micros(duration: timedelta) -> int:
    return duration // duration.resolution
