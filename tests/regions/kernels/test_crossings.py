from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.regions.kernels.crossings import WALK, confirmed, crossed
from tests.kernels.room import Room, assert_unharmed
from tests.regions.kernels import naive
from tests.regions.kernels.lists import level_of, line
from tests.regions.kernels.moves import LARGEST, cases


def run(case, level, which, hints, row, rows, queries):
    """Run the first kernel on one list."""
    k, edges = which // 2, level.lists[which]
    column, following = case.columns[k], case.columns[(k + 1) % len(case.columns)]
    return crossed(
        case.slot, case.before[column], case.after[column], case.before[following], case.after[following],
        which % 2 == 1, *edges[:5], level.segment_of, edges.segments, hints, row, rows, queries,
    )  # fmt: skip


def found_by_kernels(case, capacity, hint=0):
    """Run the kernels over all lists, resume where they stop, and grow the room only when nothing fitted."""
    level, found = level_of(case), Counter()
    for which in range(len(level.lists)):
        k, row = which // 2, 0
        hints = Room(case.streams)
        hints.cells[:] = hint
        while row < len(case.slot):
            rows, queries = Room(capacity), Room(capacity)
            done, count, _ = run(case, level, which, hints.cells, row, rows.cells, queries.cells)
            assert row <= done <= len(case.slot)
            assert done > row or count == 0
            if done == row:
                capacity *= 2
            row = done
            kept = confirmed(
                k, case.columns, case.before, case.after, case.boxes, case.alive, count,
                rows.cells, queries.cells,
            )  # fmt: skip
            assert_unharmed(rows, queries, hints)
            found.update(zip(rows.cells[:kept].tolist(), queries.cells[:kept].tolist(), strict=True))
    return found


def expected(case):
    living = {query: case.boxes[query] for query in np.flatnonzero(case.alive).tolist()}
    return naive.crossings(living, case.owners, case.slot.tolist(), case.before, case.after, case.columns)


@given(case=cases())
def test_each_change_of_side_is_found_once(case):
    assert found_by_kernels(case, capacity=4096) == expected(case)


@given(case=cases(), capacity=st.sampled_from((1, WALK, WALK + 1, 40, 64)))
def test_in_little_room_the_kernel_stops_and_goes_on(case, capacity):
    assert found_by_kernels(case, capacity) == expected(case)


@given(case=cases(), hint=st.integers(-100, 100))
def test_a_wrong_hint_does_no_harm(case, hint):
    assert found_by_kernels(case, 4096, hint) == expected(case)


@pytest.mark.parametrize(
    ("boxes", "before", "after", "pairs"),
    [
        pytest.param([], [0.0], [9.0], {}, id="no queries"),
        pytest.param([[1, 3]], [], [], {}, id="no rows"),
        pytest.param([[1, 3]], [0.0], [1.0], {(0, 0)}, id="onto the lower bound is in"),
        pytest.param([[1, 3]], [1.0], [3.0], {(0, ~0)}, id="onto the upper bound is out"),
        pytest.param([[1, 3]], [3.0], [np.nextafter(3, 0)], {(0, 0)}, id="one float below the upper bound"),
        pytest.param([[1, 3]], [1.0], [np.nextafter(1, 0)], {(0, ~0)}, id="one float below the lower bound"),
        pytest.param([[1, 3]], [0.0, 5.0], [5.0, 0.0], {}, id="jumped over"),
        pytest.param([[1, 3]], [2.0], [2.0], {}, id="no move"),
        pytest.param([[1, 3]], [np.nan, 2.0], [2.0, np.nan], {}, id="unknown on one side"),
        pytest.param([[1, 3]] * 3, [0.0], [2.0], {(0, 0), (0, 1), (0, 2)}, id="identical bounds"),
        pytest.param([[0, 5e-324]], [-1.0, 0.0], [0.0, 5e-324], {(0, 0), (1, ~0)}, id="denormal width"),
        pytest.param([[-LARGEST, LARGEST]], [-LARGEST], [LARGEST], {(0, ~0)}, id="all but the largest float"),
        pytest.param([[-np.inf, 0], [0, np.inf]], [-1.0], [0.0], {(0, ~0), (0, 1)}, id="half lines"),
        pytest.param([[-np.inf, -LARGEST]], [0.0, -LARGEST], [-LARGEST, 0.0], {}, id="below all floats"),
        pytest.param([[-np.inf, np.inf]], [-LARGEST], [LARGEST], {}, id="everything"),
    ],
)
def test_cases_by_hand(boxes, before, after, pairs):
    assert found_by_kernels(line(boxes, before, after), capacity=64) == Counter(pairs)


@pytest.mark.parametrize("capacity", [WALK + 1, 64, 1 << 14])
@pytest.mark.parametrize("step", [3, WALK - 1, WALK, WALK + 1, 100, 700])
def test_short_and_long_moves_find_the_same_as_a_scan(step, capacity):
    random = np.random.default_rng(step)
    lower = random.integers(0, 600, 600)
    boxes = np.stack([lower, lower + random.choice([1, 2, 30, 400], 600)], axis=1)
    path = np.clip(np.cumsum(random.choice([-step, step], 12)) + 300, -10, 1100).astype(np.float64)
    case = line(boxes, path[:-1], path[1:])
    assert found_by_kernels(case, capacity) == expected(case)


def test_a_long_move_in_the_mirrored_list_and_back():
    """All that ends ahead is found through the mirrored list: hundreds of entries, a handful of results."""
    boxes = [[-1000, number] for number in range(500)] + [[number, number + 0.5] for number in range(500)]
    case = line(boxes, [-1.0, 499.5], [499.5, -1.0])
    assert found_by_kernels(case, capacity=1 << 12) == expected(case)


def test_looked_counts_what_was_walked():
    case = line([[1, 9], [2, 9], [3, 9]], [0.0], [2.5])
    rows, queries, hints = np.empty(64, np.int32), np.empty(64, np.int32), np.zeros(1, np.int32)
    assert run(case, level_of(case), 0, hints, 0, rows, queries) == (1, 2, 2)
    assert hints.tolist() == [2]  # where the stream stands now
