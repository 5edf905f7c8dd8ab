"""What `limen.changes` says of changes that do not pair, of missing columns and wrong arguments."""

from typing import Any

import pyarrow as pa
import pytest

from limen import InvalidInput, changes
from tests.naive_changes import GATE, VISITS, history, table


def without(*names: str) -> pa.Table:
    return history(GATE, VISITS).drop_columns(list(names))


PAIRED = "expected an add, or enter, before a remove, or exit"
WHOLE = "Hint: give all events from the first on, or table after table to changes.Running"
BAD = [
    (lambda: changes.count(table(("q", "a", -1, 1))),
     f"changes: query_id 'q', stream_id 'a': {PAIRED}, got a remove without an add at 1970-01-01T00:00:01Z. {WHOLE}"),
    (lambda: changes.answer(table(("q", "a", 1, 1), ("q", "a", 1, 2))),
     "expected a remove, or exit, before the next add, or enter, got a second add at 1970-01-01T00:00:02Z"),
    (lambda: changes.distinct(table(("q", "a", 1, 1), ("q", "b", -1, 2)), "stream_id"),
     "changes: stream_id 'b': expected an add, or +1, before a remove, or -1, got one remove too many at 1970-01-01T"),
    (lambda: changes.count([1]), "changes: expected a pyarrow.Table of events or a DataFrame of Spark, got list"),
    (lambda: changes.count(without("kind")), "expected a column 'kind' (what happened; or 'sign'), got columns"),
    (lambda: changes.count(without("time")), "changes: expected a column 'time' (when)"),
    (lambda: changes.answer(without("time"), at="2026-01-01T00:00:00Z"), "changes: expected a column 'time' (when)"),
    (lambda: changes.count(without("stream_id")), "changes: expected a column 'stream_id' (of members or groups)"),
    (lambda: changes.count(without(), by="query"), "Hint: did you mean 'query_id'?"),
    (lambda: changes.count(without(), by=3), "changes: by: expected the name of a column, or several, got 3"),
    (lambda: changes.count(without(), by="time"), "by: expected columns that the result can have beside its own"),
    (lambda: changes.distinct(without(), "values"),
     "changes: column 'values': expected text, numbers, times or booleans, got list"),
    (lambda: changes.sum(without(), "x"), "Hint: one of the stream's `values` is given by its position, or by name"),
    (lambda: changes.sum(without(), "kind"), "changes: column 'kind': expected numbers, got string"),
    (lambda: changes.sum(without(), 1), "changes: value: expected a position in `values`, from 0 to 0, got 1"),
    (lambda: changes.sum(without(), -1), "expected the name of a column, or a position in `values`, got -1"),
    (lambda: changes.sum(without("values"), 0), "changes: expected a column 'values' (the stream's values)"),
    (lambda: changes.count(table(("q", "a", 2, 1))), "changes: column 'sign': expected +1 or -1, got 2"),
    (lambda: changes.count(table(("q", "a", 1.0, 1))), "changes: column 'sign': expected whole numbers, got double"),
    (lambda: changes.answer(without(), at="noon"), "changes.answer: at: expected an ISO-8601 time"),
    (lambda: changes.Running("median"), "changes.Running: expected one of 'count', 'sum'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "text"), BAD, ids=range(len(BAD)))
def test_bad_input_is_told(call: Any, text: str) -> None:
    with pytest.raises(InvalidInput) as error:
        call()
    assert text in str(error.value)


def test_a_table_that_does_not_follow_is_not_taken() -> None:
    running = changes.Running("count")
    running.take(table(("q", "a", 1, 1)))
    with pytest.raises(InvalidInput, match="a second add"):
        running.take(table(("q", "b", 1, 2), ("q", "a", 1, 2)))
    assert running.take(table(("q", "b", 1, 2)))["count"].to_pylist() == [2]


def test_a_table_with_other_columns_does_not_follow() -> None:
    running = changes.Running("answer")
    running.take(history(GATE, VISITS[:1]))
    with pytest.raises(InvalidInput, match="columns as before: query_id, stream_id, values, got query_id, stream_id"):
        running.take(without("values"))


def test_times_and_nulls_that_cannot_be() -> None:
    nowhen = pa.table(
        {"query_id": ["q"], "stream_id": ["a"], "sign": [1], "time": pa.array([None], pa.timestamp("us"))}
    )
    with pytest.raises(InvalidInput, match="column 'time': expected a time in each row, got null"):
        changes.count(nowhen)
    with pytest.raises(InvalidInput, match="column 'time': expected timestamps, got int64"):
        changes.count(nowhen.set_column(3, "time", pa.array([1])))
