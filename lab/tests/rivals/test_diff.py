import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.tests.rivals.rivals import EACH, KINDS, fewer_uncompiled
from limen.regions.boxes import BoxIndex
from limen.regions.pairs import PairBuffer, Pairs
from limen_lab.rivals import diff
from limen_lab.rivals.diff import DiffRMQ
from limen_lab.rivals.scan import Scan
from tests.queries.match.model import found
from tests.regions.kernels.moves import boxes, points

STREAMS = 4

each_kind = pytest.mark.parametrize(("kind", "dimensions"), EACH, ids=str)


class Both:
    """DiffRMQ and a border index, with the same queries; the border index is given the previous points of streams."""

    def __init__(self, index, streams):
        self.rival, self.border, self.streams = DiffRMQ(index), BoxIndex(index.dimensions), streams
        self.last = np.full((index.dimensions, streams), math.nan)
        self.slot_in_border = {}  # by slot of the rival

    def insert(self, boxes):
        slots = self.rival.insert(boxes).tolist()
        self.slot_in_border.update(zip(slots, self.border.insert(boxes).tolist(), strict=True))

    def remove(self, slots):
        self.rival.remove(np.array(slots, np.int32))
        self.border.remove(np.array([self.slot_in_border.pop(slot) for slot in slots], np.int32))

    def step(self, slot, at):
        """Compare the events of a batch."""
        before = np.empty_like(at)
        for row, stream in enumerate(slot):
            before[:, row] = self.last[:, stream]
            if not np.isnan(at[:, row]).any():
                self.last[:, stream] = at[:, row]
        pairs = self.rival.crossings(slot, at, self.streams)
        columns = np.arange(len(at))
        wanted = found(self.border.crossings(slot, before, at, columns, self.streams))
        known = self.slot_in_border
        got = Counter({(row, known[q] if q >= 0 else ~known[~q]): count for (row, q), count in found(pairs).items()})
        assert got == wanted
        rows = pairs.arrays()[0]
        assert (np.diff(rows) >= 0).all(), "not in the order of rows"
        assert len(self.rival) == len(known)


@each_kind
@fewer_uncompiled
@given(data=st.data())
def test_the_difference_of_sets_is_what_a_border_index_finds(kind, dimensions, data):
    both = Both(kind.make(dimensions), STREAMS)
    for _ in range(data.draw(st.integers(1, 8))):
        action = data.draw(st.sampled_from(("insert", "remove", "move", "move", "move")))
        if action == "insert":
            both.insert(data.draw(boxes(dimensions, max_size=5)))
        elif action == "remove" and both.slot_in_border:
            some = st.lists(st.sampled_from(sorted(both.slot_in_border)), unique=True, max_size=5)
            both.remove(data.draw(some))
        elif action == "move":
            slot = np.array(data.draw(st.lists(st.integers(0, STREAMS - 1), max_size=8)), np.int32)
            both.step(slot, data.draw(points(dimensions, len(slot))))


@each_kind
def test_random_walks_with_changes_in_between(kind, dimensions, monkeypatch):
    monkeypatch.setattr(diff, "BLOCK", 16)  # several blocks a batch
    random = np.random.default_rng(11)
    streams = 20
    both = Both(kind.make(dimensions), streams)
    at = random.uniform(0, 10, (dimensions, streams))
    for step in range(12):
        if step % 3 != 2:
            lower = random.uniform(-1, 10, (30 if step == 0 else 3, dimensions))
            both.insert(np.stack([lower, lower + random.exponential(3, lower.shape)], axis=2))
        if step % 4 == 3:
            both.remove(random.permutation(sorted(both.slot_in_border))[:6].tolist())
        slot = random.integers(0, streams, 50).astype(np.int32)
        path = []
        for stream in slot:
            at[:, stream] += random.normal(0, 1, dimensions)
            path.append(at[:, stream].copy())
        both.step(slot, np.array(path).T)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if 1 in kind.dimensions], ids=str)
def test_what_is_registered_around_a_stream_is_left_and_not_entered(kind):
    rival, slot = DiffRMQ(kind.make(1)), np.zeros(1, np.int32)

    def move(to):
        return found(rival.crossings(slot, np.array([[to]]), 1))

    assert not move(5.0)
    first = int(rival.insert(np.array([[[0.0, 10.0]]]))[0])
    second = int(rival.insert(np.array([[[4.0, 6.0]]]))[0])
    assert not move(5.5)
    assert move(7.0) == {(0, ~second): 1}
    rival.remove(np.array([first], np.int32))  # no leave is reported
    again = int(rival.insert(np.array([[[20.0, 30.0]]]))[0])  # and the query that reuses its slot was never entered
    assert not move(8.0)
    assert move(25.0) == {(0, again): 1}
    assert not move(math.nan)
    assert move(5.0) == {(0, second): 1, (0, ~again): 1}


def test_more_results_than_the_buffer_holds():
    rival = DiffRMQ(Scan(1))
    rival._buffer = PairBuffer(1 << 10)
    rival.insert(np.tile([[[0.0, 1.0]]], (900, 1, 1)))
    path = np.array([[-1.0, 0.5, 2.0, 0.5, -1.0]])
    pairs = found(rival.crossings(np.zeros(5, np.int32), path, 1))
    assert len(pairs) == 3_600
    assert set(pairs.values()) == {1}
    assert {row: query >= 0 for row, query in pairs} == {1: True, 2: False, 3: True, 4: False}


def test_an_index_may_answer_in_any_order():
    class Backwards(Scan):
        def match(self, points):
            row, slot = super().match(points).arrays()
            pairs = Pairs()
            pairs.append(row[::-1].copy(), slot[::-1].copy())
            return pairs

    both = Both(Backwards(1), 3)
    both.insert(np.array([[[0.0, 2.0]], [[1.0, 3.0]], [[2.0, 5.0]]]))
    slot = np.array([0, 1, 2, 1, 0, 2], np.int32)
    both.step(slot, np.array([[0.5, 1.5, 2.5, 4.0, 2.0, 9.0]]))


def test_remembered_sets_are_part_of_the_memory():
    rival = DiffRMQ(Scan(1))
    rival.insert(np.tile([[[0.0, 1.0]]], (50, 1, 1)))
    nothing = rival.nbytes
    slot = np.arange(1000, dtype=np.int32)
    rival.crossings(slot, np.full((1, 1000), 0.5), 1000)
    assert rival.nbytes - nothing >= 1000 * (50 * 4 + 8)
    assert rival.nbytes == rival.nbytes_queries + rival.nbytes_streams
