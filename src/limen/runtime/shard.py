"""The shard: a function from (state, changes, batch, watermark) to (state, events).

A shard holds streams and queries, takes rows and changes, and processes them in order of time: at each time first the
changes of queries, then the rows, then what falls due. The in-process engine is one shard; on Spark there are several.
Rows go in as they came: the shard admits, rejects and counts them. It knows query families only through
`limen.runtime.query_operator.QueryOperator`, and calls none that has no query.
"""

import heapq
from typing import Any

import numpy as np
import pyarrow as pa

from limen.arrays import Slots
from limen.errors import InvalidQuery
from limen.formats.query_json import canonical_json, change_to_dict
from limen.model.change import Deregister, Register
from limen.model.columns import Columns
from limen.model.options import Options
from limen.runtime.admission import Admission, Arrivals, read_arrivals
from limen.runtime.catalogue import Catalogue, Families
from limen.runtime.condition_check import check_query
from limen.runtime.events import Events, table_of
from limen.runtime.eviction import evict, release
from limen.runtime.kernels.streams import is_sorted
from limen.runtime.reorder_buffer import ReorderBuffer
from limen.runtime.repeats import Repeats
from limen.runtime.rows import Rows
from limen.runtime.stream_table import StreamTable
from limen.runtime.timeline import BEGINNING, GlobalTimeline, Timeline

MOST_PROBLEMS = 5  # reported for changes that were made together
MOST_DEFERRED = 4096  # registrations put off before they are made


class Shard:
    """Streams, queries, and the watermark."""

    def __init__(self, columns: Columns, options: Options, families: Families) -> None:
        self.columns = columns
        self.options = options
        self.types: dict[str, pa.DataType] = {}  # of attributes, as soon as a batch shows them
        self.admission = Admission(columns, options)
        self.streams = StreamTable(columns, self.types, families.pair_state)
        self._families = families
        self._expire_after = -1 if options.expire_after is None else options.expire_after
        self._evicts = options.keeps_significant
        self.catalogue = Catalogue(families)
        self._deferred: dict[str, Register] = {}  # registrations that cause no events, made together by `flush`
        self.largest = BEGINNING  # largest accepted time
        self.advanced = BEGINNING  # largest argument of `advance`
        self.reorder_buffer = ReorderBuffer(columns)
        self.waiting: list[tuple[int, int, Register | Deregister]] = []  # a heap of (at, number of arrival, change)
        self.timeline = GlobalTimeline(self.streams, options)
        self._timelines: tuple[Timeline, Timeline] = Timeline(self.streams, options), self.timeline
        self.repeats = Repeats()
        self.counters = {"late": 0, "expired": 0}
        self.emitted: dict[str, int] = {}  # events, by kind
        self.changes = {"applied": 0, "late": 0, "superseded": 0, "rejected": 0, "refused": 0}
        self.problems: list[str] = []  # why changes were rejected, for the owner of the shard to report
        self.arrived = 0
        self.settled = BEGINNING  # waiting changes up to this time have been taken
        self.applied: list[list[Register | Deregister]] | None = None  # changes made, where they are tracked

    def keep_track(self) -> None:
        """Track from now on which streams and queries are changed."""
        self.applied, self.streams.touched = [], []

    def has_query(self, query_id: str) -> bool:
        """Return whether a query is registered."""
        return query_id in self._deferred or query_id in self.catalogue

    @property
    def queries(self) -> int:
        """How many queries are registered."""
        return len(self.catalogue) + sum(query_id not in self.catalogue for query_id in self._deferred)

    def flush(self) -> None:
        """Apply the deferred registrations."""
        if self._deferred:
            deferred, self._deferred = self._deferred, {}
            self._apply(list(deferred.values()), self.watermark)
            self.changes["applied"] -= len(deferred)  # which were counted when they were put off

    def clear_queries(self) -> None:
        """Remove all queries, without any event."""
        self.catalogue, self._deferred = Catalogue(self._families), {}

    def replay_changes(self, changes: list[Register | Deregister]) -> None:
        """Make changes that were made elsewhere: they cause no events, and streams have what they did to them."""
        self.catalogue.apply(changes, (self._timelines[0], self._timelines[0]), None)

    @property
    def watermark(self) -> int:
        """W: times before it are complete."""
        behind = self.largest - self.options.lateness if self.largest > BEGINNING else BEGINNING
        return max(behind, self.advanced)

    @property
    def nbytes(self) -> int:
        """Bytes of state, ids included."""
        hints = sum(operator.nbytes_streams for operator in self.catalogue.operators)
        ids = self.streams.ids.nbytes + self.catalogue.ids.nbytes
        parts = (self.streams, self.timeline, self.catalogue, self.reorder_buffer, self.repeats)
        return ids + hints + sum(part.nbytes for part in parts)

    def prepare(self) -> None:
        """Let operators rebuild their derived state of streams, once all state has been loaded."""
        self.catalogue.refresh()
        for operator in self.catalogue.operators:
            operator.prepare(self._timelines[operator.needs_global_order].streams)

    def tidy(self) -> None:
        """Evict unused queries and streams. Handles and slots may change, so no events may be pending."""
        if self.repeats.seen:
            self.repeats.end(self.watermark)
        if self.streams.forgotten or self.catalogue.gone or self.catalogue.timed:
            release(self)

    def table(self, events: list[Events]) -> pa.Table:
        """Return events as a table, and count them."""
        for each in events:
            for kind, count in each.count_kinds().items():
                self.emitted[kind] = self.emitted.get(kind, 0) + count
        return table_of(events, self.catalogue.ids, self.streams.ids)

    def resume_counting(self, rows: int, rejected: dict[str, int], emitted: dict[str, int]) -> None:
        """Count on from the totals of a snapshot."""
        self.admission.rows, self.admission.rejected, self.emitted = rows, rejected, emitted

    def totals(self) -> dict[str, Any]:
        """Return what the shard has counted so far."""
        return {
            "rows": self.admission.rows,
            "rejected": dict(self.admission.rejected),
            **self.counters,
            "changes": dict(self.changes),
            "events": dict(self.emitted),
            "left_out": sum(operator.left_out for operator in self.catalogue.operators),
        }

    def gauges(self) -> dict[str, Any]:
        """Return how much the shard holds now."""
        gauges = {
            "held": len(self.reorder_buffer),
            "waiting": len(self.waiting),
            "queries": self.queries,
            "streams": int(self.streams.live.sum()),
            "state_bytes": self.nbytes,
        }
        for operator in self.catalogue.operators:
            gauges |= operator.gauges(self.streams)
        return gauges

    def accuracy_table(self) -> pa.Table:
        """Return the accuracy of results, a row a query; no rows where all are exact."""
        known = self.timeline.streams if self.options.measure_accuracy else None
        tables = (each.accuracy_table(self.catalogue.ids, known) for each in self.catalogue.operators)
        return next(table for table in tables if table is not None)

    # ---- the steps ---------------------------------------------------------------------------------------------------

    def process(self, batch: Any) -> list[Events]:
        """Take a batch of rows as users have it, and move the watermark at its end; an error changes nothing."""
        self.flush()
        types = dict(self.types)
        part = read_arrivals(batch, self.columns, types, self.options.max_ahead)
        if types != self.types:
            self.catalogue.check_conditions(self.columns, types)
        newest = self.newest([part])
        rows = self.admission.admit([part], newest)
        self.types.update(types)
        return self._take(rows, newest)

    def process_parts(self, parts: list[Arrivals], advance_to: int = BEGINNING) -> list[Events]:
        """Take the parts of a batch that were read elsewhere, and an `advance` that came with it."""
        newest = self.newest(parts)
        return self._take(self.admission.admit(parts, newest), newest, advance_to)

    def process_sorted(self, parts: list[Arrivals], newest: int | None) -> list[Events]:
        """Take the next rows of an input that is sorted by time, up to a limit that holds for all of it."""
        rows = self.admission.admit(parts, newest)
        return self._take(rows, int(rows.time[-1])) if len(rows) else []

    def newest(self, parts: list[Arrivals]) -> int | None:
        """Return the largest time that a batch may have by `max_ahead`; None when no row of it is accepted."""
        known = max(self.largest, self.advanced)
        return self.admission.newest(parts, None if known == BEGINNING else known)

    def _take(self, rows: Rows, newest: int | None, advance_to: int = BEGINNING) -> list[Events]:
        """Process rows; `newest` is the largest accepted time of the batch, of which other shards may have a part."""
        complete = self.watermark
        if newest is not None:
            self.largest = max(self.largest, newest)
        self.advanced = max(self.advanced, advance_to)
        if self.options.order == "arrival":
            reached = self.watermark if newest is None else max(self.watermark, newest)
            events = self._play(rows, self._changes_until(reached), self.watermark)
            self.timeline.clock = max(self.timeline.clock, self.largest)  # also where other shards have the rows
            return events
        late = rows.time < complete
        self.counters["late"] += int(late.sum())
        self.reorder_buffer.add(rows.take(~late) if late.any() else rows)
        return self._play_complete()

    def change(self, changes: list[Register | Deregister]) -> list[Events]:
        """Take changes of queries; those that are due take effect now."""
        now: list[Register | Deregister] = []
        watermark = self.watermark
        for change in changes:
            if change.at is not None and not self.takes_effect_at_once(change.at):
                heapq.heappush(self.waiting, (change.at, self.arrived, change))
                self.arrived += 1
                continue
            self.changes["late"] += change.at is not None and change.at < watermark
            now.append(change)
        if len(now) == 1 and self._defer(now[0]):
            return []
        self.flush()
        return self._apply(now, watermark) if now else []

    def takes_effect_at_once(self, at: int | None) -> bool:
        """Whether a change with this time does not wait.

        In event order one at W itself waits: another change of the same time may still come and win.
        """
        return at is None or at < self.watermark or (at == self.watermark and self.options.order == "arrival")

    def _defer(self, change: Register | Deregister) -> bool:
        """Defer a registration that causes no event now: a batch of them costs a tenth of single ones."""
        if (
            not isinstance(change, Register)
            or self.applied is not None
            or change.query.reports
            or change.query.id in self._deferred
            or len(self._deferred) >= MOST_DEFERRED
            or self.catalogue.reports(change.query.id)
        ):
            return False
        self._deferred[change.query.id] = change
        self.changes["applied"] += 1
        return True

    def advance(self, to: int) -> list[Events]:
        """Move the watermark."""
        self.flush()
        self.advanced = max(self.advanced, to)
        return self._play_complete()

    def close(self, newest: int = BEGINNING) -> list[Events]:
        """End bounded input: all held rows, and all that fell due before the largest time, here or in other shards."""
        self.flush()
        end = max(self.largest, newest, self.watermark)
        rows = self.reorder_buffer.take_before(None, self.types)
        return self._play(rows, self._changes_until(end), end)

    # ---- the time line -----------------------------------------------------------------------------------------------

    def _play_complete(self) -> list[Events]:
        """Process all times that are complete."""
        rows = self.reorder_buffer.take_before(self.watermark, self.types)
        last = self.watermark if self.options.order == "arrival" else self.watermark - 1
        return self._play(rows, self._changes_until(last), self.watermark)

    def _play(
        self, rows: Rows, changes: list[tuple[int, list[Register | Deregister]]], due_before: int
    ) -> list[Events]:
        events: list[Events] = []
        rows, slot = self._in_order(rows)
        first = 0
        for at, changes_then in changes:
            last = int(np.searchsorted(rows.time, at, side="left"))
            events += self._step(rows.slice(first, last), slot[first:last])
            events += self._fall_due(min(at, due_before))
            events += self._apply(self._fitting(changes_then), at)
            first = last
        events += self._step(rows.slice(first, len(slot)) if first else rows, slot[first:])
        events += self._fall_due(due_before)
        return events

    def _step(self, rows: Rows, slot: Slots) -> list[Events]:
        if not len(slot):
            return []
        by_stream, in_one_order = self.catalogue.active
        late = self.timeline.late(rows) if in_one_order else None
        if late is not None:
            self.timeline.begin(in_use=True, late=bool(late.any()))
        for operator in in_one_order:
            operator.prepare(self.timeline.streams)
        step = self.streams.step(rows, slot, self._expire_after)
        self.counters["late"] += int((step.late if late is None else step.late | late).sum())
        self.counters["expired"] += len(step.expired.slot)
        events = []
        for operator in by_stream:
            events += operator.step(step)
        if late is not None:
            taken = self.timeline.step(step, late)
            for operator in in_one_order:
                events += operator.step(taken)
            if taken is not step:
                taken.streams.remember(taken)
        elif self.timeline.streams is not self.streams:
            self.timeline.begin(in_use=False)
        self.streams.remember(step)
        if self._evicts:
            evict(self)
        return events

    def _fall_due(self, before: int) -> list[Events]:
        """Process what time causes: streams that have been silent for too long are forgotten, and deadlines pass."""
        events = [] if self._expire_after < 0 else self._expire(before)
        self.timeline.clock = max(self.timeline.clock, before)
        for operator in self.catalogue.active[1]:
            operator.pass_time(before)
        for operator in self.catalogue.timed:
            events += operator.due(before, self.streams, rows_may_follow=self.options.order == "arrival")
        return events

    def _expire(self, before: int) -> list[Events]:
        events: list[Events] = []
        common, expired = self._timelines[0].silent(before), []
        for timeline, operators in zip(self._timelines, self.catalogue.active, strict=True):
            shared = timeline.streams is self.streams
            silent = common if shared else timeline.silent(before)
            if len(silent):
                for operator in operators:
                    events += operator.expire(silent, timeline.streams)
                if not shared:
                    expired.append((timeline.streams, silent))
        if len(common):
            self.counters["expired"] += len(common)
            self.streams.forget(common)
        for streams, silent in expired:
            streams.forget(silent)
        return events

    def _apply(self, changes: list[Register | Deregister], time: int) -> list[Events]:
        catalogue = self.catalogue
        for operator in catalogue.operators:
            changes, refused = operator.admit(changes, catalogue)
            self.changes["refused"] += len(refused)
            self.problems += refused
        needed = any(isinstance(change, Register) and change.query.needs_global_order for change in changes)
        self.timeline.begin(in_use=needed or bool(catalogue.active[1]))
        events, outcomes, unknown = catalogue.apply(changes, self._timelines, time)
        if len(self.streams) < len(self.streams.ids):  # the global timeline has named streams
            self.streams.resize(len(self.streams.ids))
        self.timeline.make_room()
        self.problems += [f"deregister: no query has the id {id!r}" for id in unknown[:MOST_PROBLEMS]]
        if self.applied is not None and changes:
            self.applied.append(changes)
        for outcome, count in outcomes.items():
            self.changes[outcome] += count
        return self.repeats.count(events) if events else []

    def _fitting(self, changes: list[Register | Deregister]) -> list[Register | Deregister]:
        """Drop pending changes that do not fit the data that arrived meanwhile."""
        fitting = []
        for change in changes:
            try:
                if isinstance(change, Register):
                    check_query(change.query, self.columns, self.types)
            except InvalidQuery as error:
                self.changes["rejected"] += 1
                self.problems.append(str(error))
            else:
                fitting.append(change)
        return fitting

    def _changes_until(self, time: int) -> list[tuple[int, list[Register | Deregister]]]:
        """Take out the waiting changes up to a time, in their order, those of one time together."""
        due = []
        self.settled = max(self.settled, time)
        while self.waiting and self.waiting[0][0] <= time:
            due.append(heapq.heappop(self.waiting))
        together: dict[int, list[Register | Deregister]] = {}
        for at, _, change in sorted(due, key=_order_of_changes):
            together.setdefault(at, []).append(change)
        return list(together.items())

    # ---- rows --------------------------------------------------------------------------------------------------------

    def _in_order(self, rows: Rows) -> tuple[Rows, Slots]:
        """Sort rows by time, and rows of one stream and time by their content; find their streams."""
        if not is_sorted(rows.time):
            rows = rows.take(np.argsort(rows.time, kind="stable"))
        slot = self.streams.slots(rows.ids)
        if self.streams.has_ties(slot, rows.time):
            rows = rows.canonical()
            slot = self.streams.slots(rows.ids)
        return rows, slot


def _order_of_changes(entry: tuple[int, int, Register | Deregister]) -> tuple[int, int, bool, str]:
    """Order by (at, seq, deregister before register, content); without seq, by arrival."""
    at, arrived, change = entry
    seq = arrived if change.seq is None else change.seq
    content = "" if change.seq is None else canonical_json(change_to_dict(change))
    return at, seq, isinstance(change, Register), content
