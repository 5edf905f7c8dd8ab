import json

import pytest
from typer.testing import CliRunner

from limen.cli.main import app

GOOD = json.dumps({"type": "border", "id": "low", "region": {"type": "range", "lo": 0, "hi": 10}})
EMPTY = json.dumps({"type": "border", "id": "empty", "region": {"type": "range", "lo": 10, "hi": 10}})


@pytest.fixture
def queries(tmp_path):
    def write(*lines):
        path = tmp_path / "queries.jsonl"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


def check(path, *arguments):
    return CliRunner().invoke(app, ["check", str(path), *map(str, arguments)])


def test_a_good_file_passes(queries):
    result = check(queries(GOOD))
    assert (result.exit_code, result.stdout) == (0, "1 good, 0 bad\n")


def test_what_is_costly_is_remarked(queries):
    plain = {"type": "transition", "id": "long", "region": {"type": "range", "lo": 0}, "within": "500 days"}
    result = check(queries(GOOD, json.dumps(plain)))
    assert result.exit_code == 0
    assert "queries.jsonl: query 'long': within is 500 days; each border event" in result.stdout


def test_every_bad_line_is_reported_with_its_number(queries):
    path = queries(EMPTY, GOOD, "{not json")
    result = check(path)
    reports = result.stdout.splitlines()
    assert result.exit_code == 1
    assert reports[0].startswith(f"{path}:1: ")
    assert reports[1].startswith(f"{path}:3: ")
    assert reports[2] == "1 good, 2 bad"


def test_columns_show_what_only_they_can(queries, tmp_path):
    path = queries(GOOD)
    columns = json.dumps({"id": "vehicle", "time": "ts", "values": ["x", "y"]})
    (tmp_path / "columns.json").write_text(columns)
    for given in (("--values", "x,y"), ("--columns", columns), ("--columns", tmp_path / "columns.json")):
        result = check(path, *given)
        assert result.exit_code == 1
        assert "2 dimensions" in result.stdout
    assert check(path, "--values", "x").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--columns", "{", "--values", "x"), "--columns: expected either --columns or --values, got both"),
        (("--columns", "{"), "--columns: expected a JSON object or a file with one"),
        (("--columns", "nowhere.json"), "No such file or directory: 'nowhere.json'"),
        (("--values", "id"), "id"),
    ],
)
def test_bad_columns_are_explained(queries, arguments, text):
    result = check(queries(GOOD), *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert text in result.stderr


def test_a_missing_file_is_explained(tmp_path):
    result = check(tmp_path / "none.jsonl")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert "none.jsonl" in result.stderr
