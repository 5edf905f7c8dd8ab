"""Answers under tight memory on Spark: what is kept survives a restart, and shards divide the memory."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import limen
from limen import Engine, Nearest, Range, Within
from tests.folding import Fold
from tests.spark.running import collected
from tests.spark.test_restart import COLUMNS, Job, table
from tests.subject import _plain

QUERIES = [
    Within("low", Range(0, 20)),
    Within("around", focal="s3", width=16),
    Nearest("three", 3, focal="s5"),
    Nearest("two", 2, center=[30], where="kind = 'car'"),
]
OPTIONS: dict[str, Any] = {"max_speed": 5, "report_every": 13, "lateness": 0}  # twelve streams in turn, a second each


@pytest.fixture
def job(spark: SparkSession, tmp_path: Path) -> Job:
    return Job(spark, tmp_path)


def test_what_is_kept_and_shed_survives_restarts(job: Job, caplog: pytest.LogCaptureFixture) -> None:
    options = {"memory": 4000, "shedding": "object", "measure_accuracy": True}
    for batch in range(3):
        job.write(batch)
        query = job.run(QUERIES, shards=1, **OPTIONS, **options)
    engine = Engine(COLUMNS, QUERIES, order="event", **OPTIONS, **options)
    wanted = [event for batch in range(3) for event in _plain(engine.process(table(batch)))]
    assert job.events() == sorted(event["event_id"] for event in wanted)
    assert any(event["reason"] == "shed" for event in wanted)
    kept = next(
        counts["kept"] for counts in map(limen.spark.counters, reversed(query.recentProgress)) if "kept" in counts
    )
    assert 0 < kept["stored"] < 24  # twelve streams, kept for two conditions each
    assert kept["used"] <= 4000
    assert kept["shed"] > 0
    assert kept["least_accuracy"] < 100
    told = limen.spark.accuracy(job.spark, job.folder / "checkpoint").collect()
    figures = {row["query_id"]: row.asDict() for row in told}
    assert figures == {row["query_id"]: row for row in engine.accuracy.to_pylist()}
    assert min(row["accuracy"] for row in figures.values()) == pytest.approx(kept["least_accuracy"], abs=0.001)


def test_where_everything_is_kept_there_is_no_accuracy_to_tell(job: Job) -> None:
    job.write(0)
    job.run([Within("low", Range(0, 20))], shards=1, lateness=0)
    with pytest.raises(limen.InvalidInput, match="every answer is exact"):
        limen.spark.accuracy(job.spark, job.folder / "checkpoint")


@pytest.mark.soak
def test_shards_that_keep_what_matters_have_the_answers_of_one_that_keeps_all(job: Job) -> None:
    for batch in range(2):
        job.write(batch)
    job.run(QUERIES, shards=2, **OPTIONS)
    exact = Engine(COLUMNS, QUERIES, order="event", expire_after=13)
    expected, got = Fold(), Fold()
    for batch in range(2):
        expected.take(_plain(exact.process(table(batch))))
    got.take(collected(job.spark.read.parquet(str(job.folder / "out"))))
    assert got.answers == expected.answers
