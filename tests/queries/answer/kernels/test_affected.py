import numpy as np

from limen.queries.answer.kernels.affected import mark_affected


def test_a_query_is_asked_once():
    marked, queries = np.full(4, -1), np.full(4, -1, np.int32)
    assert mark_affected(marked, 7, queries, 0, 2) == 1
    assert mark_affected(marked, 7, queries, 1, 2) == 1
    assert mark_affected(marked, 7, queries, 1, 0) == 2
    assert mark_affected(marked, 8, queries, 0, 2) == 1
    assert queries.tolist() == [2, 0, -1, -1]
