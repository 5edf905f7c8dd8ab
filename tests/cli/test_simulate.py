import json

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import csv, parquet
from typer.testing import CliRunner

from limen.cli.main import app
from limen.formats.load import load_queries
from limen.model.columns import Columns
from limen.simulate import generated_roads

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
        (("prices", "--format", "csv"), "--format: expected parquet, the suffix of --out, got csv"),
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


@pytest.fixture
def town(tmp_path):
    """Options that name the files of a small town, with a node that no road leads to."""
    roads = generated_roads(200, 230)
    places = "".join(f"{node}\t{x}\t{y}\t*\n" for node, (x, y) in enumerate(roads.xy.tolist()))
    ends = zip(roads.ends.tolist(), roads.road_class.tolist(), strict=True)
    (tmp_path / "nodes.txt").write_text(places + "999\t0\t0\t*\n")
    (tmp_path / "edges.txt").write_text("".join(f"0\t{a}\t{b}\t{road_class}\t*\n" for (a, b), road_class in ends))
    return "--nodes", tmp_path / "nodes.txt", "--edges", tmp_path / "edges.txt"


@pytest.mark.parametrize(
    ("workload", "options", "type", "picture"),
    [
        ("traffic", ("--objects", 90, "--queries", 7), "border", "traffic.png"),
        ("garages", ("--vehicles", 90, "--garages", 7), "transition", "garages.png"),
    ],
)
def test_a_city_is_written_and_drawn(tmp_path, town, workload, options, type, picture):
    result = simulate(workload, "--out", tmp_path / "city", "--reports", 4, *options, *town)
    assert result.exit_code == 0, result.output
    assert "roads of nodes: 200 nodes, 230 roads" in result.stdout
    assert "left out: 1 isolated node\n" in result.stdout
    assert "360 tuples in" in result.stdout
    assert f"a picture of it in {tmp_path / 'city' / picture}" in result.stdout
    tuples = parquet.read_table(tmp_path / "city/tuples.parquet")
    columns = Columns.from_dict(json.loads((tmp_path / "city/columns.json").read_text()))
    assert tuples.column_names == [columns.id, columns.time, *columns.values, *columns.attributes]
    assert tuples.num_rows == 360
    queries = load_queries(tmp_path / "city/queries.jsonl")
    assert [query.type for query in queries] == [type] * 7
    for query in queries:
        query.check(columns)
    assert (tmp_path / "city" / picture).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("kind", "fast"), [("fast", 360), ("slow", 0), ("both", 180)])
def test_kinds_of_traffic(tmp_path, town, kind, fast):
    result = simulate(
        "traffic", "--out", tmp_path / "city", "--objects", 90, "--reports", 4, "--kind", kind, "--no-picture", *town
    )
    assert result.exit_code == 0, result.output
    kinds = parquet.read_table(tmp_path / "city/tuples.parquet")["kind"]
    assert pc.sum(pc.equal(kinds, "fast")).as_py() == fast
    assert not (tmp_path / "city/traffic.png").exists()


@pytest.mark.parametrize("workload", [("traffic", "--queries", 9), ("garages", "--garages", 9)], ids=lambda w: w[0])
def test_the_same_seed_writes_the_same_city(tmp_path, town, workload):
    for folder, seed in (("one", 5), ("two", 5), ("other", 6)):
        options = ("--format", "csv", "--reports", 2, "--seed", seed, "--no-picture")
        result = simulate(*workload, "--out", tmp_path / folder, *options, *town)
        assert result.exit_code == 0, result.output
    for name in ("tuples.csv", "queries.jsonl"):
        one, two, other = ((tmp_path / folder / name).read_bytes() for folder in ("one", "two", "other"))
        assert one == two != other


def test_the_command_says_which_city_it_took(tmp_path):
    result = simulate("traffic", "--out", tmp_path, "--objects", 50, "--reports", 1, "--no-picture")
    assert result.exit_code == 0, result.output
    assert "6,105 nodes, 7,035 roads" in result.stdout
    assert result.stdout.startswith(("roads of oldenburg: ", "roads of generated: "))


def test_without_matplotlib_there_is_no_picture(tmp_path, town, monkeypatch):
    monkeypatch.setattr("limen.cli.picture.find_spec", lambda name: None)
    result = simulate("traffic", "--out", tmp_path / "city", "--objects", 50, "--reports", 1, *town)
    assert result.exit_code == 0, result.output
    assert "no picture: pip install 'limen[plots]'" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("traffic", "--nodes", "nodes.txt"), "--nodes and --edges: expected both or neither, got one of them"),
        (("traffic", "--nodes", "no.txt", "--edges", "no.txt"), "[Errno 2] No such file or directory: 'no.txt'"),
        (("traffic", "--width", "0"), "width: expected metres, finite and above 0, got 0.0"),
        (("garages", "--within", "10"), "within: expected three intervals or more, 90 seconds, got 10.0"),
        (("garages", "--side", "0"), "side: expected metres, from 1 to 10,000,000, got 0.0"),
    ],
)
def test_bad_options_of_a_city_are_explained(tmp_path, arguments, text):
    result = simulate(*arguments, "--out", tmp_path / "city")
    assert result.exit_code == 2
    assert f"error: {text}" in result.stderr


def test_a_road_to_a_missing_node_is_explained(tmp_path, town):
    with (tmp_path / "edges.txt").open("a") as edges:
        edges.write("0\t1\t777\t3\t*\n")
    result = simulate("traffic", "--out", tmp_path / "city", *town)
    assert result.exit_code == 2
    assert f"error: {tmp_path}/edges.txt:231: expected nodes of {tmp_path}/nodes.txt, got node 777" in result.stderr
