import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.regions.kernels.merging import NO_QUERY, merge
from tests.kernels.room import Room, assert_unharmed
from tests.regions.kernels.moves import NUMBERS

entries = st.lists(st.tuples(st.integers(0, 4), NUMBERS), max_size=20)
WIDTH = 2


def arrays_of(entries, first):
    """Entries (owner, own) as arrays, in order; the other columns and the queries count up from a number."""
    edge = np.array([[own, first + i] for i, (_, own) in enumerate(entries)], np.float64).reshape(-1, WIDTH)
    query = np.arange(first, first + len(entries), dtype=np.int32)
    return edge, query, np.array([owner for owner, _ in entries], np.int32)


def merged(base, new, alive, *, keep_empty):
    """Merge entries into the list `base`: (edge, query, segments, owners); return such a list."""
    edge, query, segments, owners = base
    new_edge, new_query, new_owner = new
    most_segments = len(owners) + len(set(new_owner.tolist()))
    most = len(query) + len(new_query) + 2 * most_segments
    out_edge, out_query = Room(most, np.float64, WIDTH), Room(most)
    out_segments, out_owners = Room(most_segments + 1, np.int64), Room(most_segments)
    size, count = merge(
        edge, query, segments, owners, alive, new_edge, new_query, new_owner, keep_empty,
        out_edge.cells, out_query.cells, out_segments.cells, out_owners.cells,
    )  # fmt: skip
    assert_unharmed(out_edge, out_query, out_segments, out_owners)
    entries = out_edge.cells[:size], out_query.cells[:size]
    return *entries, out_segments.cells[: count + 1], out_owners.cells[:count]


NOTHING = (np.empty((0, WIDTH)), np.empty(0, np.int32), np.zeros(1, np.int64), np.empty(0, np.int32))


def laid_out(entries):
    """What a list of (owner, own, query) must look like: each owner's between sentinels."""
    rows, segments, owners = [], [0], sorted({owner for owner, _, _ in entries})
    for owner in owners:
        mine = [(own, query) for other, own, query in entries if other == owner]
        rows += [(-math.inf, NO_QUERY), *mine, (math.inf, NO_QUERY)]
        segments.append(len(rows))
    return rows, segments, owners


@given(old=entries.map(sorted), new=entries.map(sorted), data=st.data())
def test_a_merge_is_as_if_all_the_living_had_been_sorted(old, new, data):
    n = len(old)
    alive = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)) + [True] * len(new), np.bool_)
    base = merged(NOTHING, arrays_of(old, 0), np.ones(n, np.bool_), keep_empty=False)
    edge, query, segments, owners = merged(base, arrays_of(new, n), alive, keep_empty=False)
    living = [(owner, own, i) for i, (owner, own) in enumerate(old + new) if alive[i]]
    rows, expected_segments, expected_owners = laid_out(sorted(living))
    assert list(zip(edge[:, 0].tolist(), query.tolist(), strict=True)) == rows
    assert (segments.tolist(), owners.tolist()) == (expected_segments, expected_owners)
    # Sentinels contain nothing; all else keeps what lies beside it.
    assert edge[:, 1].tolist() == [-math.inf if q == NO_QUERY else float(q) for q in query.tolist()]


@pytest.mark.parametrize(("keep_empty", "sizes"), [(True, [0, 2]), (False, [0])])
def test_a_segment_that_has_lost_all_its_entries(keep_empty, sizes):
    base = merged(NOTHING, arrays_of([(3, 1.0), (3, 2.0)], 0), np.ones(2, np.bool_), keep_empty=False)
    assert base[2].tolist() == [0, 4]
    nothing_new = arrays_of([], 0)
    _, _, segments, owners = merged(base, nothing_new, np.zeros(2, np.bool_), keep_empty=keep_empty)
    assert (segments.tolist(), owners.tolist()) == (sizes, [3] * (len(sizes) - 1))
