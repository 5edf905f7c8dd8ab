"""Boxes that moves jump over, against rational arithmetic in each dimension."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.regions.edges import EdgeListLevel
from limen.regions.kernels.passing_boxes import passed_boxes
from tests.kernels.room import Room, assert_unharmed
from tests.regions.kernels.moves import Case, cases
from tests.regions.kernels.naive import inside


def meets(box, start, end):
    """Whether a way meets a box: intersect the times at which it is inside in each dimension."""
    first, last = (Fraction(0), 0), (Fraction(1), 0)  # a time, and whether it is just behind (1) or before (-1) it
    for (lo, hi), here, there in zip(box.tolist(), start, end, strict=True):
        if here == there:
            if not lo <= here < hi:
                return False
            continue
        # From lo on and before hi: upwards it comes in at lo and is out at hi, downwards the other way round.
        ends = [None if np.isinf(bound) else (Fraction(bound) - Fraction(here)) / (Fraction(there) - Fraction(here))
                for bound in (lo, hi)]  # fmt: skip
        if there > here:
            comes, goes = ends[0], ends[1]
            first = max(first, (comes, 0)) if comes is not None else first
            last = min(last, (goes, -1)) if goes is not None else last
        else:
            comes, goes = ends[1], ends[0]
            first = max(first, (comes, 1)) if comes is not None else first
            last = min(last, (goes, 0)) if goes is not None else last
    return first <= last


def expected(case: Case) -> Counter:
    found: Counter = Counter()
    for row, stream in enumerate(case.slot.tolist()):
        was, now = case.before[case.columns, row].tolist(), case.after[case.columns, row].tolist()
        if np.isnan(was).any() or np.isnan(now).any():
            continue
        for query in np.flatnonzero(case.alive).tolist():
            box = case.boxes[query]
            if case.owners is not None and stream not in case.owners[query]:
                continue
            if not inside(box, was) and not inside(box, now) and meets(box, was, now):
                found[row, query] += 1
    return found


def found_by_kernel(case: Case, capacity: int) -> Counter:
    queries = np.arange(len(case.boxes), dtype=np.int32)
    owners = np.full(len(queries), -1, np.int32)
    if case.owners is not None:
        owners = np.array([owner for own in case.owners for owner in own], np.int32)
        queries = np.repeat(queries, [len(own) for own in case.owners])
    everyone = np.ones(len(case.boxes), np.bool_)  # the dead are still listed
    level = EdgeListLevel(case.boxes, everyone, queries, owners, bound=case.owners is not None)
    edges, found, row = level.lists[0], Counter(), 0
    while row < len(case.slot):
        rows, out = Room(capacity), Room(capacity)
        done, count = passed_boxes(
            case.slot, case.before, case.after, case.columns, *edges[:3], level.segment_of, edges.segments,
            case.boxes, case.alive, row, rows.cells, out.cells,
        )  # fmt: skip
        assert row <= done <= len(case.slot)
        assert_unharmed(rows, out)
        found.update(zip(rows.cells[:count].tolist(), out.cells[:count].tolist(), strict=True))
        if done == row:
            capacity = 2 * capacity + 1
        row = done
    return found


@given(case=cases())
def test_all_boxes_on_the_way_are_found(case):
    assert found_by_kernel(case, capacity=4096) == expected(case)


@given(case=cases(), capacity=st.sampled_from((0, 1, 3)))
def test_in_little_room_the_kernel_stops_and_goes_on(case, capacity):
    assert found_by_kernel(case, capacity) == expected(case)


def test_many_boxes_are_passed_over_by_blocks():
    lower = np.arange(200.0)
    boxes = np.stack([np.stack([lower, lower + 0.5], 1), np.stack([lower, lower + 0.5], 1)], 1)
    case = Case(
        boxes, np.ones(200, np.bool_), None, np.zeros(2, np.int32),
        np.array([[150.7, 10.2], [150.7, 0.0]]), np.array([[154.7, 10.2], [154.7, 90.0]]), np.array([0, 1]), 1,
    )  # fmt: skip
    assert found_by_kernel(case, 64) == expected(case)
    assert sorted(found_by_kernel(case, 64)) == [(0, 151), (0, 152), (0, 153), (0, 154), (1, 10)]


@pytest.mark.parametrize("capacity", [0, 1, 64])
def test_ways_through_and_past_boxes_of_three_dimensions(capacity):
    corner = np.array([[1.0, 1.0, 1.0], [4.0, 1.0, 1.0], [1.0, 9.0, 1.0], [2.0, 2.0, 2.0]])
    boxes = np.stack([corner, corner + 1], axis=2)
    before = np.array([[0.0, 0.0, 0.0], [0.0, 1.5, 1.5], [3.0, 0.0, 0.0]]).T
    after = np.array([[5.0, 5.0, 5.0], [6.0, 1.5, 1.5], [0.0, 3.0, 3.0]]).T
    rows = np.zeros(3, np.int32)
    case = Case(boxes, np.ones(4, np.bool_), None, rows, before, after, np.arange(3), 1)
    assert found_by_kernel(case, capacity) == expected(case)
    # along the diagonal, along the first axis, and from one corner of a cube past two of the boxes
    assert sorted(expected(case)) == [(0, 0), (0, 3), (1, 0), (1, 1), (2, 0)]
