"""Border queries: who comes into a region, and who goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from limen.index.pairs import LOWER_HALF, NO_PAIRS, Pairs, as_pairs
from limen.model.event import APPEARED, CROSS, ENTER, EXIT, EXPIRED, MOVED
from limen.operators.calm import events_of, events_of_rows
from limen.operators.events import Events
from limen.operators.family import Family
from limen.operators.replacing import differences, of_streams

if TYPE_CHECKING:
    from limen.model.query import RegionQuery
    from limen.operators.groups import Group
    from limen.operators.step import Expired, Step, View
    from limen.operators.streams import StreamTable

Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]


class BorderFamily(Family):
    """Compares where streams were with where they are, and reports the difference.

    Nothing is kept per query and stream: whether a stream is inside follows from the stream table. So a query can
    come, go or change at any time, and the next step is judged by what the queries are then. Only calm queries remember
    the streams that do not count as being where they are.
    """

    #: What is told of a stream that comes in and of one that goes out, and why of one that begins inside.
    comes, goes, begins = ENTER, EXIT, APPEARED

    def step(self, step: Step) -> list[Events]:
        """Report what rows change."""
        events = []
        moved, appeared, jumped = self.moved(step), Pairs(), Pairs()
        settled = self.calm.step(step)
        for group in self.groups:
            if group.reporting:
                first = step.seen(group.columns) & np.isnan(step.before[group.columns]).any(axis=0)
                rows = np.flatnonzero(first)
                row, query = _reported(group, step.now().only(rows))
                appeared.append(rows[row].astype(np.int32), group.handle[query])
            if group.passing and not group.calm and len(group.index):
                row, query = group.passed(step).arrays()
                jumped.append(row, group.handle[query])
        if len(step.expired):
            views = [step.then_expired(group.columns) for group in self.groups]
            lapsed = [pairs >> 32 << 32 | np.searchsorted(step.expired.row, rows) for _, pairs, rows in settled]
            events += self._ended(step.expired, views, np.concatenate([NO_PAIRS, *lapsed]))
        for each, _, _ in settled:
            events += events_of_rows(step, each)
        for (row, signed), reason in ((moved, MOVED), (appeared.by_row(len(step.slot)), self.begins)):
            if len(row):
                events.append(self._of_rows(step, row, signed, reason))
        row, query = jumped.arrays()
        if len(row):
            events.append(_jumps(step, row, query))
        return events

    def expire(self, expired: Expired, streams: StreamTable) -> list[Events]:
        """Report streams that are forgotten."""
        settled, lapsed = self.calm.expire(expired, streams)
        position = np.zeros(len(streams), np.int64)
        position[expired.slot] = np.arange(len(expired))
        views = [streams.view(expired.slot, group.columns) for group in self.groups]
        events = self._ended(expired, views, lapsed >> 32 << 32 | position[lapsed & LOWER_HALF])
        where = position[settled.stream]
        return events + events_of(settled, lambda first, last: expired.values[:, where[first:last]])

    def due(self, before: int, streams: StreamTable, *, rows_may_follow: bool) -> list[Events]:
        """Report what time confirms."""
        settled = self.calm.due(before, streams, rows_may_follow=rows_may_follow)
        values = streams.last[settled.stream].T
        return events_of(settled, lambda first, last: values[:, first:last])

    def change(
        self,
        removed: Slots,
        queries: list[RegionQuery],
        handles: Slots,
        streams: StreamTable,
        time: int | None,
    ) -> list[Events]:
        """Take queries out and put queries in, at a time, and report whose containment is gone, new or different."""
        reporting = self.reporting or any(query.reports for query in queries)
        if time is None or not reporting:
            return super().change(removed, queries, handles, streams, time)  # silent queries come and go in silence
        doubted = streams.doubts.pairs(streams.doubts.of_queries(removed[self._report(removed)]))
        old = self._inside(removed, streams, doubted)
        streams.touch(streams.doubts.discard(removed))
        kept = {int(handle): self._identity(int(handle)) for handle in np.intersect1d(removed, handles)}
        if len(removed):
            self.remove(removed)
        if len(handles):
            self.insert(queries, handles, streams)
        new = self._inside(handles, streams, NO_PAIRS)
        replaced = [handle for handle, identity in kept.items() if identity == self._identity(handle)]
        return differences(old, new, replaced, (self.comes, self.goes), time, streams)

    def _inside(self, handles: Slots, streams: StreamTable, doubted: Ints) -> tuple[Slots, Slots]:
        """Find the streams that count as inside those of the queries that report completely: (handle, slot).

        Who is in doubt counts as being on the other side.
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
        inside = np.setxor1d(np.concatenate(found), doubted, assume_unique=True)
        return (inside >> 32).astype(np.int32), (inside & LOWER_HALF).astype(np.int32)

    def _report(self, handles: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """Tell which queries report completely."""
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
        """Report the exits of streams that are forgotten; `lapsed` are doubts of theirs, by query and position."""
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
        return [of_streams(query, expired.slot[row], self.goes, EXPIRED, expired.time[row], expired.values[:, row])]

    def _of_rows(self, step: Step, row: Slots, signed: Slots, reason: int) -> Events:
        leaves = signed >> 31
        return Events(
            signed ^ leaves,
            step.slot[row],
            np.where(leaves, self.goes, self.comes).astype(np.int8),
            reason,
            step.rows.time[row],
            lambda first, last: step.after[:, row[first:last]],
        )


def _reported(group: Group, view: View) -> tuple[Slots, Slots]:
    """Find who is inside the queries of a group that report completely."""
    row, query = group.inside(view)
    reporting = group.report[query]
    return row[reporting], query[reporting]


def _jumps(step: Step, row: Slots, query: Slots) -> Events:
    kind = np.full(len(row), CROSS, np.int8)
    return Events(
        query, step.slot[row], kind, MOVED, step.rows.time[row], lambda first, last: step.after[:, row[first:last]]
    )
