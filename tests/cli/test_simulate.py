import json

import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from typer.testing import CliRunner

from limen.cli.main import app
from limen.model.columns import Columns
from limen.model.load import load_queries

SMALL = ("--streams", "6", "--tuples", "10", "--seed", "3")


def simulate(*arguments):
    return CliRunner().invoke(app, ["simulate", *map(str, arguments)])


@pytest.mark.parametrize(
    ("workload", "values"), [("prices", ["price"]), ("boxes", ["x0", "x1"]), ("alerts", ["price"])]
)
def test_writes_tuples_queries_and_columns(tmp_path, workload, values):
    result = simulate(workload, "--out", tmp_path / "data", "--queries", 12, *SMALL)
    assert result.exit_code == 0, result.output
    tuples = parquet.read_table(tmp_path / "data/tuples.parquet")
    columns = Columns.from_dict(json.loads((tmp_path / "data/columns.json").read_text()))
    queries = load_queries(tmp_path / "data/queries.jsonl")
    assert tuples.num_rows == 60
    assert tuples.column_names[2:] == list(columns.values) == values
    assert len(queries) == 12
    for query in queries:
        query.check(columns)
    assert "60 tuples in" in result.output
    assert "12 queries in" in result.output


def test_dimensions_of_boxes(tmp_path):
    simulate("boxes", "--out", tmp_path, "--queries", 2, "--dimensions", 5, *SMALL)
    assert {query.region.dimensions for query in load_queries(tmp_path / "queries.jsonl")} == {5}


def test_alerts_name_their_stream(tmp_path):
    simulate("alerts", "--out", tmp_path, "--queries", 12, *SMALL)
    watched = [query.streams for query in load_queries(tmp_path / "queries.jsonl")]
    assert watched == [(f"S{stock}",) for stock in range(6) for _ in range(2)]


def test_formats_hold_the_same_rows(tmp_path):
    for suffix in ("parquet", "csv", "jsonl"):
        result = simulate("prices", "--out", tmp_path / f"prices.{suffix}", "--queries", 2, *SMALL)
        assert result.exit_code == 0, result.output
    expected = parquet.read_table(tmp_path / "prices.parquet")
    lines = [json.loads(line) for line in (tmp_path / "prices.jsonl").read_text().splitlines()]
    from_csv = csv.read_csv(tmp_path / "prices.csv")
    assert from_csv.cast(expected.schema) == expected
    assert [line["price"] for line in lines] == expected["price"].to_pylist()
    times = pa.array([line["time"] for line in lines]).cast(pa.timestamp("us", "UTC"))
    assert times.to_pylist() == expected["time"].to_pylist()


def test_the_same_seed_writes_the_same_files(tmp_path):
    for folder in ("one", "two"):
        simulate("prices", "--out", tmp_path / folder, "--queries", 5, "--format", "csv", *SMALL)
    for name in ("tuples.csv", "queries.jsonl", "columns.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("prices", "--fluctuation", "0.5"), "fluctuation: expected a fraction of the domain"),
        (("prices", "--width", "0"), "width: expected a fraction of the domain"),
        (("alerts", "--queries", "7"), "--queries: expected a multiple of the 6 streams, got 7"),
        (("prices", "--format", "csv"), "--format: expected parquet, as --out says, got csv"),
    ],
)
def test_bad_options_are_explained(tmp_path, arguments, text):
    result = simulate(*arguments, "--out", tmp_path / "data.parquet", *SMALL)
    assert result.exit_code == 2
    assert f"error: {text}" in result.stderr


def test_tuples_do_not_overwrite_queries(tmp_path):
    result = simulate("prices", "--out", tmp_path / "queries.jsonl", *SMALL)
    assert result.exit_code == 2
    assert "--out: expected another name than queries.jsonl" in result.stderr
