import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from limen.regions.owners import BoundStreams

changes = st.lists(st.tuples(st.integers(0, 5), st.lists(st.integers(0, 9), max_size=4)), max_size=20)


@given(changes=changes, gaps=st.booleans())
def test_lists_are_found_again_whatever_came_and_went(changes, gaps):
    owners, expected = BoundStreams(), {}
    for slot, streams in changes:
        if slot in expected:
            owners.drop(np.array([slot], np.int32))
        owners.put(np.array([slot], np.int32), np.array(streams, np.int32), np.array([len(streams)]))
        expected[slot] = streams
    number = np.arange(10, dtype=np.int32)[::-1].copy() if gaps else np.arange(10, dtype=np.int32)
    if gaps:
        owners.renumber(number)
    slots = np.array(sorted(expected), np.int32)
    found, counts = owners.of(slots)
    assert counts.tolist() == [len(expected[slot]) for slot in sorted(expected)]
    assert found.tolist() == [int(number[each]) for slot in sorted(expected) for each in expected[slot]]


def test_room_is_given_back():
    owners = BoundStreams()
    for _ in range(50):
        slots = np.arange(100, dtype=np.int32)
        owners.put(slots, np.zeros(1000, np.int32), np.full(100, 10))
        owners.drop(slots)
    assert owners.nbytes < 50_000
