# ruff: noqa: E501  # texts of errors are quoted whole
import json
from pathlib import Path

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


# Files of shapes

SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]
BOW = [[6, 0], [8, 2], [8, 0], [6, 2], [6, 0]]
NYC = Path(__file__).parents[3] / "shared/data/nyc_taxi_zones/taxi_zones.geojson"


@pytest.fixture
def shapes(tmp_path):
    def write(*rings, name="zones.geojson", **members):
        features = [
            {
                "type": "Feature",
                "properties": {"zone": f"z{number}", "r": 1000},
                "geometry": ring if isinstance(ring, dict) else {"type": "Polygon", "coordinates": [ring]},
            }
            for number, ring in enumerate(rings, start=1)
        ]
        (tmp_path / name).write_text(json.dumps({"type": "FeatureCollection", "features": features, **members}))
        return tmp_path / name

    return write


def moved(ring, x, y=0):
    return [[a + x, b + y] for a, b in ring]


def test_a_good_file_of_shapes_is_described(shapes):
    path = shapes(SQUARE, moved(SQUARE, 10))
    result = check(path, "--id", "zone")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"{path}: 2 features (2 Polygon), ids from the property zone",
        f"{path}: properties zone, r",
        f"{path}: no two features overlap",
        "2 good, 0 bad",
    ]


def test_every_bad_feature_is_reported_with_its_id(shapes):
    path = shapes(SQUARE, BOW, {"type": "Point", "coordinates": [1, 1]})
    result = check(path, "--id", "zone")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"{path}: feature 2 (zone z2): self-intersection at (7, 1)",
        f"{path}: feature 3 (zone z3): expected a Polygon, a MultiPolygon, or a Point with a radius, got a Point. Hint: radius= names the property that holds it, or gives one for all",
        f"{path}: 3 features (2 Polygon, 1 Point), ids from the property zone",
        f"{path}: properties zone, r",
        "1 good, 2 bad",
    ]


def test_bad_lines_of_wkt_are_reported_with_their_number(tmp_path):
    path = tmp_path / "zones.wkt"
    path.write_text("# a bow\nPOLYGON ((6 0, 8 2, 8 0, 6 2, 6 0))\n")
    assert check(path).stdout.splitlines()[0] == f"{path}:2: self-intersection at (7, 1)"


def test_points_need_a_radius(shapes):
    path = shapes({"type": "Point", "coordinates": [1, 1]})
    assert check(path, "--radius", "r").exit_code == 0
    assert check(path, "--radius", "25.5").exit_code == 0
    assert check(path).exit_code == 1


def test_overlaps_are_reported_largest_first(shapes):
    path = shapes(SQUARE, moved(SQUARE, 3), moved(SQUARE, 6.5), moved(SQUARE, 0, 4))
    result = check(path, "--id", "zone", "--crs", "planar")
    assert f"{path}: 2 pairs of features overlap, by 6 in all: 4 of z1 and z2, 2 of z2 and z3" in result.stdout
    tiny = shapes(moved(SQUARE, 0, 40), moved(SQUARE, 3.99999999, 40))
    result = check(tiny)
    assert (
        "1 pair of features overlap, by about 368 m² in all (as on a map that is flat at their latitude): 368 m²"
        in (result.stdout)
    )


def test_columns_and_kinds_of_shapes(shapes):
    path = shapes(moved(SQUARE, 5000))
    assert check(path, "--values", "x,y").exit_code == 1
    assert check(path, "--values", "x,y", "--crs", "planar").exit_code == 0
    assert check(path, "--columns", '{"id": "i", "time": "t", "values": ["x", "y"]}').exit_code == 0
    assert "3 dimensions" in check(path, "--crs", "planar", "--values", "x,y,z").stdout
    result = check(path, "--crs", "planar", "--kind", "transition", "--within", "500 days")
    assert result.exit_code == 0
    assert f"{path}: query '1': within is 500 days" in result.stdout


def test_repair_writes_a_file_that_is_good(shapes, tmp_path):
    path, out = shapes(SQUARE, BOW, moved(SQUARE, 20)[:-1]), tmp_path / "mended.geojson"
    result = check(path, "--id", "zone", "--repair", out)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:2] == [
        f"{path}: feature 2 (zone z2): self-intersection at (7, 1); repaired: 2 polygons",
        f"{path}: feature 3 (zone z3): unclosed ring: it starts at (20, 0) and ends at (20, 4); repaired: 1 polygon",
    ]
    assert result.stdout.splitlines()[-2:] == [f"3 features written to {out}", "3 good, 0 bad"]
    assert check(out, "--id", "zone").stdout.endswith("3 good, 0 bad\n")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--id", "zoone"), "zones.geojson: id: expected a property among zone, r, got 'zoone'. Hint: did you mean 'zone'?"),
        (("--kind", "transition"), "zones.geojson: expected the argument 'within' of a transition query, got none"),
        (("--repair", "out.shp"), "--repair: expected a .geojson file to write, got 'out.shp'"),
        (("--columns", "{}", "--crs", "planar"), "--crs: expected none beside --columns, which defines it, got planar"),
    ],
)  # fmt: skip
def test_bad_options_for_shapes_are_explained(shapes, arguments, text):
    result = check(shapes(SQUARE), *arguments)
    assert (result.exit_code, result.stderr) == (2, f"error: {text}\n")


def test_repair_never_replaces_what_is_checked(shapes):
    path = shapes(SQUARE)
    result = check(path, "--repair", path)
    assert result.stderr == f"error: --repair: expected another file than the one that is checked, got {path}\n"


def test_options_for_shapes_are_refused_for_queries(queries):
    result = check(queries(GOOD), "--kind", "match", "--id", "zone")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: queries.jsonl: expected no kind, id or other arguments, which are for files of shapes, "
        "got kind='match', id='zone'\n"
    )


def test_a_picture_of_shapes(shapes, tmp_path):
    path, picture = shapes(SQUARE, BOW, {"type": "Point", "coordinates": [6, 6]}), tmp_path / "fences.png"
    result = check(path, "--radius", "r", "--picture", picture)
    assert f"a picture of 2 regions in {picture}\n" in result.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_picture_of_queries_with_regions_of_two_dimensions(queries, tmp_path):
    regions = (
        {"type": "box", "lo": [0, None], "hi": [4, 4]},
        {"type": "circle", "center": [9, 2], "radius": 2},
        {"type": "polygon", "shell": SQUARE, "holes": [[[1, 1], [2, 1], [1, 2]]]},
        {"type": "multipolygon", "polygons": [{"shell": SQUARE}, {"shell": moved(SQUARE, 9)}]},
    )
    lines = [json.dumps({"type": "border", "id": str(n), "region": region}) for n, region in enumerate(regions)]
    picture = tmp_path / "fences.png"
    result = check(queries(GOOD, *lines), "--picture", picture)
    assert result.exit_code == 0
    assert f"a picture of 4 regions in {picture}; 1 of other dimensions are left out\n" in result.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_no_picture_of_nothing(queries, tmp_path):
    result = check(queries(GOOD), "--picture", tmp_path / "fences.png")
    assert "no picture: there is no region of two dimensions with an end\n" in result.stdout
    assert not (tmp_path / "fences.png").exists()


@pytest.mark.slow
@pytest.mark.skipif(not NYC.exists(), reason="the taxi zones of New York are not here")
def test_the_taxi_zones_of_new_york(tmp_path):
    result = check(NYC, "--kind", "border", "--id", "LocationID", "--picture", tmp_path / "zones.png")
    assert result.exit_code == 0
    assert f"{NYC}: 263 features (240 Polygon, 23 MultiPolygon), ids from the property LocationID" in result.stdout
    assert (
        "2 ids are shared by features, which became one MultiPolygon each: 56 (2 features), 103 (3 features)"
        in result.stdout
    )
    assert "overlap, by about 4.33 m² in all" in result.stdout
    assert "0.491 m² of 23 and 99" in result.stdout
    assert result.stdout.endswith("260 good, 0 bad\n")
