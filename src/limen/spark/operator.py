"""One shard's part of one batch: packets in, events and counts out. The same for streaming and for batch input."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from limen.errors import LimenError
from limen.model.change import Advance, Deregister, Register
from limen.model.event import KINDS
from limen.model.wire import canonical_json, change_to_dict
from limen.operators.ahead import NONE, joined
from limen.operators.events import table_of
from limen.operators.line import BEGINNING
from limen.operators.rows import Rows
from limen.operators.shard import bad_rows
from limen.spark.job import query_of, unpack_queries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from limen.model.change import Change
    from limen.operators.ahead import Spans
    from limen.operators.events import Events
    from limen.operators.shard import Shard
    from limen.spark.job import Job
    from limen.spark.packet import Packet

REJECTED = ("null_id", "null_time", "infinite_value", "out_of_range", "too_far_ahead")
CHANGES = ("applied", "late", "superseded", "rejected", "refused")

#: What is counted in each batch; the sum over the shards is the batch's.
COUNTS = (
    "rows",
    "late",
    *(f"rejected_{reason}" for reason in REJECTED),
    *(f"events_{kind}" for kind in KINDS),
    *(f"changes_{outcome}" for outcome in CHANGES),
    "expired",
    "left_out",
)
#: What the batch cost, summed over the shards.
COSTS = ("state_bytes_written", "microseconds_reading", "microseconds_playing", "microseconds_writing")
#: How much there is after the batch; the sum over the shards is the job's.
#: What answers keep, where they keep only what matters; see `limen.operators.sole`.
KEPT = ("stored", "shadows", "used", "shed", "swept", "insignificant", "too_fast", "locked", "overdrawn", "full")
GAUGES = (
    "held", "waiting", "streams", "queries", "starts", "unconfirmed", "stored", "most_stored", "state_bytes",
    *(f"kept_{name}" for name in KEPT)
)  # fmt: skip
NUMBERS = (*COUNTS, *GAUGES, *COSTS)
#: The columns of what a shard sends on, as Spark names their types, and as Arrow does.
PARCELS = ", ".join(
    ["events binary", *(f"{name} bigint" for name in (*NUMBERS, "watermark", "lack")), "problems string"]
)
_PARCELS = pa.schema(
    [
        ("events", pa.binary()),
        *((name, pa.int64()) for name in (*NUMBERS, "watermark", "lack")),
        ("problems", pa.string()),
    ]
)
MOST_PROBLEMS = 5  # that are told of one batch
MOST_EVENTS = 1 << 17  # in one parcel


@dataclass(slots=True)
class Outcome:
    """What a shard made of a batch."""

    events: list[pa.Table] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(NUMBERS, 0))
    watermark: int | None = None
    lack: int | None = None  # by how many thousandths of a percent the least accurate answer is not exact
    problems: list[str] = field(default_factory=list)

    def parcels(self) -> pa.RecordBatch:
        """Return the rows that a shard sends on: its events in pieces, and its counts in the first row."""
        contents: list[bytes | None] = [piece for table in self.events for piece in _cut(table)] or [None]
        others = len(contents) - 1
        counts = [pa.array([count] + [0] * others, pa.int64()) for count in self.counts.values()]
        watermark = pa.array([self.watermark] + [None] * others, pa.int64())
        lack = pa.array([self.lack] + [None] * others, pa.int64())
        problems = pa.array(["\n".join(self.problems) or None] + [None] * others, pa.string())
        return pa.RecordBatch.from_arrays(
            [pa.array(contents, pa.binary()), *counts, watermark, lack, problems], schema=_PARCELS
        )


class Operation:
    """One shard at work on one batch.

    Parameters
    ----------
    job : Job
    number : int
        Of the shard.
    shard : Shard
        Its state, which changes.
    """

    def __init__(self, job: Job, number: int, shard: Shard) -> None:
        self.job, self.number, self.shard = job, number, shard
        self.outcome = Outcome()
        self._spans: Spans = NONE
        self._newest: int | None = None
        self._advance_to = BEGINNING
        self._before = {**shard.counters, **{f"changes_{name}": count for name, count in shard.changes.items()}}
        self._left_out = shard.catalogue.patterns.books["left_out"]

    # ---- what a batch brings -----------------------------------------------------------------------------------------

    def take_list(self, content: bytes, earlier: bytes | None) -> None:
        """Make the list of queries hold; at a restart, what differs from the list of before."""
        then, now = {} if earlier is None else unpack_queries(earlier), unpack_queries(content)
        gone = [id for id in then if id not in now]
        new = [id for id, line in now.items() if then.get(id) != line]
        changes: list[Register | Deregister] = [
            Deregister(id)
            for id, mine in zip(gone, self._mine(gone), strict=True)
            if mine and id in self.shard.catalogue
        ]
        changes += [Register(query_of(now[id])) for id, mine in zip(new, self._mine(new), strict=True) if mine]
        self._add(self.shard.change(changes))

    def take(self, packets: list[Packet]) -> None:
        """Play all that a batch brings."""
        changes = [change for packet in packets for change in packet.changes]
        timed, untimed, advance_to = self._read_changes(changes) if changes else ([], [], BEGINNING)
        self._count_packets(packets)
        spans = joined([packet.spans for packet in packets], self.job.options.max_ahead)
        newest = self.shard.newest_of(spans)
        rows = rows_of(packets)
        if timed:
            self._add(self.shard.change(timed))
        if rows is None:
            rows = Rows.empty(self.job.columns)
        else:
            rows, ahead = rows.until(newest)
            self._reject(ahead)
        self._add(self.shard.process(rows, newest, advance_to))
        if untimed:
            self._add(self.shard.change(untimed))

    # ---- input that is sorted and ends -------------------------------------------------------------------------------

    def begin(self, packets: list[Packet]) -> None:
        """Take what holds for a whole input before its first row: changes of queries, and how far its times go."""
        changes = [change for packet in packets for change in packet.changes]
        timed, untimed, self._advance_to = self._read_changes(changes)
        self._spans = joined([packet.spans for packet in packets], self.job.options.max_ahead)
        self._newest = self.shard.newest_of(self._spans)
        self._add(self.shard.change(untimed))  # a table of changes is there before the first row
        self._add(self.shard.change(timed))

    def take_sorted(self, rows: Rows) -> None:
        """Take the next rows of an input that is sorted by time."""
        if len(self._spans):
            rows, ahead = rows.until(self._newest)
            self._reject(ahead)
        if len(rows):
            self._add(self.shard.process(rows, int(rows.time[-1])))

    def close(self) -> None:
        """End the input."""
        if self._advance_to > BEGINNING:
            self._add(self.shard.advance(self._advance_to))
        self._add(self.shard.close(BEGINNING if self._newest is None else self._newest))

    def hand_over(self) -> Outcome:
        """Return what was found since the last time."""
        found, self.outcome = self.outcome, Outcome()
        return found

    def end(self) -> Outcome:
        """Return what came of it."""
        shard, outcome = self.shard, self.outcome
        now = {**shard.counters, **{f"changes_{name}": count for name, count in shard.changes.items()}}
        for name, count in now.items():
            counted = self.job.counts_queries if name.startswith("changes_") else self.job.counts_rows
            if counted(self.number):
                outcome.counts[name] += count - self._before[name]
        if self.job.counts_rows(self.number):
            outcome.counts["held"] = len(shard.held)
            outcome.counts["streams"] = int(shard.streams.live.sum())
        if self.job.counts_queries(self.number):
            outcome.counts["waiting"] = len(shard.waiting)
            outcome.counts["queries"] = len(shard.catalogue)
        outcome.counts["starts"] = shard.streams.starts.waiting  # each belongs to one stream and one query
        outcome.counts["unconfirmed"] = len(shard.streams.doubts)  # and so does each of these
        patterns = shard.catalogue.patterns.books  # each belongs to one pattern
        outcome.counts["left_out"] += patterns["left_out"] - self._left_out
        outcome.counts["stored"], outcome.counts["most_stored"] = patterns["stored"], patterns["most_stored"]
        outcome.counts["state_bytes"] = shard.nbytes
        if self.job.options.keeps_significant:
            kept = shard.answers.figures()
            outcome.counts |= {f"kept_{name}": int(kept[name]) for name in KEPT}
            outcome.lack = round(1000 * (100 - kept["least_accuracy"]))
        if self.job.counts_queries(self.number):
            for problem in shard.problems:
                self._tell(problem)
        shard.problems.clear()
        outcome.watermark = None if shard.watermark == BEGINNING else shard.watermark
        return outcome

    # ---- the parts ---------------------------------------------------------------------------------------------------

    def _mine(self, ids: list[str]) -> list[bool]:
        return self.job.has_queries(ids, self.number)

    def _read_changes(self, texts: list[str]) -> tuple[list[Any], list[Any], int]:
        """Read changes: those with a time, those without, and how far time is to advance."""
        changes: list[Register | Deregister] = []
        advance_to = BEGINNING
        for text in texts:
            change = self._read_change(text)
            if isinstance(change, Advance):
                advance_to = max(advance_to, change.to)
            elif change is not None:
                changes.append(change)
        ids = [change.query.id if isinstance(change, Register) else change.id for change in changes]
        changes = [change for change, mine in zip(changes, self._mine(ids), strict=True) if mine]
        # In an order that does not depend on who came first through the network.
        changes = sorted((replace(change, seq=change.seq or 0) for change in changes), key=self._order)
        return (
            [each for each in changes if each.at is not None],
            [each for each in changes if each.at is None],
            advance_to,
        )

    def _order(self, change: Register | Deregister) -> tuple[int, int, bool, str]:
        at = self.shard.watermark if change.at is None else max(change.at, self.shard.watermark)
        return at, change.seq or 0, isinstance(change, Register), canonical_json(change_to_dict(change))

    def _read_change(self, text: str | None) -> Change | None:
        try:
            return self.job.read_change(text)
        except LimenError as error:
            if self.number == 0:
                self.outcome.counts["changes_rejected"] += 1
                self._tell(f"{error} in {text}")
            return None

    def _tell(self, problem: str) -> None:
        if len(self.outcome.problems) < MOST_PROBLEMS:
            self.outcome.problems.append(problem)

    def _count_packets(self, packets: list[Packet]) -> None:
        rejected: dict[str, int] = {}
        for packet in packets:
            for name, count in packet.counts.items():
                self.outcome.counts[name] += count
                if name != "rows":
                    rejected[name] = rejected.get(name, 0) + count
        if rejected and self.job.options.on_bad_row == "fail":
            raise bad_rows(rejected)

    def _reject(self, ahead: int) -> None:
        if not ahead:
            return
        if self.job.options.on_bad_row == "fail":
            raise bad_rows({"too_far_ahead": ahead})
        if self.job.counts_rows(self.number):
            self.outcome.counts["rejected_too_far_ahead"] += ahead

    def _add(self, events: list[Events]) -> None:
        for each in events:
            for kind, count in each.count_kinds().items():
                self.outcome.counts[f"events_{kind}"] += count
        if events:
            self.outcome.events.append(table_of(events, self.shard.catalogue.ids, self.shard.streams.ids))


def rows_of(packets: list[Packet]) -> Rows | None:
    """Put the rows of packets together, the earliest beginning first: mostly that is all there is to sort."""
    parts = [packet.rows for packet in packets if packet.rows is not None and len(packet.rows)]
    return Rows.joined(sorted(parts, key=lambda rows: int(rows.time[0]))) if parts else None


def _cut(table: pa.Table) -> Iterator[bytes]:
    """Write events as binary values of a size that travels well."""
    for first in range(0, len(table), MOST_EVENTS):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table.slice(first, MOST_EVENTS))
        yield sink.getvalue().to_pybytes()


def rejected_counts(rows: int, rejected: dict[str, int]) -> dict[str, int]:
    """Name the counts of a part of a batch as they are counted."""
    return {"rows": rows, **{f"rejected_{reason}": count for reason, count in rejected.items()}}
