"""A job and its console, killed one after the other: the other one goes on, and nothing is lost or told twice."""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from limen.telemetry import TelemetryReader
from tests.chaos.driver import Driver, until
from tests.servers.process import free_port
from tests.spark.job_folder import Job, expected


@pytest.fixture
def drivers() -> Iterator[list[Driver]]:
    started: list[Driver] = []
    yield started
    for driver in started:
        driver.kill()


def children(pid: int, word: str) -> list[int]:
    """Find the processes of a parent that have a word in their command."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if parent == pid and word.encode() in words:
            found.append(int(folder.name))
    return found


def answers(port: int) -> bool:
    with socket.socket() as visitor:
        return visitor.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.soak
def test_who_is_left_goes_on(tmp_path: Path, drivers: list[Driver]) -> None:
    job, port = Job(tmp_path), free_port()
    job.more = {"trigger": {"every": "1 second"}}
    reader = TelemetryReader(tmp_path / "checkpoint-window")
    batches: list[int] = []
    runs = set()

    def start() -> Driver:
        drivers.append(Driver("limen", ["run", job.file(), "--console", "--port", port], tmp_path / "log"))
        return drivers[-1]

    def taken(count: int) -> bool:
        news = reader.look()
        assert not news.anew
        batches.extend(line["batch"] for line in news.batches)
        runs.update({news.job["run"]} if news.job else set())
        return len(batches) >= count

    job.write(0, 1)
    driver = start()
    until(lambda: taken(2), "two batches")
    until(lambda: answers(port), "the page")
    assert reader.alive()

    (console,) = children(driver._process.pid, "console")
    os.kill(console, signal.SIGKILL)
    until(lambda: not answers(port), "the end of the page")
    job.write(2)
    until(lambda: taken(3), "a batch after the console's end")
    assert driver.alive
    assert "the console has ended (exit code -9), the job goes on" in driver.log_tail()

    driver.kill()
    until(lambda: not reader.alive(), "a heart that stands still")
    news = reader.look()
    assert news.job is not None
    assert news.job["state"] == "running"  # it had no time to say otherwise

    job.write(3)
    driver = start()
    until(lambda: taken(4), "a batch after the restart")
    until(lambda: answers(port), "the page again")
    assert reader.alive()
    assert len(runs) == 2
    (console,) = children(driver._process.pid, "console")
    driver.kill()  # without its console, which is in a session of its own
    until(lambda: not answers(port), "the end of a console whose job was killed")

    job.write(4)
    driver = start()
    until(lambda: taken(5), "another batch")
    driver.signal(signal.SIGINT)
    assert driver.wait() == 0, driver.log_tail()
    until(lambda: not answers(port), "the end of the page")
    assert batches == list(range(5))
    news = reader.look()
    assert news.job is not None
    assert news.job["state"] == "ended"
    events = pq.read_table(tmp_path / "events", columns=["event_id"], partitioning=None)
    assert sorted(events["event_id"].to_pylist()) == expected(5)
