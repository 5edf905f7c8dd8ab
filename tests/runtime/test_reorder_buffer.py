"""Rows that wait until their time is complete."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from limen.runtime.reorder_buffer import MOST_PARTS, ReorderBuffer
from tests.runtime.batches import COLUMNS, KIND, rows, rows_of, table


def taken(buffer, time, types=None):
    """Take rows out: (stream, time, x), in their order."""
    out = buffer.take_before(time, types or {})
    return list(zip(out.ids.to_pylist(), out.time.tolist(), out.values[0].tolist(), strict=True))


def test_rows_before_a_time_are_taken_once():
    buffer = ReorderBuffer(COLUMNS)
    buffer.add(rows(("a", 5, 1.0), ("b", 2, 2.0), ("c", 9, 3.0)))
    assert taken(buffer, 5) == [("b", 2, 2.0)]
    assert taken(buffer, 5) == []
    assert len(buffer) == 2
    assert taken(buffer, 6) == [("a", 5, 1.0)]
    assert taken(buffer, None) == [("c", 9, 3.0)]
    assert (len(buffer), buffer.nbytes) == (0, 0)


def test_rows_of_several_batches_are_taken_together():
    buffer = ReorderBuffer(COLUMNS)
    buffer.add(rows(("a", 1, 1.0), ("a", 8, 2.0)))
    buffer.add(rows(("b", 0, 3.0), ("b", 9, 4.0)))
    assert sorted(taken(buffer, 5)) == [("a", 1, 1.0), ("b", 0, 3.0)]
    assert sorted(taken(buffer, None)) == [("a", 8, 2.0), ("b", 9, 4.0)]


def test_rows_of_one_time_stay_in_the_order_in_which_they_came():
    buffer = ReorderBuffer(COLUMNS)
    buffer.add(rows(("b", 7, 1.0), ("a", 7, 2.0), ("a", 1, 3.0), ("c", 7, 4.0)))
    assert taken(buffer, None) == [("a", 1, 3.0), ("b", 7, 1.0), ("a", 7, 2.0), ("c", 7, 4.0)]


def test_no_rows_leave_no_trace():
    buffer = ReorderBuffer(COLUMNS)
    buffer.add(rows_of(table().slice(0, 0)))
    assert (len(buffer), buffer.nbytes) == (0, 0)
    assert taken(buffer, None) == []


def test_the_array_of_times_may_be_reused_by_the_caller():
    buffer, times = ReorderBuffer(COLUMNS), np.array([1, 2])
    buffer.add(replace(rows(("a", 1, 1.0), ("b", 2, 2.0)), time=times))
    times[:] = 99
    assert [time for _, time, _ in taken(buffer, None)] == [1, 2]


def test_an_attribute_without_a_value_gets_the_type_that_came_later():
    buffer = ReorderBuffer(KIND)
    buffer.add(rows_of(table(kind=pa.nulls(2)), KIND))
    buffer.add(rows_of(table(kind=["car", None], t=[3, 4]), KIND))
    (kinds,) = buffer.take_before(None, {"kind": pa.string()}).attributes
    assert (kinds.type, kinds.to_pylist()) == (pa.string(), [None, None, "car", None])


def test_many_small_batches_are_joined_and_none_is_lost():
    buffer, random = ReorderBuffer(COLUMNS), np.random.default_rng(1)
    came, went = [], []
    for number in range(4 * MOST_PARTS):
        batch = [(f"s{number}", 1000 + int(random.integers(0, 500)), float(place)) for place in range(3)]
        came += batch
        buffer.add(rows(*batch))
        went += taken(buffer, 1000 + number)
        assert len(buffer.parts) <= MOST_PARTS + 1
        assert len(buffer) == len(came) - len(went)
    assert 0 < len(went) < len(came)
    assert sorted(went + taken(buffer, None)) == sorted(came)
