"""Distances from regions against plain formulas, and on the earth against points walked along edges."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.regions.border_grid import BorderGrid
from limen.regions.boxes import BoxIndex
from limen.regions.kernels.distances import gap, is_near_edge, is_near_edge_on_earth
from limen.regions.kernels.geometry import distance_on_earth
from limen.regions.shapes import Shapes
from tests.regions.regions import circles

SMALL = st.integers(-6, 6).map(float)
XY = np.array([0, 1])
SQUARE = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])
HOLE = SQUARE / 4 + 1.5


def exact_square(xa, ya, xb, yb, x, y):
    """The square of the distance between a point and an edge."""
    xa, ya, xb, yb, x, y = map(Fraction, (xa, ya, xb, yb, x, y))
    dx, dy = xb - xa, yb - ya
    whole = dx * dx + dy * dy
    along = min(max(((x - xa) * dx + (y - ya) * dy) / whole, 0), 1) if whole else 0
    return (x - xa - along * dx) ** 2 + (y - ya - along * dy) ** 2


@given(st.tuples(SMALL, SMALL, SMALL, SMALL, SMALL, SMALL), st.sampled_from((0.5, 1.0, 2.0, 5.0)))
def test_near_an_edge_is_near_its_nearest_point(numbers, margin):
    assert is_near_edge(*numbers, margin) == (exact_square(*numbers) <= Fraction(margin) ** 2)


@pytest.mark.parametrize(
    ("x", "apart"), [(0.5, 0.5), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 1.0), (-math.inf, math.inf)]
)
def test_the_gap_between_a_number_and_an_interval(x, apart):
    assert gap(x, 1.0, 3.0) == apart


def distant(index, slots, points, margin):
    points = np.array(points, np.float64).T
    return index.distant(np.array(slots, np.int32), points, XY, np.array(margin, np.float64)).tolist()


@pytest.mark.parametrize(
    ("region", "inner", "outer"),
    [
        (Shapes.boxes(np.array([[[0.0, 4.0], [0.0, 4.0]]])), (7.0, 8.0), (7.0, math.nextafter(8, 9))),
        (circles(np.array([[0.0, 0.0]]), np.array([5.0])), (6.0, 8.0), (math.nextafter(6, 7), 8.0)),
        (Shapes.polygons([[SQUARE]]), (2.0, 9.0), (2.0, math.nextafter(9, 10))),
        (Shapes.polygons([[SQUARE]]), (-3.0, -4.0), (math.nextafter(-3, -4), -4.0)),
        (Shapes.polygons([[3 * SQUARE, 3 * HOLE]]), (6.0, 7.5), (100.0, 100.0)),
    ],
)
def test_from_shapes_of_the_plane(region, inner, outer):
    grid = BorderGrid()
    grid.insert(region)
    assert distant(grid, [0, 0], [inner, outer], [5.0, 5.0]) == [False, True]


def test_several_levels_and_queries_at_once():
    grid, lists = BorderGrid(), BoxIndex(2)
    boxes = np.array([[[0.0, 1.0], [0.0, 1.0]], [[10.0, 11.0], [0.0, math.inf]], [[20.0, 21.0], [0.0, 1.0]]])
    for index, regions in ((grid, Shapes.boxes), (lists, np.array)):
        for box in boxes:
            index.insert(regions(box[None]))
            index.containing(np.zeros(1, np.int32), np.zeros((2, 1)), XY)
        points, margin = [(3.0, 0.0), (3.0, 0.0), (8.0, -3.0), (18.0, 0.0)], [2.0, 1.5, 3.0, 2.5]
        assert distant(index, [0, 0, 1, 2], points, margin) == [False, True, True, False]


def test_a_box_of_three_dimensions():
    index = BoxIndex(3)
    index.insert(np.array([[[0.0, 1.0]] * 3]))
    points = np.array([[3.0, 3.0], [3.0, 3.0], [2.0, 2.1]])
    assert index.distant(np.zeros(2, np.int32), points, np.arange(3), np.full(2, 3.0)).tolist() == [False, True]


# ---- on the earth ----------------------------------------------------------------------------------------------------


@given(
    st.tuples(*[st.floats(-1, 1)] * 6),
    st.sampled_from((0.0, 40.0, -60.0)),
    st.sampled_from((0.0, 179.5, -179.9)),
    st.floats(0.5, 0.97) | st.floats(1.03, 2),
)
def test_near_an_edge_on_earth_is_near_a_point_of_it(offsets, latitude, longitude, share):
    xa, xb, x = (longitude + offset for offset in offsets[:3])
    ya, yb, y = (latitude + offset for offset in offsets[3:])
    walked = np.linspace(0, 1, 201)
    nearest = min(distance_on_earth(xa + t * (xb - xa), ya + t * (yb - ya), x, y) for t in walked)
    turned = (x + 180) % 360 - 180  # the same place
    # The plane on which the nearest point is sought, and the steps of the walk, cost less than the shares leave.
    if nearest > 1000:
        assert is_near_edge_on_earth(xa, ya, xb, yb, turned, y, share * nearest) == (share > 1)


def test_an_edge_without_length_is_a_point():
    assert is_near_edge_on_earth(1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 112_000.0)
    assert not is_near_edge_on_earth(1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 111_000.0)


@pytest.mark.parametrize(("longitude", "near"), [(-179.95, 1), (179.85, 1), (-179.8, 0), (179.5, 0)])
def test_the_world_is_round(longitude, near):
    """A box, a polygon and a circle that end at 179.95 degrees or begin there; 0.1 degrees are 11,120 m."""
    ring = np.array([[179.9, -1.0], [179.95, -1.0], [179.95, 1.0], [179.9, 1.0]])
    grid = BorderGrid(lonlat=True)
    world = np.array([[[-180.0, 180.0], [-2.0, 2.0]]])
    grid.insert(
        Shapes.joined(
            [
                Shapes.boxes(np.array([[[179.9, 179.95], [-1.0, 1.0]]])),
                Shapes.polygons([[ring]]),
                circles(np.array([[179.925, 0.0]]), np.array([2780.0]), world),
            ]
        )
    )
    points = [(longitude, 0.0)] * 3
    assert distant(grid, [0, 1, 2], points, [11_200.0] * 3) == [near == 0] * 3
