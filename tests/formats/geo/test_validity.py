# ruff: noqa: E501  # texts of errors are quoted whole
import math

import numpy as np
import pytest

from limen.formats import check_queries, load_queries
from limen.formats.geo.feature_file import Outline
from limen.formats.geo.validity import faults
from limen.model import MultiPolygon, Polygon
from tests.formats.geo.shapes import BOW, SQUARE, feature, moved, polygon, write

OUT_OF_RANGE = "expected longitude from -180 to 180 and latitude from -90 to 90, got"
PLANAR = "Hint: crs='planar' is for coordinates that are no degrees"


def reasons(tmp_path, *geometries, **arguments):
    path = write(tmp_path / "f.geojson", *(feature(geometry) for geometry in geometries))
    return [problem.reason for problem in check_queries(path, **arguments)[1]]


@pytest.mark.parametrize(
    ("geometry", "reason"),
    [
        (polygon(BOW), "self-intersection at (1, 1)"),
        (polygon(SQUARE[:-1]), "unclosed ring: it starts at (0, 0) and ends at (0, 4)"),
        (polygon(BOW[:-1]), "unclosed ring: it starts at (0, 0) and ends at (0, 2)"),
        (polygon(), "expected a geometry, got an empty Polygon"),
        (polygon([]), "expected a geometry, got an empty Polygon"),
        ({"type": "MultiPolygon", "coordinates": []}, "expected a geometry, got an empty MultiPolygon"),
        ({"type": "GeometryCollection", "geometries": []}, "expected a geometry, got an empty GeometryCollection"),
        ({"type": "Point", "coordinates": []}, "expected a geometry, got an empty Point"),
        (polygon([[0, 0], [4, 0], [8, 0], [0, 0]]), "zero area"),
        (polygon([[0, 0], [4, 0], [4, 4], [4, 0], [0, 0]]), "zero area"),
        (polygon([[1, 1], [1, 1], [1, 1], [1, 1]]), "zero area"),
        (polygon([[0, 0], [4, 0], [0, 0]]), "expected three different vertices or more, got 2"),
        (polygon([[0, 0]]), "expected three different vertices or more, got 0"),
        (polygon(SQUARE, [[1, 1], [2, 2], [1, 1]]), "ring 2: expected three different vertices or more, got 2"),
        (polygon(SQUARE, []), "ring 2: expected three different vertices or more, got 0"),
        (polygon([[0, 0], [4, 0], [math.nan, 4], [0, 0]]), "expected finite numbers, got (nan, 4)"),
        (polygon([[0, 0], [4, 0], [4, math.inf], [0, 0]]), "expected finite numbers, got (4, inf)"),
        (polygon([[0, 0], [4, 0], [4, None], [0, 0]]), "expected finite numbers, got (4, nan)"),
        (polygon(SQUARE, moved(SQUARE, 10)), "hole lies outside shell at (10, 0)"),
        (polygon([[0, 0], [4, 0], [4, 4], [6, 6], [4, 4], [0, 4], [0, 0]]), "ring self-intersection at (4, 4)"),
        ({"type": "MultiPolygon", "coordinates": [[SQUARE], [moved(SQUARE, 2)]]}, "self-intersection at (2, 4)"),
        ({"type": "MultiPolygon", "coordinates": [[SQUARE], [[[1, 1], [3, 1], [3, 3], [1, 1]]]]}, "nested shells at (1, 1)"),
        (polygon([[1.3, 103.8], [1.4, 103.8], [1.4, 103.9], [1.3, 103.8]]), f"{OUT_OF_RANGE} (1.3, 103.8). Hint: longitude comes first: are the two swapped?"),
        (polygon([[40.7, -74], [40.8, -74], [40.8, -99], [40.7, -74]]), f"{OUT_OF_RANGE} (40.8, -99). Hint: longitude comes first: are the two swapped?"),
        (polygon(moved(SQUARE, 583_000, 4_507_000)), f"{OUT_OF_RANGE} (583000, 4507000). {PLANAR}"),
        (polygon(moved(SQUARE, -181)), f"{OUT_OF_RANGE} (-181, 0). {PLANAR}"),
        ({"type": "LineString", "coordinates": [[0, 0], [1, 1]]}, "expected a Polygon, a MultiPolygon, or a Point with radius=, got a LineString"),
        ({"type": "MultiPoint", "coordinates": [[0, 0]]}, "expected a Polygon, a MultiPolygon, or a Point with radius=, got a MultiPoint"),
        ({"type": "GeometryCollection", "geometries": [polygon(SQUARE), {"type": "Point", "coordinates": [0, 0]}]}, "expected a Polygon, a MultiPolygon, or a Point with radius=, got a GeometryCollection with a Point"),
        (polygon([[-170, 60], [-50, 60], [70, 60], [175, 60], [-170, 60]]), "ring: expected a ring that does not go round a pole, got 4 vertices that do. Hint: cut the polygon at the antimeridian, and close it along the pole"),
    ],
)  # fmt: skip
def test_what_is_refused_and_why(tmp_path, geometry, reason):
    assert reasons(tmp_path, polygon(SQUARE), geometry) == [reason]


@pytest.mark.parametrize(
    "geometry",
    [
        polygon(SQUARE[::-1]),
        polygon([position for position in SQUARE for _ in range(3)]),
        polygon([[0, 0], [4, 0], [4, 4], [5, 40], [3.9999999, 4], [0, 4], [0, 0]]),  # a spike, but a thin one
        polygon(SQUARE, [[1, 1], [2, 1], [1, 2], [1, 1]]),
        polygon([[*position, 7] for position in SQUARE]),
        polygon([[170, 0], [-170, 0], [-170, 5], [170, 5], [170, 0]], [[175, 1], [-175, 1], [-175, 2], [175, 1]]),
        polygon([[170, 0], [190, 0], [190, 5], [170, 5], [170, 0]], [[-179, 1], [-175, 1], [-175, 2], [-179, 1]]),
        polygon([[-170, 0], [170, 0], [170, 5], [-170, 5], [-170, 0]]),
    ],
)
def test_what_is_accepted(tmp_path, geometry):
    assert reasons(tmp_path, geometry) == []


def test_coordinates_that_are_no_degrees_are_taken_as_they_are(tmp_path):
    far = polygon(moved(SQUARE, 583_000, 4_507_000))
    assert reasons(tmp_path, far, polygon(BOW), crs="planar") == ["self-intersection at (1, 1)"]


def test_geometry_types_may_be_mixed(tmp_path):
    several = {"type": "MultiPolygon", "coordinates": [[moved(SQUARE, 10)], [moved(SQUARE, 20)]]}
    collection = {"type": "GeometryCollection", "geometries": [polygon(moved(SQUARE, 30)), several]}
    path = write(tmp_path / "f.geojson", *(feature(each) for each in (polygon(SQUARE), several, collection)))
    first, second, third = (query.region for query in load_queries(path))
    assert first == Polygon(SQUARE)
    assert second == MultiPolygon([Polygon(moved(SQUARE, 10)), Polygon(moved(SQUARE, 20))])
    assert len(third.polygons) == 3


@pytest.mark.slow
def test_a_polygon_of_a_million_vertices():
    angle = np.linspace(0, 2 * np.pi, 1_000_001)[:-1]
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) * (1 + 0.1 * np.cos(1000 * angle))[:, np.newaxis]
    found, _ = faults([Outline("Polygon", ((np.concatenate([ring, ring[:1]]),),))], lonlat=True)
    assert found == [None]
