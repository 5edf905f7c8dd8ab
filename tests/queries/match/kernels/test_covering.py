from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.queries.match.axis import CellAxis
from limen.queries.match.box_level import BoxLevel
from limen.queries.match.cutting import CuttingPlan
from limen.queries.match.interval_level import arranged
from limen.queries.match.kernels.covering import covered_boxes, covered_intervals
from tests.kernels.room import Room, assert_unharmed
from tests.regions.kernels import naive
from tests.regions.kernels.moves import LARGEST, boxes, points


def in_rooms(find, rows, capacity):
    """Call a kernel with outputs of some capacity until it is done."""
    found, row = Counter(), 0
    while row < rows:
        out_row, out_slot = Room(capacity), Room(capacity)
        done, count = find(row, out_row.cells, out_slot.cells)
        assert row <= done <= rows
        assert_unharmed(out_row, out_slot)
        found.update(zip(out_row.cells[:count].tolist(), out_slot.cells[:count].tolist(), strict=True))
        if done == row:
            assert count == 0
            capacity = 2 * capacity + 1
        row = done
    return found


def intervals_around(bounds, alive, values, capacity, **settings):
    level = arranged(bounds, np.arange(len(bounds), dtype=np.int32), **settings)
    axis, line = level.axis, level.constructs
    return in_rooms(
        lambda row, out_row, out_slot: covered_intervals(
            values, axis.origin, axis.cells_a_unit, axis.cells, line.shapes, line.runs, level._start, level._entry,
            level._rim_start, level._rim_entry, level._rim_bounds, alive, not alive.all(), row, out_row, out_slot,
        ),
        len(values), capacity,
    )  # fmt: skip


def boxes_around(bounds, alive, values, capacity, columns, axes, longest, overlapped):
    plan = CuttingPlan(columns, tuple(CellAxis.over((-1.0, 5.5), cells) for cells in axes), longest)
    level = BoxLevel(bounds, np.arange(len(bounds), dtype=np.int32), plan, overlapped=overlapped)
    constructs, lists = level.constructs, level.lists
    return in_rooms(
        lambda row, out_row, out_slot: covered_boxes(
            values, level._columns, level._origin, level._cells_a_unit, level._cells, constructs.position_step,
            constructs.runs, lists.start, lists.entry, lists.own, level._box, level._slot_of, alive, not alive.all(),
            row, out_row, out_slot,
        ),
        values.shape[1], capacity,
    )  # fmt: skip


def expected(bounds, alive, values):
    living = {slot: bounds[slot] for slot in np.flatnonzero(alive).tolist()}
    return naive.containing(living, None, [0] * values.shape[1], values, list(range(len(values))))


def draw_alive(data, count):
    all_live = data.draw(st.booleans())
    return np.array([all_live or data.draw(st.booleans()) for _ in range(count)], np.bool_)


@given(data=st.data(), capacity=st.sampled_from((0, 1, 3, 17, 300)))
def test_intervals_are_found_in_any_room(data, capacity):
    bounds = data.draw(boxes(1).filter(len))
    values, alive = data.draw(points(1, 8)), draw_alive(data, len(bounds))
    settings = data.draw(st.sampled_from(({}, {"longest": 2, "cells": 6, "domain": (0.0, 6.0)}, {"by_shape": False})))
    assert intervals_around(bounds, alive, values[0], capacity, **settings) == expected(bounds, alive, values)


@given(data=st.data(), capacity=st.sampled_from((0, 1, 3, 17, 300)), longest=st.sampled_from((1, 2, 4)))
def test_boxes_are_found_in_any_room(data, capacity, longest):
    dimensions = data.draw(st.integers(2, 4))
    axes = data.draw(st.lists(st.integers(longest, 6), min_size=2, max_size=min(dimensions, 3)))
    columns = tuple(data.draw(st.permutations(range(dimensions))))
    bounds = data.draw(boxes(dimensions, max_size=10))
    values, alive = data.draw(points(dimensions, 8)), draw_alive(data, len(bounds))
    overlapped = data.draw(st.booleans())
    got = boxes_around(bounds, alive, values, capacity, columns, axes, longest, overlapped)
    assert got == expected(bounds, alive, values)


@pytest.mark.parametrize(
    ("box", "point", "within"),
    [
        ([1, 3], 1.0, True),
        ([1, 3], 3.0, False),
        ([1, 3], np.nextafter(3, 0), True),
        ([1, 3], np.nan, False),
        ([-np.inf, np.inf], -LARGEST, True),
        ([-np.inf, np.inf], LARGEST, True),
        ([-np.inf, np.inf], np.inf, False),
        ([-np.inf, np.inf], -np.inf, True),
        ([-LARGEST, LARGEST], LARGEST, False),
        ([-LARGEST, LARGEST], -LARGEST, True),
        ([0, 5e-324], 0.0, True),
        ([0, 5e-324], 5e-324, False),
    ],
)
def test_points_on_borders(box, point, within):
    living, values = np.ones(1, np.bool_), np.array([[point], [point]])
    bounds = np.array([[box, box]], np.float64)
    found = Counter({(0, 0)} if within else ())
    assert intervals_around(bounds[:, :1], living, values[0], 4) == found
    assert boxes_around(bounds, living, values, 4, (0, 1), (7, 7), 2, overlapped=False) == found
