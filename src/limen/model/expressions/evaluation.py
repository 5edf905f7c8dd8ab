"""Conditions over Arrow columns, all rows at once.

Logic has three values, as in SQL: what is compared with a missing value is neither true nor false. A NaN is
a missing value. Sums, differences, products and quotients are float64, so nothing overflows and no row's
result depends on the other rows of its batch; whole numbers are compared, and ``%`` taken, exactly.
"""

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Floats, Mask
from limen.errors import InvalidQuery
from limen.model.expressions.tree import ARITHMETIC, LOGIC, PATTERNS, Column, Constant, Node, OperatorNode, misfit

#: An Arrow array, or a scalar that stands for an array of equal values; pyarrow declares no types.
Values: TypeAlias = Any

_TIME = pa.timestamp("us", tz="UTC")
_TYPES = {
    "null": pa.null(),
    "boolean": pa.bool_(),
    "number": pa.float64(),
    "text": pa.string(),
    "time": _TIME,
}


def load(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Bring a column into the type of its kind; a type that conditions cannot use stays as it is."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if pa.types.is_floating(kind):
        column = _without_nan(column.cast(pa.float64()))
    elif pa.types.is_decimal(kind):
        # By way of text, which is read to the nearest float; Arrow's direct cast is off by a bit at times.
        column = column.cast(pa.string()).cast(pa.float64())
    elif pa.types.is_uint64(kind):
        column = column.cast(pa.float64(), safe=False)
    elif pa.types.is_integer(kind):
        column = column.cast(pa.int64())
    elif pa.types.is_timestamp(kind):
        column = pc.floor_temporal(column, unit="microsecond") if kind.unit == "ns" else column
        column = column.cast(_TIME)
    elif pa.types.is_date(kind):
        column = column.cast(_TIME)
    elif kind == pa.string_view():
        column = column.cast(pa.large_string())
    return column


def evaluate(node: Node, columns: Mapping[str, pa.Array], text: str) -> Values:
    """Compute a node over loaded columns: an array, or a scalar where no column takes part."""
    if isinstance(node, Column):
        return columns[node.name]
    if isinstance(node, Constant):
        whole = node.kind == "number" and isinstance(node.value, int)
        return pa.scalar(node.value, pa.int64() if whole else _TYPES[node.kind])
    operands = [evaluate(operand, columns, text) for operand in node.operands]
    kinds = [_kind(operand.type) for operand in operands]
    expected = misfit(node.operator, kinds)
    if expected is not None or "unusable" in kinds:
        typed = (f"{o.text} ({v.type})" for o, v in zip(node.operands, operands, strict=True))
        raise InvalidQuery(
            where=f"expression {text!r}",
            expected=f"{expected or 'numbers, text, times or conditions'} for {node.operator}",
            got=", ".join(typed),
            hint="write times as TIMESTAMP '…'" if {"time", "text"} <= set(kinds) else None,
        )
    return _OPERATORS[node.operator](*_common_type(node, operands, kinds))


def truth(node: Node, columns: Mapping[str, pa.Array], rows: int, text: str) -> Floats:
    """Return for every row 1 if a condition is true, 0 if it is false, NaN if it is unknown."""
    met = evaluate(node, columns, text)
    if isinstance(met, pa.Scalar):
        met = pa.array([met.as_py()] * rows, met.type)
    definition: Floats = met.cast(pa.bool_()).cast(pa.int8()).cast(pa.float64()).to_numpy(False)  # noqa: FBT003
    return definition


def mask(node: Node, columns: Mapping[str, pa.Array], rows: int, text: str) -> Mask:
    """Return for every row whether a condition is true; an expression that is none is an error."""
    met = evaluate(node, columns, text)
    if _kind(met.type) not in ("boolean", "null"):
        raise InvalidQuery(where=f"expression {text!r}", expected="a condition", got=f"{node.text} ({met.type})")
    if isinstance(met, pa.Scalar):
        return np.full(rows, met.as_py() is True)
    values = met.cast(pa.bool_())
    found: Mask = (values.fill_null(False) if values.null_count else values).to_numpy(False)  # noqa: FBT003
    return found


def _kind(kind: pa.DataType) -> str:
    if pa.types.is_null(kind):
        return "null"
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_int64(kind) or pa.types.is_float64(kind):
        return "number"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "text"
    return "time" if kind == _TIME else "unusable"


def _common_type(node: OperatorNode, operands: list[Values], kinds: list[str]) -> list[Values]:
    """Cast the operands so that Arrow finds one kernel for them; a missing value goes with any kind."""
    if node.operator == "IS NULL":
        return operands
    exact = node.operator not in ARITHMETIC or node.operator == "%"
    if exact and all(pa.types.is_int64(operand.type) for operand in operands if operand.type != pa.null()):
        return [operand.cast(pa.int64()) for operand in operands]
    if node.operator in LOGIC:
        target = pa.bool_()
    elif node.operator in ARITHMETIC:
        target = pa.float64()
    elif node.operator in PATTERNS or "text" in kinds:
        large = any(pa.types.is_large_string(operand.type) for operand in operands)
        target = pa.large_string() if large else pa.string()
    else:
        target = _TYPES[next(kind for kind in kinds if kind != "null")]
    return [operand.cast(target, safe=False) for operand in operands]


def _without_nan(values: Values) -> Values:
    return pc.if_else(pc.is_nan(values), pa.scalar(None, pa.float64()), values)


def _divide(dividend: Values, divisor: Values) -> Values:
    nonzero = pc.if_else(pc.equal(divisor, 0.0), pa.scalar(None, pa.float64()), divisor)
    return _without_nan(pc.divide(dividend, nonzero))


def _modulo(dividend: Values, divisor: Values) -> Values:
    """Take the remainder with the sign of the dividend; Arrow has none."""
    scalars = [isinstance(operand, pa.Scalar) for operand in (dividend, divisor)]
    left, right = (
        pa.array([operand.as_py()], operand.type) if scalar else operand
        for operand, scalar in zip((dividend, divisor), scalars, strict=True)
    )
    missing = np.logical_or(left.is_null(), pc.fill_null(pc.equal(right, 0), True))  # noqa: FBT003
    by = pc.fill_null(pc.if_else(pc.equal(right, 0), 1, right), 1)
    with np.errstate(invalid="ignore"):  # the remainder of an infinity is a NaN, hence missing
        rest = np.fmod(_numpy(pc.fill_null(left, 0)), _numpy(by))
    result = pa.array(rest, mask=np.broadcast_to(missing, rest.shape))
    result = _without_nan(result) if pa.types.is_float64(result.type) else result
    return result[0] if all(scalars) else result


def _numpy(values: pa.Array) -> np.ndarray[Any, Any]:
    array: np.ndarray[Any, Any] = values.to_numpy(zero_copy_only=False)
    return array


def _in(values: Values, *choices: pa.Scalar) -> Values:
    if pa.types.is_float64(values.type):
        values = pc.add(values, 0.0)  # look-up distinguishes -0.0 from 0.0, comparison does not
    known = pa.array([choice.as_py() for choice in choices if choice.is_valid], values.type)
    found = pc.is_in(values, value_set=known)
    missing = pa.scalar(None, pa.bool_())
    if len(known) < len(choices):
        found = pc.if_else(found, found, missing)  # whatever was not found may be the missing choice
    return pc.if_else(pc.is_null(values), missing, found)


def _matcher(*, ignore_case: bool) -> Callable[[Values, pa.Scalar], Values]:
    return lambda values, pattern: pc.match_like(values, pattern.as_py(), ignore_case=ignore_case)


def _finite_result(function: Callable[[Values, Values], Values]) -> Callable[[Values, Values], Values]:
    return lambda left, right: _without_nan(function(left, right))


def _truth(values: Values) -> Values:
    """Give what is missing altogether, and so came in any type, the type of a condition."""
    return values if pa.types.is_boolean(values.type) else values.cast(pa.bool_())


_OPERATORS: dict[str, Callable[..., Values]] = {
    "AND": lambda *conditions: reduce(pc.and_kleene, map(_truth, conditions)),
    "OR": lambda *conditions: reduce(pc.or_kleene, map(_truth, conditions)),
    "NOT": lambda condition: pc.invert(_truth(condition)),
    "=": pc.equal,
    "<>": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
    "+": _finite_result(pc.add),
    "-": _finite_result(pc.subtract),
    "*": _finite_result(pc.multiply),
    "/": _divide,
    "%": _modulo,
    "NEGATE": pc.negate,
    "IN": _in,
    "LIKE": _matcher(ignore_case=False),
    "ILIKE": _matcher(ignore_case=True),
    "IS NULL": pc.is_null,
}
