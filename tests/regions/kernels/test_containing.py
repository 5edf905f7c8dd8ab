from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.regions.kernels.containing import containing
from tests.kernels.room import Room, assert_unharmed
from tests.regions.kernels import naive
from tests.regions.kernels.lists import level_of, line
from tests.regions.kernels.moves import LARGEST, cases


def found_by_kernel(case, capacity):
    level, found, row = level_of(case), Counter(), 0
    while row < len(case.slot):
        rows, queries = Room(capacity), Room(capacity)
        edges = level.lists[0]
        done, count = containing(
            case.slot, case.after, case.columns, *edges[:5], level.segment_of, edges.segments, case.boxes,
            case.alive, row, rows.cells, queries.cells,
        )  # fmt: skip
        assert row <= done <= len(case.slot)
        assert_unharmed(rows, queries)
        found.update(zip(rows.cells[:count].tolist(), queries.cells[:count].tolist(), strict=True))
        if done == row:
            capacity = 2 * capacity + 1
        row = done
    return found


def expected(case):
    living = {query: case.boxes[query] for query in np.flatnonzero(case.alive).tolist()}
    return naive.containing(living, case.owners, case.slot.tolist(), case.after, case.columns)


@given(case=cases())
def test_all_queries_around_a_point_are_found(case):
    assert found_by_kernel(case, capacity=4096) == expected(case)


@given(case=cases(), capacity=st.sampled_from((0, 1, 15, 16, 17, 40)))
def test_in_little_room_the_kernel_stops_and_goes_on(case, capacity):
    assert found_by_kernel(case, capacity) == expected(case)


@pytest.mark.parametrize(
    ("box", "point", "within"),
    [
        ([1, 3], 1.0, True),
        ([1, 3], 3.0, False),
        ([1, 3], np.nextafter(3, 0), True),
        ([1, 3], np.nan, False),
        ([-np.inf, np.inf], -LARGEST, True),
        ([-np.inf, np.inf], LARGEST, True),
        ([-LARGEST, LARGEST], LARGEST, False),
        ([0, 5e-324], 0.0, True),
        ([0, 5e-324], 5e-324, False),
    ],
)
def test_points_on_borders(box, point, within):
    case = line([box], [np.nan], [point])
    assert found_by_kernel(case, capacity=16) == Counter({(0, 0)} if within else ())


def test_many_queries_around_one_point_in_many_pieces():
    case = line([[0, 9]] * 300, [np.nan] * 3, [1.0, 9.0, 2.0])
    assert found_by_kernel(case, capacity=320) == Counter((row, query) for row in (0, 2) for query in range(300))
