from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.regions.plane_boxes import PlaneBoxes, part_of_spread
from tests.regions.kernels import naive
from tests.regions.test_boxes import STREAMS, Model, draw_changes, draw_moves, found

XY = np.arange(2)


@pytest.fixture(autouse=True)
def quiet():
    """As plain Python, kernels warn where the largest numbers overflow."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        yield


class ByNumber(PlaneBoxes):
    """An index that looks at the rule all the time, of which only the number of boxes counts."""

    dimensions = 2
    FEWEST, LARGEST, UNBOUNDED, UNSEEN = 4, np.inf, 1e9, 0


class ByAll(ByNumber):
    """The same with limits that boxes reach and leave in any way."""

    FEWEST, LARGEST, UNBOUNDED = 2, 0.8, 0.6


indexes = st.sampled_from((ByNumber, ByAll))


@given(kind=indexes, bound=st.booleans(), data=st.data())
def test_an_index_finds_what_a_scan_finds_whatever_its_changes(kind, bound, data):
    model = Model(kind(bound=bound))
    draw_changes(data, model, max_changes=12)
    model.check(*draw_moves(data, 2))
    living = sorted(model.boxes)
    kept = model.index.regions(np.array(living, np.int32))
    assert kept.tolist() == [model.boxes[slot].tolist() for slot in living]
    assert np.flatnonzero(model.index.alive).tolist() == living
    assert not (bound and model.index.in_grid)


@given(kind=indexes, data=st.data())
def test_an_index_changed_step_by_step_equals_edge_lists_built_afresh(kind, data):
    model = Model(kind())
    draw_changes(data, model, max_changes=8)
    fresh, living = model.rebuilt()
    slot, before, after = draw_moves(data, 2)
    new = found(fresh.index.crossings(slot, before, after, XY, STREAMS))
    named = Counter({(row, living[q] if q >= 0 else ~living[~q]): count for (row, q), count in new.items()})
    assert found(model.index.crossings(slot, before, after, XY, STREAMS)) == named
    passed = found(fresh.index.passings(slot, before, after, XY))
    named = Counter({(row, living[q]): count for (row, q), count in passed.items()})
    assert found(model.index.passings(slot, before, after, XY)) == named
    if living and len(slot):
        which = np.arange(len(slot), dtype=np.int32) % len(living)
        far = fresh.index.distant(which, after, XY, np.full(len(slot), 1.5))
        named = np.array(living, np.int32)[which]
        assert model.index.distant(named, after, XY, np.full(len(slot), 1.5)).tolist() == far.tolist()


@given(kind=indexes, bound=st.booleans(), data=st.data())
def test_a_subset_is_an_index_of_its_own(kind, bound, data):
    model = Model(kind(bound=bound))
    draw_changes(data, model, max_changes=6)
    some = data.draw(st.lists(st.sampled_from(sorted(model.boxes)), unique=True) if model.boxes else st.just([]))
    part = model.index.subset(np.array(some, np.int32))
    slot, _, after = draw_moves(data, 2)
    kept = {number: model.boxes[query] for number, query in enumerate(some)}
    owners = {number: model.owners[query] for number, query in enumerate(some)} if bound else None
    assert found(part.containing(slot, after, XY)) == naive.containing(kept, owners, slot.tolist(), after, XY)


def test_bound_queries_follow_a_renumbering_of_their_streams():
    model = Model(ByNumber(bound=True))
    boxes = tiles(8, 0.5)
    model.insert(boxes, [[number % STREAMS] for number in range(8)])
    look(model)
    number = np.array([2, 3, 1, 0], np.int32)
    model.index.renumber_owners(number)
    model.owners = {slot: [int(number[owner]) for owner in owners] for slot, owners in model.owners.items()}
    look(model)
    owners, counts = model.index.owners.of(np.array([5], np.int32))
    assert (owners.tolist(), counts.tolist()) == ([3], [1])


# ---- the rule --------------------------------------------------------------------------------------------------------


def tiles(count, side, first=0):
    """Boxes of a side, one a unit, along the diagonal."""
    lower = np.arange(first, first + count, dtype=np.float64)
    return np.stack([np.stack([lower, lower + side], axis=1)] * 2, axis=1)


def look(model):
    """Check where all boxes are, and make the index look at its rule by that."""
    middle = np.array([box.mean(axis=1) for box in model.boxes.values()]).reshape(-1, 2).clip(-1e6, 1e6).T.copy()
    slot = (np.arange(middle.shape[1]) % STREAMS).astype(np.int32)
    model.check(slot, middle - 0.6, middle)


class OfFew(PlaneBoxes):
    """An index for as many boxes as a scan can be waited for."""

    dimensions = 2
    FEWEST, UNSEEN = 40, 10


def model_of(boxes):
    model = Model(OfFew())
    model.insert(boxes, None)
    look(model)
    return model


@pytest.mark.parametrize(
    ("count", "side", "in_grid"),
    [
        pytest.param(39, 0.5, False, id="few"),
        pytest.param(60, 0.5, True, id="small"),
        pytest.param(60, 5.0, False, id="large"),
        pytest.param(60, 1e308, False, id="too large for numbers"),
    ],
)
def test_many_boxes_that_are_small_beside_their_spread_are_in_a_grid(count, side, in_grid):
    assert model_of(tiles(count, side)).index.in_grid == in_grid


def test_boxes_that_all_lie_in_one_place_are_in_lists():
    assert not model_of(np.repeat(tiles(1, 0.5), 60, axis=0)).index.in_grid


def test_long_boxes_count_by_their_length():
    boxes = tiles(60, 0.5)
    boxes[:, 1, 1] += 10
    assert not model_of(boxes).index.in_grid
    assert part_of_spread(boxes) == part_of_spread(boxes[:, ::-1])


def test_boxes_are_in_a_grid_longer_than_it_takes_to_come_there():
    model = model_of(tiles(60, 0.5))
    for left, in_grid in ((35, True), (28, True), (14, False)):
        model.remove(sorted(model.boxes)[left:])
        look(model)
        assert model.index.in_grid == in_grid
    model.insert(tiles(25, 0.5, first=100), None)
    look(model)
    assert not model.index.in_grid
    model.insert(tiles(45, 0.5, first=200), None)
    look(model)
    assert model.index.in_grid


def test_slots_stay_what_they_are_and_those_of_nobody_are_used_again():
    model = model_of(tiles(60, 0.5))
    model.remove(list(range(5, 55)))
    look(model)
    assert not model.index.in_grid
    assert sorted(model.boxes) == [*range(5), *range(55, 60)]
    model.remove([59])
    for first in range(100, 200, 20):  # in lists, then in a grid, slots that are free are given away before new ones
        model.insert(tiles(20, 0.5, first), None)
        look(model)
    assert model.index.in_grid
    assert max(model.boxes) < 120
    assert len(model.index.alive) < 150


def test_a_grid_is_left_at_once_when_many_boxes_have_no_bounds():
    model = model_of(tiles(60, 0.5))
    open_ended = tiles(8, 0.5)
    open_ended[:, 0, 1] = np.inf
    model.insert(open_ended[:1], None)
    look(model)
    assert model.index.in_grid
    model.insert(open_ended[1:], None)
    look(model)
    assert not model.index.in_grid
    model.remove([slot for slot, box in model.boxes.items() if np.isinf(box).any()])
    look(model)
    assert not model.index.in_grid, "so few changes are not worth moving all the others"
    model.insert(tiles(len(model.boxes), 0.5, first=1000), None)
    look(model)
    assert model.index.in_grid


def test_all_may_go_and_others_come():
    model = model_of(tiles(60, 0.5))
    model.remove(sorted(model.boxes))
    look(model)
    assert (len(model.index), model.index.in_grid) == (0, False)
    model.insert(tiles(60, 0.5, first=7), None)
    look(model)
    assert model.index.in_grid


def test_single_changes_seldom_look_at_the_rule(monkeypatch):
    looks = []
    monkeypatch.setattr(PlaneBoxes, "_is_for_grid", lambda index: looks.append(len(index)) or index.in_grid)
    index, slot, point = OfFew(), np.zeros(1, np.int32), np.full((2, 1), 0.5)
    for number in range(500):
        slots = index.insert(tiles(1, 0.5, number))
        index.containing(slot, point, XY)
        index.remove(slots)
        index.insert(tiles(1, 0.5, number))
    assert len(looks) < 25


def test_memory_is_that_of_the_index_and_a_byte():
    model = model_of(tiles(60, 0.5))
    index = model.index
    assert index.nbytes_queries == index._within.nbytes_queries + len(index._unbounded)
    assert len(index._unbounded) <= 75
    assert index.nbytes_streams == 0
    lists = model_of(tiles(5, 0.5)).index
    assert lists.nbytes_streams > 0
