"""Aggregates over a live engine's changes: state carried from table to table."""

from typing import Any

import pyarrow as pa

from limen.changes.aggregate import Aggregate
from limen.changes.answer_at import Answer
from limen.changes.change_rows import Names, names_of
from limen.changes.distinct import Distinct
from limen.changes.fold import Fold, take
from limen.errors import InvalidInput, did_you_mean
from limen.model.columns import Columns

QUERY, MEMBER = "query_id", ("query_id", "stream_id")


def count(*, by: Names = QUERY, member: Names = MEMBER) -> Fold:
    """Make the fold of `changes.count`."""
    return Aggregate("count", names_of(by, "by", ("time", "count")), names_of(member, "member"))


def sum(value: str | int, *, by: Names = QUERY, member: Names = MEMBER, columns: Columns | None = None) -> Fold:
    """Make the fold of `changes.sum`."""
    return _aggregate("sum", value, by, member, columns)


def average(value: str | int, *, by: Names = QUERY, member: Names = MEMBER, columns: Columns | None = None) -> Fold:
    """Make the fold of `changes.average`."""
    return _aggregate("average", value, by, member, columns)


def distinct(columns: Names) -> Fold:
    """Make the fold of `changes.distinct`."""
    return Distinct(names_of(columns, "columns", ("time", "sign")))


def answer(*, member: Names = MEMBER) -> Answer:
    """Make the fold of `changes.answer`."""
    return Answer((QUERY,), names_of(member, "member", ("time", "sign", "since")))


_FOLDS: dict[str, Any] = {"count": count, "sum": sum, "average": average, "distinct": distinct, "answer": answer}


class Running:
    """A helper of this module that takes events table after table, as an engine hands them out.

    Parameters
    ----------
    helper : str
        ``"count"``, ``"sum"``, ``"average"``, ``"distinct"`` or ``"answer"``.
    *arguments, **options
        What the function of that name takes beside the events.

    Examples
    --------
    >>> import limen, pyarrow as pa
    >>> engine = limen.Engine(limen.Columns(id="car", time="t", values="x", time_unit="s"),
    ...                       queries=[limen.Within("gate", limen.Range(0, 10))])
    >>> there = Running("count")
    >>> for t, x in ((1, [5.0, 7.0]), (2, [6.0, 17.0])):
    ...     events = engine.process(pa.table({"car": ["bus", "van"], "t": [t, t], "x": x}))
    ...     print(there.take(events).to_pydict()["count"])
    [2]
    [1]
    """

    def __init__(self, helper: str, *arguments: Any, **options: Any) -> None:
        if helper not in _FOLDS:
            raise InvalidInput(
                where="changes.Running",
                expected=f"one of {', '.join(map(repr, _FOLDS))}",
                got=repr(helper),
                hint=did_you_mean(str(helper), _FOLDS),
            )
        self._fold: Fold = _FOLDS[helper](*arguments, **options)
        self._carried: pa.Table | None = None

    def take(self, events: pa.Table) -> pa.Table:
        """Fold the next events, and return the new output.

        Tables come in the order in which the engine returned them; within one, events may be in any order. An instant
        that is spread over two tables, such as rows at a time and a registration after them, may be emitted twice; the
        later row is the valid one.

        Returns
        -------
        pyarrow.Table
            Of aggregates and of `distinct` what is new; of `answer` the whole answer.

        Raises
        ------
        InvalidInput
            When the events do not follow from those before. Nothing of them is then taken.
        """
        result, self._carried = take(self._fold, self._carried, events)
        return result


def _aggregate(name: str, value: Any, by: Names, member: Names, columns: Columns | None) -> Aggregate:
    if isinstance(value, bool) or not isinstance(value, (str, int)) or (isinstance(value, int) and value < 0):
        raise InvalidInput(
            where="changes: value", expected="the name of a column, or a position in `values`", got=repr(value)
        )
    return Aggregate(name, names_of(by, "by", ("time", name)), names_of(member, "member"), value, columns)
