# ruff: noqa: E501  # texts of errors are quoted whole
import pickle

import numpy as np
import pytest

from limen.errors import InvalidQuery
from limen.formats.query_json import _region_from_dict, _region_to_dict
from limen.model import Box, Circle, MultiPolygon, Polygon

SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4)]
HOLE = [(1, 1), (2, 1), (1, 2)]


def test_a_circle():
    circle = Circle([3, np.int64(4)], 5)
    assert (circle.center, circle.radius, circle.dimensions) == ((3.0, 4.0), 5.0, 2)
    assert (circle.lower, circle.upper) == ((-2.0, -1.0), (8.0, 9.0))
    assert circle == Circle((3.0, 4.0), 5.0) != Circle((3, 4), 6)


@pytest.mark.parametrize(
    ("center", "radius", "text"),
    [
        ((1, 2), 0, "circle: radius: expected a number above 0, got 0"),
        ((1, 2), -1, "circle: radius: expected a number above 0, got -1"),
        ((1, 2), float("nan"), "circle: radius: expected a number above 0, got nan"),
        ((1, 2), float("inf"), "circle: radius: expected at most 1e150, got inf"),
        ((1, 2), 1e200, "circle: radius: expected at most 1e150, got 1e+200"),
        ((1, 2), "5", "circle: radius: expected a number above 0, got '5'"),
        ((1, 2, 3), 5, "circle: center: expected two numbers, x and y, got (1, 2, 3)"),
        (7, 5, "circle: center: expected two numbers, x and y, got 7"),
        ((1, None), 5, "circle: center: expected two finite numbers, got None"),
        ((1, float("inf")), 5, "circle: center: expected two finite numbers, got (1, inf)"),
    ],
)
def test_circles_that_are_refused(center, radius, text):
    with pytest.raises(InvalidQuery) as caught:
        Circle(center, radius)
    assert str(caught.value) == text


def test_rings_may_be_closed_and_repeat_vertices():
    plain = Polygon(SQUARE)
    assert Polygon([*SQUARE, SQUARE[0]]) == plain
    assert Polygon([SQUARE[0], *SQUARE, SQUARE[3], SQUARE[0]]) == plain
    assert Polygon(np.array(SQUARE)) == plain
    assert Polygon(tuple(map(tuple, SQUARE))) == plain
    assert len({plain, Polygon([*SQUARE, SQUARE[0]])}) == 1
    assert plain != Polygon(SQUARE, [HOLE])
    assert plain != Box((0, 0), (4, 4))
    assert pickle.loads(pickle.dumps(plain)) == plain
    with pytest.raises(ValueError, match="read-only"):
        plain.shell[0] = 9


def test_several_polygons_are_one_region():
    both = MultiPolygon([Polygon(SQUARE, [HOLE]), Polygon([(9, 9), (8, 9), (9, 7)])])
    assert [len(ring) for ring in both.rings] == [4, 3, 3]
    assert (both.lower, both.upper, both.dimensions) == ((0.0, 0.0), (9.0, 9.0), 2)
    assert both == MultiPolygon(iter(both.polygons))
    assert both != MultiPolygon(both.polygons[:1])


@pytest.mark.parametrize(
    ("shell", "holes", "text"),
    [
        ([], (), "polygon: shell: expected vertices of two coordinates, got an array of shape (0,)"),
        ([(0, 0), (1, 1)], (), "polygon: shell: expected three different vertices or more, got 2"),
        ([(0, 0), (1, 1), (0, 0)], (), "polygon: shell: expected three different vertices or more, got 2"),
        ([(0, 0), (1, 1), (3, 3)], (), "polygon: shell: expected vertices with an area between them, got all of them on one line"),
        ([(0, 0, 1), (1, 1, 1), (3, 0, 1)], (), "polygon: shell: expected vertices of two coordinates, got an array of shape (3, 3)"),
        ([(0, 0), (1, float("nan")), (3, 0)], (), "polygon: shell: vertex 2: expected finite numbers, got [1.0, nan]"),
        ([(0, 0), (1,), (3, 0)], (), "polygon: shell: expected vertices (x, y), got [(0, 0), (1,), (3, 0)]"),
        (None, (), "polygon: shell: expected vertices (x, y), got None"),
        (SQUARE, [HOLE[:2]], "polygon: hole 1: expected three different vertices or more, got 2"),
        (SQUARE, 5, "polygon: holes: expected rings of vertices, got 5"),
    ],
)  # fmt: skip
def test_polygons_that_are_refused(shell, holes, text):
    with pytest.raises(InvalidQuery) as caught:
        Polygon(shell, holes)
    assert str(caught.value) == text


@pytest.mark.parametrize("polygons", [[], [SQUARE], None, "polygon", [Polygon(SQUARE), None]])
def test_a_multipolygon_is_of_polygons(polygons):
    with pytest.raises(InvalidQuery, match="multipolygon: expected one Polygon or more, got "):
        MultiPolygon(polygons)


@pytest.mark.parametrize(
    "region",
    [
        Circle((1, 2), 3),
        Polygon(SQUARE),
        Polygon(SQUARE, [HOLE]),
        MultiPolygon([Polygon(SQUARE, [HOLE]), Polygon(HOLE)]),
    ],
)
def test_shapes_are_written_and_read(region):
    assert _region_from_dict(_region_to_dict(region), "query 'q'") == region


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1e160, 1e300])
def test_a_triangle_of_any_size_is_a_polygon(size):
    assert len(Polygon([(0, 0), (size, 0), (0, size)]).shell) == 3
    with pytest.raises(InvalidQuery, match="all of them on one line"):
        Polygon([(0, 0), (size, size), (size / 2, size / 2)])
