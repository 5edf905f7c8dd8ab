"""Patterns on Spark: batch = streaming = engine for any shards, and a restart that has to read its state."""

import random
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import limen
import limen.spark
from limen import InvalidQuery, Pair, Pattern
from tests import subject
from tests.spark.running import (
    MicroBatches,
    RunStream,
    assert_equal_events,
    collected,
    read_batches,
    run,
    write_batches,
)
from tests.spark.workload import cut, delayed

COLUMNS = {"id": "s", "time": "t", "values": ["x", "y"], "attributes": ["kind"]}
SECOND = 1_000_000
NEAR = {"after": (0, 6), "distance": 1.5}
QUERIES = [
    Pattern("meeting", {"a": "kind = 'A'", "b": "kind = 'B'"}, Pair("a", "b", **NEAR)),
    Pattern.at_least("crowd", 3, where="x < 3", distance=1.2, within=3, report="first"),
    Pattern(
        "there and back", {"go": "x > 4", "back": "x < 1"}, Pair("go", "back", after=(0, 9), where="go.s = back.s")
    ),
    Pattern("other kinds", {"a": "y > 4", "b": "y > 3"}, Pair("a", "b", where="a.kind <> b.kind"), retain=2, cap=2),
    limen.Match("corner", limen.Box((0, 0), (1, 1))),
]


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    chance = random.Random(4)
    return [
        {
            "s": f"s{number % 12}",
            "t": number // 4 * SECOND,
            "x": chance.uniform(0, 5),
            "y": chance.uniform(0, 5),
            "kind": chance.choice(("A", "B", None)),
        }
        for number in range(240)
    ]


@pytest.fixture(scope="module")
def known(rows: list[dict]) -> list[dict]:
    """What the engine in this process makes of it."""
    engine = limen.Engine(limen.Columns(**COLUMNS), queries=QUERIES, order="event")
    events = pa.concat_tables([engine.process(subject._table(rows, COLUMNS)), engine.close()])
    assert engine.counters["left_out"] > 0
    assert {event["query_id"] for event in events.to_pylist()} == {query.id for query in QUERIES}
    return subject._plain(events)


def schema() -> pa.Schema:
    return subject._table([], COLUMNS).schema


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shards", "expiry"),
    [
        pytest.param(1, "loose", marks=pytest.mark.soak),
        (3, "tight"),
        pytest.param(3, "no-index", marks=pytest.mark.soak),
    ],
)
def test_a_batch_equals_the_engine(
    spark: SparkSession, rows: list[dict], known: list[dict], shards: int, expiry: str, tmp_path: Path
) -> None:
    anyhow = cut(random.Random(1), random.Random(2).sample(rows, len(rows)), 3)
    batch = limen.spark.monitor(
        spark.read.parquet(str(write_batches(tmp_path / "rows", anyhow, schema()))),
        QUERIES,
        limen.Columns(**COLUMNS),
        shards=shards,
        expiry=expiry,
    )
    assert_equal_events(known, collected(batch), "batch")


@pytest.mark.slow
def test_a_stream_that_is_stopped_and_begun_again_equals_the_engine(
    spark: SparkSession, rows: list[dict], known: list[dict], tmp_path: Path
) -> None:
    chance = random.Random(3)
    batches = [each for each in cut(chance, delayed(chance, rows, 3), 6) if each]
    later = [{**rows[-1], "s": "nobody", "kind": None, "x": None, "y": None, "t": rows[-1]["t"] + 100 * SECOND}]

    def go_on(batches: list[list[dict]]) -> list[dict]:
        data = read_batches(spark, write_batches(tmp_path / "rows", batches, schema()))
        events = limen.spark.monitor(data, QUERIES, limen.Columns(**COLUMNS), shards=2, lateness=3)
        return run(events, tmp_path / "sink", tmp_path / "checkpoint").events

    go_on(batches[:2])
    go_on(batches[2:3])
    told = go_on([*batches[3:], later])
    assert_equal_events(known, told, "streaming")


def test_patterns_go_where_all_streams_are(
    spark: SparkSession, micro_batches: MicroBatches, run_stream: RunStream
) -> None:
    rows = [{"s": "a", "t": datetime(2026, 1, 1, tzinfo=UTC), "x": 1.0, "y": 1.0, "kind": "A"}]
    with pytest.raises(InvalidQuery, match="every shard sees all streams"):
        limen.spark.monitor(
            micro_batches([rows], schema()), QUERIES, limen.Columns(**COLUMNS), routing="by_stream", shards=2
        )
