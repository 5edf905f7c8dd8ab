"""The grid of points against a list of them: what is in an extent is found, once, linked or arranged."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.queries.answer.kernels.object_grid import (
    ARRANGED,
    BARRED,
    GONE,
    LINKED,
    PRESENT,
    SAME,
    SOMEWHERE,
    ObjectGrid,
    arrange,
    cell_of,
    collect,
    columns_of,
    link,
    move_some,
    step_of,
)
from tests.kernels.room import Room, assert_unharmed

POINTS = 10
few = st.sampled_from((0.0, 1.0, 2.0, 3.0, -1.0, 0.5, 5e-324, 1e16, 1e300, -1e300))
coordinates = few | st.floats(-1, 4) | st.floats(allow_nan=False, allow_infinity=False)
bounds = coordinates | st.sampled_from((-math.inf, math.inf))
longitudes = st.sampled_from((-180.0, -179.5, 0.0, 150.0, 179.5, math.nextafter(180, 0))) | st.floats(-180, 179.99)
latitudes = st.sampled_from((-90.0, 90.0, 0.0)) | st.floats(-90, 90)
#: By axis: where it begins, cells a unit, cells.
FRAMES = (
    ((0.0, 1.0, 1.0), (0.0, 1.0, 1.0)),
    ((0.0, 1.0, 3.0), (0.0, 2.0, 6.0)),
    ((-1.0, 0.7, 4.0), (0.3, 1e-300, 2.0)),
    ((1.0, 1e300, 5.0), (-1e300, 1e-300, 3.0)),
)
WORLD = ((-180.0, 1 / 30, 12.0), (-90.0, 1 / 45, 4.0))
PART_OF_WORLD = ((100.0, 0.5, 20.0), (-10.0, 1.0, 20.0))


def empty_grid(frame, dimensions):
    frame = np.array(frame)
    cells = int(frame[0, 2] * frame[1, 2])
    return ObjectGrid(
        position=np.full((POINTS, dimensions), np.nan),
        frame=frame,
        state=np.zeros(3, np.int64),
        cell=np.empty(POINTS, np.int64),
        after=np.empty(POINTS, np.int32),
        before=np.empty(POINTS, np.int32),
        head=np.empty(cells, np.int32),
        start=np.empty(cells + 1, np.int64),
        slots_at=np.empty(POINTS, np.int32),
        here=np.empty((dimensions, POINTS)),
    )


class Both:
    """A grid and, beside it, where its points are."""

    def __init__(self, frame, dimensions, round_world=False):
        self.grid, self.dimensions, self.round_world = empty_grid(frame, dimensions), dimensions, round_world
        self.points = {}

    def move(self, entries):
        """Take entries: point, code, place; each point once."""
        places = np.array([place[: self.dimensions] for _, _, place in entries]).reshape(-1, self.dimensions)
        padding = 2  # entries on either side that are not meant
        stream = np.array([0] * padding + [i for i, _, _ in entries] + [0] * padding, np.int32)
        code = np.array([PRESENT] * padding + [code for _, code, _ in entries] + [PRESENT] * padding, np.int8)
        places = np.concatenate(
            [np.full((padding, self.dimensions), 7.0), places, np.full((padding, self.dimensions), 7.0)]
        )
        move_some(self.grid, stream, places, code, padding, padding + len(entries))
        for i, code_of_it, place in entries:
            if code_of_it == PRESENT:
                self.points[i] = place[: self.dimensions]
            elif code_of_it != SAME:
                self.points.pop(i, None)
        assert self.grid.state[SOMEWHERE] == len(self.points)
        for i in range(POINTS):
            expected = self.points.get(i, (math.nan,) * self.dimensions)
            assert np.array_equal(self.grid.position[i], expected, equal_nan=True)

    def is_in(self, place, extent):
        turns = (-360.0, 0.0, 360.0) if self.round_world else (0.0,)
        across = any(extent[0] <= place[0] + turn <= extent[1] for turn in turns)
        return across and extent[2] <= place[1] <= extent[3]

    def check(self, extent):
        extent = (min(extent[:2]), max(extent[:2]), min(extent[2:]), max(extent[2:]))
        for way in (arrange, link, arrange):
            way(self.grid)
            if way is link:
                self.grid.state[ARRANGED] = 0  # as whoever means to move linked points says
            self.check_one_way(extent)

    def check_one_way(self, extent):
        n = len(self.points)
        found, columns = Room(n), Room(4, np.int64)
        here = Room(n, np.float64, width=self.dimensions)
        count = collect(self.grid, np.array(extent), self.round_world, columns.cells, found.cells, here.cells)
        assert_unharmed(found, columns, here)
        met = found.cells[:count].tolist()
        assert len(met) == len(set(met)), "a point was found twice"
        assert {i for i, place in self.points.items() if self.is_in(place, extent)} <= set(met) <= self.points.keys()
        for at, i in enumerate(met):
            assert tuple(here.cells[at]) == tuple(self.points[i])


def entries_of(places):
    return st.lists(
        st.tuples(st.integers(0, POINTS - 1), st.sampled_from((PRESENT, PRESENT, PRESENT, GONE, BARRED, SAME)), places),
        max_size=POINTS,
        unique_by=lambda entry: entry[0],
    )


def play(both, places, extents, data):
    for _ in range(data.draw(st.integers(1, 6))):
        both.move(data.draw(entries_of(places)))
        way = data.draw(st.sampled_from(("check", "link", "arrange", "neither")))
        if way == "check":
            both.check(data.draw(extents))
        elif way == "link":
            link(both.grid)
        elif way == "arrange":
            arrange(both.grid)
    both.check(data.draw(extents))
    both.check((-math.inf, math.inf, -math.inf, math.inf))


@given(frame=st.sampled_from(FRAMES), dimensions=st.integers(2, 3), data=st.data())
def test_every_point_in_an_extent_is_found_once(frame, dimensions, data):
    play(
        Both(frame, dimensions),
        st.tuples(*[coordinates] * 3),
        st.tuples(*[bounds] * 4),
        data,
    )


@given(frame=st.sampled_from((WORLD, PART_OF_WORLD)), data=st.data())
def test_every_point_in_an_extent_is_found_once_on_the_way_round_the_world(frame, data):
    play(
        Both(frame, 2, round_world=True),
        st.tuples(longitudes, latitudes),
        st.builds(
            lambda x, reach, low, high: (x - reach, x + reach, low, high),
            longitudes, st.sampled_from((0.5, 1.0, 30.0, 179.0, 179.99, math.inf)) | st.floats(0, 179.99),
            latitudes, latitudes,
        ),
        data,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("extent", "columns"),
    [
        ((-10.0, 10.0), [5, 6, 0, -1]),
        ((170.0, 190.0), [11, 11, 0, 0]),
        ((-190.0, -170.0), [0, 0, 11, 11]),
        ((-200.0, 140.0), [0, 10, 11, 11]),
        ((-200.0, 151.0), [0, 11, 0, -1]),  # from both sides into one column, which is told once
        ((-151.0, 200.0), [0, 11, 0, -1]),
        ((-140.0, 200.0), [1, 11, 0, 0]),
        ((-math.inf, math.inf), [0, 11, 0, -1]),
        ((100.0, 180.0), [9, 11, 0, 0]),
        ((-180.0, 100.0), [0, 9, 0, -1]),
    ],
)
def test_columns_round_the_world(extent, columns):
    found = Room(4, np.int64)
    columns_of(empty_grid(WORLD, 2), np.array([*extent, -10.0, 10.0]), True, found.cells)
    assert found.cells.tolist() == columns
    found.assert_unharmed()


def test_without_going_round_an_extent_ends_at_the_edge():
    found = np.zeros(4, np.int64)
    columns_of(empty_grid(WORLD, 2), np.array([-200.0, -170.0, 0.0, 0.0]), False, found)
    assert found.tolist() == [0, 0, 0, -1]


@given(value=coordinates | st.sampled_from((-math.inf, math.inf)), other=coordinates, frame=st.sampled_from(FRAMES))
def test_steps_never_go_back_as_a_coordinate_grows(value, other, frame):
    frame = np.array(frame)
    low, high = sorted((value, other))
    for axis in (0, 1):
        assert 0 <= step_of(frame, axis, low) <= step_of(frame, axis, high) < frame[axis, 2]


def test_a_place_that_is_not_known_is_in_the_first_cell():
    assert cell_of(np.array(WORLD), np.array([[np.nan, np.nan]]), 0) == 0


def test_points_come_in_the_order_of_their_numbers_in_a_cell():
    both = Both(FRAMES[0], 2)
    both.move([(i, PRESENT, (1.0, 1.0)) for i in (4, 2, 9, 0)])
    for way in (link, arrange):
        way(both.grid)
        found, places = np.empty(4, np.int32), np.empty((4, 2))
        count = collect(both.grid, np.zeros(4), False, np.empty(4, np.int64), found, places)
        assert found[:count].tolist() == [0, 2, 4, 9]


def test_to_link_or_arrange_twice_is_to_do_nothing():
    both = Both(FRAMES[1], 2)
    both.move([(i, PRESENT, (float(i % 3), 1.0)) for i in range(POINTS)])
    link(both.grid)
    both.grid.head[:] = -7
    link(both.grid)
    assert (both.grid.head == -7).all()
    arrange(both.grid)
    assert both.grid.state.tolist() == [POINTS, 0, 1]
    both.grid.start[:] = -7
    arrange(both.grid)
    assert (both.grid.start == -7).all()
    assert both.grid.state[LINKED] == 0
