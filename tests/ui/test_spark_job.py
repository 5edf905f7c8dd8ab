"""The page over a job on Spark: draw a fence, see it fire in the feed and in the sink, kill the job, start it again."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from tests.ui.conftest import Pages, Rounds
from tests.ui.test_pictures import BUILD

pytestmark = pytest.mark.ui

JOB = """\
name = "rounds"
checkpoint = "checkpoint"

[source]
format = "parquet"
path = "reports"
schema = "car string, t timestamp, x double, y double, kind string, speed double"

[columns]
id = "car"
time = "t"
values = ["x", "y"]
attributes = ["kind", "speed"]

[queries]
folder = "changes"
[[queries.inline]]
type = "border"
id = "yard"
region = { type = "box", lo = [420, 420], hi = [640, 560] }

[options]
lateness = "0 seconds"

[[sink]]
format = "parquet"
path = "events"

[trigger]
every = "500 milliseconds"

[console]
window = true
folder = "window"

[spark]
"spark.master" = "local[2]"
"spark.sql.shuffle.partitions" = "2"
"""


#: Answers that may take few bytes, of which the vehicles that come later need many times as much.
TIGHT = JOB.replace(
    """\
[[queries.inline]]
type = "border"
id = "yard"
region = { type = "box", lo = [420, 420], hi = [640, 560] }
""",
    """\
[[queries.inline]]
type = "within"
id = "yard"
region = { type = "box", lo = [420, 420], hi = [640, 560] }
[[queries.inline]]
type = "nearest"
id = "stand"
k = 5
center = [500, 500]
""",
).replace(
    """lateness = "0 seconds"
""",
    """\
lateness = "0 seconds"
max_speed = 400
report_every = "2 seconds"
memory = 20000
shedding = "object"
shards = 1
""",
)


class SparkJob:
    """`limen run` as a process, and a thread that reports."""

    def __init__(self, folder: Path, job: str = JOB) -> None:
        self.folder, self.vehicles = folder, 80
        (folder / "job.toml").write_text(job)
        for name in ("reports", "changes"):
            (folder / name).mkdir()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._report, daemon=True)
        self._thread.start()

    def _report(self) -> None:
        rounds, number = Rounds(self.folder / "none"), 0
        while not self._stop.wait(0.5):
            rounds._vehicles = self.vehicles
            beside = self.folder / "reports" / f".{number:06}"
            pq.write_table(rounds.table(), beside)
            beside.rename(self.folder / "reports" / f"{number:06}.parquet")
            number += 1

    def start(self) -> None:
        command = [sys.executable, "-m", "limen", "run", str(self.folder / "job.toml")]
        with (self.folder / "job.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def sunk(self, query: str) -> int:
        """Count the events of a query in the job's sink."""
        folder = self.folder / "events"
        if not any(folder.rglob("*.parquet")):
            return 0
        events = ds.dataset(folder, format="parquet", partitioning="hive").to_table(["query_id"])
        return int(pc.sum(pc.equal(events["query_id"], query)).as_py() or 0)

    def end(self) -> None:
        self._stop.set()
        self._thread.join()
        if self.process.poll() is None:
            self.kill()


@pytest.fixture
def spark_job(tmp_path: Path, compiled: None) -> Iterator[SparkJob]:
    pytest.importorskip("pyspark")
    job = SparkJob(tmp_path)
    job.start()
    yield job
    job.end()


def eventually(condition: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.5)


def test_draw_fire_kill_restart_and_drop(browser: Any, spark_job: SparkJob, served: Callable[..., int]) -> None:
    pages = Pages(browser, served(spark_job.folder / "window"))
    page = pages.open()
    page.set_default_timeout(180_000)
    page.wait_for_selector("#health[data-state=waiting], #health[data-state=starting], #health[data-state=running]")
    page.wait_for_selector("#health[data-state=running]")
    page.wait_for_selector("#feed .event")

    page.click("[data-tool=circle]")
    page.keyboard.press("Enter")
    page.fill("#register input >> nth=0", "drawn")
    page.click("#register button[type=submit]")
    page.wait_for_selector("#requests li.sent, #requests li.in-force")
    page.wait_for_selector("#requests li.in-force")
    page.fill("#feed-query", "drawn")
    page.wait_for_selector("#feed .event:has-text('drawn')")
    eventually(lambda: spark_job.sunk("drawn") > 0)

    spark_job.kill()
    page.wait_for_selector("#health[data-state=killed]")
    newest = page.get_attribute("#feed li >> nth=0", "data-event")
    spark_job.start()
    page.wait_for_selector("#health[data-state=running]")
    # The fence is still there, for the job and for the page, and fires again.
    page.wait_for_selector(f"#feed li:first-child:not([data-event='{newest}'])")
    page.click("#tab-queries")
    page.click("#queries tbody button:has-text('drawn')")
    page.click("#detail button:has-text('Drop')")
    page.wait_for_selector("#requests li.in-force:has-text('drop')")
    page.click("#tab-queries")
    page.wait_for_selector("#queries tbody button:has-text('yard')")
    assert page.locator("#queries tbody button:has-text('drawn')").count() == 0
    problems = [each for each in pages.problems if "WebSocket" not in each]
    pages.close()
    assert problems == []


def test_accuracy_falls_when_memory_is_short(
    browser: Any, tmp_path: Path, compiled: None, served: Callable[..., int]
) -> None:
    """The chart shows what a job on Spark tells of itself, whose answers keep less than all."""
    pytest.importorskip("pyspark")
    job = SparkJob(tmp_path, TIGHT)
    job.vehicles = 40
    job.start()
    pages = Pages(browser, served(tmp_path / "window"))
    try:
        page = pages.open()
        page.set_default_timeout(300_000)  # kernels of answers under tight memory take minutes to compile
        page.wait_for_selector("#health[data-state=running]")
        page.click("#tab-charts")
        chart = page.locator("#charts figure:has-text('Least accuracy of an answer')")
        chart.wait_for(state="visible")
        assert chart.locator("output").inner_text() == "100 %"
        job.vehicles = 400
        eventually(lambda: int(chart.locator("output").inner_text().removesuffix(" %")) < 60)
        page.screenshot(path=BUILD / "console" / "accuracy.png")
        page.click("#tab-queries")
        page.click("#queries tbody button:has-text('yard')")
        page.fill("#detail .why input", "c3")
        page.click("#detail .why button")
        page.wait_for_selector("#detail .findings >> text=Memory is short")
    finally:
        pages.close()
        job.end()
    assert pages.problems == []
