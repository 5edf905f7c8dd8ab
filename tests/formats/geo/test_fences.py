# ruff: noqa: E501  # texts of errors are quoted whole
import json
import logging
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from limen import Engine
from limen.errors import InvalidInput, InvalidQuery
from limen.formats import Problem, check_queries, load_queries
from limen.formats.geo import Merged, read_fences
from limen.formats.geo.overlaps import find_overlaps
from limen.model import Border, Circle, Columns, Match, MultiPolygon, Polygon, Transition
from tests.formats.geo.shapes import BOW, SQUARE, feature, moved, polygon, write

NYC = Path(__file__).parents[4] / "shared/data/nyc_taxi_zones/taxi_zones.geojson"
POINT = {"type": "Point", "coordinates": [3, 4]}


@pytest.fixture
def file(tmp_path):
    def make(*features, name="zones.geojson", **members):
        return write(tmp_path / name, *features, **members)

    return make


def test_each_kind_of_query_with_its_arguments(file):
    path = file(feature(polygon(SQUARE), LocationID=4))
    region = Polygon(SQUARE)
    assert load_queries(path, id="LocationID") == [Border("4", region)]
    assert load_queries(path, "match", "LocationID", streams="a") == [Match("4", region, streams="a")]
    (query,) = load_queries(path, kind="transition", id="LocationID", within="3 minutes", kinds="stayed")
    assert query == Transition("4", region, within=timedelta(minutes=3), kinds="stayed")


def test_json_files_byte_order_marks_and_windows_line_ends(file, tmp_path):
    assert len(load_queries(file(feature(polygon(SQUARE)), name="a.json"))) == 1
    assert len(load_queries(file(feature(polygon(SQUARE)), name="A.GeoJSON", encoding="utf-8-sig"))) == 1
    text = json.dumps(polygon(SQUARE), indent=1).replace("\n", "\r\n")
    (tmp_path / "crlf.geojson").write_bytes(text.encode())
    assert load_queries(tmp_path / "crlf.geojson") == [Border("1", Polygon(SQUARE))]


def test_points_with_a_radius_are_circles(file):
    path = file(feature(POINT, id="a", metres=5), feature(POINT, id="b", metres=7.5))
    assert [query.region for query in load_queries(path, radius="metres")] == [Circle((3, 4), 5), Circle((3, 4), 7.5)]
    assert [query.region for query in load_queries(path, radius=9)] == [Circle((3, 4), 9)] * 2


@pytest.mark.parametrize("metres", [None, 0, -1, "5", True, float("nan"), float("inf")])
def test_points_with_a_bad_radius(file, metres):
    _, (problem,) = check_queries(file(feature(POINT, metres=metres)), radius="metres")
    if metres is None:
        assert problem.reason.startswith("expected a Polygon, a MultiPolygon, or a Point with a radius, got a Point.")
    else:
        assert problem.reason == f"radius: expected a number above 0, got {metres!r}"


def test_a_radius_that_no_feature_has(file):
    with pytest.raises(InvalidInput) as caught:
        load_queries(file(feature(POINT, metres=3)), radius="metre")
    assert (
        str(caught.value)
        == "zones.geojson: radius: expected a number, or a property among metres, got 'metre'. Hint: did you mean 'metres'?"
    )
    with pytest.raises(InvalidInput, match=r"expected a number: the file has no properties, got 'r'$"):
        load_queries(file(feature(POINT)), radius="r")


def test_the_first_bad_feature_is_an_error(file):
    path = file(
        feature(polygon(SQUARE), LocationID=1), feature(polygon(BOW), LocationID=56), feature(None, LocationID=7)
    )
    with pytest.raises(InvalidQuery) as caught:
        load_queries(path, id="LocationID")
    assert str(caught.value) == (
        "zones.geojson feature 2 (LocationID 56): self-intersection at (1, 1). "
        "Hint: repair=True repairs it; limen check lists all invalid features"
    )
    with pytest.raises(InvalidQuery) as caught:
        load_queries(file(feature(POINT)))
    assert str(caught.value) == (
        "zones.geojson feature 1: expected a Polygon, a MultiPolygon, or a Point with a radius, got a Point. "
        "Hint: radius= names the property that holds it, or gives one for all"
    )


def test_check_lists_every_bad_feature(file):
    path = file(
        feature(polygon(BOW), id="a"), feature(polygon(SQUARE), id="b"), feature(None, id="c"), feature(polygon(SQUARE))
    )
    queries, problems = check_queries(path)
    assert [query.id for query in queries] == ["b"]
    assert problems == [
        Problem(None, "self-intersection at (1, 1)", "feature 1 (id a)"),
        Problem(None, "expected a geometry, got none", "feature 3 (id c)"),
        Problem(None, "id: expected text that is not empty, or an integer, got none", "feature 4"),
    ]


def test_lines_of_wkt_are_named_by_their_number(tmp_path):
    path = tmp_path / "z.wkt"
    path.write_text("# zones\na\tPOLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))\nb\tPOINT (0 0)\n", encoding="utf-8")
    assert [problem.line for problem in check_queries(path)[1]] == [2, 3]
    with pytest.raises(InvalidQuery, match=r"^z.wkt line 2 \(id a\): self-intersection at \(1, 1\)\. Hint"):
        load_queries(path)
    with pytest.raises(InvalidInput, match=r"^z.wkt: id: expected no property: the file has none, got 'a'$"):
        load_queries(path, id="a")


def test_features_that_share_an_id_become_one_and_that_is_told(file, caplog):
    path = file(
        feature(polygon(SQUARE), zone=1),
        feature(polygon(moved(SQUARE, 9)), zone=2),
        feature(polygon(moved(SQUARE, 4)), zone="1"),
    )
    with caplog.at_level(logging.INFO, "limen"):
        queries = load_queries(path, id="zone")
    # They touch, so that shapely would not call it valid; the rule of edges has no trouble with that.
    assert queries[0] == Border("1", MultiPolygon([Polygon(SQUARE), Polygon(moved(SQUARE, 4))]))
    assert [query.id for query in queries] == ["1", "2"]
    assert caplog.messages == [
        "zones.geojson: 3 features (3 Polygon), ids from the property zone",
        "zones.geojson: 1 id is shared by features, which became one MultiPolygon each: 1 (2 features)",
    ]


def test_features_that_share_an_id_and_overlap_are_united(file):
    fences = read_fences(
        file(feature(polygon(SQUARE), id=1), feature(polygon(moved(SQUARE, 2)), id=1)), "border", None, {}
    )
    assert fences.merged == [Merged("1", (1, 2), united=True)]
    assert str(fences.merged[0]) == "1 (2 features, which overlap and were united)"
    (query,) = fences.queries
    assert (query.region.lower, query.region.upper, len(query.region.rings)) == ((0, 0), (6, 4), 1)


def test_circles_cannot_share_an_id(file):
    path = file(feature(POINT, id=1), feature(polygon(SQUARE), id=2), feature(POINT, id=1), feature(POINT, id=2))
    assert [(problem.feature, problem.reason) for problem in check_queries(path, radius=1)[1]] == [
        ("feature 3 (id 1)", "expected an id of its own, as for every circle, got that of feature 1 (id 1)"),
        ("feature 4 (id 2)", "expected an id of its own, as for every circle, got that of feature 2 (id 2)"),
    ]


def test_heights_are_told(file, caplog):
    with caplog.at_level(logging.INFO, "limen"):
        load_queries(file(feature(polygon([[*position, 1] for position in SQUARE]))))
    assert "zones.geojson: 1 features have more than two coordinates; only the first two are used" in caplog.messages


def test_repair_mends_and_says_so(file, caplog):
    spike = [[0, 0], [4, 0], [4, 4], [6, 6], [4, 4], [0, 4], [0, 0]]
    path = file(
        *(feature(polygon(ring), id=name) for name, ring in (("bow", BOW), ("open", SQUARE[:-1]), ("spike", spike)))
    )
    bow, closed, cut = load_queries(path, repair=True)
    assert len(bow.region.polygons) == 2
    assert closed.region == Polygon(SQUARE)
    assert len(cut.region.shell) == 4
    assert caplog.messages == [
        "zones.geojson: feature 1 (id bow): self-intersection at (1, 1); repaired: 2 polygons",
        "zones.geojson: feature 2 (id open): unclosed ring: it starts at (0, 0) and ends at (0, 4); repaired: 1 polygon",
        "zones.geojson: feature 3 (id spike): ring self-intersection at (4, 4); repaired: 1 polygon",
    ]


def test_repair_unites_parts_and_leaves_what_has_no_area(file):
    nested = {"type": "MultiPolygon", "coordinates": [[SQUARE], [[[1, 1], [3, 1], [3, 3], [1, 1]]]]}
    flat = polygon([[0, 0], [4, 0], [8, 0], [0, 0]])
    fences = read_fences(file(feature(nested), feature(flat)), "border", None, {}, repair=True)
    assert [each.reason for each in fences.repairs] == ["nested shells at (1, 1); repaired: 1 polygon"]
    assert [each.reason for each in fences.problems()] == ["zero area"]


def test_repair_tells_of_holes(file):
    inner = [[1, 1], [3, 1], [3, 3], [1, 1]]
    shell = [[0, 0], [4, 0], [4, 4], [6, 6], [4, 4], [0, 4], [0, 0]]  # with a spike
    fences = read_fences(
        file(feature({"type": "Polygon", "coordinates": [shell, inner]})), "border", None, {}, repair=True
    )
    (mended,) = fences.repairs
    assert mended.reason.endswith("repaired: 1 polygon with 1 hole")


def test_repair_keeps_what_is_in_two_parts(file):
    parts = [[[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]], [[[0.5, 0.5], [2, 0.5], [2, 2], [0.5, 2], [0.5, 0.5]]]]
    path = file(feature({"type": "MultiPolygon", "coordinates": parts}, id="a"))
    (query,) = load_queries(path, repair=True)
    engine = Engine(Columns("id", "t", ("lon", "lat"), crs="lonlat", time_unit="s"), [Match("a", query.region)])
    rows = pa.table({"id": ["s"], "t": [0], "lon": [0.7], "lat": [0.7]})
    assert len(engine.process(rows)) == 1


def test_repair_across_the_antimeridian(file):
    ring = [[-170, 0], [170, 4], [170, 0], [-170, 4], [-170, 0]]
    (query,) = load_queries(file(feature(polygon(ring))), repair=True)
    assert (query.region.lower, query.region.upper) == ((170, 0), (190, 4))
    query.check(Columns("id", "t", ("lon", "lat"), crs="lonlat"))


def test_queries_that_do_not_fit_the_columns_are_problems(file):
    queries, problems = check_queries(file(feature(polygon(SQUARE), id="a")), Columns("id", "t", ("x", "y", "z")))
    assert queries == []
    assert problems[0].feature == "feature 1 (id a)"
    assert problems[0].reason.startswith("query 'a': expected a region of 3 dimensions (x, y, z), got 2")


def test_coordinates_are_meant_as_those_of_the_columns(file):
    path = file(feature(polygon(moved(SQUARE, 5000))))
    assert len(check_queries(path)[1]) == 1
    assert check_queries(path, Columns("id", "t", ("x", "y")))[1] == []


def test_a_crs_in_the_file(file):
    name = {"type": "name", "properties": {"name": "EPSG:2263"}}
    path = file(feature(polygon(SQUARE)), crs=name)
    with pytest.raises(InvalidInput, match=r"^zones.geojson: crs: expected WGS84.*got EPSG:2263"):
        check_queries(path)
    assert len(load_queries(path, crs="planar")) == 1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"kind": "boarder"}, "kind: expected 'border', 'match', 'transition' or 'within', got 'boarder'. Hint: did you mean 'border'?"),
        ({"kind": 3}, "kind: expected 'border', 'match', 'transition' or 'within', got 3"),
        ({"kind": "transition"}, "expected the argument 'within' of a transition query, got none"),
        ({"kind": "match", "within": 3}, "expected arguments of a match query: on, streams, where, got 'within'"),
        ({"kind": "match", "region": 3}, "expected arguments of a match query: on, streams, where, got 'region'"),
        ({"crs": "wgs84"}, "crs: expected 'planar' or 'lonlat', got 'wgs84'"),
    ],
)  # fmt: skip
def test_bad_arguments_are_errors_of_their_own(file, arguments, text):
    for read in (load_queries, check_queries):
        with pytest.raises(InvalidInput) as caught:
            read(file(feature(polygon(SQUARE))), **arguments)
        assert str(caught.value) == f"zones.geojson: {text}"


def test_a_bad_value_of_an_argument_is_told_once(file):
    with pytest.raises(
        InvalidQuery, match=r"^zones.geojson: query '1': initial: expected 'silent' or 'report', got 3$"
    ):
        check_queries(file(feature(polygon(SQUARE)), feature(polygon(SQUARE))), initial=3)


def test_overlaps(file):
    rings = (
        SQUARE,
        moved(SQUARE, 3, 3),
        moved(SQUARE, 4),
        moved(SQUARE, 0, 1),
        moved(SQUARE, 60, 60),
        moved(SQUARE, 60, 60),
    )
    fences = read_fences(
        file(*(feature(polygon(ring), id=min(n, 5)) for n, ring in enumerate(rings, 1))),
        "border",
        None,
        {},
        crs="planar",
    )
    overlaps = find_overlaps(fences.geometries, fences.ids.texts, lonlat=False)
    # Those that touch, and those of one id, do not count.
    assert overlaps.pairs.tolist() == [[0, 3], [1, 2], [1, 3], [0, 1]]
    assert overlaps.areas.tolist() == [12, 3, 2, 1]
    some = find_overlaps(fences.geometries, fences.ids.texts, lonlat=False, most=2)
    assert (len(some.pairs) <= 2, some.unseen > 0) == (True, True)


def test_overlaps_of_degrees_are_in_square_metres(file):
    fences = read_fences(file(*(feature(polygon(moved(SQUARE, x, 60))) for x in (0, 3.999))), "border", None, {})
    overlaps = find_overlaps(fences.geometries, fences.ids.texts, lonlat=True)
    # 0.001 degrees at 62 degrees north, by 4 degrees.
    assert overlaps.areas == pytest.approx([52.2 * 444_780], rel=1e-3)


@pytest.mark.skipif(not NYC.exists(), reason="the taxi zones of New York are not here")
def test_the_taxi_zones_of_new_york():
    fences = read_fences(NYC, "border", "LocationID", {})
    assert (len(fences.file), len(fences.queries), fences.problems()) == (263, 260, [])
    assert fences.merged == [Merged("56", (56, 57), united=False), Merged("103", (103, 104, 105), united=False)]
    assert sum(len(query.region.rings) for query in fences.queries) == sum(len(each.rings) for each in fences.outlines)
    overlaps = find_overlaps(fences.geometries, fences.ids.texts, lonlat=True)
    assert 250 < len(overlaps.pairs) < 350  # slivers, of which the exact number is shapely's affair
    assert overlaps.areas[0] == pytest.approx(0.49, abs=0.01)
    assert overlaps.areas.sum() == pytest.approx(4.3, abs=0.1)


@pytest.mark.slow
def test_a_file_of_very_many_features(file):
    def square(number):
        x, y = number % 400 * 0.125 - 60, number // 400 * 0.125
        return [[x, y], [x + 0.125, y], [x + 0.125, y + 0.125], [x, y + 0.125], [x, y]]

    path = file(*(feature(polygon(square(number)), zone=number) for number in range(20_000)))
    assert len(load_queries(path, id="zone")) == 20_000
