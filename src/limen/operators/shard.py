"""The operator: a function from (state, changes, batch, watermark) to (state, events).

A shard holds streams and queries, takes rows and changes, and plays them along one time line: at each time first the
changes of queries, then the rows, then what falls due. The in-process engine is one shard; on Spark there are
several.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from limen.errors import InvalidInput, InvalidQuery
from limen.kernels.streams import is_sorted
from limen.model.change import Deregister, Register
from limen.model.wire import canonical_json, change_to_dict
from limen.operators.ahead import newest_accepted
from limen.operators.catalogue import Catalogue
from limen.operators.conditions import check_query
from limen.operators.held import HeldRows
from limen.operators.line import BEGINNING, TimeLine
from limen.operators.repeats import Repeats
from limen.operators.streams import StreamTable

if TYPE_CHECKING:
    import pyarrow as pa

    from limen.model.columns import Columns
    from limen.model.options import Options
    from limen.operators.ahead import Spans
    from limen.operators.events import Events
    from limen.operators.rows import Rows

Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]

MOST_PROBLEMS = 5  # told of changes that were made together
MOST_DEFERRED = 4096  # registrations put off before they are made


class Shard:
    """Streams, queries, and where the time line stands."""

    def __init__(self, columns: Columns, options: Options) -> None:
        self.columns = columns
        self.options = options
        self.types: dict[str, pa.DataType] = {}  # of attributes, as soon as a batch shows them
        self.streams = StreamTable(columns, self.types)
        self._catalogue = Catalogue(columns, options)
        self._deferred: dict[str, Register] = {}  # registrations that cause no events, made together when someone looks
        self.largest = BEGINNING  # largest accepted time
        self.advanced = BEGINNING  # largest argument of `advance`
        self.held = HeldRows(columns)
        self.waiting: list[tuple[int, int, Register | Deregister]] = []  # a heap of (at, number of arrival, change)
        self.line = TimeLine(options)
        self.repeats = Repeats()
        self.counters = {"late": 0, "expired": 0}
        self.changes = {"applied": 0, "late": 0, "superseded": 0, "rejected": 0}
        self.problems: list[str] = []  # why changes were rejected, for whoever holds the shard to tell
        self.arrived = 0
        self.settled = BEGINNING  # waiting changes up to this time have been taken
        self.applied: list[list[Register | Deregister]] | None = None  # changes made, where someone keeps track

    def keep_track(self) -> None:
        """Note from now on which streams and queries are changed."""
        self.applied, self.streams.touched = [], []

    @property
    def catalogue(self) -> Catalogue:
        """All queries."""
        if self._deferred:
            deferred, self._deferred = self._deferred, {}
            self._apply(list(deferred.values()), self.watermark)
        return self._catalogue

    def replace_catalogue(self, catalogue: Catalogue) -> None:
        """Take other queries, without any event."""
        self._catalogue, self._deferred = catalogue, {}

    @property
    def watermark(self) -> int:
        """W: times before it are complete."""
        behind = self.largest - self.options.lateness if self.largest > BEGINNING else BEGINNING
        return max(behind, self.advanced)

    @property
    def nbytes(self) -> int:
        """Bytes of state, ids included."""
        hints = sum(family.nbytes_streams for family in self.catalogue.families)
        ids = self.streams.ids.nbytes + self.catalogue.ids.nbytes
        parts = (self.streams, self.line, self.catalogue, self.held, self.repeats)
        return ids + hints + sum(part.nbytes for part in parts)

    # ---- the steps ---------------------------------------------------------------------------------------------------

    def newest_of(self, spans: Spans) -> int | None:
        """Return the largest time that a batch may have by `max_ahead`; None when no row of it is accepted."""
        known = max(self.largest, self.advanced)
        return newest_accepted(spans, None if known == BEGINNING else known, self.options.max_ahead)

    def process(self, rows: Rows, newest: int | None, advance_to: int = BEGINNING) -> list[Events]:
        """Take the rows of a batch, and move the watermark at its end.

        Parameters
        ----------
        rows : Rows
        newest
            The largest accepted time of the whole batch, of which other shards may have a part; None without rows.
        advance_to
            The argument of an `advance` that came with the batch.
        """
        complete = self.watermark
        if newest is not None:
            self.largest = max(self.largest, newest)
        self.advanced = max(self.advanced, advance_to)
        if self.options.order == "arrival":
            reached = self.watermark if newest is None else max(self.watermark, newest)
            events = self._play(rows, self._changes_until(reached), self.watermark)
            self.line.reach(self.largest)  # also where other shards have the rows
            return events
        late = rows.time < complete
        self.counters["late"] += int(late.sum())
        self.held.add(rows.take(~late) if late.any() else rows)
        return self._play_complete()

    def change(self, changes: list[Register | Deregister]) -> list[Events]:
        """Take changes of queries; those whose time has come take effect now."""
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
        return self._apply(now, watermark) if now else []

    def takes_effect_at_once(self, at: int | None) -> bool:
        """Whether a change with this time does not wait.

        In event order one at W itself waits: another change of the same time may still come and win.
        """
        return at is None or at < self.watermark or (at == self.watermark and self.options.order == "arrival")

    def _defer(self, change: Register | Deregister) -> bool:
        """Put off a registration that can cause no event now: together they cost a tenth of what they cost singly."""
        if (
            not isinstance(change, Register)
            or self.applied is not None
            or change.query.reports
            or change.query.id in self._deferred
            or len(self._deferred) >= MOST_DEFERRED
            or self._catalogue.reports(change.query.id)
        ):
            return False
        self._deferred[change.query.id] = change
        return True

    def advance(self, to: int) -> list[Events]:
        """Move the watermark."""
        self.advanced = max(self.advanced, to)
        return self._play_complete()

    def close(self, newest: int = BEGINNING) -> list[Events]:
        """End bounded input: all held rows, and all that fell due before the largest time, here or in other shards."""
        end = max(self.largest, newest, self.watermark)
        rows = self.held.take_before(None, self.types)
        return self._play(rows, self._changes_until(end), end)

    def tidy(self) -> None:
        """Give back the room of queries and streams that are gone, now and then. Handles and slots may change."""
        self.repeats.end(self.watermark)
        for each in self.streams.remembered.values():
            each.tidy()
        if not self.repeats.seen:
            number = self._catalogue.forget_unused()  # those that are put off have no handles yet
            if number is not None:
                for each in self.streams.remembered.values():
                    each.renumber(queries=number)
            if self.options.order == "event":  # by arrival, a forgotten stream must still know which rows are late
                self._forget_silent_streams()

    # ---- the time line -----------------------------------------------------------------------------------------------

    def _play_complete(self) -> list[Events]:
        """Play all that is complete."""
        rows = self.held.take_before(self.watermark, self.types)
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
        events += self._step(rows.slice(first, len(rows)) if first else rows, slot[first:])
        events += self._fall_due(due_before)
        return events

    def _step(self, rows: Rows, slot: Slots) -> list[Events]:
        if not len(rows):
            return []
        expire_after = -1 if self.options.expire_after is None else self.options.expire_after
        families, line = self.catalogue.families, self.line
        in_use, behind = self.catalogue.needs_line, line.behind(rows)
        line.begin(self.streams, in_use=in_use, behind=bool(behind.any()))
        for family in families:
            family.prepare(line.streams(self.streams) if family.one_line else self.streams)
        step = self.streams.step(rows, slot, expire_after)
        on_line = line.step(step, rows, slot, behind)
        self.counters["late"] += int((step.late | behind).sum() if in_use else step.late.sum())
        self.counters["expired"] += len(step.expired)
        events = [each for family in families for each in family.step(on_line if family.one_line else step)]
        for taken in {id(step): step, id(on_line): on_line}.values():
            taken.streams.remember(taken)
        return events

    def _fall_due(self, before: int) -> list[Events]:
        """Play what time causes: streams that have been silent for too long are forgotten, and deadlines pass."""
        events = self._expire(before)
        self.line.reach(before)
        self._catalogue.patterns.pass_time(before)
        if not any(map(len, self.streams.remembered.values())):
            return events
        rows_may_follow = self.options.order == "arrival"
        for family in self.catalogue.families:
            events += family.due(before, self.streams, rows_may_follow=rows_may_follow)
        return events

    def _expire(self, before: int) -> list[Events]:
        if self.options.expire_after is None:
            return []
        families = self.catalogue.families
        expired = self.streams.due(self.options.expire_after, before)
        silent = self.line.silent(before)
        on_line = expired if silent is None else silent
        events: list[Events] = []
        for family in families:
            gone, streams = (on_line, self.line.streams(self.streams)) if family.one_line else (expired, self.streams)
            if len(gone):
                events += family.expire(gone, streams)
        if len(expired):
            self.counters["expired"] += len(expired)
            self.streams.forget(expired)
        if silent is not None and len(silent):
            self.line.streams(self.streams).forget(silent)
        return events

    def _apply(self, changes: list[Register | Deregister], time: int) -> list[Events]:
        catalogue = self.catalogue
        asked = any(isinstance(change, Register) and change.query.one_line for change in changes)
        self.line.begin(self.streams, in_use=catalogue.needs_line or asked)
        events, fared, unknown = catalogue.apply(changes, self.streams, time, self.line)
        if len(self.streams) < len(self.streams.ids):  # the line has named streams
            self.streams.resize(len(self.streams.ids))
        self.problems += [f"deregister: no query has the id {id!r}" for id in unknown[:MOST_PROBLEMS]]
        if self.applied is not None and changes:
            self.applied.append(changes)
        for outcome, count in fared.items():
            self.changes[outcome] += count
        return self.repeats.count(events) if events else []

    def _fitting(self, changes: list[Register | Deregister]) -> list[Register | Deregister]:
        """Leave out changes that have waited and do not fit the data that has come meanwhile."""
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

    def _forget_silent_streams(self) -> None:
        streams, known = self.streams, len(self.streams.ids)
        if 2 * streams.forgotten < known + 4096:
            return
        useless = ~streams.live[:known] & (streams.last_time[:known] < self.watermark)
        streams.forgotten = int(useless.sum())  # some may have come back
        if 2 * streams.forgotten < known + 4096:
            return
        for family in self._catalogue.families:
            useless[family.concerned()] = False
        kept = np.flatnonzero(useless == 0).astype(np.int32)
        number = np.full(known, -1, np.int32)
        number[kept] = np.arange(len(kept))
        streams.choose(kept)
        for family in self._catalogue.families:
            family.renumber_streams(number)

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


def bad_rows(counts: dict[str, int]) -> InvalidInput:
    """Say which rows are bad, for `on_bad_row="fail"`."""
    found = ", ".join(f"{count} {reason}" for reason, count in counts.items())
    return InvalidInput(
        where="batch", expected="good rows only", got=found, hint='on_bad_row="count" counts them and goes on'
    )
