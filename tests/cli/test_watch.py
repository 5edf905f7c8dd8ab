"""What a user sees of a running job: a live panel on a terminal, lines anywhere else."""

import io
import re
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from rich.console import Console

import limen
from limen.cli.watch import Watch
from limen.spark.shard_output import NUMBERS

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def progress(batch, problems=None, **counts):
    sums = {**dict.fromkeys(NUMBERS, 0), **counts, "watermark": 1_767_268_800_000_000, "problems": problems}
    return {"batchId": batch, "durationMs": {"triggerExecution": 250}, "observedMetrics": {"limen_1": sums}}


def event(**parts):
    plain = {"event_id": "0" * 32, "query_id": "garage", "stream_id": "van", "time": NOW, "reason": "moved"}
    return {**plain, "started_at": None, "values": [1.0, 2.0], "bindings": None, **parts}


def told(*, terminal):
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100, height=40, color_system=None)
    with Watch(console, "fleet") as watch:
        assert not watch.batch({"batchId": 0, "durationMs": {}, "observedMetrics": {}})
        assert watch.batch(progress(7, rows=4000, late=3, events_enter=2, held=5, streams=60, queries=8))
        events = [event(kind="enter"), event(kind="stayed", reason="timer", started_at=NOW, values=[1.0, None])]
        watch.show(pa.Table.from_pylist(events, limen.SCHEMA), 5)
        watch.batch(progress(8, "no such query", rows=1000, rejected_null_id=2, state_bytes=2_500_000))
        summary = watch.summary()
    return console.file.getvalue(), summary


@pytest.mark.parametrize("terminal", [True, False])
def test_all_of_it_is_told(terminal):
    output, summary = told(terminal=terminal)
    assert summary == "5,000 rows, 2 events in 2 batches; 3 late, 2 rejected"
    for text in (
        "12:00:00  van  enter  garage  at 1.00, 2.00",
        "12:00:00  van  stayed  garage  at 1.00, unknown (timer), since 12:00:00",
        "… 3 more",
        "change rejected: no such query",
        "rows rejected in batch 8: 2 null_id",
    ):
        assert text in output


def test_the_panel_shows_the_latest_figures_in_place():
    output, _ = told(terminal=True)
    last = output[output.rindex("fleet") :]  # the panel is drawn over and over
    figures = dict(re.findall(r"^│ (\w[\w/ ]*?)  +(\S.*?) +│$", last, re.MULTILINE))
    assert figures["batch"] == "8"
    assert figures["rows"] == "5,000"
    assert figures["rows/s"] == "10,000"
    assert figures["state"] == "2.5 MB"
    assert figures["batch time"].startswith("250 ms")
    assert "\x1b[" in output, "the cursor goes back to draw it in place"


def test_without_a_terminal_a_batch_is_a_line():
    output, _ = told(terminal=False)
    lines = [line for line in output.splitlines() if line.startswith("batch ")]
    assert [line.split(":")[0] for line in lines] == ["batch 7", "batch 8"]
    assert "\x1b[" not in output
