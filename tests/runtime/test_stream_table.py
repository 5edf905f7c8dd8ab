"""What is known of each stream: last time, last values and last row."""

import numpy as np
import pyarrow as pa
import pytest

from limen import Columns
from limen.checkpoint.codec import decode, encode
from limen.model.expressions.expression import Expression
from limen.runtime.kernels.streams import NEVER
from limen.runtime.stream_table import StreamTable
from tests.runtime.batches import COLUMNS, KIND, rows, rows_of

X = np.array([0])


def int32s(*numbers):
    return np.array(numbers, np.int32)


def take(table, *cells, expire_after=-1):
    """Take rows (stream, time, x) of COLUMNS in, and return the step."""
    taken = rows(*cells)
    step = table.step(taken, table.slots(taken.ids), expire_after)
    table.remember(step)
    return step


def table_with(*cells):
    table = StreamTable(COLUMNS, {}, dict)
    take(table, *cells)
    return table


def known(table):
    """(last time, last x, live) of each stream by id."""
    states = zip(table.last_time.tolist(), table.last[:, 0].tolist(), table.live.tolist(), strict=False)
    return dict(zip(table.ids.all().to_pylist(), states, strict=False))


def test_streams_have_slots_in_the_order_in_which_they_come():
    table = StreamTable(COLUMNS, {}, dict)
    assert len(table) == 0
    assert table.slots(pa.array(["b", "a", "b"])).tolist() == [0, 1, 0]
    assert table.slots(["c", "a"]).tolist() == [2, 1]
    assert len(table) >= 3
    assert not table.live.any()
    assert set(table.last_time.tolist()) == {NEVER}


def test_a_row_is_late_when_its_stream_has_one_of_that_time_or_later():
    table = table_with(("a", 5, 1.0), ("b", 3, 2.0))
    step = take(table, ("b", 4, 6.0), ("a", 5, 7.0), ("a", 4, 8.0), ("a", 6, 9.0))
    assert step.late.tolist() == [False, True, True, False]
    assert known(table) == {"a": (6, 9.0, True), "b": (4, 6.0, True)}


def test_a_missing_value_is_the_last_known_one():
    table = table_with(("a", 1, 7.0), ("b", 1, None))
    step = take(table, ("a", 2, None), ("b", 2, None))
    np.testing.assert_array_equal(step.before, [[7.0, np.nan]])
    np.testing.assert_array_equal(step.after, [[7.0, np.nan]])
    assert table.last_time.tolist() == [2, 2]


def test_streams_fall_silent_after_the_limit_and_not_at_it():
    table = table_with(("a", 10, 1.0), ("b", 12, 2.0), ("c", 20, 3.0))
    assert len(table.due(5, 15)) == 0
    due = table.due(5, 18)
    assert (due.slot.tolist(), due.time.tolist(), due.values.tolist()) == ([0, 1], [15, 17], [[1.0, 2.0]])
    assert due.row.tolist() == [-1, -1]
    assert table.live.tolist()[:3] == [True] * 3  # until `forget`


def test_a_forgotten_stream_is_unknown_but_rows_from_before_are_late():
    table = table_with(("a", 10, 1.0))
    table.forget(table.due(5, 18))
    assert not table.live[0]
    assert np.isnan(table.last[0]).all()
    assert len(table.due(5, 99)) == 0
    step = take(table, ("a", 14, 2.0), ("a", 15, 3.0))
    assert step.late.tolist() == [True, False]
    assert known(table) == {"a": (15, 3.0, True)}


def test_a_row_after_a_long_silence_finds_its_stream_expired():
    table = table_with(("a", 10, 1.0))
    step = take(table, ("a", 15, 2.0), ("a", 21, 3.0), expire_after=5)
    assert (step.expired.row.tolist(), step.expired.time.tolist(), step.expired.values.tolist()) == (
        [1],
        [20],
        [[2.0]],
    )
    np.testing.assert_array_equal(step.before, [[1.0, np.nan]])


def test_an_evicted_stream_keeps_its_last_time():
    table = table_with(("a", 10, 1.0), ("b", 10, 2.0))
    table.evict(int32s(0))
    assert table.live.tolist()[:2] == [False, True]
    step = take(table, ("a", 10, 5.0), ("a", 11, None))
    assert step.late.tolist() == [True, False]
    assert np.isnan(table.last[0, 0])  # what it knew before is gone


def test_rows_before_a_deadline_that_has_passed_are_late():
    table = table_with(("a", 1, 1.0), ("b", 1, 1.0))
    table.keep_late(int32s(0, 0), np.array([8, 6]))
    step = take(table, ("a", 7, 2.0), ("b", 7, 2.0), ("a", 8, 3.0), ("new", 7, 1.0))
    assert step.late.tolist() == [True, False, False, False]


def test_ties_are_found():
    table = StreamTable(COLUMNS, {}, dict)
    slot = table.slots(["a", "b", "a"])
    assert table.has_ties(slot, np.array([4, 4, 4]))
    assert not table.has_ties(slot, np.array([4, 4, 5]))
    assert not table.has_ties(slot, np.array([4, 4, 5]))  # a look leaves no trace
    assert not table.has_ties(slot[:0], np.array([], np.int64))


def with_kinds():
    """Stream a was a bus and then a car, b has no kind, c was never seen."""
    table = StreamTable(KIND, {"kind": pa.string()}, dict)
    batch = {"s": ["a", "a", "b"], "t": [1, 2, 1], "x": [1.0, 2.0, 3.0], "kind": ["bus", "car", None]}
    taken = rows_of(pa.table(batch), KIND)
    table.remember(table.step(taken, table.slots(taken.ids), -1))
    table.slots(["c"])
    return table


def test_conditions_are_judged_by_the_last_row():
    table, slots = with_kinds(), int32s(2, 1, 0)
    assert table.held(Expression.parse("kind = 'car'"), X, slots).tolist() == [False, False, True]
    assert table.held(Expression.parse("kind = 'bus'"), X, slots).tolist() == [False] * 3
    assert table.held(Expression.parse("x >= 2"), X, slots).tolist() == [False, True, True]
    assert table.held(Expression.parse("kind IS NULL"), X, int32s()).tolist() == []


def test_a_view_of_some_streams():
    view = with_kinds().view(int32s(1, 0), X)
    assert view.points.tolist() == [[3.0, 2.0]]
    assert view.holds(Expression.parse("kind = 'car'")).tolist() == [False, True]
    assert view.holds(Expression.parse("kind = 'car'"), np.array([1])).tolist() == [True]
    assert view.only(np.array([1])).points.tolist() == [[2.0]]
    assert view.only(np.array([1])).holds(Expression.parse("x = 2")).tolist() == [True]


def test_what_is_dumped_is_loaded():
    table = with_kinds()
    table.keep_late(int32s(1), np.array([9]))
    loaded = StreamTable(KIND, {"kind": pa.string()}, dict)
    slots = loaded.slots(["z", "b", "a", "c"])
    written, _ = decode(encode(table.dump(int32s(1, 0, 2)), {}))
    loaded.load(slots[1:], written)
    assert loaded.last_time[slots].tolist() == [NEVER, 1, 2, NEVER]
    assert loaded.live[slots].tolist() == [False, True, True, False]
    assert loaded.held(Expression.parse("kind = 'car'"), X, slots).tolist() == [False, False, True, False]
    late = [step.late.tolist() for step in (take_kind(table, "b", 8), take_kind(loaded, "b", 8))]
    assert late == [[True], [True]]
    assert [each.tolist() for each in (loaded.due(3, 5).time, loaded.due(3, 6).slot)] == [[4], [1, 2]]


def take_kind(table, stream, time):
    taken = rows_of(pa.table({"s": [stream], "t": [time], "x": [1.0], "kind": ["bus"]}), KIND)
    return table.step(taken, table.slots(taken.ids), -1)


def test_some_streams_are_kept_and_renumbered():
    table = table_with(("a", 1, 1.0), ("b", 2, 2.0), ("c", 3, 3.0))
    table.choose(int32s(2, 0))
    assert known(table) == {"c": (3, 3.0, True), "a": (1, 1.0, True)}
    assert table.slots(["a", "b"]).tolist() == [1, 2]
    step = take(table, ("b", 1, 9.0), ("c", 3, 9.0))  # b is a new stream, c is late
    assert step.late.tolist() == [False, True]


def test_a_copy_goes_its_own_way():
    table = table_with(("a", 1, 1.0))
    other = table.copy()
    take(other, ("a", 2, 5.0))
    assert known(table) == {"a": (1, 1.0, True)}
    assert known(other) == {"a": (2, 5.0, True)}
    assert other.slots(["a"]).tolist() == table.slots(["a"]).tolist()


@pytest.mark.parametrize("act", ["step", "forget", "evict"])
def test_streams_that_change_are_tracked(act):
    table = table_with(("a", 1, 1.0), ("b", 9, 1.0))
    table.touched = []
    if act == "step":
        take(table, ("a", 2, 2.0))
    elif act == "forget":
        table.forget(table.due(1, 5))
    else:
        table.evict(int32s(0))
    assert [each.tolist() for each in table.touched] == [[0]]


def test_streams_take_room():
    table = StreamTable(Columns("s", "t", ("x", "y"), time_unit="us"), {}, dict)
    empty = table.nbytes
    table.slots([f"s{number}" for number in range(1000)])
    assert table.nbytes - empty >= 1000 * (8 + 2 * 8 + 1)
