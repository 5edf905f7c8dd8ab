import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from limen_lab.bench.answer.kernels.answer_sets import compare, group
from tests.kernels.room import Room, assert_unharmed

QUERIES, STREAMS = 3, 5
answers = st.lists(st.sets(st.integers(0, STREAMS - 1)), min_size=QUERIES, max_size=QUERIES)
NO_FOCAL = np.full(QUERIES, -1, np.int32)


def as_pairs(found):
    pairs = [(query, stream) for query, streams in enumerate(found) for stream in streams]
    return tuple(np.array(pairs, np.int64).reshape(-1, 2).T)


@given(
    pairs=st.lists(st.tuples(st.integers(0, QUERIES - 1), st.integers(0, STREAMS - 1)), unique=True),
    focal=st.lists(st.integers(-1, STREAMS - 1), min_size=QUERIES, max_size=QUERIES),
)
def test_pairs_are_grouped_by_query_without_the_focal_stream(pairs, focal):
    query, stream = np.array(pairs, np.int64).reshape(-1, 2).T
    start, member = group(query, stream, np.array(focal, np.int32))
    for q in range(QUERIES):
        wanted = [stream for query, stream in pairs if query == q and stream != focal[q]]
        assert member[start[q] : start[q + 1]].tolist() == wanted


@given(old=answers, new=answers)
def test_the_difference_is_that_of_sets(old, new):
    grouped = (*group(*as_pairs(old), NO_FOCAL), *group(*as_pairs(new), NO_FOCAL))
    room = sum(map(len, old)) + sum(map(len, new))
    query, stream = Room(room), Room(room)
    came, went = compare(*grouped, np.full(STREAMS, -1, np.int64), query.cells, stream.cells)
    assert_unharmed(query, stream)
    pairs = list(zip(query.cells.tolist(), stream.cells.tolist(), strict=True))
    added = {(q, each) for q in range(QUERIES) for each in new[q] - old[q]}
    removed = {(q, each) for q in range(QUERIES) for each in old[q] - new[q]}
    assert (came, set(pairs[:came])) == (len(added), added)
    assert (went, set(pairs[room - went :])) == (len(removed), removed)
