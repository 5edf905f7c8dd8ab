"""Kafka from end to end, with a real broker: rows, changes and events are messages."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from limen.jobfile import read_job
from limen.spark.run import Run
from tests.servers import kafka
from tests.servers.kafka import Broker, consume, produce
from tests.spark.job_folder import QUERY, SCHEMA, Job, expected, table

pytestmark = pytest.mark.slow
TOPICS = ("positions", "changes", "events")


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    reason = kafka.why_not(connector=True)
    if reason:
        pytest.skip(reason)
    with Broker(tmp_path_factory.mktemp("kafka")) as broker:
        yield broker


@pytest.fixture
def job(spark: SparkSession, broker: Broker, tmp_path: Path) -> Job:
    job = Job(tmp_path)
    topics = {name: f"{name}-{tmp_path.name}" for name in TOPICS}
    for topic in topics.values():
        broker.create_topic(topic)
    job.source = {"format": "kafka", "servers": broker.servers, "topic": topics["positions"], "schema": SCHEMA}
    job.queries = {"kafka": {"servers": broker.servers, "topic": topics["changes"]}}
    job.sinks = [{"format": "kafka", "servers": broker.servers, "topic": topics["events"]}]
    return job


def send(job: Job, batch: int) -> None:
    rows = table(batch)
    plain = rows.set_column(1, "t", rows["t"].cast(pa.string())).to_pylist()
    produce(job.source["servers"], job.source["topic"], [(row["id"], json.dumps(row)) for row in plain])


def tell(job: Job, change: dict[str, Any]) -> None:
    produce(job.source["servers"], job.queries["kafka"]["topic"], [("", json.dumps(change))])


def received(job: Job) -> list[str]:
    messages = consume(job.source["servers"], job.sinks[0]["topic"])
    assert all(json.loads(value or "")["event_id"] == key for key, value in messages)
    return sorted(key or "" for key, _ in messages)


def test_rows_changes_and_events_are_messages(job: Job) -> None:
    tell(job, {"op": "register", "query": QUERY, "at": "1970-01-01T00:00:00Z"})
    send(job, 0)
    produce(job.source["servers"], job.source["topic"], [("s0", "no JSON")])
    first = job.run()
    assert first.exit_code == 0, first.output
    assert received(job) == expected(1)
    assert "rows rejected in batch 0: 1 null_id" in first.output

    send(job, 1)
    assert job.run().exit_code == 0
    assert received(job) == expected(2)
    commit = max(int(path.name) for path in (job.folder / "checkpoint" / "commits").glob("[0-9]*"))
    for name in (str(commit), f".{commit}.crc"):
        (job.folder / "checkpoint" / "commits" / name).unlink()
    again = job.run()
    assert f"batch {commit}: 60 rows" in again.output
    assert received(job) == expected(2), "what the topic has is not sent again"


@pytest.mark.soak
def test_a_broker_that_goes_down_and_comes_back(job: Job, broker: Broker) -> None:
    tell(job, {"op": "register", "query": QUERY, "at": "1970-01-01T00:00:00Z"})
    send(job, 0)
    described = read_job(job.file(), ["trigger.available_now=false"])
    with Run(described, show=lambda *_: None) as running:
        query = running.start()
        while not any(progress["numInputRows"] for progress in query.recentProgress):
            assert not running.wait(0.2), query.exception()
        broker.stop(kill=True)
        running.wait(2)
        broker.start()
        send(job, 1)
        while not running.wait(0.2) and sum(progress["numInputRows"] for progress in query.recentProgress) < 121:
            pass
        running.stop()
    done = job.run()  # whether Spark waited for the broker or gave up, the next run has it all
    assert done.exit_code == 0, done.output
    assert received(job) == expected(2)
