import numpy as np
import pytest

from limen.index.level import Level

BOXES = np.array([[[1.0, 3.0]], [[0.0, 9.0]], [[2.0, 4.0]]])
ALIVE = np.ones(3, np.bool_)
ALL = np.arange(3, dtype=np.int32)


def listed(level, which=0):
    query = level.lists[which].query
    return query[query >= 0].tolist()


def test_a_level_lists_queries_by_bound_and_by_mirrored_bound():
    level = Level(BOXES, ALL, None, ALIVE)
    assert listed(level, 0) == [1, 0, 2]  # lower bounds 0, 1, 2
    assert listed(level, 1) == [1, 2, 0]  # upper bounds 9, 4, 3
    assert (level.size, level.bound) == (3, False)


def test_a_level_of_levels_keeps_the_living():
    first = Level(BOXES, ALL[:2], None, ALIVE)
    alive = np.array([True, False, True])
    merged = Level(BOXES, ALL[2:], None, alive, (first,))
    assert (listed(merged), listed(merged, 1)) == ([0, 2], [2, 0])


def test_bound_queries_are_ordered_by_stream_and_bound():
    level = Level(BOXES, np.array([0, 1, 1, 2], np.int32), np.array([5, 2, 5, 5], np.int32), ALIVE)
    assert level.bound
    assert level.segment_of.tolist() == [-1, -1, 0, -1, -1, 1]
    assert listed(level) == [1, 1, 0, 2]
    owners = level.owners(0)[level.lists[0].query >= 0]
    assert owners.tolist() == [2, 5, 5, 5]
    merged = Level(BOXES, ALL[:0], ALL[:0], np.array([True, False, True]), (level,))
    assert (listed(merged), merged.segment_of.tolist()) == ([0, 2], [-1, -1, -1, -1, -1, 0])


@pytest.mark.parametrize("owners", [None, ALL[:0]])
def test_an_empty_level(owners):
    level = Level(np.empty((0, 2, 2)), ALL[:0], owners, ALIVE[:0])
    assert level.size == 0
    assert len(level.lists) == 4


def test_hints_grow_with_the_streams_and_stay():
    level = Level(BOXES, ALL, None, ALIVE)
    level.hints(0, 2)[:] = [7, 8]
    assert level.hints(0, 5)[:2].tolist() == [7, 8]
    assert len(level.hints(0, 3)) >= 5
    assert level.nbytes_streams >= 20
