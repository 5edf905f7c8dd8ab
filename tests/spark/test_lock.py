"""One job a checkpoint and one a window; who is dead holds neither."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from limen.errors import StateError
from limen.jobfile import read_job
from limen.spark.lock import only_job
from limen.spark.run import Run
from limen.telemetry import TelemetryReader
from tests.spark.job_folder import Job

HOLDS = "import sys, time\nfrom limen.spark.lock import only_job\n"
HOLDS += "with only_job(sys.argv[1], sys.argv[2]):\n    print('held', flush=True)\n    time.sleep(60)"


def test_two_jobs_with_one_window(tmp_path: Path) -> None:
    one, other, window = (str(tmp_path / name) for name in ("one", "other", "window"))
    with only_job(one, window):
        used = f"got {window}, in use by process {os.getpid()}"
        said = f"telemetry folder: expected a telemetry folder that no other job is using, {used}"
        with pytest.raises(StateError, match=said), only_job(other, window):
            pass
        with only_job(other, f"{window}-of-its-own"):  # and the checkpoint is free again
            pass
    with only_job(other, window):
        pass


def test_a_window_that_cannot_be_written_stops_no_job(tmp_path: Path) -> None:
    (tmp_path / "window").write_text("in the way")
    with only_job(str(tmp_path / "checkpoint"), str(tmp_path / "window")):
        pass


def test_who_was_killed_holds_nothing(tmp_path: Path) -> None:
    places = str(tmp_path / "checkpoint"), str(tmp_path / "window")
    holder = subprocess.Popen([sys.executable, "-c", HOLDS, *places], stdout=subprocess.PIPE)
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with (
            pytest.raises(StateError, match=f"checkpoint: .* by process {holder.pid}"),
            only_job(*places),
        ):
            pass
        with (
            pytest.raises(StateError, match=f"telemetry folder: .* by process {holder.pid}"),
            only_job("s3://far", places[1]),
        ):
            pass
        holder.send_signal(signal.SIGKILL)
    with only_job(*places):
        pass


def test_a_second_job_leaves_the_window_of_the_first_alone(tmp_path: Path) -> None:
    """Neither what it tells nor what the first has told: a page over it goes on as it was."""
    jobs = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        job = Job(tmp_path / name)
        job.more = {"name": name, "console": {"window": True, "folder": str(tmp_path / "window")}}
        jobs.append(Run(read_job(job.file()), show=lambda *_: None))
    with jobs[0]:
        before = TelemetryReader(tmp_path / "window").job()
        said = r"telemetry folder: .* Hint: stop that job, or give this one a folder of its own"
        with pytest.raises(StateError, match=said):
            jobs[1].__enter__()
        assert TelemetryReader(tmp_path / "window").job() == before
    with jobs[1]:
        now = TelemetryReader(tmp_path / "window").job()
        assert now is not None
        assert now["name"] == "other"
