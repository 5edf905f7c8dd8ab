"""The index of match queries as groups use it: by columns, with slots that come and go."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.queries.match.construct_index import ConstructIndex
from limen.regions.boxes import BoxIndex
from tests.regions.kernels.moves import boxes, points


def pairs(index, at, columns):
    row, slot = index.containing(np.zeros(at.shape[1], np.int32), at, columns).arrays()
    return sorted(zip(row.tolist(), slot.tolist(), strict=True))


@given(dimensions=st.integers(1, 4), data=st.data())
def test_it_finds_what_edge_lists_find(dimensions, data):
    ours, lists = ConstructIndex(dimensions), BoxIndex(dimensions)
    columns = np.array(data.draw(st.permutations(range(dimensions))), np.int64)
    number = {}  # the slot in one, by that in the other
    for _ in range(3):
        new = data.draw(boxes(dimensions, max_size=12))
        number.update(zip(ours.insert(new).tolist(), lists.insert(new).tolist(), strict=True))
        gone = data.draw(st.lists(st.sampled_from(sorted(number)), unique=True)) if number else []
        ours.remove(np.array(gone, np.int32))
        lists.remove(np.array([number.pop(slot) for slot in gone], np.int32))
        at = data.draw(points(dimensions, 6))
        assert sorted((row, number[slot]) for row, slot in pairs(ours, at, columns)) == pairs(lists, at, columns)
        living = np.flatnonzero(ours.alive).astype(np.int32)
        assert sorted(living.tolist()) == sorted(number)
        assert (ours.regions(living) == lists.regions(np.array([number[s] for s in living.tolist()], np.int32))).all()
        assert len(ours) == len(number)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_what_it_holds_is_counted(dimensions):
    index = ConstructIndex(dimensions)
    index.insert(np.tile([0.0, 1.0], (1000, dimensions, 1)))
    assert pairs(index, np.full((dimensions, 1), 0.5), np.arange(dimensions)) == [(0, slot) for slot in range(1000)]
    assert index.nbytes_queries > 1000 * 16 * dimensions
    assert index.nbytes_streams == 0
