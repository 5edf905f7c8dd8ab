"""A batch as users give it, read into rows: columns found, types checked, bad rows counted."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Floats, Mask
from limen.errors import InvalidInput
from limen.model.columns import Columns
from limen.model.event import MICROS
from limen.runtime.rows import Rows

_PER_UNIT = {"s": 1_000_000, "ms": 1_000, "us": 1}
_MOST_MICROS = 2**62  # so that durations can be added


def read(batch: Any, columns: Columns, attribute_types: dict[str, pa.DataType]) -> tuple[Rows, dict[str, int]]:
    """Read a batch into rows, and count those that are rejected, by reason.

    Parameters
    ----------
    batch : pyarrow.Table, pyarrow.RecordBatch or pandas.DataFrame
    columns : Columns
    attribute_types : dict
        Arrow types of attributes as earlier batches had them; those seen for the first time are added.

    Raises
    ------
    InvalidInput
        When the batch lacks a column, or one has a type that cannot be what it should be. `attribute_types` is then as
        it was.
    """
    table = _as_table(batch)
    ids = _read_ids(_column(table, columns.id, "id"), columns.id)
    time = _read_time(_column(table, columns.time, "time"), columns)
    values = [_read_values(_column(table, name, "value"), name) for name in columns.values]
    attributes, types = [], dict(attribute_types)
    for name in columns.attributes:
        column = _column(table, name, "attribute")
        attributes.append(_read_attribute(column, name, types.get(name)))
        if not pa.types.is_null(attributes[-1].type):
            types[name] = attributes[-1].type
    attribute_types.update(types)

    bad: dict[str, int] = {}
    good = np.ones(len(time), np.bool_)
    for reason, wrong in (
        ("null_id", pc.is_null(ids).to_numpy(zero_copy_only=False) if ids.null_count else None),
        ("null_time", pc.is_null(time).to_numpy(zero_copy_only=False) if time.null_count else None),
        ("infinite_value", _any_infinite(values)),
        ("out_of_range", _off_the_earth(*values[:2]) if columns.crs == "lonlat" else None),
    ):
        if wrong is not None and (count := int((wrong & good).sum())):
            bad[reason] = count
            good &= ~wrong
    micros = (time.fill_null(0) if time.null_count else time).to_numpy(zero_copy_only=False)
    if columns.crs == "lonlat":
        values[0] = np.where(values[0] == 180, -180.0, values[0])  # one place, one longitude
    rows = Rows(ids, micros, np.stack(values) + 0.0, tuple(attributes))  # + 0.0 makes -0.0 the same as 0.0
    return (rows.take(good) if bad else rows), bad


def _off_the_earth(longitude: Floats, latitude: Floats) -> Mask:
    return (np.abs(longitude) > 180) | (np.abs(latitude) > 90)  # what is missing is neither


def _as_table(batch: Any) -> pa.Table:
    if isinstance(batch, pa.Table):
        return batch
    if isinstance(batch, pa.RecordBatch):
        return pa.Table.from_batches([batch])
    if type(batch).__module__.partition(".")[0] == "pandas" and hasattr(batch, "columns"):
        try:
            return pa.Table.from_pandas(batch, preserve_index=False)
        except (ValueError, TypeError, OverflowError, pa.ArrowException) as error:  # whatever a column may hold
            raise InvalidInput(str(error), where="batch", hint="a column of a data frame must hold one type") from error
    raise InvalidInput(
        where="batch", expected="a pyarrow.Table, pyarrow.RecordBatch or pandas.DataFrame", got=type(batch).__name__
    )


def _column(table: pa.Table, name: str, role: str) -> pa.Array:
    found = table.schema.get_all_field_indices(name)
    if len(found) != 1:
        raise InvalidInput(
            where="batch",
            expected=f"a column {name!r} (the {role} column)",
            got=f"{len(found)} of that name" if found else f"columns {', '.join(table.column_names) or 'none'}",
            hint="Columns(…) gives each column its role",
        )
    column = table.column(found[0])
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _wrong_type(name: str, role: str, expected: str, got: pa.DataType, hint: str | None = None) -> InvalidInput:
    return InvalidInput(where=f"batch: {role} column {name!r}", expected=expected, got=str(got), hint=hint)


def _out_of_range(name: str, got: str) -> InvalidInput:
    return InvalidInput(
        where=f"batch: time column {name!r}",
        expected="times that fit into 64 bits of microseconds",
        got=got,
        hint="is the unit right?",
    )


def _read_ids(column: pa.Array, name: str) -> pa.Array:
    kind = column.type
    if pa.types.is_dictionary(kind) and pa.types.is_string(kind.value_type):
        return column if not column.null_count and not column.dictionary.null_count else column.dictionary_decode()
    if pa.types.is_dictionary(kind):
        return _read_ids(column.dictionary, name).take(column.indices)
    if pa.types.is_string(kind):
        return column
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return column.cast(pa.string())
    if pa.types.is_integer(kind) or pa.types.is_null(kind):
        return column.cast(pa.string())
    raise _wrong_type(name, "id", "strings or integers", kind)


def _read_time(column: pa.Array, columns: Columns) -> pa.Array:
    """Return microseconds as int64, null where missing."""
    kind, unit = column.type, columns.time_unit
    if pa.types.is_date(kind):
        column = column.cast(pa.timestamp("ms"))
        kind = column.type
    if pa.types.is_timestamp(kind):
        counted, unit = column.cast(pa.int64()), kind.unit
    elif pa.types.is_null(kind):
        return column.cast(pa.int64())
    elif pa.types.is_integer(kind):
        if unit is None:
            hint = "give the unit of the integers: Columns(…, time_unit='s'), 'ms', 'us' or 'ns'"
            raise _wrong_type(columns.time, "time", "timestamps", kind, hint)
        if pa.types.is_uint64(kind) and pc.max(column).as_py() is not None and pc.max(column).as_py() >= 2**63:
            raise _out_of_range(columns.time, f"{pc.max(column)} {unit}")
        counted = column.cast(pa.int64())
    else:
        raise _wrong_type(columns.time, "time", "timestamps, or integers with Columns(time_unit=…)", kind)
    number = counted.fill_null(0).to_numpy(zero_copy_only=False)
    if unit == "ns":
        micros = np.floor_divide(number, 1000)
    else:
        factor = _PER_UNIT[unit]
        if len(number) and max(-int(number.min()), int(number.max())) > _MOST_MICROS // factor:
            raise _out_of_range(columns.time, f"{number.min()} to {number.max()} {unit}")
        micros = number * factor if factor > 1 else number
    if not counted.null_count:
        return pa.array(micros)
    return pa.array(micros, mask=pc.is_null(counted).to_numpy(zero_copy_only=False))


def _read_values(column: pa.Array, name: str) -> Floats:
    kind = column.type
    if not (pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind)
            or pa.types.is_null(kind)):  # fmt: skip
        raise _wrong_type(name, "value", "numbers", kind)
    number = column if pa.types.is_float64(kind) else column.cast(pa.float64(), safe=False)
    if number.null_count:
        number = number.fill_null(np.nan)
    floats: Floats = number.to_numpy(zero_copy_only=False)
    return floats


def _any_infinite(values: list[Floats]) -> Mask | None:
    wrong = np.zeros(len(values[0]), np.bool_)
    for column in values:
        wrong |= np.isinf(column)
    return wrong if wrong.any() else None


def attribute_type(kind: pa.DataType) -> pa.DataType | None:
    """Return the type in which attributes of a kind are kept; None for kinds that are not scalars we compare."""
    if pa.types.is_dictionary(kind):
        return attribute_type(kind.value_type)
    if pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return kind
    if pa.types.is_uint64(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return pa.float64()
    if pa.types.is_integer(kind):
        return pa.int64()
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return MICROS
    return None


def _read_attribute(column: pa.Array, name: str, known: pa.DataType | None) -> pa.Array:
    own = attribute_type(column.type)
    if own is None:
        raise _wrong_type(name, "attribute", "text, numbers, booleans or times", column.type)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary.take(column.indices)
    wanted = known if known is not None else own
    if column.type == wanted and not pa.types.is_floating(wanted):
        return column
    hint = "an attribute keeps the type it had when it first came" if known is not None else None
    if own != wanted and not (_is_number(own) and _is_number(wanted)) and not pa.types.is_null(own):
        raise _wrong_type(name, "attribute", str(wanted), column.type, hint)  # or Arrow would read text as numbers
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)  # a NaN is a missing value
    try:
        # Nanoseconds lose their last digits by rule; anything else must fit as it is.
        column = column.cast(wanted, safe=getattr(column.type, "unit", None) != "ns")
    except pa.ArrowInvalid as error:
        raise _wrong_type(name, "attribute", str(wanted), column.type, hint) from error
    return column


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
