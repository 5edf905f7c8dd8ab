"""Regions around a center, against the rules in plain Python; and extents, which must hold all that is inside."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.queries.answer.kernels.around import (
    BOX,
    DISC,
    NEAREST,
    CenteredQueries,
    distance,
    extent_around,
    extent_of,
    in_box,
    inside,
    reach_along,
    reach_of,
)
from tests.oracle.answer import in_box_of_metres
from tests.oracle.region import EARTH_RADIUS, haversine

few = st.sampled_from((0.0, 1.0, 2.0, -1.0, 0.1, 0.3, 0.1 + 0.2, 5e-324, 1e-200, 1e16, 1e150, -1e300, 1e300))
floats = few | st.floats(allow_nan=False, allow_infinity=False)
sizes = st.sampled_from((5e-324, 1e-200, 1e-160, 0.1, 1.0, 2.0, 3.0, 1e16, 1e150)) | st.floats(5e-324, 1e150)
longitudes = st.sampled_from((-180.0, 0.0, 179.5, math.nextafter(180, 0))) | st.floats(-180, 179.99)
latitudes = st.sampled_from((-90.0, 90.0, 0.0, 89.9999, -89.0)) | st.floats(-90, 90)
metres = st.sampled_from((1e-9, 1.0, 1000.0, 1e6, math.pi * EARTH_RADIUS, 5e7, 1e150)) | st.floats(1e-3, 3e7)


def rows(*points):
    return np.array(points, np.float64)


def square(one, other):
    total = 0.0
    for a, b in zip(one, other, strict=True):
        total += (b - a) * (b - a)
    return total


def query(kind, half=(0.0, 0.0), limit=math.inf):
    """One query, of which only the region is known."""
    return CenteredQueries(
        kind=np.array([kind], np.int8),
        focal=np.array([-1], np.int32),
        center=np.full((1, 2), np.nan),
        half=np.array([half]),
        limit=np.array([limit]),
        wanted=np.zeros(1, np.int64),
        next_around=np.full(1, -1, np.int32),
        listed_first=np.zeros(1, np.int64),
        listed_count=np.full(1, -1, np.int64),
        member_first=np.zeros(1, np.int64),
        member_count=np.zeros(1, np.int64),
    )


def within(extent, point):
    return all(extent[2 * axis] <= value <= extent[2 * axis + 1] for axis, value in enumerate(point[:2]))


def within_on_earth(extent, point):
    return any(within(extent, (point[0] + turn, point[1])) for turn in (-360.0, 0.0, 360.0))


@given(dimensions=st.integers(2, 4), data=st.data())
def test_distances_are_sums_of_squares_in_the_order_of_the_columns(dimensions, data):
    points = st.tuples(*[floats] * dimensions)
    one, other = data.draw(points), data.draw(points)
    assert distance(False, rows(one, other), 0, rows(one, other), 1) == square(one, other)


@given(one=st.tuples(longitudes, latitudes), other=st.tuples(longitudes, latitudes))
def test_distances_of_places_are_metres(one, other):
    assert distance(True, rows(one), 0, rows(other), 0) == haversine(one, other)


@pytest.mark.parametrize(
    ("half", "point", "is_in"),
    [
        ((2.0, 1.0), (8.0, 10.0), True),
        ((2.0, 1.0), (math.nextafter(8, 0), 10.0), False),
        ((2.0, 1.0), (math.nextafter(12, 0), 10.0), True),
        ((2.0, 1.0), (12.0, 10.0), False),
        ((2.0, 1.0), (10.0, 9.0), True),
        ((2.0, 1.0), (10.0, math.nextafter(9, 0)), False),
        ((2.0, 1.0), (10.0, math.nextafter(11, 0)), True),
        ((2.0, 1.0), (10.0, 11.0), False),
        ((1e-20, 1.0), (10.0, 10.0), False),  # so narrow that both sides are one number
        ((1e150, 1e150), (-1e149, 1e149), True),
        ((1e150, 1e150), (1e300, 0.0), False),
    ],
)
def test_the_low_sides_of_a_box_belong_to_it(half, point, is_in):
    assert in_box(False, *half, rows((10.0, 10.0)), 0, rows(point), 0) == is_in


@given(center=st.tuples(longitudes, latitudes), place=st.tuples(longitudes, latitudes), width=metres, height=metres)
def test_boxes_of_metres_are_as_in_the_oracle(center, place, width, height):
    expected = in_box_of_metres(center, place, width, height)
    assert in_box(True, width / 2, height / 2, rows(center), 0, rows(place), 0) == expected


@pytest.mark.parametrize(("x", "is_in"), [(3.0, True), (math.nextafter(3, 4), False), (-3.0, True), (0.0, True)])
def test_circles_are_closed(x, is_in):
    assert inside(False, DISC, 0.0, 0.0, 9.0, rows((0.0, 0.0)), 0, rows((x, 0.0)), 0) == is_in


def test_the_kind_decides_which_region_it_is():
    corner = rows((1.5, 1.5))
    assert inside(False, BOX, 2.0, 2.0, 1.0, rows((0.0, 0.0)), 0, corner, 0)
    assert not inside(False, NEAREST, 2.0, 2.0, 4.0, rows((0.0, 0.0)), 0, corner, 0)


@given(limit=st.floats(0, 1e300), apart=st.floats(0, 1e150))
def test_whoever_is_within_a_limit_is_within_its_reach(limit, apart):
    if apart * apart <= limit:
        assert apart <= reach_of(limit)


@given(dimensions=st.integers(2, 3), kind=st.sampled_from((BOX, DISC)), data=st.data())
def test_an_extent_holds_all_that_is_inside(dimensions, kind, data):
    center = data.draw(st.tuples(*[floats] * dimensions))
    half = data.draw(st.tuples(sizes, sizes))
    region = query(kind, half, half[0] * half[0])
    # Near the border, of whose sides one may be in.
    shift = [data.draw(st.sampled_from((-1.0, 0.0, 0.5, math.nextafter(1, 0), 1.0))) for _ in range(dimensions)]
    size = half if kind == BOX else (half[0],) * 3
    point = [c + s * h for c, s, h in zip(center, shift, size, strict=False)]
    point += center[len(point) :]
    for _ in range(data.draw(st.integers(0, 3))):
        axis = data.draw(st.integers(0, dimensions - 1))
        point[axis] = math.nextafter(point[axis], center[axis] + data.draw(st.sampled_from((-1e300, 1e300))))
    extent = np.zeros(4)
    extent_of(False, region, 0, rows(center), 0, extent)
    if all(map(math.isfinite, point)) and inside(
        False, kind, *half, half[0] * half[0], rows(center), 0, rows(point), 0
    ):
        assert within(extent, point)
        reach = reach_along(extent, rows(center), 0)
        assert all(abs(value - middle) <= reach for value, middle in zip(point[:2], center[:2], strict=True))


@given(kind=st.sampled_from((BOX, DISC)), data=st.data())
def test_an_extent_on_earth_holds_all_that_is_inside(kind, data):
    center = data.draw(st.tuples(longitudes, latitudes))
    size, height = data.draw(metres), data.draw(metres)
    random = Random(data.draw(st.integers(0, 1000)))
    extent = np.zeros(4)
    extent_of(True, query(kind, (size / 2, height / 2), size), 0, rows(center), 0, extent)
    reach = reach_along(extent, rows(center), 0)
    for point in around(center, size, random, 20):
        if inside(True, kind, size / 2, height / 2, size, rows(center), 0, rows(point), 0):
            assert within_on_earth(extent, point)
            assert abs(point[1] - center[1]) <= reach
            assert min(abs(point[0] + turn - center[0]) for turn in (-360, 0, 360)) <= reach


def around(center, size, random, count):
    """Places that are about as far away as a size, or nearer, in all directions."""
    latitude = math.radians(center[1])
    for _ in range(count):
        bearing, angle = random.uniform(0, 2 * math.pi), size / EARTH_RADIUS * random.choice((0.5, 0.999999, 1 - 1e-12))
        angle = min(angle, math.pi)
        up = math.sin(latitude) * math.cos(angle) + math.cos(latitude) * math.sin(angle) * math.cos(bearing)
        along = math.atan2(
            math.sin(bearing) * math.sin(angle) * math.cos(latitude), math.cos(angle) - math.sin(latitude) * up
        )
        longitude = math.fmod(center[0] + math.degrees(along) + 540.0, 360.0) - 180.0
        yield longitude, math.degrees(math.asin(min(max(up, -1.0), 1.0)))


@pytest.mark.parametrize("distance_to_pole", [1e-1, 1e-3, 1e-5])
@pytest.mark.parametrize("part", [0.5, 0.99, 0.999999])
def test_an_extent_near_a_pole_holds_the_places_furthest_east(distance_to_pole, part):
    # There the widest place of a circle is not at its center's latitude, and rounding is worth most.
    center, extent = (10.0, 90.0 - distance_to_pole), np.zeros(4)
    metres_to_pole = haversine(center, (10.0, 90.0))
    limit = metres_to_pole * part
    extent_around(True, rows(center), 0, limit, extent)
    angle, latitude = limit / EARTH_RADIUS, math.radians(center[1])
    widest = math.degrees(math.asin(math.sin(latitude) / math.cos(angle)))
    across = math.degrees(math.asin(math.sin(angle) / math.cos(latitude)))
    for shift in np.linspace(-1e-9, 1e-9, 201).tolist():
        point = (center[0] + across * (1 + shift), widest)
        if haversine(center, point) <= limit:
            assert within(extent, point), (shift, extent)


@pytest.mark.parametrize(
    ("latitude", "size"), [(90.0, 1.0), (-90.0, 1000.0), (0.0, 1.1e7), (89.9, 20_000.0), (0.0, 3e7)]
)
def test_circles_about_a_pole_or_half_the_world_have_all_longitudes(latitude, size):
    extent = np.zeros(4)
    extent_around(True, rows((5.0, latitude)), 0, size, extent)
    assert (extent[0], extent[1]) == (-math.inf, math.inf)


def test_a_box_about_a_pole_has_all_longitudes():
    extent = np.zeros(4)
    extent_of(True, query(BOX, (1.0, 1.0)), 0, rows((5.0, 90.0)), 0, extent)
    assert (extent[0], extent[1]) == (-math.inf, math.inf)
    assert reach_along(extent, rows((5.0, 90.0)), 0) == math.inf
