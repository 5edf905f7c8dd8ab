"""What commands load: the help, `check` and `init` start without the compiler, Arrow, pandas and Spark."""

import json
import subprocess
import sys

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from limen.cli.main import Commands, app

HEAVY = ("llvmlite", "numba", "pandas", "pyarrow", "pyspark")
SCRIPT = f"""
import sys
from limen.cli.main import app
code = app(standalone_mode=False)
print("code", code, [name for name in {HEAVY} if name in sys.modules])
"""
SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4]]
POLYGON = {"type": "polygon", "shell": SQUARE}
QUERIES = [
    {"type": "border", "id": "low", "region": {"type": "range", "lo": 0}, "on": ["x"], "where": "kind = 'truck'"},
    {"type": "border", "id": "steady", "region": POLYGON, "on": ["x", "y"], "min_stay": "3 minutes"},
    {"type": "transition", "id": "trip", "region": {"type": "circle", "center": [1, 2], "radius": 9}, "within": 60},
    {"type": "match", "id": "hit", "region": {"type": "multipolygon", "polygons": [{"shell": SQUARE}]}},
    {"type": "within", "id": "zone", "region": {"type": "box", "lo": [0, 0], "hi": [4, 4]}, "where": "speed / 2 > 3"},
    {"type": "nearest", "id": "taxi", "k": 3, "center": [1, 2], "where": "kind LIKE 't%'"},
    {
        "type": "pattern", "id": "met", "variables": {"a": "kind = 'truck'", "b": None}, "on": ["x", "y"],
        "pairs": [{"a": "a", "b": "b", "after": ["0 s", "60 s"], "distance": 5, "where": "a.kind <> b.kind"}],
    },
]  # fmt: skip
SQL = "CREATE BORDER low ON s WHERE kind = 'truck' INSIDE x BETWEEN 0 AND 10;"
COLUMNS = {"id": "id", "time": "time", "values": ["x", "y"], "attributes": ["kind", "speed"], "crs": "lonlat"}


def run(folder, *arguments):
    """Run a command in a process of its own; return the lines that it prints, and at last what it has loaded."""
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return found.stdout.splitlines()


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("check", "--help"), ("init", "--help")])
def test_the_help_loads_no_heavy_library(tmp_path, arguments):
    assert run(tmp_path, *arguments)[-1] == "code 0 []"


@pytest.mark.parametrize("options", [(), ("--columns", json.dumps(COLUMNS))], ids=["alone", "with columns"])
def test_queries_are_checked_without_a_heavy_library(tmp_path, options):
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, QUERIES)))
    (tmp_path / "queries.sql").write_text(SQL)
    assert run(tmp_path, "check", "queries.jsonl", *options) == [f"{len(QUERIES)} good, 0 bad", "code None []"]
    assert run(tmp_path, "check", "queries.sql", *options) == ["1 good, 0 bad", "code None []"]


def test_bad_queries_are_reported_without_a_heavy_library(tmp_path):
    bad = [{**QUERIES[0], "where": "kind ="}, {**QUERIES[0], "where": "kind + 1"}, {**QUERIES[1], "min_stay": -1}]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, bad)))
    *_, summary, last = run(tmp_path, "check", "queries.jsonl")
    assert (summary, last) == ("0 good, 3 bad", "code 1 []")


def test_shapes_are_checked_without_a_heavy_library(tmp_path):
    pytest.importorskip("shapely")
    feature = {"type": "Feature", "id": "a", "geometry": {"type": "Polygon", "coordinates": [[*SQUARE, SQUARE[0]]]}}
    (tmp_path / "zones.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [feature] * 2}))
    assert run(tmp_path, "check", "zones.geojson")[-1] == "code None []"


def test_a_job_file_is_written_without_a_heavy_library(tmp_path):
    assert run(tmp_path, "init", "parquet")[-1] == "code None []"
    assert (tmp_path / "job.toml").exists()


@pytest.mark.parametrize("name", Commands.own)
def test_the_line_of_a_command_is_the_beginning_of_its_help(name):
    command = get_command(app).get_command(None, name)
    assert command.loaded().help.startswith(command.help.removesuffix("."))


def test_a_name_that_is_almost_that_of_a_command_is_recognised():
    assert "Did you mean 'check'?" in CliRunner().invoke(app, ["chek"]).stderr
