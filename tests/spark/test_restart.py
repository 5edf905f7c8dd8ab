"""Going on from a checkpoint: what may change, what is refused, and states of older versions."""

import json
import os
import tarfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import limen
from limen import Border, Columns, Engine, Nearest, Range, Transition, Within
from limen.formats.query_json import query_to_dict

COLUMNS = Columns(id="id", time="t", values="x", attributes="kind")
QUERIES = [Border("low", Range(0, 20), initial="report"), Border("car", Range(10, 40), where="kind = 'car'")]
VERSIONS = Path(__file__).parent / "checkpoints"


def table(batch: int) -> pa.Table:
    rows = range(60)
    seconds = [batch * 60 + row for row in rows]
    return pa.table(
        {
            "id": [f"s{row % 12}" for row in rows],
            "t": pa.array([second * 1_000_000 for second in seconds], pa.timestamp("us", "UTC")),
            "x": [float((row * 7 + batch * 13) % 50) for row in rows],
            "kind": ["car" if row % 2 else "bus" for row in rows],
        }
    )


class Job:
    """A folder of batches, a checkpoint and a sink; each run takes the batches that are new."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder = spark, folder
        for name in ("in", "changes"):
            (folder / name).mkdir()

    def write(self, batch: int, content: pa.Table | None = None) -> None:
        path = self.folder / "in" / f"{batch}.parquet"
        pq.write_table(table(batch) if content is None else content, path)
        os.utime(path, (1_000_000_000 + batch,) * 2)

    def change(self, number: int, *changes: dict[str, Any]) -> None:
        path = self.folder / "changes" / f"{number}.json"
        path.write_text("".join(json.dumps({"change": json.dumps(change)}) + "\n" for change in changes))
        os.utime(path, (1_000_000_000 + number,) * 2)

    def rows(self, schema: str = "id string, t timestamp, x double, kind string") -> DataFrame:
        reader = self.spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        return reader.parquet(str(self.folder / "in"))

    def changes(self) -> DataFrame:
        reader = self.spark.readStream.schema("change string").option("maxFilesPerTrigger", 1)
        return reader.json(str(self.folder / "changes"))

    def run(
        self, queries: Any = QUERIES, columns: Columns = COLUMNS, rows: DataFrame | None = None, **options: Any
    ) -> Any:
        events = limen.spark.monitor(
            self.rows() if rows is None else rows, queries, columns, **{"lateness": 20, **options}
        )
        writer = events.writeStream.option("checkpointLocation", str(self.folder / "checkpoint"))
        query = writer.trigger(availableNow=True).start(str(self.folder / "out"))
        query.awaitTermination()
        return query

    def events(self) -> list[str]:
        return sorted(
            row.event_id for row in self.spark.read.parquet(str(self.folder / "out")).select("event_id").collect()
        )


@pytest.fixture
def job(spark: SparkSession, tmp_path: Path) -> Job:
    return Job(spark, tmp_path)


def expected(batches: int, **options: Any) -> list[str]:
    engine = Engine(COLUMNS, QUERIES, **{"order": "event", "lateness": 20, **options})
    return sorted(event for batch in range(batches) for event in engine.process(table(batch))["event_id"].to_pylist())


def test_a_restart_goes_on_where_the_run_before_stopped(job: Job) -> None:
    for batch in range(3):
        job.write(batch)
        job.run(shards=2)
    assert job.events() == expected(3)
    totals = limen.spark.totals(job.spark, job.folder / "checkpoint")
    assert totals["rows"] == 180
    assert sum(totals["events"].values()) == len(expected(3))


@pytest.mark.soak
def test_a_deadline_passes_in_another_run_than_its_start(job: Job) -> None:
    queries = [*QUERIES, Transition("stay", Range(0, 20), within=50), Transition("short", Range(0, 20), within=8)]
    for batch in range(3):
        job.write(batch)
        job.run(queries, shards=2)
    engine = Engine(COLUMNS, queries, order="event", lateness=20)
    wanted = [event for batch in range(3) for event in engine.process(table(batch)).to_pylist()]
    assert job.events() == sorted(event["event_id"] for event in wanted)
    kinds = {"passed", "returned", "stayed", "gone"}
    batch_of = [{int(event[name].timestamp()) // 60 for name in ("time", "started_at")} for event in wanted
                if event["kind"] in kinds]  # fmt: skip
    assert {event["kind"] for event in wanted} >= kinds
    assert any(len(both) == 2 for both in batch_of), "some began in one run and ended in another"


def test_answers_go_on_after_a_restart(job: Job) -> None:
    queries = [*QUERIES, Nearest("three", 3, center=[20]), Within("around", focal="s3", radius=6, where="kind = 'car'")]
    for batch in range(3):
        job.write(batch)
        job.run(queries, shards=2)
    engine = Engine(COLUMNS, queries, order="event", lateness=20)
    wanted = [event for batch in range(3) for event in engine.process(table(batch)).to_pylist()]
    assert {event["query_id"] for event in wanted if event["kind"] == "add"} == {"three", "around"}
    assert job.events() == sorted(event["event_id"] for event in wanted)


def test_a_query_that_needs_all_streams_is_refused_where_they_are_split(job: Job) -> None:
    job.write(0)
    nearest = query_to_dict(Nearest("three", 3, center=[20]))
    job.change(0, {"op": "register", "query": nearest})
    query = job.run(job.changes(), shards=2)
    counts = limen.spark.counters(query)
    assert counts["changes"]["rejected"] == 1
    with pytest.raises(limen.InvalidQuery, match="start the job with routing='by_query'"):
        job.run([Nearest("three", 3, center=[20])], shards=2, routing="by_stream")


@pytest.mark.soak
def test_a_larger_lateness_does_not_turn_back_time(job: Job) -> None:
    job.write(0)
    job.run(shards=2)
    job.write(1)
    query = job.run(shards=2, lateness=100)
    assert limen.spark.counters(query)["watermark"] == "1970-01-01T00:00:39Z"
    assert job.events() == expected(1)


@pytest.mark.soak
def test_queries_of_another_list_take_effect_at_a_restart(job: Job) -> None:
    job.write(0)
    job.run(shards=2)
    job.write(1)
    query = job.run([QUERIES[0], Border("new", Range(5, 45), initial="report")], shards=2)
    counts = limen.spark.counters(query)
    assert counts["queries"] == 2
    assert counts["changes"]["applied"] == 2
    engine = Engine(COLUMNS, QUERIES, order="event", lateness=20)
    found = [engine.process(table(0)), engine.deregister("car")]
    found += [engine.register(Border("new", Range(5, 45), initial="report")), engine.process(table(1))]
    assert job.events() == sorted(id for events in found for id in events["event_id"].to_pylist())


def move_checkpoint(checkpoint: Path, was: str, is_now: str) -> None:
    """Have a checkpoint speak of the place where it is: Spark writes whole paths into it."""
    logs = [*(checkpoint / "sources").glob("*/[0-9]*"), *(checkpoint / "state").glob("*/_metadata/v2/[0-9]*")]
    for log in logs:
        log.write_text(log.read_text().replace(was, is_now))
        (log.parent / f".{log.name}.crc").unlink(missing_ok=True)


# Version 1 did not keep what was counted; it is counted from now on.
@pytest.mark.parametrize(
    ("version", "rows"),
    [(1, 60), *(pytest.param(version, 240, marks=pytest.mark.soak) for version in (2, 3)), (4, 240)],
)
def test_a_checkpoint_of_an_older_version_is_brought_to_this_one(job: Job, version: int, rows: int) -> None:
    """The stored checkpoint was written by that version from the batches 0 to 2 and a registration with each."""
    with tarfile.open(VERSIONS / f"version-{version}.tgz") as archive:
        archive.extractall(job.folder, filter="data")
    move_checkpoint(job.folder / "checkpoint", f"/tmp/t/v{version}/work", str(job.folder))
    options = {"lateness": 20, "expire_after": 120}
    engine = Engine(COLUMNS, order="event", **options)
    for batch in range(3):
        query = Border(f"c{batch}", Range(batch * 5, batch * 5 + 20), initial="report")
        engine.register(query, at=f"1970-01-01T00:0{batch + 1}:30Z")
        engine.process(table(batch))
        job.write(batch)
        job.change(batch, {"op": "known"})
    job.write(3)
    stay = Transition("stay", Range(None, 20), within=9)
    job.change(
        3,
        {"op": "register", "query": query_to_dict(stay), "at": "1970-01-01T00:02:50Z"},
        {"op": "deregister", "id": "c0", "at": "1970-01-01T00:03:20Z"},
    )
    query = job.run(job.changes(), shards=2, **options)
    engine.register(stay, at="1970-01-01T00:02:50Z")
    engine.deregister("c0", at="1970-01-01T00:03:20Z")
    # The sink begins with batch 3, which Spark's own list of files does not foresee.
    files = (job.folder / "out").glob("*.parquet")
    found = pa.concat_tables([pq.read_table(file) for file in files])
    assert sorted(found["event_id"].to_pylist()) == sorted(engine.process(table(3))["event_id"].to_pylist())
    assert {"stayed", "gone"} & set(found["kind"].to_pylist())
    counts = limen.spark.counters(query)
    assert counts["changes"]["applied"] == 3
    assert counts["starts"] == engine.counters["starts"] > 0
    assert limen.spark.totals(job.spark, job.folder / "checkpoint")["rows"] == rows
