import numpy as np
import pytest

from limen.queries.answer.kernels.emit import emit, with_columns
from tests.kernels.room import Room


def test_a_change_is_a_place_in_five_columns():
    out = Room.of_columns(5, 2, np.int64)
    assert emit(out.columns, 0, 4, 2, True, 11, 9) == 1
    assert emit(out.columns, 1, 5, 1, False, 12, -1) == 2
    assert out.columns.T.tolist() == [[4, 2, 1, 11, 9], [5, 1, 0, 12, -1]]
    out.assert_unharmed()


@pytest.mark.parametrize(
    ("size", "count", "more"),
    [(4, 0, 4), (4, 3, 1), (4, 4, 0), (0, 0, 0), (0, 0, 1), (1, 1, 1), (4, 2, 3), (4, 4, 100), (4, 0, 5)],
)
def test_columns_are_made_longer_and_what_is_there_stays(size, count, more):
    out = Room.of_columns(3, size, np.int64)
    out.columns[:] = np.arange(3 * size).reshape(3, size)
    longer = with_columns(out.columns, count, more)
    assert longer.shape[1] >= count + more
    assert longer.shape[1] == size or longer.shape[1] >= 2 * size
    assert np.shares_memory(longer, out.columns) == (0 < count + more <= size)
    assert (longer[:, :count] == out.columns[:, :count]).all()
    out.assert_unharmed()
