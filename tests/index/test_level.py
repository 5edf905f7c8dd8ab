import numpy as np
import pytest

from limen.index.edges import SHARED
from limen.index.level import Level

BOXES = np.array([[[1.0, 3.0]], [[0.0, 9.0]], [[2.0, 4.0]]])
ALIVE = np.ones(3, np.bool_)
ALL = np.arange(3, dtype=np.int32)
EVERYONE = np.full(3, SHARED, np.int32)


def listed(level, which=0):
    query = level.lists[which].query
    return query[query >= 0].tolist()


def test_a_level_lists_queries_by_bound_and_by_mirrored_bound():
    level = Level(BOXES, ALIVE, ALL, EVERYONE, bound=False)
    assert listed(level, 0) == [1, 0, 2]  # lower bounds 0, 1, 2
    assert listed(level, 1) == [1, 2, 0]  # upper bounds 9, 4, 3
    assert (level.size, level.segment_of.tolist()) == (3, [])


def test_a_level_upon_another_keeps_the_living():
    base = Level(BOXES, ALIVE, ALL[:2], EVERYONE[:2], bound=False)
    merged = Level(BOXES, np.array([True, False, True]), ALL[2:], EVERYONE[2:], bound=False, base=base)
    assert (listed(merged), listed(merged, 1)) == ([0, 2], [2, 0])


def test_bound_queries_are_ordered_by_stream_and_bound():
    queries, owners = np.array([0, 1, 1, 2], np.int32), np.array([5, 2, 5, 5], np.int32)
    level = Level(BOXES, ALIVE, queries, owners, bound=True)
    assert level.segment_of.tolist() == [-1, -1, 0, -1, -1, 1]
    assert listed(level) == [1, 1, 0, 2]
    assert [array.tolist() for array in level.pairs()] == [[1, 1, 0, 2], [2, 5, 5, 5]]
    merged = Level(BOXES, np.array([True, False, True]), ALL[:0], ALL[:0], bound=True, base=level)
    assert (listed(merged), merged.segment_of.tolist()) == ([0, 2], [-1, -1, -1, -1, -1, 0])


@pytest.mark.parametrize("bound", [False, True])
def test_an_empty_level(bound):
    level = Level(np.empty((0, 2, 2)), ALIVE[:0], ALL[:0], ALL[:0], bound=bound)
    assert level.size == 0
    assert len(level.lists) == 4


def test_hints_grow_with_the_streams_and_stay():
    level = Level(BOXES, ALIVE, ALL, EVERYONE, bound=False)
    level.hints(0, 2)[:] = [7, 8]
    assert level.hints(0, 5)[:2].tolist() == [7, 8]
    assert len(level.hints(0, 3)) >= 5
    assert level.nbytes_streams >= 20
