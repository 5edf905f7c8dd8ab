"""Rows of a step, each with what its stream knew before and after."""

import numpy as np
import pyarrow as pa

from limen import Columns
from limen.model.expressions.expression import Expression
from limen.runtime.stream_table import StreamTable
from tests.runtime.batches import rows_of

COLUMNS = Columns("s", "t", ("x", "y"), "kind", time_unit="us")
X, Y, BOTH = np.array([0]), np.array([1]), np.array([0, 1])
NAN = np.nan


def batch(*cells):
    """Rows (stream, time, x, y, kind)."""
    ids, times, xs, ys, kinds = zip(*cells, strict=True) if cells else ((),) * 5
    floats = {name: pa.array(column, pa.float64()) for name, column in (("x", xs), ("y", ys))}
    columns = {"s": pa.array(ids, pa.string()), "t": pa.array(times, pa.int64()), **floats}
    return rows_of(pa.table({**columns, "kind": pa.array(kinds, pa.string())}), COLUMNS)


def after(*earlier, then, expire_after=-1):
    """Take earlier rows in, and return the step of the rows then."""
    streams = StreamTable(COLUMNS, {"kind": pa.string()}, dict)
    for each in (earlier, then):
        taken = batch(*each)
        step = streams.step(taken, streams.slots(taken.ids), expire_after)
        if each is earlier:
            streams.remember(step)
    return step


def holds(step, condition, rows=None):
    return step.holds(Expression.parse(condition), None if rows is None else np.array(rows)).tolist()


def held(step, condition, columns, rows=None):
    return step.held(Expression.parse(condition), columns, None if rows is None else np.array(rows)).tolist()


def test_rows_that_a_query_skips():
    step = after(
        ("a", 1, 1.0, None, "bus"),
        then=[
            ("a", 2, None, None, "bus"),  # nothing new
            ("a", 3, 2.0, None, "bus"),  # y was never known
            ("a", 4, None, 3.0, "bus"),
            ("a", 4, 9.0, 9.0, "bus"),  # late
        ],
    )
    assert step.seen(X).tolist() == [False, True, False, False]
    assert step.seen(Y).tolist() == [False, False, True, False]
    assert step.seen(BOTH).tolist() == [False, False, True, False]


def test_conditions_are_judged_by_the_rows_own_values():
    step = after(
        ("b", 1, 5.0, 5.0, "bus"),
        then=[("a", 2, 1.0, None, "bus"), ("b", 2, None, 7.0, "car"), ("c", 2, 6.0, 1.0, None)],
    )
    for rows in (None, [2, 1]):
        chosen = slice(None) if rows is None else rows
        for condition, expected in (
            ("x > 2", [False, False, True]),
            ("x <> 1", [False, False, True]),  # a missing value differs from nothing
            ("x >= 1 AND y < 5", [False, False, True]),
            ("kind = 'bus'", [True, False, False]),
            ("kind IS NULL", [False, False, True]),
            ("x + 1 > 1.5 OR kind = 'car'", [True, True, True]),
            ("TRUE", [True, True, True]),
        ):
            assert holds(step, condition, rows) == np.array(expected)[chosen].tolist(), condition


def test_a_condition_held_in_the_row_before_that_the_query_saw():
    step = after(
        ("a", 1, 1.0, 1.0, "bus"),
        then=[
            ("a", 2, 2.0, None, "car"),
            ("b", 2, 1.0, 1.0, "bus"),
            ("a", 3, None, 4.0, "tram"),
            ("a", 4, 3.0, 3.0, "bus"),
        ],
    )
    # Of a, a query on x saw the bus, then the car, never the tram; one on y the bus, then the tram.
    assert held(step, "kind = 'bus'", X) == [True, False, False, False]
    assert held(step, "kind = 'car'", X) == [False, False, True, True]
    assert held(step, "kind = 'bus'", Y) == [True, False, True, False]
    assert held(step, "kind = 'tram'", Y) == [False, False, False, True]
    assert held(step, "kind = 'car'", X, rows=[3, 0]) == [True, False]


def test_now_and_then():
    step = after(("a", 1, 1.0, 1.0, "bus"), then=[("a", 2, 2.0, None, "car"), ("a", 3, 3.0, 3.0, "tram")])
    assert step.now().points.tolist() == [[2.0, 3.0], [1.0, 3.0]]
    assert step.then(X).points.tolist() == [[1.0, 2.0], [1.0, 1.0]]
    car = Expression.parse("kind = 'car'")
    assert step.now().holds(car).tolist() == [True, False]
    assert step.then(X).holds(car).tolist() == [False, True]


def test_a_stream_that_expired_before_its_row():
    step = after(("a", 1, 1.0, 2.0, "bus"), then=[("b", 2, 1.0, 1.0, "car"), ("a", 9, 5.0, 5.0, "car")], expire_after=5)
    view = step.then_expired(X)
    assert view.points.tolist() == [[1.0], [2.0]]
    assert view.holds(Expression.parse("kind = 'bus'")).tolist() == [True]
    assert np.isnan(step.before[:, 1]).all()
    np.testing.assert_array_equal(step.known_before(), [[NAN, NAN], [1.0, 2.0]])


def test_streams_that_fall_silent_while_others_go_on():
    rows = [("a", 1, 1.0, 2.0, "bus"), ("b", 1, 1.0, 2.0, "bus"), ("c", 4, 1.0, 2.0, "bus")]
    then = [("b", 8, 1.0, 1.0, "car"), ("c", 9, 1.0, 1.0, "car")]
    silent = after(*rows, then=then, expire_after=5).silent()
    assert (silent.slot.tolist(), silent.time.tolist()) == ([0], [6])
    assert len(after(*rows, then=then).silent()) == 0


def test_what_streams_knew_at_a_time():
    step = after(
        ("a", 1, 1.0, 1.0, "bus"),
        ("quiet", 1, 7.0, 8.0, "bus"),
        then=[
            ("a", 5, 2.0, None, "bus"),
            ("b", 6, 4.0, 4.0, "bus"),
            ("a", 7, 3.0, 3.0, "bus"),
            ("a", 7, 9.0, 9.0, "x"),
        ],
    )
    slots, times = np.array([0, 0, 0, 0, 1, 2, 2], np.int32), np.array([4, 5, 6, 99, 4, 5, 6])
    expected = [[1.0, 2.0, 2.0, 3.0, 7.0, NAN, 4.0], [1.0, 1.0, 1.0, 3.0, 8.0, NAN, 4.0]]
    np.testing.assert_array_equal(step.known_at(slots, times), expected)


def test_columns_by_name():
    step = after(then=[("a", 2, 2.0, None, "car"), ("b", 3, 3.0, 1.0, None)])
    assert step.column("s").to_pylist() == ["a", "b"]
    assert step.column("t").cast("int64").to_pylist() == [2, 3]
    assert step.column("x").to_pylist() == [2.0, 3.0]
    assert step.column("kind").to_pylist() == ["car", None]


def test_a_step_without_rows():
    step = after(("a", 1, 1.0, 1.0, "bus"), then=[])
    assert step.seen(X).tolist() == holds(step, "x > 0") == held(step, "kind = 'bus'", X) == []
    assert step.known_before().shape == (0, 2)
    assert len(step.silent()) == 0
