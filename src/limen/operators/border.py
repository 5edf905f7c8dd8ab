"""Border queries: who comes into a region, and who goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from limen.index.level import NOBODY
from limen.index.pairs import Pairs
from limen.model.event import APPEARED, CHANGED, DEREGISTERED, ENTER, EXIT, EXPIRED, MOVED, REGISTERED
from limen.operators.events import Events
from limen.operators.family import Family

if TYPE_CHECKING:
    from limen.model.query import Query
    from limen.operators.groups import Group
    from limen.operators.step import Expired, Step, View
    from limen.operators.streams import StreamTable

Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]


class BorderFamily(Family):
    """Compares where streams were with where they are, and reports the difference.

    Nothing is kept per query and stream: whether a stream is inside follows from the stream table. So a query can
    come, go or change at any time, and the next step is judged by what the queries are then.
    """

    def step(self, step: Step) -> list[Events]:
        """Report what rows change."""
        events = []
        moved, appeared = self.moved(step), Pairs()
        for group in self.groups:
            if group.reporting:
                first = step.seen(group.columns) & np.isnan(step.before[group.columns]).any(axis=0)
                rows = np.flatnonzero(first)
                row, query = _reported(group, step.now().only(rows))
                appeared.append(rows[row].astype(np.int32), group.handle[query])
        if len(step.expired):
            events += self._ended(step.expired, [step.then_expired(group.columns) for group in self.groups])
        for (row, signed), reason in ((moved, MOVED), (appeared.by_row(len(step.slot)), APPEARED)):
            if len(row):
                events.append(_of_rows(step, row, signed, reason))
        return events

    def expire(self, expired: Expired, streams: StreamTable) -> list[Events]:
        """Report streams that are forgotten."""
        return self._ended(expired, [streams.view(expired.slot, group.columns) for group in self.groups])

    def change(
        self,
        removed: Slots,
        queries: list[Query],
        handles: Slots,
        streams: StreamTable,
        time: int | None,
    ) -> list[Events]:
        """Take queries out and put queries in, at a time, and report whose containment is gone, new or different."""
        reporting = self.reporting or any(getattr(query, "initial", None) == "report" for query in queries)
        if time is None or not reporting:
            return super().change(removed, queries, handles, streams, time)  # silent queries come and go in silence
        old_query, old_stream = self._inside(removed, streams)
        kept = {int(handle): self._identity(int(handle)) for handle in np.intersect1d(removed, handles)}
        if len(removed):
            self.remove(removed)
        if len(handles):
            self.insert(queries, handles, streams)
        new_query, new_stream = self._inside(handles, streams)
        if not len(old_query) and not len(new_query):
            return []
        replaced = np.array([handle for handle, old in kept.items() if old == self._identity(handle)], np.int32)
        old = old_query.astype(np.int64) << 32 | old_stream
        new = new_query.astype(np.int64) << 32 | new_stream
        same_old, same_new = np.isin(old_query, replaced), np.isin(new_query, replaced)
        events = []
        for query, stream, kind, reason in (
            _where(old_query, old_stream, ~same_old, EXIT, DEREGISTERED),
            _where(old_query, old_stream, same_old & ~np.isin(old, new), EXIT, CHANGED),
            _where(new_query, new_stream, ~same_new, ENTER, REGISTERED),
            _where(new_query, new_stream, same_new & ~np.isin(new, old), ENTER, CHANGED),
        ):
            if len(query):
                events.append(
                    _of_streams(query, stream, kind, reason, np.full(len(query), time), streams.last[stream].T)
                )
        return events

    def _inside(self, handles: Slots, streams: StreamTable) -> tuple[Slots, Slots]:
        """Find the streams now inside those of the queries that report completely: (handle, slot of stream)."""
        queries, slots = [NOBODY], [NOBODY]
        for group, members in self.by_group(handles):
            if not group.reporting:
                continue
            own = self.slot_of[members]
            own = own[group.report[own]]
            live = group.streams_of(own, streams)
            if len(own) and len(live):
                row, query = group.inside_of(own, streams.view(live, group.columns))
                queries.append(group.handle[query])
                slots.append(live[row])
        return np.concatenate(queries), np.concatenate(slots)

    def _identity(self, handle: int) -> tuple[tuple[int, ...], bool]:
        """What must not differ for a new definition of a query to be a replacement: its columns and `initial`."""
        group = self.groups[self.group_of[handle]]
        return tuple(group.columns.tolist()), bool(group.report[self.slot_of[handle]])

    def _ended(self, expired: Expired, views: list[View]) -> list[Events]:
        events = []
        for group, view in zip(self.groups, views, strict=True):
            if group.reporting:
                row, query = _reported(group, view)
                if len(row):
                    events.append(
                        _of_streams(
                            group.handle[query], expired.slot[row], EXIT, EXPIRED, expired.time[row],
                            expired.values[:, row],
                        )
                    )  # fmt: skip
        return events


def _reported(group: Group, view: View) -> tuple[Slots, Slots]:
    """Find who is inside the queries of a group that report completely."""
    row, query = group.inside(view)
    reporting = group.report[query]
    return row[reporting], query[reporting]


def _where(
    query: Slots, stream: Slots, mask: npt.NDArray[np.bool_], kind: int, reason: int
) -> tuple[Slots, Slots, int, int]:
    return query[mask], stream[mask], kind, reason


def _of_rows(step: Step, row: Slots, signed: Slots, reason: int) -> Events:
    leaves = signed >> 31
    return Events(
        signed ^ leaves,
        step.slot[row],
        -leaves.astype(np.int8),  # ENTER is 0 and EXIT is 1
        reason,
        step.rows.time[row],
        lambda first, last: step.after[:, row[first:last]],
    )


def _of_streams(
    query: Slots, stream: Slots, kind: int, reason: int, time: Ints, values: npt.NDArray[np.float64]
) -> Events:
    return Events(
        query, stream, np.full(len(query), kind, np.int8), reason, time, lambda first, last: values[:, first:last]
    )
