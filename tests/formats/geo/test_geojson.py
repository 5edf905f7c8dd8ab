# ruff: noqa: E501  # texts of errors are quoted whole
import json

import pytest

from limen.errors import InvalidInput
from limen.formats.geo import geojson
from limen.formats.geo.geojson import read_geojson
from tests.formats.geo.shapes import SQUARE, feature, moved, polygon


def read(plain):
    return read_geojson(json.dumps(plain).encode(), "f.geojson")


def test_a_collection_a_feature_and_a_geometry():
    for plain in (
        polygon(SQUARE),
        feature(polygon(SQUARE)),
        {"type": "FeatureCollection", "features": [feature(polygon(SQUARE))]},
    ):
        (outline,) = read(plain).outlines
        assert (outline.type, outline.rings[0].tolist(), outline.has_z) == ("Polygon", SQUARE, False)


def test_an_empty_collection_has_no_features():
    assert len(read({"type": "FeatureCollection", "features": []})) == 0


def test_ids_properties_and_crs_are_kept():
    file = read({"type": "FeatureCollection", "crs": {"a": 1}, "features": [
        feature(polygon(SQUARE), id=7, name="a"), feature(polygon(SQUARE), size=2), {"type": "Feature", "geometry": None},
    ]})  # fmt: skip
    assert file.ids == [7, None, None]
    assert file.properties == {"name": ["a", None, None], "size": [None, 2, None]}
    assert file.crs == {"a": 1}


def test_a_collection_of_polygons_is_taken_apart_however_deep():
    inner = {"type": "GeometryCollection", "geometries": [polygon(moved(SQUARE, 5)), polygon(moved(SQUARE, 10))]}
    (outline,) = read({"type": "GeometryCollection", "geometries": [polygon(SQUARE), inner]}).outlines
    assert [rings[0][0].tolist() for rings in outline.polygons] == [[0, 0], [5, 0], [10, 0]]


def test_heights_are_dropped_and_that_is_known_also_where_only_some_have_one():
    for vertices in ([[*position, 9] for position in SQUARE], [[0, 0, 9], *SQUARE[1:]]):
        (outline,) = read(polygon(vertices)).outlines
        assert (outline.rings[0].tolist(), outline.has_z) == (SQUARE, True)


def test_an_unclosed_ring_is_closed_and_told():
    (outline,) = read(polygon(SQUARE[:-1])).outlines
    assert outline.rings[0].tolist() == SQUARE
    assert outline.unclosed == "it starts at (0, 0) and ends at (0, 4)"


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (3, "expected a Feature, got 3"),
        ({"type": "Polygon"}, "expected a Feature, got the type 'Polygon'"),
        (feature(None), "expected a geometry, got none"),
        ({"type": "Feature"}, "expected a geometry, got none"),
        ({**feature(None), "properties": 3}, "properties: expected an object, got 3"),
        (feature(4), "geometry: expected one of Polygon, MultiPolygon, Point, MultiPoint, LineString, MultiLineString, GeometryCollection, got 4"),
        (feature({"type": "Circle"}), "geometry: expected one of Polygon, MultiPolygon, Point, MultiPoint, LineString, MultiLineString, GeometryCollection, got the type 'Circle'"),
        (feature({"type": "Polygon"}), "coordinates: expected a list, got none"),
        (feature(polygon(5)), "ring 1: expected a list, got 5"),
        (feature(polygon(SQUARE, [["a", "b"]])), "ring 2: expected positions of two numbers, got [['a', 'b']]"),
        (feature(polygon([1, 2])), "ring 1: expected positions of two numbers, got [1, 2]"),
        (feature(polygon([[1], [2]])), "ring 1: expected positions of two numbers, got [[1], [2]]"),
        (feature(polygon([[1, 2], 3])), "ring 1: expected positions of two numbers, got [[1, 2], 3]"),
        (feature({"type": "Point", "coordinates": 3}), "point: expected positions of two numbers, got [3]"),
        (feature({"type": "GeometryCollection"}), "geometries: expected a list, got none"),
    ],
)  # fmt: skip
def test_features_that_cannot_be_read(part, text):
    (outline,) = read({"type": "FeatureCollection", "features": [part]}).outlines
    assert str(outline) == text


def test_endless_nesting():
    nested = polygon(SQUARE)
    for _ in range(5000):
        nested = {"type": "GeometryCollection", "geometries": [nested]}
    assert str(geojson._feature(feature(nested))) == "expected a geometry, got endlessly nested ones"


def test_numbers_that_no_float_can_hold():
    (outline,) = read(polygon([[0, 0], [10**400, 0], [1, 1], [0, 0]])).outlines
    assert str(outline).startswith("ring 1: expected positions of two numbers, got [[0, 0], [1000")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "f.geojson: JSON: expected one object, got Expecting value at character 1"),
        (b'{"type": "Feature", "type": 3}', "f.geojson: JSON: expected each key once, got 'type' twice"),
        (b'{"a": "\xff"}', "f.geojson: text: expected UTF-8, got the byte 0xff at position 8"),
        (b"[]", "f.geojson: expected GeoJSON: an object of type FeatureCollection, Feature or a geometry, got []"),
        (b'{"type": "Topology"}', "f.geojson: expected GeoJSON: an object of type FeatureCollection, Feature or a geometry, got the type 'Topology'"),
        (b'{"type": "FeatureCollection"}', "f.geojson: features: expected a list, got None"),
    ],
)  # fmt: skip
def test_files_that_are_no_geojson(content, text):
    with pytest.raises(InvalidInput) as caught:
        read_geojson(content, "f.geojson")
    assert str(caught.value) == text
