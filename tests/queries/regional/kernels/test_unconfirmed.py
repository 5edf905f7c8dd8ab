"""Which row of a stream follows which."""

import numpy as np

from limen.queries.regional.kernels.unconfirmed import NO_ROW, next_rows


def test_late_rows_follow_nobody():
    slot = np.array([0, 1, 0, 0, 1], np.int32)
    late = np.array([False, True, True, False, False])
    following, first = np.empty(5, np.int64), np.full(3, NO_ROW, np.int64)
    next_rows(slot, late, following, first)
    assert following.tolist() == [3, 4, 3, NO_ROW, NO_ROW]
    assert first.tolist() == [0, 4, NO_ROW]
