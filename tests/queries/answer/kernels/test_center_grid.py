"""The grid of centers against a dictionary: it may find too much, but never misses a region, nor tells it twice."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.queries.answer.kernels.center_grid import (
    EVERYWHERE,
    HIGHEST,
    LOWEST,
    OPEN,
    UNPLACED,
    CenterGrid,
    collect,
    collect_open,
    is_seen_alike,
    level_of,
    put_in,
    step_at,
    take_out,
)
from tests.kernels.room import Room

REGIONS = 12
few = st.sampled_from((0.0, 1.0, -1.0, 2.0, 0.5, -0.0, 5e-324, 1e-300, 1e16, 1e150, 1e300, -1e300))
coordinates = few | st.floats(-10, 10) | st.floats(allow_nan=False, allow_infinity=False)
reaches = (
    st.sampled_from((0.0, 5e-324, 1e-300, 1e-150, 0.5, 1.0, math.nextafter(1, 0), 2.0, 3.0, 1e16, 1e150, 1e299, 1e300))
    | st.floats(0, 10)
    | st.floats(0, allow_nan=False)
)
longitudes = st.sampled_from((-180.0, -179.5, 0.0, 150.0, 179.5, math.nextafter(180, 0))) | st.floats(-180, 179.99)
latitudes = st.sampled_from((-90.0, 90.0, 0.0)) | st.floats(-90, 90)
degrees = st.sampled_from((1e-9, 0.5, 1.0, 16.0, 29.9, math.nextafter(30, 0), 30.0, 180.0, math.inf)) | st.floats(0, 40)


def empty_grid(buckets=32):
    return CenterGrid(
        level=np.full(REGIONS, UNPLACED, np.int32),
        column=np.zeros(REGIONS, np.int64),
        row=np.zeros(REGIONS, np.int64),
        after=np.zeros(REGIONS, np.int32),
        before=np.zeros(REGIONS, np.int32),
        head=np.full(buckets, -1, np.int32),
        used=np.zeros(UNPLACED - LOWEST, np.int64),
        span=np.array([HIGHEST, LOWEST]),
        stale=np.zeros(1, np.int64),
    )


class Both:
    """A grid and, beside it, where its regions are and how far they reach; None for one that is open."""

    def __init__(self, round_world, buckets):
        self.round_world, self.grid = round_world, empty_grid(buckets)
        self.regions = {}

    def put(self, region, center, reach):
        level = OPEN if reach is None else level_of(reach, self.round_world)
        put_in(self.grid, region, level, center[0], center[1])
        self.regions[region] = (center, reach)

    def take(self, region):
        take_out(self.grid, region)
        self.regions.pop(region, None)

    def apart(self, center, point):
        """How far a point is from a center, along the axis where it is furthest."""
        across = abs(point[0] - center[0])
        if self.round_world:
            across = min(abs(point[0] + turn - center[0]) for turn in (-360.0, 0.0, 360.0))
        return max(across, abs(point[1] - center[1]))

    def check(self, point):
        room = Room(len(self.regions))
        count = collect(self.grid, point[0], point[1], self.round_world, room.cells)
        room.assert_unharmed()
        found = room.cells[:count].tolist()
        assert len(found) == len(set(found)), "a region was found twice"
        placed = {region for region, (_, reach) in self.regions.items() if reach is not None}
        due = {region for region in placed if self.apart(self.regions[region][0], point) <= self.regions[region][1]}
        assert due <= set(found) <= placed
        opened = Room(len(self.regions))
        count = collect_open(self.grid, opened.cells)
        opened.assert_unharmed()
        assert sorted(opened.cells[:count].tolist()) == sorted(self.regions.keys() - placed)

    def found_from(self, point):
        room = Room(len(self.regions))
        count = collect(self.grid, point[0], point[1], self.round_world, room.cells)
        return sorted(room.cells[:count].tolist())

    def check_alike(self, point, other):
        """Who is said to find the same finds the same."""
        if is_seen_alike(self.grid, *point, *other, self.round_world):
            assert self.found_from(point) == self.found_from(other)

    def check_books(self):
        levels = self.grid.level[self.grid.level != UNPLACED].tolist()
        assert len(levels) == len(self.regions)
        assert self.grid.used.tolist() == [levels.count(level) for level in range(LOWEST, UNPLACED)]


@given(buckets=st.sampled_from((1, 2, 32)), data=st.data())
def test_no_region_that_contains_a_point_is_missed(buckets, data):
    play(Both(False, buckets), coordinates, coordinates, reaches, data)


@given(buckets=st.sampled_from((1, 32)), data=st.data())
def test_no_region_is_missed_on_the_way_round_the_world(buckets, data):
    play(Both(True, buckets), longitudes, latitudes, degrees, data)


def play(both, x, y, reach, data):
    places = st.tuples(x, y)
    for _ in range(data.draw(st.integers(1, 20))):
        region = data.draw(st.integers(0, REGIONS - 1))
        action = data.draw(st.sampled_from(("put", "put", "put", "take", "look")))
        if action == "put":
            both.put(region, data.draw(places), data.draw(st.none() | reach))
        elif action == "take":
            both.take(region)
        else:
            both.check(data.draw(places))
            both.check_alike(data.draw(places), data.draw(places))
    both.check_books()
    for center, reach_of_it in list(both.regions.values()):
        both.check(center)
        if reach_of_it is not None and reach_of_it < (30 if both.round_world else math.inf):
            for sign in (-1.0, 1.0):  # on its border
                point = (center[0] + sign * reach_of_it, center[1])
                if both.round_world:
                    point = (point[0] - 360.0 * math.floor((point[0] + 180.0) / 360.0), point[1])
                if math.isfinite(point[0]) and not (both.round_world and point[0] >= 180.0):
                    both.check(point)
                    both.check_alike(center, point)


@pytest.mark.parametrize(
    ("point", "other", "round_world", "alike"),
    [
        ((0.5, 0.5), (1.5, 0.25), False, True),  # cells of the one region are two units wide
        ((0.5, 0.5), (2.5, 0.5), False, False),
        ((0.5, 0.5), (0.5, -0.5), False, False),
        ((0.5, 0.5), (1.5, 0.25), True, True),
        ((174.5, 0.5), (175.5, 0.5), False, True),
        ((174.5, 0.5), (175.5, 0.5), True, False),  # so near the antimeridian, one may see over it
    ],
)
def test_who_is_in_the_same_cell_sees_alike(point, other, round_world, alike):
    both = Both(round_world, 4)
    assert is_seen_alike(both.grid, *point, *other, round_world)  # there is nothing to see
    put_in(both.grid, 0, 1, 0.0, 0.0)
    put_in(both.grid, 1, 3, 0.0, 0.0)
    take_out(both.grid, 1)
    assert is_seen_alike(both.grid, *point, *other, round_world) == alike


@pytest.mark.parametrize("buckets", [1, 4, 64])
def test_all_regions_in_one_cell(buckets):
    both = Both(False, buckets)
    for region in range(REGIONS):
        both.put(region, (0.25, 0.25), 1.0)
    both.check((0.5, 0.5))
    for region in (3, 0, 11, 5, 5):  # from within a list, its ends, and one that is not there
        both.take(region)
        both.check((0.5, 0.5))
    both.check_books()


def test_a_region_is_put_elsewhere_without_being_taken_out():
    both = Both(False, 8)
    for place in ((0.0, 0.0), (0.1, 0.1), (50.0, 0.0), (50.0, 90.0), (-1e300, 1e300)):
        both.put(0, place, 1.0)
        both.check(place)
        both.check_books()
    both.put(0, (0.0, 0.0), None)
    both.put(0, (7.0, 7.0), None)
    both.check((0.0, 0.0))
    both.put(0, (7.0, 7.0), math.inf)
    both.check((-1e300, 0.0))
    both.check_books()


@pytest.mark.parametrize(
    ("reach", "round_world", "level"),
    [
        (math.nan, False, EVERYWHERE),
        (math.inf, False, EVERYWHERE),
        (1e300, False, EVERYWHERE),
        (math.nextafter(1e300, 0), False, 997),
        (0.0, False, LOWEST),
        (5e-324, False, LOWEST),
        (1.0, False, 1),
        (math.nextafter(1, 0), False, 0),
        (30.0, True, EVERYWHERE),
        (math.nextafter(30, 0), True, 5),
        (30.0, False, 5),
    ],
)
def test_levels(reach, round_world, level):
    assert level_of(reach, round_world) == level
    assert level in (LOWEST, EVERYWHERE) or reach < 2.0**level


@pytest.mark.parametrize(
    ("value", "level", "step"),
    [(-0.5, 0, -1), (3.9, 1, 1), (4.0, 1, 2), (1e300, LOWEST, 2**60), (-1e300, 0, -(2**60)), (1e300, HIGHEST, 0)],
)
def test_steps_end_far_away(value, level, step):
    assert step_at(value, level) == step
