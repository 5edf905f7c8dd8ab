"""The driver program that is killed: `python -m tests.chaos.job INPUT RUN`.

It works through the files of the folder INPUT that are there, one a batch, and ends. In the folder RUN it keeps its
checkpoint and its sink; when it ends it leaves there what a reader of the sink sees.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from limen.spark import monitor, session
from tests.chaos.workload import COLUMNS, OPTIONS

ROWS = "vehicle string, at timestamp, x double, y double, kind string"
SHARDS = 2
SETTINGS = {
    "spark.master": "local[2, 4]",  # a task may fail three times
    "spark.sql.shuffle.partitions": SHARDS,
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": False,
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",  # drivers here do not live long enough for more
}


def failing_once_armed(fault: Path) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a step that changes nothing; but a task that finds the file takes it away and fails when all is done."""

    def step(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches
        try:
            fault.unlink()  # one task succeeds in this, and its next attempt does not
        except FileNotFoundError:
            return
        raise RuntimeError(f"{fault.name}: this task was chosen to fail")

    return step


def main(source: Path, run: Path) -> None:
    """Run the job to the end of what there is."""
    spark = session(**SETTINGS)
    rows = spark.readStream.schema(ROWS).option("maxFilesPerTrigger", 1).parquet(str(source / "rows"))
    changes = spark.readStream.option("maxFilesPerTrigger", 1).text(str(source / "changes"))
    rows = rows.mapInArrow(failing_once_armed(run / "fault_in_rows"), ROWS)
    events = monitor(
        rows, changes.withColumnRenamed("value", "change"), COLUMNS, shards=SHARDS, routing="by_query", **OPTIONS
    )
    schema = events.schema
    events = events.mapInArrow(failing_once_armed(run / "fault_in_events"), schema)
    query = (
        events.writeStream.format("parquet")
        .option("checkpointLocation", str(run / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(run / "sink"))
    )
    query.awaitTermination()
    # Spark's own reader: it knows which files of the sink are committed.
    pq.write_table(spark.read.schema(schema).parquet(str(run / "sink")).toArrow(), run / "seen.parquet")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
