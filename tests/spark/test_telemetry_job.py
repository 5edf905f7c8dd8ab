"""Telemetry of a job on real Spark; nothing that happens to the folder harms the job."""

import json
import shutil
from contextlib import suppress
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from limen.jobfile import read_job
from limen.spark.failure import CheckpointGone
from limen.spark.lock import only_job
from limen.spark.run import Run
from limen.telemetry import News, TelemetryReader
from tests.spark.job_folder import QUERY, Job, expected, table

NEW = {"type": "border", "id": "new", "region": {"type": "range", "lo": 5, "hi": 9}}
NEAREST = {"type": "nearest", "id": "near", "k": 2, "center": [1]}


def look(job: Job) -> News:
    return TelemetryReader(job.folder / "checkpoint-window").look()


def events_of(news: News) -> list[str]:
    return sorted(id for told in news.events for id in told.table["event_id"].to_pylist())


def test_a_job_tells_what_it_does(job: Job, spark: SparkSession) -> None:
    job.more = {"console": {"window": True, "streams": 50}}
    job.queries = {"inline": [QUERY], "folder": "changes"}
    changes = [
        {"op": "register", "query": NEW, "seq": 1_700_000_000_000_001},
        {"op": "register", "query": NEAREST, "seq": 1_700_000_000_000_002},
        {"op": "deregister", "id": "nobody"},
    ]
    (job.folder / "changes").mkdir()
    (job.folder / "changes" / "one.jsonl").write_text("\n".join(map(json.dumps, changes)))
    job.write(0, 1)
    done = job.run()
    assert done.exit_code == 0, done.output
    news = look(job)
    assert news.job is not None
    facts = {name: news.job[name] for name in ("name", "state", "reason", "routing", "trigger", "job_file", "remarks")}
    assert facts == {
        "name": "trial",
        "state": "ended",
        "reason": None,
        "routing": "by_stream",
        "trigger": None,
        "job_file": str(job.folder / "job.toml"),
        "remarks": [],
    }
    assert news.job["columns"] == {"crs": "planar", "id": "id", "time": "t", "values": ["x"]}
    assert news.job["changes"] == {"folder": str(job.folder / "changes")}
    assert [query["id"] for query in TelemetryReader(job.folder / "checkpoint-window").queries()] == ["low"]

    assert [line["batch"] for line in news.batches] == [0, 1]
    assert all(line["counters"]["rows"] == 60 and line["milliseconds"] > 0 for line in news.batches)
    assert not any("missing" in line for line in news.batches)
    told = pa.concat_tables([each.table for each in news.rows]).sort_by([("time", "ascending")])
    assert sum(each.seen for each in news.rows) == 120
    assert told["stream_id"].to_pylist() == [*table(0)["id"].to_pylist(), *table(1)["id"].to_pylist()]
    assert told["v0"].to_pylist() == [*table(0)["x"].to_pylist(), *table(1)["x"].to_pylist()]
    assert events_of(news) == job.events(spark)
    assert set(expected(2)) < set(events_of(news))  # and those of the new query

    outcome = {line["id"]: (line["batch"], line["op"], line["seq"], line["error"]) for line in news.changes}
    assert outcome["new"] == (0, "register", 1_700_000_000_000_001, None)
    assert outcome["near"][:3] == (0, "register", 1_700_000_000_000_002)
    assert "routing='by_query'" in outcome["near"][3]
    assert outcome["nobody"] == (0, "deregister", 3, "deregister: no query has the id 'nobody'")


def test_a_job_goes_on_when_its_window_is_removed_or_cannot_be_written(job: Job, spark: SparkSession) -> None:
    window = job.folder / "checkpoint-window"
    job.more = {"console": {"window": True}}
    job.sinks += [{"format": "console", "rows": 1}]
    job.write(0, 1, 2)
    shown: list[int] = []

    def disturb(_: Any, events: int) -> None:
        """Remove the telemetry folder, then put a file in its place."""
        shown.append(events)
        while len(shown) <= 2 and not window.is_file():  # the job makes it again all the time
            shutil.rmtree(window, ignore_errors=True)
            if len(shown) == 1:
                break
            with suppress(OSError):
                window.write_text("in the way")

    with Run(read_job(job.file()), disturb) as run:
        run.start()
        while not run.wait(0.1):
            list(run.progress())
        list(run.progress())
        assert run.failure is None
    assert len(shown) == 3
    assert window.is_file()
    assert job.events(spark) == expected(3)

    window.unlink()
    job.write(3)
    assert job.run().exit_code == 0  # with the next start there is telemetry again
    assert [line["batch"] for line in look(job).batches] == [3]
    assert job.events(spark) == expected(4)

    job.write(4)
    job.more["options"] = {"shards": 1}
    assert job.run().exit_code == 3  # and it tells of a checkpoint that does not fit
    news = look(job)
    assert news.job is not None
    assert news.job["state"] == "failed"
    assert "expected shards 2" in news.job["reason"]


def test_a_job_that_cannot_start_says_why(job: Job, spark: SparkSession) -> None:
    job.more = {"console": {"window": True}}
    job.source["path"] = "nowhere"
    assert job.run().exit_code == 2
    news = look(job)
    assert news.job is not None
    assert (news.job["state"], news.alive) == ("failed", False)
    assert news.job["reason"].startswith("source: path: expected a folder that exists")


@pytest.mark.soak
def test_a_second_job_on_the_same_checkpoint_leaves_the_window_alone(job: Job, spark: SparkSession) -> None:
    job.more = {"console": {"window": True}}
    with only_job(str(job.folder / "checkpoint")):
        assert job.run().exit_code == 3
    assert look(job).job is None


def test_a_checkpoint_that_is_removed_under_a_running_job(job: Job, spark: SparkSession) -> None:
    checkpoint = job.folder / "checkpoint"
    job.more = {"console": {"window": True}, "trigger": {"every": "200 milliseconds"}}
    job.write(0)
    with Run(read_job(job.file()), show=lambda *_: None) as run:
        run.start()
        while not list(run.progress()):
            assert not run.wait(0.1)
        shutil.rmtree(checkpoint)
        while not run.wait(0.1):
            pass
    assert isinstance(run.failure, CheckpointGone)
    news = look(job)
    assert news.job is not None
    assert (news.job["state"], news.alive, len(news.batches)) == ("failed", False, 1)
    assert news.job["reason"].startswith(f"checkpoint: {checkpoint} was removed while the job was running")

    (checkpoint / "commits").mkdir(parents=True, exist_ok=True)  # what Spark has written since
    job.more["trigger"] = {"available_now": True}
    refused = job.run()
    assert refused.exit_code == 3
    assert "but no metadata. Hint: put a copy of it back in its place, or remove the folder" in refused.output
    news = look(job)
    assert news.job is not None
    assert "but no metadata" in news.job["reason"]
    assert len(news.batches) == 1  # which has not begun anew

    shutil.rmtree(checkpoint)
    assert job.run().exit_code == 0
    news = look(job)
    assert news.job is not None
    assert (news.job["state"], len(news.batches), len(news.rows)) == ("ended", 1, 1)
    assert news.job["remarks"] == ["The checkpoint of before is gone: the job has begun anew."]
