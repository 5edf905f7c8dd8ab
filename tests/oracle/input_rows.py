"""Input rows: what is missing, what is rejected, and the canonical order (SEMANTICS §1)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Scalar = str | int | float | bool | None


@dataclass(frozen=True)
class Row:
    """One input row with every kind of missing value turned into None."""

    stream_id: Any  # str, or None in a row that will be rejected
    time: Any  # int, or None likewise
    values: Mapping[str, float | None]
    attributes: Mapping[str, Scalar]


@dataclass(frozen=True)
class Reading:
    """A processed tuple: its own values, and the values known once it has been read."""

    stream_id: str
    time: int
    own: Mapping[str, float | None]
    attributes: Mapping[str, Scalar]
    known: Mapping[str, float | None]


def read_row(raw: Mapping[str, Any], columns: Mapping[str, Any]) -> Row:
    stream_id = raw[columns["id"]]
    if columns.get("crs") == "lonlat" and raw[columns["values"][0]] == 180:
        raw = {**raw, columns["values"][0]: -180.0}  # one place, one longitude
    return Row(
        stream_id=None if stream_id is None else str(stream_id),
        time=raw[columns["time"]],
        values={name: _present(raw[name]) for name in columns["values"]},
        attributes={name: _present(raw[name]) for name in columns.get("attributes", ())},
    )


def _present(value: Any) -> Any:
    if isinstance(value, float):
        # Adding 0.0 makes negative zero positive: the two are one value.
        return None if math.isnan(value) else value + 0.0
    return value


def reason_to_reject(row: Row, columns: Mapping[str, Any]) -> str | None:
    """What is wrong with the row by itself (being too far ahead depends on the rows before it)."""
    if row.stream_id is None:
        return "null_id"
    if row.time is None:
        return "null_time"
    if any(value is not None and math.isinf(value) for value in row.values.values()):
        return "infinite_value"
    if columns.get("crs") == "lonlat":
        for name, most in zip(columns["values"], (180, 90), strict=False):
            value = row.values[name]
            if value is not None and abs(value) > most:
                return "out_of_range"
    return None


def canonical_order(row: Row) -> tuple[Any, ...]:
    """Sort key by content: time, stream, values, attributes; strings by UTF-8 bytes, missing last."""
    contents = (row.time, row.stream_id, *row.values.values(), *row.attributes.values())
    return tuple(_missing_last(content) for content in contents)


def _missing_last(content: Any) -> tuple[bool, Any]:
    if content is None:
        return (True, 0)
    return (False, content.encode() if isinstance(content, str) else content)


def as_reading(row: Row, history: list[Reading]) -> Reading:
    """Read a row after its stream's history: a missing value is the last known one."""
    before = history[-1].known if history else dict.fromkeys(row.values)
    return Reading(
        stream_id=row.stream_id,
        time=row.time,
        own=row.values,
        attributes=row.attributes,
        known={name: before[name] if own is None else own for name, own in row.values.items()},
    )
