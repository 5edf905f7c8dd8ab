"""Convert changes to rows for a fold: with sign, time and phase columns added."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Ints
from limen.errors import InvalidInput, did_you_mean
from limen.model.columns import Columns
from limen.model.event import phases as phases_of

#: Kinds of events that begin a membership, and those that end one. All others do not concern answers.
BEGINS, ENDS = ("add", "enter"), ("remove", "exit")
#: Columns that a fold adds to those it keeps. No column of a user begins like this.
TIME, PHASE, SIGN, VALUE = "#time", "#phase", "#sign", "#value"

Names = str | Sequence[str]


def names_of(names: Names, what: str, taken: Iterable[str] = ()) -> tuple[str, ...]:
    """Read the name of a column, or several; those that the result needs itself are taken.

    Examples
    --------
    >>> names_of("query_id", "by"), names_of(["kind", "colour"], "by")
    (('query_id',), ('kind', 'colour'))
    """
    found = (names,) if isinstance(names, str) else tuple(names) if isinstance(names, Sequence) else None
    if found is None or not all(isinstance(name, str) for name in found) or len(set(found)) < len(found):
        raise InvalidInput(where=f"changes: {what}", expected="the name of a column, or several", got=repr(names))
    for name in found:
        if name in taken:
            raise InvalidInput(
                where=f"changes: {what}",
                expected="columns that the result can have beside its own",
                got=repr(name),
                hint="rename the column before",
            )
    return found


def table_of(changes: Any) -> pa.Table:
    """Check that changes are a table of Arrow."""
    if isinstance(changes, pa.RecordBatch):
        return pa.Table.from_batches([changes])
    if not isinstance(changes, pa.Table):
        raise InvalidInput(
            where="changes",
            expected="a pyarrow.Table of events or a DataFrame of Spark",
            got=type(changes).__name__,
            hint="pa.Table.from_pandas(frame) makes a table of a DataFrame of pandas",
        )
    return changes


def column_of(table: pa.Table, name: str, role: str) -> pa.ChunkedArray:
    """Return a column, or raise the error that it is missing."""
    if table.schema.names.count(name) != 1:
        raise missing(table.schema.names, name, role)
    return table[name]


def missing(names: Sequence[str], name: str, role: str) -> InvalidInput:
    """Return the error that a column is missing, or present more than once."""
    twice = names.count(name)
    return InvalidInput(
        where="changes",
        expected=f"a column {name!r} ({role})",
        got=f"{twice} of that name" if twice else f"columns {', '.join(names) or 'none'}",
        hint=None if twice else did_you_mean(name, names),
    )


def signs_of(table: pa.Table) -> pa.Array:
    """Return +1 where a membership begins, -1 where it ends, else null; a column `sign` takes precedence."""
    if "sign" not in table.schema.names:
        kind = column_of(table, "kind", "what happened; or 'sign'")
        signs = pa.array([1] * len(BEGINS) + [-1] * len(ENDS), pa.int64())
        return pc.take(signs, pc.index_in(kind, value_set=pa.array(BEGINS + ENDS))).combine_chunks()
    sign = column_of(table, "sign", "+1 or -1")
    if not pa.types.is_integer(sign.type):
        raise InvalidInput(where="changes: column 'sign'", expected="whole numbers", got=str(sign.type))
    sign = sign.cast(pa.int64()).combine_chunks()
    wrong = pc.not_equal(pc.abs(sign), 1)
    if pc.any(wrong).as_py():
        got = sign.filter(wrong)[0].as_py()
        raise InvalidInput(where="changes: column 'sign'", expected="+1 or -1", got=str(got))
    return sign


def folded_rows(changes: Any, keep: Sequence[str], values: Mapping[str, pa.Array] | None = None) -> pa.Table:
    """Make rows to fold: the columns to keep, and time, phase, sign and values of each."""
    table = table_of(changes)
    time = column_of(table, "time", "when")
    if not pa.types.is_timestamp(time.type):
        raise InvalidInput(where="changes: column 'time'", expected="timestamps", got=str(time.type))
    micros = time.cast(pa.timestamp("us", tz=time.type.tz), safe=False).cast(pa.int64())
    # Without reasons, as after a projection, all that happens at one time is of one phase.
    known = "reason" in table.schema.names
    phase = phases_of(table["reason"]) if known else pa.array(np.zeros(len(table), np.int8))
    kept = {name: column_of(table, name, "of members or groups") for name in keep}
    sign = signs_of(table)
    parts = {**kept, TIME: micros, PHASE: pc.fill_null(phase, 0), SIGN: sign, **(values or {})}
    rows = pa.table(parts).filter(pc.is_valid(sign))
    if rows[TIME].null_count:
        raise InvalidInput(where="changes: column 'time'", expected="a time in each row", got="null")
    return rows


def numbers_of(table: pa.Table, value: str | int, columns: Columns | None) -> pa.Array:
    """Return the numbers to add up: a column, or one of the stream's `values`, by position or by name.

    Whole numbers come as int64, all others as float64.
    """
    if isinstance(value, str) and value not in table.schema.names and columns is not None and value in columns.values:
        value = columns.values.index(value)
    if isinstance(value, str):
        if value not in table.schema.names and columns is None:
            error = missing(table.schema.names, value, "what to add up")
            hint = error.hint or "one of the stream's `values` is given by its position, or by name with columns=…"
            raise InvalidInput(where=error.where, expected=error.expected, got=error.got, hint=hint)
        column = column_of(table, value, "what to add up").combine_chunks()
        kind = column.type
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
            raise InvalidInput(where=f"changes: column {value!r}", expected="numbers", got=str(kind))
        if not pa.types.is_integer(kind):
            return column.cast(pa.float64(), safe=False)
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:
            got = str(pc.max(column).as_py())
            raise InvalidInput(
                where=f"changes: column {value!r}",
                expected="whole numbers below 2^63",
                got=got,
                hint="cast it to double",
            ) from None
    return _element(column_of(table, "values", "the stream's values").combine_chunks(), value)


def _element(lists: pa.Array, position: int) -> pa.Array:
    if not (pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type)):
        raise InvalidInput(where="changes: column 'values'", expected="lists of numbers", got=str(lists.type))
    length = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    if length.size and position >= (longest := int(length.max())) > 0:
        raise InvalidInput(
            where="changes: value", expected=f"a position in `values`, from 0 to {longest - 1}", got=repr(position)
        )
    first = np.asarray(lists.offsets)[:-1] + position
    return lists.values.take(pa.array(first, mask=length <= position)).cast(pa.float64())


def codes_of(rows: pa.Table, names: Sequence[str]) -> Ints:
    """Number the different combinations of some columns; missing is a value like others."""
    code = np.zeros(len(rows), np.int64)
    for name in names:
        column = rows[name].combine_chunks()
        try:
            encoded = column.dictionary_encode(null_encoding="encode")
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            raise InvalidInput(
                where=f"changes: column {name!r}", expected="text, numbers, times or booleans", got=str(column.type)
            ) from None
        own = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        # Numbered anew each time, so that they never grow beyond the rows squared.
        code = np.unique(code * max(1, len(encoded.dictionary)) + own, return_inverse=True)[1].astype(np.int64)
    return code
