"""Jobs on Spark run to their end: batches as files, events as plain values, counts added up."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery

import limen
import limen.spark
from tests import subject
from tests.subject import Event

Row = Mapping[str, Any]

CHANGES = pa.schema([("change", pa.string())])


def write_batches(folder: Path, batches: Iterable[Sequence[Row]], schema: pa.Schema) -> Path:
    """Write one parquet file a batch. Files already there stay, and are the batches before these."""
    folder.mkdir(exist_ok=True)
    for rows in batches:
        number = len(list(folder.iterdir()))
        file = folder / f"{number:06}.parquet"
        pq.write_table(pa.Table.from_pylist(list(rows), schema=schema), file)
        # Spark takes files in the order of their modification times, and the clock may give several the same.
        os.utime(file, (number, number))
    return folder


def read_batches(spark: SparkSession, folder: Path) -> DataFrame:
    """Return a streaming DataFrame that takes one of the files a micro-batch."""
    schema = spark.read.parquet(str(folder)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))


@dataclass(frozen=True)
class Run:
    """What a streaming job did until it had taken all its input."""

    query: StreamingQuery
    checkpoint: Path
    events: list[Event]

    @property
    def batches(self) -> list[dict[str, Any]]:
        """The counts of each batch."""
        return [counts for counts in map(limen.spark.counters, self.query.recentProgress) if counts]


# What the fixtures of the same names give.
MicroBatches = Callable[[Sequence[Sequence[Row]], pa.Schema], DataFrame]
RunStream = Callable[[DataFrame], Run]
SetConf = Callable[[str, str], None]


def run(events: DataFrame, sink: Path, checkpoint: Path) -> Run:
    """Run a streaming job until it has taken all that is there; return it with all events in the sink."""
    query = (
        events.writeStream.format("parquet")
        .option("path", str(sink))
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return Run(query, checkpoint, collected(events.sparkSession.read.schema(events.schema).parquet(str(sink))))


def wait_for_listeners(spark: SparkSession) -> None:
    """Return once listeners have been told of all that happened until now."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()


def collected(events: DataFrame) -> list[Event]:
    """Return events as the in-process subject does. The cast fails unless they have the columns of `limen.SCHEMA`."""
    return subject._plain(events.toArrow().cast(limen.SCHEMA))


def total(*batches: Mapping[str, Any]) -> dict[str, Any]:
    """Add up what batches have counted; of an engine, its counts are of all that it has seen."""

    def added(name: str) -> dict[str, int]:
        return dict(sum((Counter(batch[name]) for batch in batches), Counter()))

    return {
        "rows": sum(batch["rows"] for batch in batches),
        "late": sum(batch["late"] for batch in batches),
        "rejected": added("rejected"),
        "events": added("events"),
        "changes": {name: count for name, count in added("changes").items() if name != "waiting"},
        "expired": sum(batch["expired"] for batch in batches),
        "left_out": sum(batch["left_out"] for batch in batches),
    }


def as_the_oracle_counts(counters: Mapping[str, Any]) -> dict[str, Any]:
    """Choose what the oracle counts too, under its names."""
    outcomes = ("late", "superseded", "rejected")
    return {
        **{name: counters[name] for name in ("rows", "late", "rejected", "left_out")},
        **{f"changes_{outcome}": counters["changes"].get(outcome, 0) for outcome in outcomes},
    }


def whole(events: Iterable[Event]) -> Counter[tuple[Any, ...]]:
    """Make a multiset of events with all that they have, ids too."""
    return Counter((*subject.event_key(event), event["event_id"]) for event in events)


def assert_equal_events(expected: Iterable[Event], got: Iterable[Event], context: str) -> None:
    """Compare events with all that they have; nothing may be missing, and nothing come twice."""
    expected, got = list(expected), list(got)
    subject.assert_same_events(expected, got, context)
    assert whole(got) == whole(expected), f"{context}: same events, other ids"
    assert len({event["event_id"] for event in got}) == len(got), f"{context}: an id for two events"
