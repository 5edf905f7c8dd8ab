import heapq

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kernels.heap import pop, push
from tests.kernels.room import Room, assert_unharmed

#: A number is pushed, None takes the smallest out.
SCRIPTS = st.lists(st.none() | st.integers(-5, 5) | st.integers(-(2**62), 2**62), max_size=60)


@pytest.mark.parametrize("kind", [np.int64, np.float64])
@given(script=SCRIPTS)
def test_the_smallest_comes_first(kind, script):
    room = max(1, sum(key is not None for key in script))
    keys, items = Room(room, kind), Room(room, np.int32)
    expected, size = [], 0
    for number, key in enumerate(script):
        if key is not None:
            push(kind(key), np.int32(number), size, keys.cells, items.cells)
            heapq.heappush(expected, kind(key))
            size += 1
        elif size:
            assert keys.cells[0] == heapq.heappop(expected)
            assert kind(script[items.cells[0]]) == keys.cells[0], "an item stays with its key"
            pop(size, keys.cells, items.cells)
            size -= 1
    assert sorted(keys.cells[:size].tolist()) == sorted(expected)
    assert_unharmed(keys, items)
