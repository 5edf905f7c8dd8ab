"""`limen explain`: what follows from a pattern."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from limen.cli.main import app

CHAIN = {
    "type": "pattern",
    "id": "chain",
    "variables": {"a": "kind = 'A'", "b": "kind = 'B'", "c": {"region": {"type": "range", "hi": 3}}},
    "pairs": [
        {"a": "a", "b": "b", "after": [0, 5], "distance": 1},
        {"a": "b", "b": "c", "after": [1, 5], "distance": 1, "beyond": 0.5, "where": "b.id <> c.id"},
    ],
}
SAID = """pattern chain
  a: kind = 'A'
  b: kind = 'B'
  c: in Range(lo=-inf, hi=3.0)
  a → b: 0 to 5 s, nearer than 1
  a → c: 1 to 10 s (follows), nearer than 2 (follows)
  b → c: 1 to 5 s, nearer than 1, 0.5 apart or more
compared
  b, c: b.id <> c.id
kept at the most
  a: 10 s after it came
  b: 5 s after it came
  c: not at all
"""


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["explain", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


def test_a_pattern_in_words_and_as_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "graph.png"
    told = run(json.dumps(CHAIN), "--picture", picture)
    assert told.startswith(SAID)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_one_of_several_in_a_file(tmp_path: Path) -> None:
    crowd = {
        "type": "pattern", "id": "crowd", "variables": {"a": "x > 1", "b": "x > 1"},
        "pairs": [{"a": "a", "b": "b", "after": [-9, 9]}, {"a": "b", "b": "a", "after": [-3, 12]}],
    }  # fmt: skip
    file = tmp_path / "queries.jsonl"
    file.write_text("\n".join(map(json.dumps, (CHAIN, {**crowd, "pairs": crowd["pairs"][:1]}))))
    assert "interchangeable, so in canonical order\n  a before b" in run(file, "--id", "crowd")
    assert "a → b: -9 to 3 s" in run(json.dumps(crowd))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (['{"type": "match", "id": "m", "region": {"type": "range", "hi": 3}}'], "expected one pattern, got 0"),
        (
            [json.dumps(CHAIN), "--id", "chian"],
            "expected the id of a pattern, got 'chian'. Hint: did you mean 'chain'?",
        ),
    ],
)
def test_what_is_no_pattern(arguments: list[str], text: str) -> None:
    result = CliRunner().invoke(app, ["explain", *arguments])
    assert result.exit_code == 2
    assert text in " ".join(result.output.split())
