import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from limen.regions.kernels.pair_order import row_order
from tests.kernels.room import Room, assert_unharmed


@given(rows=st.lists(st.integers(0, 9), max_size=50))
def test_it_is_a_stable_sort_by_row(rows):
    row = np.array(rows, np.int32)
    counts, out = Room(11, np.int64), Room(len(rows), np.int64)
    counts.cells[:] = 0
    row_order(row, counts.cells, out.cells)
    assert out.cells.tolist() == np.argsort(row, kind="stable").tolist()
    assert_unharmed(counts, out)
