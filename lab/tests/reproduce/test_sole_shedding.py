"""Figures 22 to 25: shedding."""

import numpy as np
import pytest

from lab.tests.reproduce.miniature import sole
from limen_lab.reproduce.sole import sole_22 as twenty_two
from limen_lab.reproduce.sole import sole_25 as twenty_five
from limen_lab.reproduce.sole.sole_shedding import OBJECT, QUERY, WAYS, Kept, accuracy_at, load_for, numbers, sweep


@pytest.mark.parametrize("way", list(WAYS))
def test_less_memory_is_less_load_and_less_accuracy(way):
    kept = sweep("tiny", numbers("tiny")[0], way)
    assert [each.load for each in kept] == sorted(each.load for each in kept)
    assert [each.accuracy for each in kept] == sorted(each.accuracy for each in kept)
    assert kept[0].load < 40
    assert kept[-1] == Kept(100.0, 100.0)


@pytest.mark.parametrize("panel", ["a", "b"])
def test_object_shedding_needs_less_load_than_query_shedding(panel):
    kept = {way: [Kept(y, x) for x, y in sole(22).curve(panel, way).items()] for way in WAYS}
    for accuracy in (50, 70, 90):
        assert load_for(kept[OBJECT], accuracy) < load_for(kept[QUERY], accuracy)
    assert load_for(kept[OBJECT], 90) < 90
    assert sole(22).curve(panel, twenty_two.EXPECTED) == {0.0: 0.0, 100.0: 100.0}


def test_with_more_queries_both_need_more_load():
    for panel in ("a", "b"):
        for way in WAYS:
            load = list(sole(23).curve(panel, way).values())
            assert load == sorted(load)


def test_between_what_was_measured():
    kept = [Kept(20.0, 40.0), Kept(60.0, 80.0), Kept(100.0, 100.0)]
    assert load_for(kept, 60) == 40
    assert accuracy_at(kept, 10) == 20
    assert accuracy_at(kept, load_for(kept, 73)) == pytest.approx(73)


def test_object_shedding_supports_more_queries():
    for memory in twenty_five.MEMORIES:
        areas, objects = (sole(25).curve("a", twenty_five.named(way, memory)) for way in (QUERY, OBJECT))
        assert all(objects[x] > areas[x] >= 1 for x in areas)


def test_while_queries_come_accuracy_is_whole_until_memory_is_full():
    for way in WAYS:
        over = sole(25).curve("b", way)
        full = twenty_five.FULL_AFTER * max(over)
        assert all(y == 100 for x, y in over.items() if x < 0.9 * full)
        assert over[max(over)] < 100
    late = [np.mean(list(sole(25).curve("b", way).values())[-20:]) for way in (QUERY, OBJECT)]
    assert late[1] > late[0] + 20
