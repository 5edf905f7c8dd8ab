"""Minutes of steady and of bursty input: memory, checkpoint and batch times stay flat. Leaves a report with a picture.

`make soak` runs it; LIMEN_SOAK_SECONDS is how long each kind of input goes on.
"""

import os
import signal
import time
from pathlib import Path

import matplotlib as mpl
import pytest

from tests.chaos.driver import Driver, until
from tests.soak.feeder import SCHEMA, Feeder
from tests.soak.vitals import Vitals

mpl.use("Agg")
from matplotlib import pyplot as plt  # the backend is chosen first

SECONDS = float(os.environ.get("LIMEN_SOAK_SECONDS", "180"))
REPORT = Path(__file__).parents[2] / "build" / "soak"
MOST_GROWTH = 1.25  # of the last third over the middle one
JOB = """
name = "soak"
checkpoint = "checkpoint"
source = {{ format = "parquet", path = "in", schema = "{schema}" }}
columns = {{ id = "vehicle", time = "at", values = ["x"] }}
options = {{ lateness = "1 second" }}
trigger = {{ every = "1 second" }}
sink = [{{ format = "parquet", path = "events", where = "kind = 'enter'" }}]
[queries]
inline = [{queries}]
[spark]
"spark.ui.enabled" = "false"
"spark.driver.memory" = "1g"
# What is kept for going back is a constant number of batches, and is tidied up every so many; few, so that the
# size has gone up and down several times within the test.
"spark.sql.streaming.minBatchesToRetain" = "5"
"spark.sql.streaming.stateStore.minDeltasForSnapshot" = "3"
"spark.sql.streaming.stateStore.maintenanceInterval" = "2s"
"spark.sql.streaming.fileSource.log.compactInterval" = "3"
"spark.sql.streaming.fileSource.log.cleanupDelay" = "5s"
"""
QUERY = '{{ type = "border", id = "q{number}", region = {{ type = "range", lo = {lo}, hi = {hi} }} }}'


@pytest.mark.soak
@pytest.mark.parametrize(("pace", "burst"), [("steady", 0.5), ("bursty", 5.0)])
def test_nothing_grows(pace: str, burst: float, tmp_path: Path) -> None:
    queries = ", ".join(QUERY.format(number=lo, lo=lo, hi=lo + 30) for lo in range(0, 1000, 10))
    (tmp_path / "job.toml").write_text(JOB.format(schema=SCHEMA, queries=queries))
    with Feeder(tmp_path / "in", rows=10_000, burst=burst):
        driver = Driver("limen", ["run", tmp_path / "job.toml"], tmp_path / "log")
        try:
            until(lambda: "batch 3:" in driver.log_tail(10**8) or not driver.alive, "the first batches")
            vitals = Vitals()
            while time.monotonic() - vitals.began < SECONDS:
                assert driver.alive, driver.log_tail()
                vitals.take(driver, tmp_path / "checkpoint")
                driver.wait(1)
            driver.signal(signal.SIGTERM)
            assert driver.wait() == 0, driver.log_tail()
        finally:
            driver.kill()
    vitals.take_batches(driver.log_tail(10**8), SECONDS)
    vitals.leave_out_the_fleeting()
    growth = {name: vitals.growth(name) for name in vitals.series}
    _report(pace, vitals, growth)
    assert {name: grown for name, grown in growth.items() if grown > MOST_GROWTH} == {}


def _report(pace: str, vitals: Vitals, growth: dict[str, float]) -> None:
    REPORT.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(len(vitals.series), 1, figsize=(9, 2 * len(vitals.series)), layout="constrained")
    for axis, (name, points) in zip(axes, vitals.series.items(), strict=True):
        axis.plot(*zip(*points, strict=True), linewidth=1)
        axis.set_title(f"{name}: last third {growth[name]:.2f} × the middle one", fontsize=9)
        axis.set_ylim(0, 1.1 * max(value for _, value in points))
    figure.savefig(REPORT / f"{pace}.png", dpi=90)
    plt.close(figure)
    rows = "\n".join(
        f"| {name} | {points[-1][1]:,.0f} | {growth[name]:.2f} |" for name, points in vitals.series.items()
    )
    head = f"# {pace.capitalize()} input, {SECONDS:.0f} s\n\n| | at the end | growth |\n|---|---|---|"
    (REPORT / f"{pace}.md").write_text(f"{head}\n{rows}\n\n![]({pace}.png)\n")
