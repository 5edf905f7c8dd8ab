"""Shards: each on a partition of its own, and each row and change counted once, however many there are."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812

import limen
import limen.spark
from limen.spark.shards import key_of
from tests.oracle import Oracle
from tests.spark.running import (
    CHANGES,
    MicroBatches,
    RunStream,
    SetConf,
    as_the_oracle_counts,
    assert_equal_events,
    collected,
    total,
    write_batches,
)
from tests.spark.trouble import LATENESS, MAX_AHEAD, troubled
from tests.spark.workload import busy, schema_of
from tests.subject import Subject, _table

SHARDS = 64


@pytest.mark.parametrize("partitions", [1, 2, 3, 5, 8, 64])
def test_spark_places_shard_i_on_partition_i_modulo_their_number(spark: SparkSession, partitions: int) -> None:
    keys = spark.createDataFrame([(key_of(shard), shard) for shard in range(SHARDS)], "shard int, number int")
    placed = keys.repartition(partitions, "shard").select("number", F.spark_partition_id().alias("partition"))
    assert sorted(map(tuple, placed.collect())) == [(shard, shard % partitions) for shard in range(SHARDS)]


@pytest.mark.slow
def test_a_streaming_job_keeps_each_shard_on_its_partition(
    spark: SparkSession, micro_batches: MicroBatches, run_stream: RunStream, set_conf: SetConf
) -> None:
    set_conf("spark.sql.shuffle.partitions", "3")
    line = busy(seed=0)
    rows = micro_batches([line.rows], schema_of(line))
    job = run_stream(limen.spark.monitor(rows, [], limen.Columns(**line.columns), shards=5))
    state = spark.read.format("statestore").option("stateVarName", "pages").load(str(job.checkpoint))
    placed = {(row.shard, row.partition_id) for row in state.select("key.shard", "partition_id").distinct().collect()}
    assert placed == {(key_of(shard), shard % 3) for shard in range(5)}


@pytest.mark.slow
@pytest.mark.parametrize(("shards", "routing"), [pytest.param(5, "by_stream", marks=pytest.mark.soak), (5, "by_query")])
def test_every_row_and_change_is_counted_once(
    spark: SparkSession, shards: int, routing: str, micro_batches: MicroBatches, run_stream: RunStream
) -> None:
    columns, batches = troubled(seed=3)
    options = {"order": "event", "lateness": LATENESS, "max_ahead": MAX_AHEAD, "expire_after": 5}
    oracle, engine = Oracle(columns, **options), Subject(columns, **options)
    expected = [event for batch in batches for event in batch.play(engine)]
    for batch in batches:
        batch.play(oracle)
    rows = micro_batches([batch.rows for batch in batches], _table([], columns).schema)
    changes = micro_batches([batch.changes for batch in batches], CHANGES)
    job = run_stream(
        limen.spark.monitor(
            rows.repartition(3), changes, limen.Columns(**columns), shards=shards, routing=routing, **options
        )
    )
    counted = total(*job.batches)
    assert as_the_oracle_counts(counted) == oracle.counters
    assert counted == total(engine.engine.counters)
    assert counted == total(limen.spark.totals(spark, job.checkpoint))
    assert_equal_events(expected, job.events, "streaming")
    # The counts would agree as well if there were nothing to count.
    assert set(counted["rejected"]) == {"null_id", "null_time", "infinite_value", "too_far_ahead"}
    assert set(counted["changes"]) == {"applied", "late", "rejected"}
    assert min(counted["late"], counted["expired"]) > 0
    last = job.batches[-1]
    assert (last["held"], last["streams"], last["changes"]["waiting"]) == (0, 0, 0)
    assert last["queries"] == len(oracle.queries)


@pytest.mark.parametrize(("shards", "routing"), [(1, "by_stream"), (5, "by_stream"), (5, "by_query")])
def test_a_batch_tells_its_counts_to_an_observation(
    spark: SparkSession, shards: int, routing: str, tmp_path: Path
) -> None:
    columns, batches = troubled(seed=4)
    rows = [row for batch in batches for row in batch.rows]
    registered = batches[0].timed
    engine = Subject(columns, order="event", max_ahead=MAX_AHEAD, expire_after=5)
    for step in registered:
        engine.register(**step.arguments)
    expected = [*engine.process(rows), *engine.close()]
    schema = _table([], columns).schema
    observation = Observation("counts of a batch")
    events = limen.spark.monitor(
        spark.read.parquet(str(write_batches(tmp_path / "rows", [rows[::2], rows[1::2]], schema))),
        spark.read.parquet(str(write_batches(tmp_path / "changes", [batches[0].changes], CHANGES))),
        limen.Columns(**columns),
        observation=observation,
        shards=shards,
        routing=routing,
        max_ahead=MAX_AHEAD,
        expire_after=5,
    )
    assert_equal_events(expected, collected(events), "batch")
    counted = limen.spark.counters(observation)
    assert total(counted) == total(engine.engine.counters)
    assert counted["queries"] == len(registered)
    assert counted["streams"] == engine.engine.counters["streams"]
    assert counted["problems"] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        limen.Border("lasts", limen.Range(0, 10), initial="report", min_stay=5),
        limen.Border("lasts", limen.Range(0, 10), min_stay=5, confirm=2),
        limen.Transition("lasts", limen.Range(0, 10), within=5, kinds="stayed"),
    ],
    ids=["min_stay", "confirmed", "stayed"],
)
def test_deadlines_pass_in_every_shard_of_a_batch(spark: SparkSession, query: limen.Query) -> None:
    """The last row, which lets time pass, is in one shard only."""
    columns = limen.Columns(id="id", time="t", values="x", time_unit="s")
    moves = [(f"s{number}", second, x) for number in range(8) for second, x in ((0, 20.0), (1, 5.0), (2, 5.0))]
    rows = [*moves, ("last", 100, 20.0)]
    engine = limen.Engine(columns, queries=[query], order="event")
    table = pa.table(dict(zip(("id", "t", "x"), map(list, zip(*rows, strict=True)), strict=True)))
    expected = pa.concat_tables([engine.process(table), engine.close()])
    assert len(expected) == 8
    frame = spark.createDataFrame(rows, "id string, t long, x double").repartition(3)
    found = limen.spark.monitor(frame, [query], columns, shards=3).collect()
    assert sorted(row.event_id for row in found) == sorted(expected["event_id"].to_pylist())
