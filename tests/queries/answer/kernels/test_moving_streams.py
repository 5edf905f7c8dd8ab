"""Streams arranged by their moves: who may come or go is in the cells around, once, and is told what it can be told."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.queries.answer.kernels.moving_streams import (
    COMES,
    EITHER,
    FEW,
    GOES,
    MovedStreams,
    arrange_moves,
    usual_reach,
)
from limen.queries.answer.kernels.object_grid import ARRANGED, LINKED, ObjectGrid, step_of
from limen.queries.answer.kernels.quantized import LANES, quantize, quantized_scale

FRAME = np.array([[0.0, 0.5, 4.0], [0.0, 0.5, 3.0]])  # 4 by 3 cells, two units wide
NOWHERE = (math.nan, math.nan)
places = st.just(NOWHERE) | st.tuples(*[st.sampled_from((-5.0, 0.0, 1.0, 1.5, 2.0, 3.0, 5.5, 8.0, 1e300))] * 2)


def moved(before, after, entries):
    """Return a grid of streams as they are now, and where those with an entry were."""
    n, cells = len(before), int(FRAME[0, 2] * FRAME[1, 2])
    grid = ObjectGrid(
        position=np.array(after).reshape(-1, 2),
        frame=FRAME,
        state=np.array([sum(not math.isnan(x) for x, _ in after), 1, 1]),
        cell=np.empty(n, np.int64),
        after=np.empty(n, np.int32),
        before=np.empty(n, np.int32),
        head=np.empty(cells, np.int32),
        start=np.empty(cells + 1, np.int64),
        slots_at=np.empty(n, np.int32),
        here=np.empty((2, n)),
    )
    old_point = np.array([before[i] for i in entries]).reshape(-1, 2)
    return grid, old_point


def cell(place):
    return step_of(FRAME, 1, place[1]) * 4 + step_of(FRAME, 0, place[0])


@given(data=st.data(), first=st.integers(0, 3), reach=st.sampled_from((0.0, 0.5, 2.0)))
def test_every_stream_lies_where_it_is_and_if_it_came_from_afar_where_it_was(data, first, reach):
    before = data.draw(st.lists(places, max_size=8))
    entries = data.draw(st.permutations(range(len(before))).map(lambda order: order[: len(order) // 2 + 1]))
    after = list(before)
    entry_of = np.full(len(before), -1, np.int64)
    for number, i in enumerate(entries):
        after[i], entry_of[i] = data.draw(places), first + number
    grid, old_point = moved(before, after, entries)
    n = len(before)
    moves = MovedStreams(
        np.empty((2 * n, 4)), np.full((2 * n, 3), 9, np.int32), np.full((4, 2 * n + LANES), 9, np.int16)
    )  # fmt: skip
    rows = 100 + np.arange(n)
    arrange_moves(grid, entry_of, rows, old_point, first, reach, moves)
    expected = []
    for i, (was, now) in enumerate(zip(before, after, strict=True)):
        far = max(abs(now[0] - was[0]), abs(now[1] - was[1])) > reach or math.isnan(now[0])
        far = far and not math.isnan(was[0])
        if not math.isnan(now[0]):
            expected.append((cell(now), i, COMES if far else EITHER))
        if far:
            expected.append((cell(was), i, GOES))
    found = []
    for number in range(12):
        for at in range(grid.start[number], grid.start[number + 1]):
            i, row, role = moves.slots_at[at]
            found.append((number, i, role))
            assert row == rows[i]
            assert np.array_equal(moves.where[at], after[i] + before[i], equal_nan=True)
            assert moves.quantized[:, at].tolist() == [
                quantize(FRAME[axis, 0], quantized_scale(FRAME, axis), place[axis])
                for place in (after[i], before[i])
                for axis in range(2)
            ]
    assert sorted(found) == sorted(expected)
    assert grid.start[-1] == len(expected)
    assert grid.state[ARRANGED] == grid.state[LINKED] == 0


@pytest.mark.parametrize(
    ("step", "reach"), [(0.0, 0.25), (0.25, 0.25), (0.3, 0.5), (2.0, 2.0), (2.1, 4.0), (100.0, 4.0), (math.nan, 4.0)]
)
def test_a_reach_is_as_far_as_most_have_gone_but_not_very_far(step, reach):
    n = 2 * FEW
    position = np.full((n, 2), 1.0)
    assert usual_reach(FRAME, position, np.arange(n), position - step, 0) == reach


def test_a_few_that_have_gone_far_do_not_count_nor_those_that_have_not_moved():
    n = 2 * FEW
    position, old_point = np.full((n, 2), 1.0), np.full((n, 2), 1.0)
    old_point[:2] = 1000.0
    assert usual_reach(FRAME, position, np.arange(n), old_point, 0) == 0.25
    old_point[2] = 1000.0
    assert usual_reach(FRAME, position, np.arange(n), old_point, 0) == 4.0
    assert usual_reach(FRAME, position, np.full(n, -1), old_point, 0) == 0.25
