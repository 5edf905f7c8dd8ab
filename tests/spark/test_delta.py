"""Tables of Delta as sink and as source, in a process of its own: the session needs Delta from its beginning."""

import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from tests.spark.job_folder import COLUMNS, QUERY, Job, as_toml, expected


def run(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "limen", "run", str(path)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]


@pytest.mark.slow
def test_a_table_is_written_once_and_read(tmp_path: Path) -> None:
    try:
        version("delta-spark")
    except PackageNotFoundError:
        pytest.skip(f"delta-spark is not installed; there may be no release of it yet for pyspark {version('pyspark')}")
    job = Job(tmp_path)
    job.sinks = [{"format": "delta", "path": "events"}]
    job.write(0)
    run(job.file())
    for name in ("0", ".0.crc"):
        (tmp_path / "checkpoint" / "commits" / name).unlink()
    run(job.file())
    assert len(list((tmp_path / "events" / "_delta_log").glob("*.json"))) == 1, "the batch was recognised"

    everything = {**QUERY, "type": "match", "region": {"type": "range", "lo": None, "hi": None}}
    del everything["initial"]
    second = {
        "checkpoint": "second",
        "source": {"format": "delta", "path": "events", "select": ["event_id AS id", "time AS t", "1.0 AS x"]},
        "columns": COLUMNS.to_dict(),
        "queries": {"inline": [everything]},
        "options": {"order": "arrival", "lateness": 0},
        "sink": [{"format": "json", "path": "again"}],
        "trigger": {"available_now": True},
    }
    path = tmp_path / "second.toml"
    path.write_text("\n".join(f"{name} = {as_toml(value)}" for name, value in second.items()))
    run(path)
    lines = [line for file in tmp_path.glob("again/*/*/*.json") for line in file.read_text().splitlines()]
    assert sorted(json.loads(line)["stream_id"] for line in lines) == expected(1)
