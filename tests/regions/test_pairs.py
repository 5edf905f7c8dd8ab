import numpy as np
import pytest

from limen.regions.pairs import PairBuffer, Pairs


def int32s(*numbers):
    return np.array(numbers, np.int32)


def test_pairs_come_out_by_row_however_they_came_in():
    pairs = Pairs()
    pairs.append(int32s(2, 0), int32s(20, 1))
    pairs.append(int32s(1, 2, 0), int32s(10, 21, 2))
    row, query = pairs.by_row(3)
    assert row.tolist() == [0, 0, 1, 2, 2]
    assert query.tolist() == [1, 2, 10, 20, 21]


def test_no_pairs():
    pairs = Pairs()
    assert [array.tolist() for array in pairs.by_row(3)] == [[], []]
    assert [array.dtype for array in pairs.arrays()] == [np.int32, np.int32]


def test_what_is_taken_out_of_a_buffer_is_a_copy():
    pairs, buffer = Pairs(), PairBuffer(4)
    buffer.row[:2], buffer.query[:2] = (0, 1), (5, 6)
    pairs.add(buffer, 2)
    pairs.add(buffer, 0)
    buffer.row[:], buffer.query[:] = -9, -9
    assert [(row.tolist(), query.tolist()) for row, query in pairs.chunks()] == [([0, 1], [5, 6])]


@pytest.mark.parametrize("count", [0, 3])
def test_a_buffer_doubles_when_a_kernel_stopped(count):
    buffer = PairBuffer(4)
    buffer.row[:], buffer.query[:] = 7, 8
    buffer.make_room(count)
    assert (len(buffer.row), len(buffer.query)) == (8, 8)
    assert (buffer.row[:4].tolist(), buffer.query[:4].tolist()) == ([7] * 4, [8] * 4)


def test_a_large_buffer_grows_only_when_nothing_fitted():
    buffer = PairBuffer(1 << 18)
    buffer.make_room(1)
    assert len(buffer.row) == 1 << 18
    buffer.make_room(0)
    assert len(buffer.row) == 1 << 19
