"""`limen demo --console`: what it makes, starts and ends; the job itself is left out."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from limen.cli.companion import Companion
from limen.cli.console_process import ConsoleProcess
from limen.cli.demo import city_demo as demo_city
from limen.cli.main import app
from limen.jobfile import JobFile
from limen.jobfile.code import Code
from limen.model.options import Options
from limen.spark.job import routing_for

SMALL = ["--vehicles", "200", "--fences", "5", "--garages", "3", "--port", "8123", "--seed", "4"]


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was begun and ended, in its order."""
    found: list[Any] = []

    def enter(self: Companion) -> Companion:
        found.append(self._words)
        return self

    def leave(self: Companion, *_: object) -> None:
        found.append(f"end of {self._words[0]}")

    for kind in (Companion, ConsoleProcess):
        monkeypatch.setattr(kind, "__enter__", enter)
        monkeypatch.setattr(kind, "__exit__", leave)
    return found


@pytest.mark.parametrize("code", [Code.DONE, Code.FAILED])
def test_a_city_a_feeder_and_a_page(
    tmp_path: Path, begun: list[Any], monkeypatch: pytest.MonkeyPatch, code: Code
) -> None:
    jobs: list[JobFile] = []

    def play(job: JobFile, *_: Any) -> int:
        jobs.append(job)
        begun.append("job")
        return code

    monkeypatch.setattr(demo_city, "play_with_page", play)
    out = tmp_path / "out"
    for _ in range(2):  # the second takes the place of the first
        done = CliRunner().invoke(app, ["demo", "--console", "--out", str(out), *SMALL], catch_exceptions=False)
        assert done.exit_code == code, done.output
    assert "200 vehicles in" in done.output
    console, feeder, job, *ends = begun[:5]
    assert console == ("console", str(out / "job.toml"), "--port", "8123")
    assert feeder[:4] == ("simulate", "live", "--out", str(out))
    assert dict(zip(feeder[4::2], feeder[5::2], strict=True)) == {
        "--vehicles": "200", "--fences": "5", "--garages": "3", "--seed": "4", "--window": str(out / "window")
    }  # fmt: skip
    assert (job, ends) == ("job", ["end of simulate", "end of console"])

    described = jobs[0]
    assert described.console.telemetry
    assert described.console.settings is not None
    assert described.console.settings.folder == str(out / "window")
    assert len(described.queries) == 5 + 3 + 12 + 2 + 1
    # The page can ask for what looks at many streams, since the job is split by queries, as its own queries need it.
    assert described.options["routing"] == routing_for(described.queries, Options.of({})) == "by_query"
    with np.load(out / "window" / "roads.npz") as roads:
        assert len(roads["ends"]) == len(roads["road_class"]) > 100
        assert roads["ends"].max() < len(roads["xy"])
