"""Vehicles on Spark: a stream of positions, and fences that come and go while it runs.

Three files arrive one after the other, each a batch. The first fence is there from the beginning; the second comes as a
change in the middle of the stream, and is told at once who is inside.

Prints::

    08:00:02 van  enter depot (moved)
    08:00:04 van  exit  depot (moved)
    08:00:05 taxi enter harbour (registered)
    08:00:06 taxi exit  harbour (moved)
    9 rows, 1 late, 4 events
"""

import json
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import limen

COLUMNS = limen.Columns(id="vehicle", time="at", values=("x", "y"))
DEPOT = {"type": "box", "lo": [0, 0], "hi": [10, 10]}
HARBOUR = {"type": "box", "lo": [50, 0], "hi": [60, 10]}
BATCHES = [
    [("van", 1, 20, 5), ("van", 2, 9, 5), ("taxi", 2, 80, 5)],
    [("van", 4, 11, 5), ("taxi", 3, 55, 5), ("van", 3, 5, 5)],  # the last one arrives behind a later one: no matter
    [("taxi", 6, 70, 5), ("van", 1, 0, 0), ("van", 9, 12, 5)],  # but this one comes too late
]
CHANGES = [
    {"op": "register", "query": {"type": "border", "id": "depot", "region": DEPOT}, "at": "2026-01-01T08:00:00Z"},
    {
        "op": "register",
        "query": {"type": "border", "id": "harbour", "region": HARBOUR, "initial": "report"},
        "at": "2026-01-01T08:00:05Z",
    },
    {"op": "advance", "to": "2026-01-01T08:01:00Z"},
]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_input(folder)
        spark = limen.spark.session(**{"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"})
        spark.sparkContext.setLogLevel("ERROR")
        positions = spark.readStream.schema("vehicle string, at timestamp, x double, y double")
        positions = positions.option("maxFilesPerTrigger", 1).parquet(str(folder / "positions"))
        changes = spark.readStream.schema("change string").option("maxFilesPerTrigger", 1)
        changes = changes.json(str(folder / "changes"))

        events = limen.spark.monitor(positions, changes, COLUMNS, lateness="1 second")
        writer = events.writeStream.option("checkpointLocation", str(folder / "checkpoint"))
        query = writer.trigger(availableNow=True).start(str(folder / "events"))
        query.awaitTermination()

        for event in limen.sort_events(spark.read.parquet(str(folder / "events")).toArrow()).to_pylist():
            time = f"{event['time'].astimezone(UTC):%H:%M:%S}"
            print(f"{time} {event['stream_id']:4} {event['kind']:5} {event['query_id']} ({event['reason']})")
        counts = limen.spark.totals(spark, folder / "checkpoint")
        print(f"{counts['rows']} rows, {counts['late']} late, {sum(counts['events'].values())} events")
        spark.stop()


def write_input(folder: Path) -> None:
    for part in ("positions", "changes"):
        (folder / part).mkdir()
    for number, (rows, change) in enumerate(zip(BATCHES, CHANGES, strict=True)):
        vehicles, seconds, xs, ys = zip(*rows, strict=True)
        times = [datetime(2026, 1, 1, 8, 0, second, tzinfo=UTC) for second in seconds]
        table = pa.table({"vehicle": vehicles, "at": times, "x": pa.array(xs, "f8"), "y": pa.array(ys, "f8")})
        pq.write_table(table, folder / "positions" / f"{number}.parquet")
        (folder / "changes" / f"{number}.json").write_text(json.dumps({"change": json.dumps(change)}) + "\n")
        for part, suffix in (("positions", "parquet"), ("changes", "json")):
            os.utime(
                folder / part / f"{number}.{suffix}", (1_000_000_000 + number,) * 2
            )  # Spark takes the oldest first


if __name__ == "__main__":
    main()
