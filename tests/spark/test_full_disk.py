"""A disk that is full: the job ends with a reason, and goes on when there is room again."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark.job_folder import Job, expected


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Make a disk of half a megabyte."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(disk)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["checkpoint", pytest.param("events", marks=pytest.mark.soak)])
def test_a_full_disk_ends_the_job_and_loses_nothing(
    spark: SparkSession, small_disk: Path, tmp_path: Path, what: str
) -> None:
    job = Job(tmp_path)
    job.more["checkpoint"] = str(small_disk / "checkpoint") if what == "checkpoint" else "checkpoint"
    if what == "events":
        job.sinks = [{"format": "parquet", "path": str(small_disk / "events")}]
    (small_disk / "ballast").write_bytes(bytes(500 * 1024))
    job.write(0)
    full = job.run()
    assert full.exit_code in (1, 3), full.output
    assert "No space left on device" in full.output
    (small_disk / "ballast").unlink()
    done = job.run()
    assert done.exit_code == 0, done.output
    path = str(small_disk / "events") if what == "events" else "events"
    assert job.events(spark, path=path) == expected(1)
