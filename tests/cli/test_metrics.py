"""Figures for Prometheus, at an address of this machine."""

import urllib.request
from pathlib import Path

import pytest

from limen import InvalidInput
from limen.cli.metrics import Metrics
from limen.jobfile import read_job
from tests.jobfile.test_mistakes import GOOD, write
from tests.servers.process import free_port

COUNTS = {
    "rows": 100,
    "late": 3,
    "rejected": {"null_id": 2},
    "events": {"enter": 7},
    "changes": {"applied": 1, "waiting": 4},
    "held": 5,
    "streams": 6,
    "queries": 8,
    "starts": 9,
    "unconfirmed": 3,
    "stored": 4,
    "most_stored": 5,
    "left_out": 6,
    "state_bytes": 900,
    "watermark": "2026-01-01T00:00:00Z",
    "milliseconds": 250,
}


def test_the_address_tells_what_was_counted(tmp_path: Path) -> None:
    port = free_port()
    job = read_job(write(tmp_path, GOOD), [f"metrics.port={port}", "metrics.file='m.prom'"])
    metrics = Metrics(job)
    assert metrics.batch(COUNTS) is None
    assert metrics.batch(COUNTS) is None
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as page:
        told = page.read().decode()
    for line in (
        'limen_rows_total{job="fleet"} 200.0',
        'limen_rejected_rows_total{job="fleet",reason="null_id"} 4.0',
        'limen_events_total{job="fleet",kind="enter"} 14.0',
        'limen_changes_total{job="fleet",outcome="applied"} 2.0',
        'limen_state_bytes{job="fleet"} 900.0',
        'limen_last_batch_seconds{job="fleet"} 0.25',
        'limen_batches_total{job="fleet"} 2.0',
        'limen_left_out_alerts_total{job="fleet"} 12.0',
    ):
        assert line in told
    assert "waiting" not in told
    assert (tmp_path / "m.prom").read_text().splitlines()[0].startswith("# HELP limen_")
    with pytest.raises(InvalidInput, match=f"metrics: port: expected a port that is free, got {port}: Address already"):
        Metrics(job)
    (tmp_path / "m.prom").unlink()
    tmp_path.rename(tmp_path.with_name("elsewhere"))
    remark = metrics.batch(COUNTS)
    assert remark is not None
    assert remark.startswith("metrics: file: expected a file that can be written")
