"""Levels and slots, whatever the entries are."""

from typing import NamedTuple

import numpy as np
import pytest

from limen.arrays import Slots
from limen.regions.levelled_index import LevelledIndex


class ListLevel(NamedTuple):
    slots: Slots

    @property
    def nbytes(self):
        return self.slots.nbytes


class Lists(LevelledIndex[ListLevel]):
    """An index that lists slots and knows nothing else of them."""

    SMALL = 3
    RATIO = 4

    def insert(self, count, *owners):
        return self._new_slots(count, *owners)

    def _build(self, new, merged):
        return ListLevel(np.concatenate([new, *(living for _, living in merged)]))

    def listed(self):
        return [level.slots.tolist() for level in self._up_to_date()]


def test_small_levels_are_merged_with_what_is_new_and_large_ones_once_it_has_grown():
    index, sizes = Lists(), []
    for count in (40, 2, 1, 6, 1):
        index.insert(count)
        sizes.append([len(slots) for slots in index.listed()])
    assert sizes == [[40], [40, 2], [40, 3], [40, 9], [40, 9, 1]]
    index.insert(2)
    assert [len(slots) for slots in index.listed()] == [60 - 8]


def test_levels_stay_as_they_are_without_changes():
    index = Lists()
    index.insert(5)
    assert index.changed
    before = list(index._up_to_date())
    assert not index.changed
    index.insert(0)
    assert not index.changed
    assert index.listed() == [level.slots.tolist() for level in before]


def test_the_dead_are_left_out_of_levels_that_are_merged_and_their_slots_given_away_again():
    index = Lists()
    index.insert(40)
    index.listed()
    index.insert(2)
    index.listed()
    index.remove(np.array([0, 41], np.int32))
    assert (len(index), index.dead) == (40, 2)
    index.insert(1)
    assert index.listed() == [list(range(40)), [42, 40]]
    assert (len(index), index.dead) == (41, 1)
    assert index.insert(2).tolist() == [41, 43]


def test_everything_is_merged_when_much_is_dead():
    index = Lists()
    index.insert(16)
    index.listed()
    index.remove(np.arange(3, dtype=np.int32))
    assert index.listed() == [list(range(16))]
    index.remove(np.array([3], np.int32))
    assert index.listed() == [list(range(4, 16))]
    assert (len(index), index.dead) == (12, 0)


def test_an_index_that_has_become_empty_has_no_level():
    index = Lists()
    for _ in range(3):
        slots = index.insert(4)
        index.remove(slots)
        assert (index.listed(), len(index)) == ([], 0)
    assert sorted(slots.tolist()) == [0, 1, 2, 3]


def test_insertions_do_not_wait_for_ever_for_a_look_up():
    index = Lists()
    for _ in range(index.MOST_PENDING + 1):
        index.insert(1)
    assert len(index._pending) == 1
    assert index.levels


@pytest.mark.parametrize("bound", [False, True])
def test_streams_of_entries_are_kept_and_bytes_counted(bound):
    index = Lists(bound=bound)
    slots = index.insert(2, *((np.array([7, 3, 5], np.int32), np.array([1, 2])) if bound else ()))
    index.listed()
    assert index.nbytes == 2 + 8 + index.owners.nbytes
    if bound:
        assert index.owners.of(slots)[0].tolist() == [7, 3, 5]
        index.remove(slots[1:])
        assert index.owners.of(slots)[0].tolist() == [7]
    index._arrange_anew()
    assert not index.levels
    assert index.listed() == [[0] if bound else [0, 1]]
