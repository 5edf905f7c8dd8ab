import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.regions.kernels.edges import position, scan
from tests.kernels.room import Room
from tests.regions.kernels.lists import edges_ending_at
from tests.regions.kernels.moves import NUMBERS, intervals

bounds = st.lists(NUMBERS, max_size=40).map(sorted)


def fenced(numbers):
    """A segment of which only the first column matters here."""
    return np.array([-math.inf, *numbers, math.inf]).reshape(-1, 1)


def last_at_or_below(numbers, x):
    return sum(number <= x for number in numbers)  # the front sentinel is one more, and positions begin at 0


@given(numbers=bounds, x=NUMBERS, hint=st.integers(-5, 60))
def test_position_is_the_last_entry_at_or_below_from_any_hint(numbers, x, hint):
    own = fenced(numbers)
    assert position(own, x, 0, len(own), hint) == last_at_or_below(numbers, x)


@given(segments=st.lists(bounds, min_size=1, max_size=4), x=NUMBERS, hint=st.integers(-5, 200), data=st.data())
def test_position_stays_in_its_segment(segments, x, hint, data):
    which = data.draw(st.integers(0, len(segments) - 1))
    own = np.concatenate([fenced(numbers) for numbers in segments])
    first = sum(len(numbers) + 2 for numbers in segments[:which])
    found = position(own, x, first, first + len(segments[which]) + 2, hint)
    assert found == first + last_at_or_below(segments[which], x)


@pytest.mark.parametrize("hint", [0, 1, 150, 299, 300])
def test_position_gallops_over_many_equal_bounds(hint):
    own = fenced([1.0] * 100 + [2.0] * 100 + [3.0] * 100)
    assert [position(own, x, 0, len(own), hint) for x in (0.5, 1.0, 2.5, 3.0, 9.0)] == [0, 100, 200, 300, 300]


def scanned(edges, first, last, x, room, count=0, y=0.0):
    count, looked = scan(*edges[:5], first, last, x, y, count, room.cells)
    room.assert_unharmed()
    return count, looked


@given(others=st.lists(NUMBERS, max_size=80), x=NUMBERS, ends=st.tuples(st.integers(0, 82), st.integers(0, 82)))
def test_scan_finds_what_ends_beyond_x(others, x, ends):
    first, last = (min(end, len(others) + 2) for end in sorted(ends))
    room = Room(200)
    count, _ = scanned(edges_ending_at(others), first, last, x, room)
    expected = [j - 1 for j in range(max(first, 1), min(last, len(others) + 1)) if others[j - 1] > x]
    assert room.cells[:count].tolist() == expected


@given(boxes=st.lists(st.tuples(NUMBERS, intervals()), max_size=60), x=NUMBERS, y=NUMBERS)
def test_scan_looks_at_the_next_dimension_too(boxes, x, y):
    others, following = [other for other, _ in boxes], [interval for _, interval in boxes]
    room = Room(100)
    count, _ = scanned(edges_ending_at(others, following), 0, len(boxes) + 2, x, room, y=y)
    expected = [query for query, (other, (lo, hi)) in enumerate(boxes) if other > x and lo <= y < hi]
    assert room.cells[:count].tolist() == expected


@given(
    needles=st.sets(st.integers(0, 8999), max_size=12),
    ends=st.tuples(st.integers(0, 9002), st.integers(0, 9002)),
)
def test_scan_skips_blocks_and_misses_nothing(needles, ends):
    others = np.zeros(9000)
    others[list(needles)] = 2.0
    first, last = sorted(ends)
    room = Room(400)
    count, _ = scanned(edges_ending_at(others), first, last, 1.0, room)
    assert room.cells[:count].tolist() == sorted(n for n in needles if first <= n + 1 < last)


def test_scan_looks_at_little_where_there_is_nothing():
    edges = edges_ending_at(np.zeros(50_000))
    count, looked = scanned(edges, 1, 50_001, 1.0, Room(64))
    assert count == 0
    # A few summaries on the way to the first large block, one for each large block, a few after the last.
    assert looked <= 16 + 16 + 50_000 // 4096 + 16 + 16


@given(others=st.lists(NUMBERS, max_size=80), x=NUMBERS, size=st.integers(0, 60), count=st.integers(0, 60))
def test_scan_stops_where_there_may_be_no_room(others, x, size, count):
    room = Room(size)
    before = min(count, size)
    room.cells[:before] = 7
    done, _ = scanned(edges_ending_at(others), 0, len(others) + 2, x, room, before)
    expected = [query for query, other in enumerate(others) if other > x]
    assert done == -1 or room.cells[:done].tolist() == [7] * before + expected
    assert done >= 0 or before + len(expected) + 16 > size  # it does not give up without need
    assert room.cells[:before].tolist() == [7] * before


@pytest.mark.parametrize("others", [[], [1.0]])
def test_scan_of_nothing_and_of_one(others):
    room = Room(16)
    count, _ = scanned(edges_ending_at(others), 0, len(others) + 2, 0.0, room)
    assert room.cells[:count].tolist() == list(range(len(others)))
