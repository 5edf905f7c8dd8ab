"""Ticks of the clock: time goes on although no row comes."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import limen
from limen import Border, Columns, InvalidInput, Range, Transition
from limen.spark.schema import EVENTS
from tests.spark.running import MicroBatches

COLUMNS = Columns(id="id", time="t", values="x")
SCHEMA = pa.schema([("id", pa.string()), ("t", pa.timestamp("us", "UTC")), ("x", pa.float64())])
PATIENCE = 120  # seconds until a test gives up


def test_streams_expire_and_deadlines_pass_by_the_clock_alone(
    spark: SparkSession, micro_batches: MicroBatches, tmp_path: Path
) -> None:
    seen = datetime.now(UTC) - timedelta(minutes=1)
    later = seen + timedelta(seconds=1)
    rows = micro_batches([[{"id": "a", "t": seen, "x": 11.0}, {"id": "a", "t": later, "x": 1.0}]], SCHEMA)
    queries = [Border("low", Range(0, 10), initial="report"), Transition("parked", Range(0, 10), within=20)]
    events = limen.spark.monitor(rows, queries, COLUMNS, lateness=1, expire_after=30, tick=1)
    writer = events.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.start(str(tmp_path / "out"))
    found: list[tuple[str, str, datetime]] = []
    until = time.monotonic() + PATIENCE
    try:
        while len(found) < 3 and time.monotonic() < until and query.isActive:
            query.awaitTermination(1)  # not processAllAvailable: the clock always has more
            if (tmp_path / "out" / "_spark_metadata").exists():
                events_now = spark.read.schema(EVENTS).parquet(str(tmp_path / "out")).collect()
                found = sorted((event.kind, event.reason, event.time.astimezone(UTC)) for event in events_now)
    finally:
        query.stop()
    assert found == [
        ("enter", "moved", later),
        ("exit", "expired", later + timedelta(seconds=30)),
        ("stayed", "timer", later + timedelta(seconds=20)),
    ]


@pytest.mark.parametrize("tick", [0, 0.5, "1500 milliseconds", -1])
def test_ticks_are_whole_seconds(micro_batches: MicroBatches, tick: object) -> None:
    rows = micro_batches([[{"id": "a", "t": datetime(2026, 1, 1, tzinfo=UTC), "x": 1.0}]], SCHEMA)
    with pytest.raises(InvalidInput, match="option 'tick'"):
        limen.spark.monitor(rows, [Border("low", Range(0, 10))], COLUMNS, tick=tick)
