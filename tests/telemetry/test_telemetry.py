"""What a job publishes, and what a reader sees of it."""

import json
import os
import resource
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from limen import telemetry, window
from limen.model.event import SCHEMA
from limen.runtime.rows import Rows
from limen.telemetry import TelemetryReader, TelemetrySettings, folder_files, publisher
from limen.telemetry import task as task_module
from limen.telemetry.failures import WriteFailures
from limen.telemetry.publisher import JobPublisher
from limen.telemetry.sample import buckets
from limen.telemetry.task import TaskPublisher

COUNTERS: dict[str, Any] = {"rows": 3, "streams": 2, "events": {"enter": 1}}
FACTS: dict[str, Any] = {"name": "trial", "columns": {"id": "id", "time": "t", "values": ["x"]}, "changes": None}
QUERIES = ['{"id": "a", "type": "border"}', '{"id": "b", "type": "border"}']


def rows(ids: list[str], time: int = 0) -> Rows:
    n = len(ids)
    return Rows(
        pa.array(ids), np.full(n, time), np.array([np.arange(n), -np.arange(n)], float), (pa.array([True] * n),)
    )


def events(streams: list[str | None], query: str = "q") -> pa.RecordBatch:
    made = [
        {"event_id": f"{number:032}", "query_id": query, "kind": "enter", "stream_id": stream, "reason": "moved"}
        for number, stream in enumerate(streams)
    ]
    return pa.RecordBatch.from_pylist(made, SCHEMA)


def opened(folder: Path, *, anew: bool = True, queries: list[str] | None = None, **facts: Any) -> JobPublisher:
    queries = QUERIES if queries is None else queries
    job = JobPublisher(TelemetrySettings(str(folder)), {**FACTS, **facts}, queries)
    job.begin(anew=anew)
    return job


def task(folder: Path, batch: int, partition: int = 0) -> TaskPublisher:
    return TaskPublisher(TelemetrySettings(str(folder)), batch, partition)


def test_what_is_told_is_seen_once(tmp_path: Path) -> None:
    look = TelemetryReader(tmp_path / "window")
    assert look.look().job is None
    job = opened(tmp_path / "window")
    news = look.look()
    assert news.job is not None
    assert (news.job["state"], news.job["name"], news.alive, news.anew) == ("starting", "trial", True, False)
    assert [query["id"] for query in look.queries()] == ["a", "b"]

    task_publisher = task(tmp_path / "window", 0)
    task_publisher.rows(rows(["s", "é", "s"], time=7), seen=4)
    passed = list(task_publisher.events(iter([events(["s"]), events([])]), most=10))
    assert [batch.num_rows for batch in passed] == [1, 0]
    job.running(routing="by_stream")
    job.batch(0, 12, COUNTERS)
    news = look.look()
    assert news.job is not None
    assert (news.job["state"], news.job["routing"]) == ("running", "by_stream")
    (told,) = news.rows
    assert (told.batch, told.partition, told.seen, told.one_of) == (0, 0, 4, 1)
    assert told.table.column_names == ["stream_id", "time", "v0", "v1", "a0"]
    assert told.table["stream_id"].to_pylist() == ["s", "é", "s"]
    assert told.table["time"].cast(pa.int64()).to_pylist() == [7, 7, 7]
    assert told.table["v1"].to_pylist() == [0, -1, -2]
    assert told.table["a0"].to_pylist() == ["true"] * 3
    assert news.events[0].table.cast(SCHEMA).equals(pa.Table.from_batches([events(["s"])]))
    assert [line["milliseconds"] for line in news.batches] == [12]
    assert news.batches[0]["counters"] == COUNTERS
    assert "missing" not in news.batches[0]
    again = look.look()
    assert [again.rows, again.events, again.batches, again.changes] == [[], [], [], []]
    job.end()
    news = look.look()
    assert news.job is not None
    assert (news.job["state"], news.job["reason"], news.alive) == ("ended", None, False)
    assert job.failures.count == 0


def test_a_job_that_fails_says_why(tmp_path: Path) -> None:
    opened(tmp_path).end("source: path: expected a folder that exists, got /nowhere")
    job = TelemetryReader(tmp_path).job()
    assert job is not None
    assert job["state"] == "failed"
    assert job["reason"].startswith("source: path")


def test_a_job_that_was_killed_is_dead_and_one_that_is_quiet_is_not(tmp_path: Path) -> None:
    job = opened(tmp_path)
    job.running()
    look = TelemetryReader(tmp_path)
    assert look.alive()
    job._stopped.set()  # as a kill would
    assert job._thread is not None
    job._thread.join()
    os.utime(tmp_path / folder_files.JOB, (0, 0))
    assert not look.alive()
    job._touch()
    assert look.alive()


def test_a_repeated_batch_is_told_again_and_its_line_once(tmp_path: Path) -> None:
    job, look = opened(tmp_path), TelemetryReader(tmp_path)
    task(tmp_path, 0).rows(rows(["a"]), 1)
    assert len(look.look().rows) == 1
    path = tmp_path / "rows" / "0000000000-0000-000.arrow"
    os.utime(path, (1, 1))
    assert len(look.look().rows) == 1
    for _ in range(2):
        job.batch(0, 1, {**COUNTERS, "events": {}})
    assert len(look.look().batches) == 1
    job.end()


def test_a_new_checkpoint_begins_a_window_anew_and_a_restart_does_not(tmp_path: Path) -> None:
    look = TelemetryReader(tmp_path)
    first = opened(tmp_path)
    task(tmp_path, 3).rows(rows(["a"]), 1)
    first.batch(3, 1, {**COUNTERS, "events": {}})
    first.end()
    assert len(look.look().batches) == 1
    opened(tmp_path, anew=False).end()
    news = look.look()
    assert (news.anew, news.batches, news.rows) == (False, [], [])
    opened(tmp_path, anew=True).end()
    assert not list((tmp_path / "rows").iterdir())
    news = look.look()
    assert (news.anew, news.batches) == (True, [])
    assert news.job is not None
    assert news.job["remarks"] == ["The checkpoint of before is gone: the job has begun anew."]


def test_the_first_look_goes_back_so_many_batches(tmp_path: Path) -> None:
    job = opened(tmp_path)
    for batch in range(5):
        task(tmp_path, batch).rows(rows(["a"]), 1)
    assert [told.batch for told in TelemetryReader(tmp_path, back=2).look().rows] == [3, 4]
    job.end()


def test_damaged_and_foreign_files_are_passed_over(tmp_path: Path) -> None:
    job = opened(tmp_path)
    task(tmp_path, 0).rows(rows(["a"]), 1)
    (tmp_path / "rows" / "0000000001-0000-000.arrow").write_bytes(b"ARROW1")
    (tmp_path / "rows" / "notes.txt").write_text("mine")
    (tmp_path / folder_files.BATCHES).write_bytes(b'{"batch": 0, "half')
    look = TelemetryReader(tmp_path)
    news = look.look()
    assert ([told.batch for told in news.rows], news.batches) == ([0], [])
    job.batch(1, 1, {**COUNTERS, "events": {}})
    assert [line["batch"] for line in look.look().batches] == [1]
    (tmp_path / folder_files.JOB).write_text("{")
    assert look.look().job is None
    assert not look.alive()
    job.end()


def test_batches_are_kept_up_to_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher, "KEPT_BATCHES", 5)
    job, look = opened(tmp_path), TelemetryReader(tmp_path)
    seen = []
    for number in range(23):
        task(tmp_path, number).rows(rows(["a"]), 1)
        job.batch(number, 1, {**COUNTERS, "events": {}})
        seen += [line["batch"] for line in look.look().batches]
        assert len((tmp_path / folder_files.BATCHES).read_text().splitlines()) <= 10
    assert seen == list(range(23))
    kept = [line["batch"] for line in TelemetryReader(tmp_path).look().batches]
    assert kept == list(range(kept[0], 23))
    assert 5 <= len(kept) <= 10
    job.end()


def test_the_driver_widens_and_narrows_the_sample(tmp_path: Path) -> None:
    settings = TelemetrySettings(str(tmp_path), streams=10)
    job = JobPublisher(settings, FACTS, [])
    job.begin(anew=True)
    job.batch(0, 1, {"rows": 0, "streams": 100, "events": {}})
    assert json.loads((tmp_path / folder_files.SAMPLE).read_text()) == {"one_of": 16}
    many = [f"s{number}" for number in range(100)]
    TaskPublisher(settings, 1, 0).rows(rows(many), 100)
    (told,) = TelemetryReader(tmp_path).look().rows
    assert (told.one_of, told.seen) == (16, 100)
    expected = [name for name, bucket in zip(many, buckets(many), strict=True) if bucket % 16 == 0]
    assert told.table["stream_id"].to_pylist() == expected
    job.batch(1, 1, {"rows": 0, "streams": 1, "events": {}})
    assert json.loads((tmp_path / folder_files.SAMPLE).read_text()) == {"one_of": 1}
    news = TelemetryReader(tmp_path).look()
    assert news.job is not None
    assert news.job["sample"] == {"streams": 10, "events": 5_000, "one_of": 1}
    job.end()


def test_the_rows_of_a_task_are_in_one_file(tmp_path: Path) -> None:
    task_publisher = task(tmp_path, 5)
    task_publisher.write_rows()  # nothing
    task_publisher.add_rows(rows(["a", "b"]), 2)
    task_publisher.add_rows(rows(["c"]), 4)
    assert not (tmp_path / "rows").exists()
    task_publisher.write_rows()
    opened(tmp_path, anew=False).end()
    (told,) = TelemetryReader(tmp_path).look().rows
    assert (told.seen, told.table["stream_id"].to_pylist()) == (6, ["a", "b", "c"])


# ---- trouble ---------------------------------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_written_is_counted_and_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_module, "OF_THIS_PROCESS", WriteFailures())
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    job = opened(blocked / "window")
    task_publisher = task(blocked / "window", 0)
    task_publisher.rows(rows(["a"]), 1)
    assert len(list(task_publisher.events(iter([events(["a"])]), most=10))) == 1
    task_publisher.changes([{"op": "register", "id": "q"}])
    job.running()
    job.batch(0, 1, COUNTERS)
    job.end()
    assert job.failures.count > 1
    assert task_module.OF_THIS_PROCESS.count == 3
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 2  # one of the driver, one of the worker
    assert all("the job goes on without" in message for message in messages)
    assert TelemetryReader(blocked / "window").look().job is None


@contextmanager
def full_disk() -> Iterator[None]:
    """Have every write fail that makes a file longer than a few bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failures = WriteFailures()
    monkeypatch.setattr(task_module, "OF_THIS_PROCESS", failures)
    job, look = opened(tmp_path), TelemetryReader(tmp_path)
    job.running()
    job.batch(0, 1, {**COUNTERS, "rows": 0, "events": {}})
    with full_disk():
        task(tmp_path, 1).rows(rows(["a"]), 1)
        assert len(list(task(tmp_path, 1).events(iter([events(["a"])]), most=10))) == 1
        job.batch(1, 1, COUNTERS)
        job._write_job()
    assert failures.count == 2
    assert job.failures.count >= 3
    assert [path.name for path in tmp_path.rglob("*") if path.is_file() and path.name.startswith(".")] == []
    assert list((tmp_path / "rows").iterdir()) == list((tmp_path / "events").iterdir()) == []
    task(tmp_path, 2).rows(rows(["a"]), 1)
    job.batch(2, 1, {**COUNTERS, "events": {}})  # and when there is room again
    news = look.look()
    assert [line["batch"] for line in news.batches] == [0, 2]
    assert [told.batch for told in news.rows] == [2]
    job.end()


def test_what_workers_did_not_write_is_said(tmp_path: Path) -> None:
    job = opened(tmp_path)
    job.batch(0, 1, COUNTERS)
    assert TelemetryReader(tmp_path).look().batches[0]["missing"] == ["rows", "events"]
    assert job.failures.count == 1
    job.end()


def test_a_window_that_is_removed_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "window"
    job, look = opened(folder), TelemetryReader(folder)
    job.running()
    task(folder, 0).rows(rows(["a"]), 1)
    look.look()
    shutil.rmtree(folder)
    assert look.look().job is None
    job._touch()
    task(folder, 1).rows(rows(["a"]), 1)
    job.batch(1, 1, {**COUNTERS, "events": {}})
    news = look.look()
    assert ([told.batch for told in news.rows], [line["batch"] for line in news.batches]) == ([1], [1])
    assert (news.alive, news.anew, len(list(look.queries()))) == (True, False, 2)
    job.end()


def test_a_single_large_batch_does_not_thin_the_sample_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(publisher.time, "monotonic", lambda: now)
    job = JobPublisher(TelemetrySettings(str(tmp_path), streams=1000), FACTS, QUERIES)
    job.begin(anew=True)
    parts = []
    batches = [(5, 3000), (0.1, 800), *[(1, 700)] * 8, *[(1, 5000)] * 40, *[(1, 500)] * 40]
    for batch, (seconds, rows) in enumerate(batches):
        now += seconds
        job.batch(batch, 1, {"rows": rows, "streams": 800, "events": {}})
        parts.append(job._one_of)
    assert parts[:10] == [1] * 10  # the batches that catch up with a start
    assert parts[49] == 8  # five times too many
    assert parts[-1] == 2  # and hardly too many
    job.end()


@pytest.mark.parametrize(
    ("old", "new"), [("Window", TelemetryReader), ("WindowSettings", TelemetrySettings), ("Told", telemetry.TaskSample)]
)
def test_old_names_work_with_a_warning(old: str, new: type) -> None:
    with pytest.warns(DeprecationWarning, match=f"limen.window.{old} is deprecated; use .*{new.__name__}"):
        assert getattr(window, old) is new
    with pytest.raises(AttributeError, match="no attribute 'Windows'"):
        window.Windows  # noqa: B018
