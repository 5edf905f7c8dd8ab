"""Crossings of borders: compare the last position of each stream with the new one, and report the difference."""

import numpy as np
import numpy.typing as npt

from limen.arrays import Ints, Mask, Slots
from limen.model.event import CROSS, EXPIRED, MOVED
from limen.model.query import RegionQuery
from limen.queries.regional.debounced import events_of, events_of_rows
from limen.queries.regional.group import Group
from limen.queries.regional.operator import RegionOperator
from limen.queries.regional.unconfirmed import unconfirmed_of
from limen.regions.pairs import LOWER_HALF, NO_PAIRS, Pairs, as_pairs
from limen.runtime.events import Events
from limen.runtime.replacement import differences, of_streams
from limen.runtime.step import Expired, Step, View
from limen.runtime.stream_table import StreamTable


class CrossingOperator(RegionOperator):
    """Report the regions that streams enter and leave; subclasses name the events.

    Nothing is kept per query and stream: whether a stream is inside follows from the stream table. So a query can be
    registered, removed or replaced at any time, and the next step is judged by the queries of that moment. Only
    debounced queries remember the streams that do not count as being where they are.
    """

    #: The event kinds of a stream that enters and of one that leaves, and the reason for one that starts inside.
    enter_kind: int
    exit_kind: int
    initial_reason: int

    def step(self, step: Step) -> list[Events]:
        """Emit the events that rows cause."""
        events = []
        moved, appeared, jumped = self.moved(step), Pairs(), Pairs()
        confirmed = self.debounced.step(step) if self.has_deadlines else []
        for group in self.groups:
            if group.reporting:
                first = step.seen(group.columns) & np.isnan(step.before[group.columns]).any(axis=0)
                rows = np.flatnonzero(first)
                row, query = _reported(group, step.now().only(rows))
                appeared.append(rows[row].astype(np.int32), group.handle[query])
            if group.passing and not group.debounced and len(group.index):
                row, query = group.passed(step).arrays()
                jumped.append(row, group.handle[query])
        if len(step.expired.slot):
            views = [step.then_expired(group.columns) for group in self.groups]
            lapsed = [pairs >> 32 << 32 | np.searchsorted(step.expired.row, rows) for _, pairs, rows in confirmed]
            events += self._ended(step.expired, views, np.concatenate([NO_PAIRS, *lapsed]))
        for each, _, _ in confirmed:
            events += events_of_rows(step, each)
        for (row, signed), reason in ((moved, MOVED), (appeared.by_row(len(step.slot)), self.initial_reason)):
            if len(row):
                events.append(self._of_rows(step, row, signed, reason))
        row, query = jumped.arrays()
        if len(row):
            events.append(_jumps(step, row, query))
        return events

    def expire(self, expired: Expired, streams: StreamTable) -> list[Events]:
        """Emit the events of expired streams."""
        confirmed, lapsed = self.debounced.expire(expired, streams)
        position = np.zeros(len(streams), np.int64)
        position[expired.slot] = np.arange(len(expired))
        views = [streams.view(expired.slot, group.columns) for group in self.groups]
        events = self._ended(expired, views, lapsed >> 32 << 32 | position[lapsed & LOWER_HALF])
        where = position[confirmed.stream]
        return events + events_of(confirmed, lambda first, last: expired.values[:, where[first:last]])

    def due(self, before: int, streams: StreamTable, *, rows_may_follow: bool) -> list[Events]:
        """Emit the crossings that time confirms."""
        confirmed = self.debounced.due(before, streams, rows_may_follow=rows_may_follow)
        values = streams.last[confirmed.stream].T
        return events_of(confirmed, lambda first, last: values[:, first:last])

    def change(
        self,
        removed: Slots,
        queries: list[RegionQuery],
        handles: Slots,
        streams: StreamTable,
        time: int | None,
    ) -> list[Events]:
        """Deregister and register queries at a time, and report the streams that are no longer or newly contained."""
        reporting = self.reporting or any(query.reports for query in queries)
        if time is None or not reporting:
            return super().change(removed, queries, handles, streams, time)  # silent queries emit nothing
        unconfirmed_pairs = unconfirmed_of(streams).pairs(
            unconfirmed_of(streams).of_queries(removed[self._report(removed)])
        )
        old = self._inside(removed, streams, unconfirmed_pairs)
        streams.touch(unconfirmed_of(streams).discard(removed))
        kept = {int(handle): self._identity(int(handle)) for handle in np.intersect1d(removed, handles)}
        if len(removed):
            self.remove(removed)
        if len(handles):
            self.insert(queries, handles, streams)
        new = self._inside(handles, streams, NO_PAIRS)
        replaced = [handle for handle, identity in kept.items() if identity == self._identity(handle)]
        return differences(old, new, replaced, (self.enter_kind, self.exit_kind), time, streams)

    def _inside(self, handles: Slots, streams: StreamTable, unconfirmed_pairs: Ints) -> tuple[Slots, Slots]:
        """Find the streams that count as inside those of the queries that report completely: (handle, slot).

        A stream with an unconfirmed crossing counts as being on the other side.
        """
        found = [NO_PAIRS]
        for group, members in self.by_group(handles):
            if not group.reporting:
                continue
            own = self.slot_of[members]
            own = own[group.report[own]]
            live = group.streams_of(own, streams)
            if len(own) and len(live):
                row, query = group.inside_of(own, streams.view(live, group.columns))
                found.append(as_pairs(group.handle[query], live[row]))
        inside = np.setxor1d(np.concatenate(found), unconfirmed_pairs, assume_unique=True)
        return (inside >> 32).astype(np.int32), (inside & LOWER_HALF).astype(np.int32)

    def _report(self, handles: npt.NDArray[np.integer]) -> Mask:
        """Return which queries report completely."""
        report = np.zeros(len(handles), np.bool_)
        for number, group in enumerate(self.groups):
            if group.reporting:
                own = self.group_of[handles] == number
                report[own] = group.report[self.slot_of[handles[own]]]
        return report

    def _identity(self, handle: int) -> tuple[tuple[int, ...], bool]:
        """What must not differ for a new definition of a query to be a replacement: its columns and `initial`."""
        group = self.groups[self.group_of[handle]]
        return tuple(group.columns.tolist()), bool(group.report[self.slot_of[handle]])

    def _ended(self, expired: Expired, views: list[View], lapsed: Ints) -> list[Events]:
        """Report the exits of forgotten streams; `lapsed`: their unconfirmed crossings, by query and position."""
        found = [NO_PAIRS]
        for group, view in zip(self.groups, views, strict=True):
            if group.reporting:
                row, query = _reported(group, view)
                found.append(as_pairs(group.handle[query], row))
        ended = np.setxor1d(np.concatenate(found), lapsed[self._report(lapsed >> 32)], assume_unique=True)
        if not len(ended):
            return []
        row = ended & LOWER_HALF
        query = (ended >> 32).astype(np.int32)
        stream, time, values = expired.slot[row], expired.time[row], expired.values[:, row]
        return [of_streams(query, stream, self.exit_kind, EXPIRED, time, values)]

    def _of_rows(self, step: Step, row: Slots, signed: Slots, reason: int) -> Events:
        leaves = signed >> 31
        return Events(
            signed ^ leaves,
            step.slot[row],
            np.where(leaves, self.exit_kind, self.enter_kind).astype(np.int8),
            reason,
            step.rows.time[row],
            lambda first, last: step.after[:, row[first:last]],
        )


def _reported(group: Group, view: View) -> tuple[Slots, Slots]:
    """Find the streams inside the queries of a group that report completely."""
    row, query = group.inside(view)
    reporting = group.report[query]
    return row[reporting], query[reporting]


def _jumps(step: Step, row: Slots, query: Slots) -> Events:
    kind = np.full(len(row), CROSS, np.int8)
    return Events(
        query, step.slot[row], kind, MOVED, step.rows.time[row], lambda first, last: step.after[:, row[first:last]]
    )
