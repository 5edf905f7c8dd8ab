from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from limen_lab.rivals.kernels.counting import counted
from tests.kernels.room import Room, assert_unharmed

SLOTS = 6
rows = st.lists(st.lists(st.sets(st.integers(0, SLOTS - 1)), min_size=5, max_size=5), min_size=1, max_size=4)


@given(
    found=rows,
    needed=st.lists(st.integers(1, 4), min_size=SLOTS, max_size=SLOTS),
    capacity=st.sampled_from((0, 1, 2, 5, 40)),
)
def test_slots_are_listed_that_enough_columns_found(found, needed, capacity):
    flat, begin = [], np.zeros((len(found), 6), np.int64)
    for k, column in enumerate(found):
        for i, slots in enumerate(column):
            begin[k, i] = len(flat)
            flat.extend(sorted(slots))
        begin[k, 5] = len(flat)
    hits, row, listed = np.zeros(SLOTS, np.int16), 0, Counter()
    while row < 5:
        out_row, out_slot = Room(capacity), Room(capacity)
        done, count = counted(
            begin, np.array(flat, np.int32), np.array(needed, np.int16), row, hits, out_row.cells, out_slot.cells
        )
        assert_unharmed(out_row, out_slot)
        assert not hits.any()
        listed.update(zip(out_row.cells[:count].tolist(), out_slot.cells[:count].tolist(), strict=True))
        if done == row:
            capacity = 2 * capacity + 1
        row = done
    assert listed == Counter(
        (i, slot)
        for i in range(5)
        for slot in range(SLOTS)
        if sum(slot in column[i] for column in found) >= needed[slot]
    )
