import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.regions.edges import SHARED, EdgeList, EdgeListLevel, edges_of
from limen.regions.kernels.edges import NEXT_LOWER, OTHER, OWN
from limen.regions.kernels.merging import NO_QUERY
from tests.regions.kernels.lists import edges_ending_at
from tests.regions.kernels.moves import LARGEST, NUMBERS, boxes, intervals


@given(interval=intervals(), x=NUMBERS, mirrored=st.booleans())
def test_edges_say_who_contains_a_point_on_either_axis(interval, x, mirrored):
    lower, upper = interval
    own, other = edges_of(np.array([lower]), np.array([upper]), mirrored=mirrored)
    on_axis = -x if mirrored else x
    assert bool(own[0] <= on_axis < other[0]) == (lower <= x < upper)


@pytest.mark.parametrize(
    ("upper", "mirrored"),
    [(LARGEST, math.nextafter(-LARGEST, 0)), (-LARGEST, math.inf), (math.inf, -LARGEST), (0.0, 5e-324)],
)
def test_mirrored_edges_of_extreme_bounds_warn_of_nothing(upper, mirrored):
    own, other = edges_of(np.array([-math.inf]), np.array([upper]), mirrored=True)
    assert (own.tolist(), other.tolist()) == ([mirrored], [math.inf])


def with_all(boxes, owners, which=0):
    """A bound list of all boxes."""
    boxes, alive = np.array(boxes, np.float64), np.ones(len(boxes), np.bool_)
    queries = np.arange(len(boxes), dtype=np.int32)
    empty = EdgeList.empty(boxes.shape[1], bound=True)
    return empty.with_entries(queries, np.array(owners, np.int32), boxes, which, alive)


def test_segments_are_fenced_by_sentinels():
    edges = with_all([[[2, 4]], [[5, 6]], [[1, 3]]], [3, 8, 3])
    assert (edges.segments.tolist(), edges.owners.tolist()) == ([0, 4, 7], [3, 8])
    assert edges.edge[:, OWN].tolist() == [-math.inf, 1, 2, math.inf, -math.inf, 5, math.inf]
    assert edges.edge[:, OTHER].tolist() == [-math.inf, 3, 4, -math.inf, -math.inf, 6, -math.inf]
    assert edges.query.tolist() == [NO_QUERY, 2, 0, NO_QUERY, NO_QUERY, 1, NO_QUERY]


@pytest.mark.parametrize("which", range(6))
def test_entries_have_the_bounds_of_the_next_dimension(which):
    box = [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    edges = with_all([box], [0], which)
    assert edges.edge[1, NEXT_LOWER:].tolist() == box[(which // 2 + 1) % 3]


def test_what_is_shared_is_one_segment_even_an_empty_one():
    edges = EdgeList.empty(1, bound=False)
    assert (edges.segments.tolist(), edges.edge[:, OWN].tolist()) == ([0, 2], [-math.inf, math.inf])
    assert EdgeList.empty(1, bound=True).segments.tolist() == [0]


@pytest.mark.parametrize("size", [0, 1, 14, 15, 300, 5000])
def test_summaries_are_the_largest_of_their_blocks(size):
    edges = edges_ending_at(np.random.default_rng(size).uniform(0, 1, size))
    for summary, block in ((edges.far1, 16), (edges.far2, 256), (edges.far3, 4096)):
        blocks = [edges.edge[at : at + block, OTHER] for at in range(0, size + 2, block)]
        assert summary.tolist() == [float(each.max()) for each in blocks]


@given(dimensions=st.integers(1, 3), bound=st.booleans(), data=st.data())
def test_a_list_made_in_two_steps_equals_one_made_at_once(dimensions, bound, data):
    drawn = data.draw(boxes(dimensions))
    n = len(drawn)
    owners = np.full(n, SHARED, np.int32)
    if bound:
        owners = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), np.int32)
    alive = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), np.bool_)
    which, cut = data.draw(st.integers(0, 2 * dimensions - 1)), data.draw(st.integers(0, n))
    queries, empty = np.arange(n, dtype=np.int32), EdgeList.empty(dimensions, bound=bound)
    first = empty.with_entries(queries[:cut], owners[:cut], drawn, which, np.ones(n, np.bool_))
    changed = first.with_entries(queries[cut:], owners[cut:], drawn, which, alive)

    kept = np.concatenate([queries[:cut][alive[:cut]], queries[cut:]])
    fresh = empty.with_entries(kept, owners[kept], drawn, which, alive)
    for name in EdgeList._fields:
        assert getattr(changed, name).tolist() == getattr(fresh, name).tolist(), name


def test_room_that_dead_queries_leave_is_given_back():
    boxes = np.tile([[[0.0, 1.0]]], (1000, 1, 1))
    queries, owners = np.arange(1000, dtype=np.int32), np.full(1000, SHARED, np.int32)
    whole = EdgeList.empty(1, bound=False).with_entries(queries, owners, boxes, 0, np.ones(1000, np.bool_))
    alive = np.arange(1000) < 10
    left = whole.with_entries(queries[:0], owners[:0], boxes, 0, alive)
    assert left.query.tolist() == [NO_QUERY, *range(10), NO_QUERY]
    assert left.edge.base.nbytes < 1000
    assert sum(array.nbytes for array in left) < 1000


# ---- all lists of a level --------------------------------------------------------------------------------------------

BOXES = np.array([[[1.0, 3.0]], [[0.0, 9.0]], [[2.0, 4.0]]])
ALIVE = np.ones(3, np.bool_)
ALL = np.arange(3, dtype=np.int32)
EVERYONE = np.full(3, SHARED, np.int32)


def listed(level, which=0):
    query = level.lists[which].query
    return query[query >= 0].tolist()


def test_a_level_lists_queries_by_bound_and_by_mirrored_bound():
    level = EdgeListLevel(BOXES, ALIVE, ALL, EVERYONE, bound=False)
    assert listed(level, 0) == [1, 0, 2]  # lower bounds 0, 1, 2
    assert listed(level, 1) == [1, 2, 0]  # upper bounds 9, 4, 3
    assert (level.size, level.segment_of.tolist()) == (3, [])


def test_a_level_upon_another_keeps_the_living():
    base = EdgeListLevel(BOXES, ALIVE, ALL[:2], EVERYONE[:2], bound=False)
    merged = EdgeListLevel(BOXES, np.array([True, False, True]), ALL[2:], EVERYONE[2:], bound=False, base=base)
    assert (listed(merged), listed(merged, 1)) == ([0, 2], [2, 0])


def test_bound_queries_are_ordered_by_stream_and_bound():
    queries, owners = np.array([0, 1, 1, 2], np.int32), np.array([5, 2, 5, 5], np.int32)
    level = EdgeListLevel(BOXES, ALIVE, queries, owners, bound=True)
    assert level.segment_of.tolist() == [-1, -1, 0, -1, -1, 1]
    assert listed(level) == [1, 1, 0, 2]
    assert level.slots.tolist() == [0, 1, 2]
    merged = EdgeListLevel(BOXES, np.array([True, False, True]), ALL[:0], ALL[:0], bound=True, base=level)
    assert (listed(merged), merged.segment_of.tolist()) == ([0, 2], [-1, -1, -1, -1, -1, 0])


@pytest.mark.parametrize("bound", [False, True])
def test_an_empty_level(bound):
    level = EdgeListLevel(np.empty((0, 2, 2)), ALIVE[:0], ALL[:0], ALL[:0], bound=bound)
    assert level.size == 0
    assert len(level.lists) == 4


def test_hints_grow_with_the_streams_and_stay():
    level = EdgeListLevel(BOXES, ALIVE, ALL, EVERYONE, bound=False)
    level.make_room(2)
    level.hints[0, :] = [7, 8]
    level.make_room(5)
    assert level.hints[0, :2].tolist() == [7, 8]
    level.make_room(3)
    assert level.hints.shape == (2, 5)
