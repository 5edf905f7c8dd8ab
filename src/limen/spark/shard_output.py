"""The output of a shard for a batch: its events in pieces, its counters, and the problems of changes."""

from dataclasses import dataclass, field

import pyarrow as pa

from limen.model.event import KINDS
from limen.spark.packet import stream_bytes

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
#: What results under a memory budget store; see `limen.queries.budget.operator`.
KEPT = ("stored", "shadows", "used", "shed", "swept", "insignificant", "too_fast", "locked", "overdrawn", "full")
#: How much there is after the batch; the sum over the shards is the job's.
GAUGES = ("held", "waiting", "streams", "queries", "starts", "unconfirmed", "stored", "most_stored", "state_bytes")
NUMBERS = (*COUNTS, *GAUGES, *(f"kept_{name}" for name in KEPT), *COSTS)
#: The columns of what a shard sends on, as Spark names their types, and as Arrow does.
OUTPUT = ", ".join(
    ["events binary", *(f"{name} bigint" for name in (*NUMBERS, "watermark", "lack")), "problems string"]
)
_OUTPUT = pa.schema(
    [
        ("events", pa.binary()),
        *((name, pa.int64()) for name in (*NUMBERS, "watermark", "lack")),
        ("problems", pa.string()),
    ]
)
MOST_PROBLEMS = 5  # that are reported for one batch
MOST_EVENTS = 1 << 17  # in one piece


@dataclass(slots=True)
class ShardOutput:
    """The events and counters of a shard."""

    events: list[pa.Table] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(NUMBERS, 0))
    watermark: int | None = None
    lack: int | None = None  # by how many thousandths of a percent the least accurate answer is not exact
    problems: list[str] = field(default_factory=list)

    def to_batch(self) -> pa.RecordBatch:
        """Return the rows that a shard sends on: its events in pieces, and its counts in the first row."""
        contents: list[bytes | None] = [
            stream_bytes(table.slice(first, MOST_EVENTS))
            for table in self.events
            for first in range(0, len(table), MOST_EVENTS)
        ]
        contents = contents or [None]
        others = len(contents) - 1
        counts = [pa.array([count] + [0] * others, pa.int64()) for count in self.counts.values()]
        watermark = pa.array([self.watermark] + [None] * others, pa.int64())
        lack = pa.array([self.lack] + [None] * others, pa.int64())
        problems = pa.array(["\n".join(self.problems) or None] + [None] * others, pa.string())
        return pa.RecordBatch.from_arrays(
            [pa.array(contents, pa.binary()), *counts, watermark, lack, problems], schema=_OUTPUT
        )
