import json

import pytest
from typer.testing import CliRunner

from limen.cli.main import app
from limen_lab.bench import border
from limen_lab.bench.record import Record


def limen_bench(*arguments):
    return CliRunner().invoke(app, ["bench", *map(str, arguments)])


@pytest.fixture
def measures(monkeypatch):
    """Replace the measures of `limen bench border` with two that take no time; return which were taken."""
    taken = []

    def fast():
        """A fast measure."""
        taken.append("fast")
        yield "preparing"
        yield Record("fast", {"queries": 2}, "ns", 1.0, {"scan": 4.0}, "2 × a scan", reached=True)

    def slow():
        """A slow measure."""
        taken.append("slow")
        yield Record("slow", {"queries": 2}, "ns", 8.0, {"scan": 4.0}, "as fast as a scan", reached=False)

    monkeypatch.setattr(border, "MEASURES", {"fast": fast, "slow": slow})
    return taken


def test_measures_are_printed_and_written(measures, tmp_path):
    result = limen_bench("border", "--only", "fast", "--json", tmp_path / "records.json")
    assert result.exit_code == 0
    assert "fast: 1 ns  scan 4 (4 ×)  2 × a scan reached  queries 2" in result.stdout
    assert measures == ["fast"]
    (record,) = json.loads((tmp_path / "records.json").read_text())
    assert record == {
        "bench": "fast",
        "workload": {"queries": 2},
        "unit": "ns",
        "ours": 1.0,
        "others": {"scan": 4.0},
        "ratio": {"scan": 0.25},
        "claim": "2 × a scan",
        "reached": True,
    }


def test_a_missed_claim_is_a_failure(measures):
    result = limen_bench("border")
    assert result.exit_code == 1
    assert "as fast as a scan missed" in result.stdout
    assert measures == ["fast", "slow"]


def test_a_wrong_name_lists_the_measures(measures):
    result = limen_bench("border", "--only", "fats")
    assert result.exit_code == 2
    assert result.stderr == "error: --only: expected fast, slow, got 'fats'. Hint: did you mean 'fast'?\n"
    assert measures == []


def test_help_lists_every_bench():
    output = " ".join(limen_bench("--help").stdout.split())
    for name in ("border", "transition", "geofence", "match", "answer", "pattern", "spark", "console"):
        assert f"│ {name} " in output
