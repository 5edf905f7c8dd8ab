import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.tests.rivals.rivals import COMPILED, EACH, fewer_uncompiled
from limen.errors import InvalidInput
from limen.queries.match.pair_chunks import PairChunks
from tests.queries.match.model import Model, found
from tests.regions.kernels.moves import boxes, points

each_kind = pytest.mark.parametrize(("kind", "dimensions"), EACH, ids=str)


@each_kind
@fewer_uncompiled
@given(data=st.data())
def test_an_index_finds_what_a_scan_finds_whatever_its_changes(kind, dimensions, data):
    model = Model(kind.make(dimensions))
    for _ in range(data.draw(st.integers(1, 8))):
        action = data.draw(st.sampled_from(("insert", "insert", "remove", "look", "look")))
        if action == "insert":
            model.insert(data.draw(boxes(dimensions, max_size=6)))
        elif action == "remove" and model.boxes:
            model.remove(data.draw(st.lists(st.sampled_from(sorted(model.boxes)), unique=True, max_size=6)))
        elif action == "look":
            model.check(data.draw(points(dimensions, data.draw(st.integers(0, 8)))))
    model.check(data.draw(points(dimensions, 6)))


def between_lines(random, dimensions, queries):
    """Boxes with bounds on the lines of a grid or between them, often the same ones, some without an end."""
    lower = random.choice([2.0, 3.0, 3.5, 7.0, 7.25, *random.uniform(0, 10, 40)], (queries, dimensions))
    width = random.choice([0.25, 1.0, 4.0, 0.01, -1.0, *random.exponential(2, 40)], (queries, dimensions))
    made = np.stack([lower, lower + width], axis=2)
    made[random.random(made.shape[:2]) < 0.03, 0] = -math.inf
    made[random.random(made.shape[:2]) < 0.03, 1] = math.inf
    return made


@each_kind
def test_an_index_that_lives_through_many_changes(kind, dimensions):
    """Some two hundred boxes, of which every third is gone at each step, and points on and beside their bounds."""
    random = np.random.default_rng(7)
    model = Model(kind.make(dimensions))
    for step in range(6):
        for count in (70, 0, 1, 5) if step % 2 else (3, 1, 1):
            model.insert(between_lines(random, dimensions, count))
        ends = np.array([box.ravel() for box in model.boxes.values()]).ravel()
        ends = ends[np.isfinite(ends)]
        at = random.choice([*ends, *np.nextafter(ends, -np.inf), *random.uniform(-1, 12, 50), np.nan], (dimensions, 40))
        model.check(at)
        gone = random.permutation(sorted(model.boxes))[: len(model.boxes) // 3]
        model.remove(gone.tolist())
        model.check(at)
    model.remove(sorted(model.boxes))
    model.check(at)
    model.insert(between_lines(random, dimensions, 4))
    model.check(at)


@each_kind
def test_data_that_no_box_is_made_for(kind, dimensions):
    model = Model(kind.make(dimensions))
    odd = np.full((dimensions, 4), 1.0)
    odd[-1, 1:] = math.nan, math.inf, -math.inf
    model.check(odd)  # when there is no box
    model.insert(np.empty((0, dimensions, 2)))
    model.check(odd)
    box = np.tile([0.0, 2.0], (1, dimensions, 1))
    everywhere = np.tile([-math.inf, math.inf], (1, dimensions, 1))
    nowhere = np.tile([2.0, 2.0], (1, dimensions, 1))
    backwards = np.tile([3.0, -3.0], (1, dimensions, 1))
    model.insert(np.concatenate([box, everywhere, nowhere, backwards]))
    model.check(odd)
    model.insert(np.concatenate([nowhere, backwards]))
    model.check(np.empty((dimensions, 0)))
    model.remove([0, 2])
    model.check(odd)
    model.remove([1, 3])
    model.check(odd)


@each_kind
def test_identical_boxes_by_the_thousand(kind, dimensions):
    index = kind.make(dimensions)
    same = np.tile([1.0, 3.0], (2000 if COMPILED else 40, dimensions, 1))
    first, second = index.insert(same), index.insert(same[:-10])
    at = np.array([[1.0, 3.0, 2.5]] * dimensions)
    for _ in range(2):
        pairs = found(index.match(at))
        assert set(pairs.values()) == {1}
        assert set(pairs) == {(row, slot) for row in (0, 2) for slot in range(2 * len(same) - 10)}
    index.remove(first)
    index.remove(second[:-1])
    assert found(index.match(at)) == {(0, int(second[-1])): 1, (2, int(second[-1])): 1}


@each_kind
def test_in_little_room_nothing_is_lost(kind, dimensions):
    """Every kernel stops where its output is full, and goes on with more room."""
    random = np.random.default_rng(3)
    model = Model(kind.make(dimensions))
    if hasattr(model.index, "_chunks"):
        model.index._chunks = PairChunks(1)
    for count in (30, 10):
        model.insert(between_lines(random, dimensions, count))
        model.check(random.uniform(0, 10, (dimensions, 20)))
    model.insert(np.tile([[0.0, 10.0]], (9, dimensions, 1)))
    if hasattr(model.index, "_chunks"):
        model.index._chunks = PairChunks(8)
    model.check(random.uniform(0, 10, (dimensions, 20)))
    model.remove(sorted(model.boxes)[::2])
    model.insert(np.tile([[5.0, 5.0 + 1e-9]], (9, dimensions, 1)))  # all in one cell of a grid
    if hasattr(model.index, "_chunks"):
        model.index._chunks = PairChunks(8)
    model.check(np.full((dimensions, 3), 5.0))


@each_kind
def test_slots_of_boxes_that_are_gone_are_used_again(kind, dimensions):
    index = kind.make(dimensions)
    for number in range(300):
        box = np.tile([float(number), number + 1.0], (3, dimensions, 1))
        slots = index.insert(box)
        at = np.full((dimensions, 1), number + 0.5)
        assert found(index.match(at)) == {(0, slot): 1 for slot in slots.tolist()}
        index.remove(slots)
    # of 900 boxes, some hundred may wait until it is worth while to tidy up
    assert slots.max() < 400
    assert index.nbytes < 100_000


@each_kind
def test_errors_say_what_is_wrong(kind, dimensions):
    index = kind.make(dimensions)
    with pytest.raises(InvalidInput, match="boxes"):
        index.insert(np.zeros((1, dimensions + 1, 2)))
    with pytest.raises(InvalidInput, match="points"):
        index.match(np.zeros((dimensions + 1, 1)))
    with pytest.raises(InvalidInput, match="slots to remove"):
        index.remove(np.array([0], np.int32))


@each_kind
def test_memory_is_counted(kind, dimensions):
    index = kind.make(dimensions)
    few = index.nbytes
    random = np.random.default_rng(1)
    boxes = 3000 if COMPILED else 100
    lower = random.uniform(0, 1000, (boxes, dimensions))
    index.insert(np.stack([lower, lower + 1], axis=2))
    index.match(np.zeros((dimensions, 1)))
    assert index.nbytes - few >= boxes * dimensions * 16
