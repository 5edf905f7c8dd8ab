from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.regions.boxes import BoxIndex
from tests.regions.kernels import naive
from tests.regions.kernels.moves import boxes, points

STREAMS = 4


class Eager(BoxIndex):
    """An index that merges its levels all the time."""

    SMALL = 3
    LARGE = 6


def found(pairs):
    return Counter(zip(*(array.tolist() for array in pairs.arrays()), strict=True))


class Model:
    """An index and, beside it, what it should hold, in dictionaries."""

    def __init__(self, index):
        self.index = index
        self.boxes = {}
        self.owners = {} if index.bound else None
        self.columns = np.arange(index.dimensions)

    def insert(self, boxes, owners):
        if self.owners is None:
            slots = self.index.insert(boxes)
        else:
            flat = np.array([owner for each in owners for owner in each], np.int32)
            slots = self.index.insert(boxes, flat, np.array([len(each) for each in owners], np.int64))
            self.owners.update(zip(slots.tolist(), owners, strict=True))
        assert not self.boxes.keys() & set(slots.tolist()), "a slot that is in use was given away"
        self.boxes.update(zip(slots.tolist(), boxes, strict=True))

    def remove(self, slots):
        self.index.remove(np.array(slots, np.int32))
        for slot in slots:
            del self.boxes[slot]

    def check(self, slot, before, after):
        """Compare both look-ups with a scan."""
        crossed = self.index.crossings(slot, before, after, self.columns, STREAMS)
        contained = self.index.containing(slot, after, self.columns)
        rows = slot.tolist()
        assert found(crossed) == naive.crossings(self.boxes, self.owners, rows, before, after, self.columns)
        assert found(contained) == naive.containing(self.boxes, self.owners, rows, after, self.columns)
        assert len(self.index) == len(self.boxes)

    def rebuilt(self):
        """Build an index afresh; slot i is the i-th living query."""
        fresh = Model(BoxIndex(self.index.dimensions, bound=self.index.bound))
        living = sorted(self.boxes)
        fresh.insert(
            np.array([self.boxes[slot] for slot in living]).reshape(-1, self.index.dimensions, 2),
            [self.owners[slot] for slot in living] if self.owners is not None else None,
        )
        return fresh, living


owner_lists = st.lists(st.integers(0, STREAMS - 2), min_size=1, max_size=3, unique=True)


def draw_changes(data, model, max_changes):
    """Change an index at random, look at it in between, and return it as it has become."""
    dimensions = model.index.dimensions
    for _ in range(data.draw(st.integers(1, max_changes))):
        action = data.draw(st.sampled_from(("insert", "insert", "remove", "look", "look")))
        if action == "insert":
            drawn = data.draw(boxes(dimensions, max_size=5))
            owners = data.draw(st.lists(owner_lists, min_size=len(drawn), max_size=len(drawn)))
            model.insert(drawn, owners)
        elif action == "remove" and model.boxes:
            model.remove(data.draw(st.lists(st.sampled_from(sorted(model.boxes)), unique=True, max_size=5)))
        elif action == "look":
            model.check(*draw_moves(data, dimensions))


def draw_moves(data, dimensions):
    slot = np.array(data.draw(st.lists(st.integers(0, STREAMS - 1), max_size=8)), np.int32)
    return slot, data.draw(points(dimensions, len(slot))), data.draw(points(dimensions, len(slot)))


@given(dimensions=st.integers(1, 4), bound=st.booleans(), data=st.data())
def test_an_index_finds_what_a_scan_finds_whatever_its_changes(dimensions, bound, data):
    model = Model(Eager(dimensions, bound=bound))
    draw_changes(data, model, max_changes=12)
    model.check(*draw_moves(data, dimensions))


@given(dimensions=st.integers(1, 3), bound=st.booleans(), data=st.data())
def test_an_index_changed_step_by_step_equals_one_built_afresh(dimensions, bound, data):
    model = Model(Eager(dimensions, bound=bound))
    draw_changes(data, model, max_changes=8)
    fresh, living = model.rebuilt()
    slot, before, after = draw_moves(data, dimensions)
    columns = np.arange(dimensions)
    old = found(model.index.crossings(slot, before, after, columns, STREAMS))
    new = found(fresh.index.crossings(slot, before, after, columns, STREAMS))
    named = Counter({(row, living[q] if q >= 0 else ~living[~q]): count for (row, q), count in new.items()})
    assert old == named


@given(data=st.data())
def test_bound_queries_know_their_streams_and_follow_their_renumbering(data):
    model = Model(Eager(1, bound=True))
    draw_changes(data, model, max_changes=8)
    chosen = data.draw(st.permutations(sorted(model.boxes)))
    owners, counts = model.index.owners.of(np.array(chosen, np.int32))
    assert counts.tolist() == [len(model.owners[slot]) for slot in chosen]
    assert owners.tolist() == [owner for slot in chosen for owner in model.owners[slot]]

    number = data.draw(st.permutations(range(STREAMS)))
    model.index.renumber_owners(np.array(number, np.int32))
    model.owners = {slot: [number[owner] for owner in owners] for slot, owners in model.owners.items()}
    model.check(*draw_moves(data, 1))
    draw_changes(data, model, max_changes=4)
    model.check(*draw_moves(data, 1))


@given(dimensions=st.integers(1, 3), bound=st.booleans(), data=st.data())
def test_a_subset_is_an_index_of_its_own(dimensions, bound, data):
    model = Model(Eager(dimensions, bound=bound))
    draw_changes(data, model, max_changes=6)
    some = data.draw(st.lists(st.sampled_from(sorted(model.boxes)), unique=True) if model.boxes else st.just([]))
    part = model.index.subset(np.array(some, np.int32))
    slot, _, after = draw_moves(data, dimensions)
    got = found(part.containing(slot, after, np.arange(dimensions)))
    kept = {number: model.boxes[query] for number, query in enumerate(some)}
    owners = {number: model.owners[query] for number, query in enumerate(some)} if bound else None
    assert got == naive.containing(kept, owners, slot.tolist(), after, range(dimensions))


def test_columns_may_be_any_in_any_order():
    index = BoxIndex(2)
    index.insert(np.array([[[0.0, 1.0], [10.0, 11.0]]]))  # dimension 0 is column 2, dimension 1 is column 0
    before = np.array([[10.5, 0.5], [99.0, 99.0], [5.0, 10.5]])
    after = np.array([[10.5, 0.5], [-99.0, np.nan], [0.5, 0.5]])
    pairs = index.crossings(np.array([0, 1], np.int32), before, after, np.array([2, 0]), 2)
    assert found(pairs) == Counter({(0, 0): 1})


def churn(index, rounds):
    """Register and deregister one query at a time and look in between."""
    slot, low, high = np.zeros(1, np.int32), np.array([[-1.0]]), np.array([[0.5]])
    for _ in range(rounds):
        slots = index.insert(np.array([[[0.0, 1.0]]]), *((slot, np.ones(1, np.int64)) if index.bound else ()))
        assert found(index.crossings(slot, low, high, np.array([0]), 1)) == Counter({(0, int(slots[0])): 1})
        index.remove(slots)
        assert not found(index.crossings(slot, low, high, np.array([0]), 1))


@pytest.mark.parametrize("bound", [False, True])
def test_slots_of_queries_that_are_gone_are_used_again(bound):
    index = Eager(1, bound=bound)
    churn(index, 60)
    assert len(index.boxes) <= 16
    assert len(index) == 0


def test_what_is_inserted_and_removed_at_once_leaves_no_trace():
    index = Eager(1)
    slot, point = np.zeros(1, np.int32), np.array([[0.5]])
    for _ in range(20):
        index.remove(index.insert(np.array([[[0.0, 1.0]]] * 3)))
        assert not found(index.containing(slot, point, np.array([0])))
    assert len(index.boxes) <= 24


def test_many_single_insertions_do_not_wait_for_ever_for_a_look_up():
    index = BoxIndex(1)
    for number in range(2 * BoxIndex.MOST_PENDING):
        index.insert(np.array([[[number, number + 1.0]]]))
        assert len(index._pending) <= BoxIndex.MOST_PENDING
    slot = np.zeros(3, np.int32)
    points = np.array([[0.5, BoxIndex.MOST_PENDING + 0.5, 2 * BoxIndex.MOST_PENDING - 0.5]])
    pairs = found(index.containing(slot, points, np.array([0])))
    assert pairs == Counter({(0, 0), (1, BoxIndex.MOST_PENDING), (2, 2 * BoxIndex.MOST_PENDING - 1)})


def test_more_results_than_the_buffer_holds():
    index = BoxIndex(1)
    index.insert(np.tile([[[0.0, 1.0]]], (9000, 1, 1)))
    slot = np.zeros(4, np.int32)
    path = np.array([[-1.0, 0.5, 2.0, 0.5, -1.0]])
    pairs = found(index.crossings(slot, path[:, :-1].copy(), path[:, 1:].copy(), np.array([0]), 1))
    assert len(pairs) == 36_000
    assert set(pairs.values()) == {1}
    assert Counter(row for row, _ in pairs) == dict.fromkeys(range(4), 9000)
    assert {row: query >= 0 for row, query in pairs} == {0: True, 1: False, 2: True, 3: False}


def crowd(random, queries, width):
    lower = random.uniform(0, 1_000_000, queries)
    return np.stack([lower, lower + width], axis=-1).reshape(queries, 1, 2)


def walks(random, streams, steps, step):
    """Random walks in one dimension, as one batch of rows: (slot, before, after)."""
    path = random.uniform(0, 1_000_000, streams) + np.cumsum(random.uniform(-step, step, (steps + 1, streams)), axis=0)
    slot = np.tile(np.arange(streams, dtype=np.int32), steps)
    return slot, path[:-1].reshape(1, -1).copy(), path[1:].reshape(1, -1).copy()


def vectorised_scan(boxes, before, after):
    """Find the pairs as `naive.crossings` does, for one dimension, with whole arrays."""
    lower, upper = boxes[:, 0, 0], boxes[:, 0, 1]
    was = (lower <= before[0][:, None]) & (before[0][:, None] < upper)
    now = (lower <= after[0][:, None]) & (after[0][:, None] < upper)
    row, query = np.nonzero(was != now)
    return Counter(zip(row.tolist(), np.where(now[row, query], query, ~query).tolist(), strict=True))


@pytest.mark.parametrize("width", [1e-3, 1000.0, 200_000.0])
def test_moves_across_the_whole_domain_skip_blocks_and_miss_nothing(width):
    """Each move passes thousands of entries, more than the largest block has."""
    boxes = crowd(np.random.default_rng(7), 12_000, width)
    index = BoxIndex(1)
    index.insert(boxes)
    slot = np.zeros(8, np.int32)
    path = np.array([[-1.0, 999_999.0, 10.0, 600_000.0, 100_000.0, 2e6, -2e6, 500_000.0, 499_000.0]])
    before, after = path[:, :-1].copy(), path[:, 1:].copy()
    assert found(index.crossings(slot, before, after, np.array([0]), 1)) == vectorised_scan(boxes, before, after)


def test_a_move_over_everything_looks_at_next_to_nothing():
    index = BoxIndex(1)
    index.insert(crowd(np.random.default_rng(7), 12_000, 1e-3))
    pairs = index.crossings(np.zeros(1, np.int32), np.array([[-1.0]]), np.array([[2e6]]), np.array([0]), 1)
    assert not found(pairs)
    assert index.looked < 250


@pytest.mark.parametrize(("widths", "most"), [("constant", 2), ("mixed", 4)])
@pytest.mark.parametrize("step", [200.0, 2_000.0, 20_000.0])
def test_a_move_costs_what_it_finds(widths, most, step):
    """Moves of 0.01 % to 1 % of the domain over widths of 0.1 %: what was looked at for an event."""
    random = np.random.default_rng(3)
    boxes = crowd(random, 100_000, 1000.0 if widths == "constant" else random.exponential(1000.0, 100_000))
    index = BoxIndex(1)
    index.insert(boxes)
    slot, before, after = walks(random, streams=25, steps=4, step=step)
    pairs = found(index.crossings(slot, before, after, np.array([0]), 25))
    assert pairs == vectorised_scan(boxes, before, after)
    assert index.looked <= most * sum(pairs.values())


def test_a_tuple_looks_only_at_alerts_of_its_own_stream():
    random = np.random.default_rng(5)
    streams, each = 40, 50
    boxes = crowd(random, streams * each, 1000.0)
    index = BoxIndex(1, bound=True)
    owners = np.repeat(np.arange(streams, dtype=np.int32), each)
    index.insert(boxes, owners, np.ones(len(boxes), np.int64))
    slot = np.array([17], np.int32)
    pairs = found(index.crossings(slot, np.array([[-1.0]]), np.array([[500_000.0]]), np.array([0]), streams))
    own = {int(query): boxes[query] for query in np.flatnonzero(owners == 17)}
    assert pairs == naive.crossings(own, None, [17], np.array([[-1.0]]), np.array([[500_000.0]]), [0])
    assert index.looked <= 2 * each


def test_memory_per_query_and_stream():
    index = BoxIndex(1)
    index.insert(crowd(np.random.default_rng(1), 20_000, 1000.0))
    slot = np.zeros(1, np.int32)
    index.crossings(slot, np.array([[0.0]]), np.array([[1.0]]), np.array([0]), 1000)
    assert index.nbytes_queries <= 90 * 20_000
    assert index.nbytes_streams <= 24 * 1000
