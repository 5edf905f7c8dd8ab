"""Functions over the changes of result sets: signs, running aggregates, distinct values, the answer at a time.

Each helper takes a table of Arrow and returns one, or takes a DataFrame of Spark, batch or streaming, and returns the
same kind. Events may be in any order; a remove belongs to the add of its stream before it.
"""

import importlib
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from limen.changes import running
from limen.changes.change_rows import Names, signs_of, table_of
from limen.changes.fold import Fold, take
from limen.changes.running import MEMBER, QUERY, Running
from limen.model.columns import Columns
from limen.model.time import to_micros

__all__ = ["Running", "answer", "average", "count", "distinct", "signed", "sum"]


def signed(events: Any) -> Any:
    """Add a column `sign`: +1 where a membership begins (``add``, ``enter``), -1 where it ends (``remove``, ``exit``).

    Events of other kinds do not change the members of an answer, and are left out.

    Parameters
    ----------
    events : pyarrow.Table or DataFrame of Spark

    Returns
    -------
    pyarrow.Table or DataFrame
        The events with `sign` as their last column.

    Examples
    --------
    >>> events = pa.table({"kind": ["add", "match", "remove"], "stream_id": ["a", "b", "a"]})
    >>> signed(events).to_pylist()
    [{'kind': 'add', 'stream_id': 'a', 'sign': 1}, {'kind': 'remove', 'stream_id': 'a', 'sign': -1}]
    """
    if _is_frame(events):
        return _on_spark().signed(events)
    table = table_of(events)
    sign = signs_of(table)
    if "sign" not in table.schema.names:
        table = table.append_column("sign", sign)
    return table.filter(pc.is_valid(sign))


def count(events: Any, *, by: Names = QUERY, member: Names = MEMBER) -> Any:
    """Count the members of each query, at every instant that changes their number.

    Parameters
    ----------
    events : pyarrow.Table or DataFrame of Spark
        Events, or what select and join have made of them; with `time`, `kind` or `sign`, and the columns named here.
        With `reason`, phases of one time are kept apart.
    by : str or list of str
        The columns that make a group; none, ``()``, for one count of everything.
    member : str or list of str
        The columns that identify a member. Name another one where a join makes several rows of each member.

    Returns
    -------
    pyarrow.Table or DataFrame
        The columns of `by`, `time` and `count`. A group has no row before its first member, and then counted 0.

    Raises
    ------
    InvalidInput
        When a column is missing, or an add and a remove do not pair.

    Examples
    --------
    >>> times = pa.array([1, 1, 2, 3], pa.timestamp("s", tz="UTC"))
    >>> events = pa.table({"query_id": ["q"] * 4, "kind": ["add", "add", "remove", "remove"],
    ...                    "stream_id": ["a", "b", "a", "b"], "time": times})
    >>> [(row["time"].second, row["count"]) for row in count(events).to_pylist()]
    [(1, 2), (2, 1), (3, 0)]
    """
    return _folded(running.count(by=by, member=member), events)


def sum(
    events: Any, value: str | int, *, by: Names = QUERY, member: Names = MEMBER, columns: Columns | None = None
) -> Any:
    """Sum a value over the members of each query, at every instant that changes the sum.

    A member counts with the value that it had when it was added, until it is removed. (Events
    do not contain the value changes of a member that stays. The values of a remove are those at the removal, not those
    that were added.) The sum is exact: whole numbers have a whole sum, and other sums are rounded once, on output. It
    does not depend on earlier adds and removes, and is 0 for an empty answer. A sum of whole numbers beyond 64 bits is
    an error.

    Parameters
    ----------
    events, by, member
        As for `count`.
    value : str or int
        A column of numbers, or a position in `values`. A missing one and NaN add nothing.
    columns : Columns, optional
        With it, `value` may be the name of a value column of the data.

    Returns
    -------
    pyarrow.Table or DataFrame
        The columns of `by`, `time` and `sum`.

    Examples
    --------
    >>> times = pa.array([1, 2, 3], pa.timestamp("s", tz="UTC"))
    >>> events = pa.table({"query_id": ["q"] * 3, "kind": ["add", "add", "remove"], "stream_id": ["a", "b", "a"],
    ...                    "time": times, "values": [[0.1], [0.2], [7.0]]})
    >>> sum(events, 0)["sum"].to_pylist()
    [0.1, 0.30000000000000004, 0.2]
    """
    return _folded(running.sum(value, by=by, member=member, columns=columns), events)


def average(
    events: Any, value: str | int, *, by: Names = QUERY, member: Names = MEMBER, columns: Columns | None = None
) -> Any:
    """Average a value of the members of each query, at every instant that changes the average.

    The rule is that of `sum`. Members whose value is missing do not take part; where none has one, the average is null.

    Parameters
    ----------
    events, value, by, member, columns
        As for `sum`.

    Returns
    -------
    pyarrow.Table or DataFrame
        The columns of `by`, `time` and `average`.

    Examples
    --------
    >>> times = pa.array([1, 2, 3, 4], pa.timestamp("s", tz="UTC"))
    >>> events = pa.table({"query_id": ["q"] * 4, "sign": [1, 1, -1, -1], "stream_id": ["a", "b", "a", "b"],
    ...                    "time": times, "speed": [30, 50, 90, 90]})
    >>> average(events, "speed")["average"].to_pylist()
    [30.0, 40.0, 50.0, None]
    """
    return _folded(running.average(value, by=by, member=member, columns=columns), events)


def distinct(changes: Any, columns: Names) -> Any:
    """Return when each value first appears among changes, and when its last row is removed.

    The result is changes again, with a sign.

    Parameters
    ----------
    changes : pyarrow.Table or DataFrame of Spark
        With `time`, `kind` or `sign`, and the columns named here.
    columns : str or list of str
        The columns whose distinct values are returned.

    Returns
    -------
    pyarrow.Table or DataFrame
        The columns, `time`, and `sign`: +1 when the value was not there and is, -1 when it was and is not. A
        value that appears and disappears within one instant is left out.

    Examples
    --------
    >>> times = pa.array([1, 2, 3, 4], pa.timestamp("s", tz="UTC"))
    >>> changes = pa.table({"sign": [1, 1, -1, -1], "colour": ["red"] * 4, "time": times})
    >>> [(row["time"].second, row["sign"]) for row in distinct(changes, "colour").to_pylist()]
    [(1, 1), (4, -1)]
    """
    return _folded(running.distinct(columns), changes)


def answer(events: Any, at: datetime | str | None = None, *, member: Names = MEMBER) -> Any:
    """Rebuild result sets: all members of each query once an instant is over.

    Parameters
    ----------
    events : pyarrow.Table or DataFrame of Spark
        As for `count`.
    at : time, optional
        The instant; without it, the last one there is.
    member : str or list of str
        As for `count`.

    Returns
    -------
    pyarrow.Table or DataFrame
        A row for each member: `query_id`, `stream_id`, `since`, which is the time of its add, `values` as they were
        then, and whatever columns a join has added. Of a streaming DataFrame, which has no last instant, a row for
        each query that a micro-batch had changes of: `query_id`, `time` of the last of them, and `members`, a list of
        all that the query now has; the latest row of a query holds.

    Examples
    --------
    >>> times = pa.array([1, 2, 3], pa.timestamp("s", tz="UTC"))
    >>> events = pa.table({"query_id": ["q"] * 3, "kind": ["add", "add", "remove"], "stream_id": ["a", "b", "a"],
    ...                    "time": times})
    >>> answer(events)["stream_id"].to_pylist(), answer(events, at="1970-01-01T00:00:02Z")["stream_id"].to_pylist()
    (['b'], ['a', 'b'])
    """
    fold = running.answer(member=member)
    until = None if at is None else to_micros(at, where="changes.answer: at")
    if _is_frame(events):
        return _on_spark().answer(fold, events, until)
    table = table_of(events)
    if until is not None and "time" in table.schema.names:
        time = table["time"].cast(pa.timestamp("us", tz=table["time"].type.tz), safe=False).cast(pa.int64())
        table = table.filter(pc.less_equal(time, until))
    return take(fold, None, table)[0]


def _folded(fold: Fold, events: Any) -> Any:
    return _on_spark().folded(fold, events) if _is_frame(events) else take(fold, None, events)[0]


def _is_frame(value: Any) -> bool:
    """Whether a value is a DataFrame of Spark; checked without importing Spark, which may not be installed."""
    return type(value).__module__.startswith("pyspark.sql") and hasattr(value, "isStreaming")


def _on_spark() -> Any:
    # By name: `import limen` must not load Spark, and nothing but `limen.spark` knows it.
    return importlib.import_module("limen.spark.changes")
