"""The table of starts against a dictionary."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from limen.runtime.kernels.pair_state import (
    FREE,
    LIVE,
    MARKS,
    NO_ENTRY,
    START,
    USED,
    add,
    find,
    list_all,
    remove,
)

QUERIES, STREAMS = 5, 4
SCRIPTS = st.lists(st.tuples(st.integers(0, QUERIES - 1), st.integers(0, STREAMS - 1), st.booleans()), max_size=60)


def chained(stream, entries, chain):
    """Follow a stream's chain, and check that it leads back too."""
    found, before, e = [], NO_ENTRY, chain[stream]
    while e != NO_ENTRY:
        assert entries[e]["previous"] == before
        found.append(int(entries[e]["query"]))
        before, e = e, entries[e]["following"]
    return found


@given(script=SCRIPTS)
def test_starts_are_found_again_whatever_came_and_went(script):
    entries, chain = np.zeros(QUERIES * STREAMS, START), np.full(STREAMS, NO_ENTRY, np.int32)
    table = np.full(2 * QUERIES * STREAMS, NO_ENTRY, np.int32)[:32]  # crowded: probes go far, also round the end
    marks = np.zeros(MARKS, np.int64)
    marks[FREE] = NO_ENTRY
    known, most = {}, 0
    for time, (query, stream, leaves) in enumerate(script):
        e = find(query, stream, entries, table)
        assert (e != NO_ENTRY) == ((query, stream) in known)
        if e != NO_ENTRY:
            assert (entries[e]["at"], entries[e]["leaves"]) == known.pop((query, stream))
            remove(e, entries, chain, table, marks)
        else:
            add(query, stream, time, leaves, entries, chain, table, marks)
            known[query, stream] = time, leaves
        most = max(most, len(known))
        for each in range(STREAMS):
            assert sorted(chained(each, entries, chain)) == sorted(q for q, s in known if s == each)
    assert marks[LIVE] == len(known)
    assert marks[USED] == most, "free entries are used again"
    larger = np.full(64, NO_ENTRY, np.int32)
    list_all(entries, larger, marks)
    for query in range(QUERIES):
        for stream in range(STREAMS):
            assert (find(query, stream, entries, larger) != NO_ENTRY) == ((query, stream) in known)
