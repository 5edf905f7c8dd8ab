import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from limen.regions.kernels.exact import side, side_in_full
from limen.regions.kernels.geometry import crosses, distance_on_earth, in_box, in_circle
from limen.regions.kernels.segments import meets_box, meets_circle


@pytest.fixture(autouse=True)
def quiet():
    """As plain Python, kernels warn where the largest numbers overflow."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        yield


LARGEST = 1.7976931348623157e308
finite = st.floats(allow_nan=False, allow_infinity=False)
few = st.sampled_from((0.0, 1.0, 2.0, 3.0, -1.0, 0.1, 0.3, 1e-320, -5e-324, 1e300, LARGEST, -LARGEST))
coordinates = st.one_of(few, few, st.floats(-2, 2), finite)


def exact_side(xa, ya, xb, yb, x, y):
    xa, ya, xb, yb, x, y = map(Fraction, (xa, ya, xb, yb, x, y))
    value = (xb - xa) * (y - ya) - (x - xa) * (yb - ya)
    return (value > 0) - (value < 0)


@given(numbers=st.tuples(*[coordinates] * 6))
@example((-1e-320, 0.0, 1.0, 1.0, 0.0, 1e-320))  # decided by a product of 1e-640
@example((-LARGEST, -LARGEST, LARGEST, LARGEST, 1.0, 1.0))
@example((0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
@example((0.0, 5.0, 0.0, 7.0, 0.0, 6.0))
@example((5.0, 0.0, 7.0, 0.0, 6.0, 0.0))
def test_the_side_of_a_line_is_that_of_rational_arithmetic(numbers):
    assert side(*numbers) == side_in_full(*numbers) == exact_side(*numbers)


near_ulp = st.sampled_from((-2, -1, 0, 1, 2))


def off(x, ulps):
    for _ in range(abs(ulps)):
        x = math.nextafter(x, math.copysign(math.inf, ulps))
    return x


@given(
    ends=st.tuples(*[st.one_of(few, st.floats(-100, 100))] * 4),
    share=st.sampled_from((0.0, 0.5, 1.0, 0.1, 1 / 3, 0.9)),
    ulps=st.tuples(near_ulp, near_ulp),
)
def test_points_on_edges_at_vertices_and_some_ulps_off(ends, share, ulps):
    (ya, xa), (yb, xb) = sorted([(ends[1], ends[0]), (ends[3], ends[2])])
    x, y = (1 - share) * xa + share * xb, (1 - share) * ya + share * yb
    x, y = off(x, ulps[0]), off(y, ulps[1])
    if not (math.isfinite(x) and math.isfinite(y)):
        return
    expected = ya <= y < yb and exact_side(xa, ya, xb, yb, x, y) > 0
    assert crosses(xa, ya, xb, yb, x, y) == expected


@given(points=st.lists(st.tuples(few, few), min_size=3, max_size=3), point=st.tuples(few, few))
def test_neighbours_agree_about_their_common_edge(points, point):
    """A point near the edge that a triangle shares with the rest of its box is in one of them, if it is in the box."""
    a, b, c = points
    triangle = sum(lower_first(one, other, point) for one, other in ((a, b), (b, c), (c, a)))
    rest = sum(lower_first(one, other, point) for one, other in ((b, a), (c, b), (a, c)))
    assert triangle == rest


def lower_first(one, other, point):
    (ya, xa), (yb, xb) = sorted([(one[1], one[0]), (other[1], other[0])])
    return crosses(xa, ya, xb, yb, *point)


def test_a_rectangle_equals_its_box():
    box = np.array([[1.0, 3.0, 2.0, 5.0]])
    edges = [(1.0, 2.0, 1.0, 5.0), (3.0, 2.0, 3.0, 5.0), (1.0, 2.0, 3.0, 2.0), (1.0, 5.0, 3.0, 5.0)]
    for x in (0.0, off(1.0, -1), 1.0, 2.0, off(3.0, -1), 3.0, 4.0):
        for y in (0.0, off(2.0, -1), 2.0, 3.0, off(5.0, -1), 5.0, 6.0):
            assert in_box(box, 0, x, y) == (sum(crosses(*edge, x, y) for edge in edges) % 2 == 1)
    assert not in_box(box, 0, math.nan, 3.0)


def test_circles_are_closed_and_compared_in_float64():
    assert in_circle(0.0, 0.0, 5.0, False, 3.0, 4.0)
    assert not in_circle(0.0, 0.0, 5.0, False, 3.0, off(4.0, 1))
    x, y, radius = 0.1, 0.2, math.sqrt(0.1 * 0.1 + 0.2 * 0.2)
    assert in_circle(0.0, 0.0, radius, False, x, y) == (x * x + y * y <= radius * radius)


def haversine(one, other):
    (lon1, lat1), (lon2, lat2) = (map(math.radians, place) for place in (one, other))
    half = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * 6_371_008.8 * math.asin(min(math.sqrt(half), 1.0))


@given(
    one=st.tuples(st.floats(-180, 180), st.floats(-90, 90)), other=st.tuples(st.floats(-180, 180), st.floats(-90, 90))
)  # fmt: skip
@example((0.0, 0.0), (-180.0, 0.0))
@example((179.9, 10.0), (-179.9, 10.0))
def test_distances_on_earth(one, other):
    away = distance_on_earth(*one, *other)
    assert away == pytest.approx(haversine(one, other), rel=1e-12, abs=1e-6)
    assert in_circle(*one, away, True, *other)


# ---- ways ------------------------------------------------------------------------------------------------------------


def test_a_way_that_touches_a_box_meets_it_where_the_border_belongs_to_it():
    def meets(*ends):
        return meets_box(0.0, 2.0, 0.0, 2.0, *map(float, ends))

    assert meets(-1, 1, 3, 1)
    assert meets(1, -1, 1, 3)
    assert meets(-1, 1, 1, -1)  # the lower left corner only
    assert not meets(1, 3, 3, 1)  # the upper right one
    assert not meets(-1, 1, 1, 3)  # the upper left one
    assert not meets(1, -1, 3, 1)  # the lower right one
    assert meets(-1, 0, 3, 0)  # along the lower side
    assert not meets(-1, 2, 3, 2)  # the upper one
    assert meets(0, -1, 0, 3)
    assert not meets(2, -1, 2, 3)
    assert not meets(5, 5, 6, 7)
    assert not meets(-2, 0, -1, 5)


def test_a_way_through_a_box_without_ends():
    inf = math.inf
    assert meets_box(0.0, 1.0, -inf, inf, -1.0, 1e300, 2.0, -1e300)
    assert meets_box(-inf, inf, 0.0, 1.0, 5.0, -1.0, 5.0, 2.0)
    assert not meets_box(0.0, inf, 0.0, inf, -1.0, 0.5, 0.5, -1.0)


@given(ends=st.tuples(*[st.integers(-1, 4).map(float)] * 4))
def test_a_way_meets_a_box_when_one_of_its_points_is_inside(ends):
    x0, y0, x1, y1 = ends
    if any(1 <= x < 3 and 1 <= y < 2 for x, y in ((x0, y0), (x1, y1))):
        return
    shares = {Fraction(k, 1) for k in (0, 1)}
    for start, end, marks in ((x0, x1, (1, 3)), (y0, y1, (1, 2))):
        shares |= {Fraction(mark - int(start), int(end - start)) for mark in marks if end != start}
    tried = sorted(share for share in shares if 0 <= share <= 1)
    tried += [(one + other) / 2 for one, other in pairwise(tried)]
    points = [(x0 + share * Fraction(x1 - x0), y0 + share * Fraction(y1 - y0)) for share in tried]
    inside = any(1 <= Fraction(x) < 3 and 1 <= Fraction(y) < 2 for x, y in points)
    assert meets_box(1.0, 3.0, 1.0, 2.0, x0, y0, x1, y1) == inside


def test_ways_and_circles():
    assert meets_circle(0.0, 0.0, 1.0, False, -2.0, 1.0, 2.0, 1.0)
    assert not meets_circle(0.0, 0.0, 1.0, False, -2.0, 1.1, 2.0, 1.1)
    assert not meets_circle(0.0, 0.0, 1.0, False, 2.0, 0.0, 3.0, 0.0)
    assert not meets_circle(0.0, 0.0, 1.0, False, 2.0, 0.0, 2.0, 0.0)
    assert meets_circle(10.0, 60.0, 1000.0, True, 9.9, 60.005, 10.1, 60.005)
    assert not meets_circle(10.0, 60.0, 1000.0, True, 9.9, 60.02, 10.1, 60.02)
