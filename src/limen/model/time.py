"""Times and durations: whatever the user has, as whole microseconds."""

import math
import re
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from numbers import Integral, Real

import numpy as np

from limen.errors import InvalidInput

#: What a number may count since 1970, and how many microseconds each is.
TIME_UNITS = {"s": Fraction(1_000_000), "ms": Fraction(1000), "us": Fraction(1), "ns": Fraction(1, 1000)}

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
_EARLIEST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // MICROSECOND
_LATEST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // MICROSECOND

_DURATION = re.compile(r"\s*([+-]?\d{1,30}(?:\.\d{1,30})?)\s*([a-zA-Z]+)\s*")
_DURATION_UNITS = {
    word: Fraction(micros)
    for words, micros in (
        (("us", "microsecond", "microseconds"), 1),
        (("ms", "millisecond", "milliseconds"), 1000),
        (("s", "sec", "second", "seconds"), 1_000_000),
        (("min", "minute", "minutes"), 60_000_000),
        (("h", "hour", "hours"), 3_600_000_000),
        (("d", "day", "days"), 86_400_000_000),
        (("w", "week", "weeks"), 7 * 86_400_000_000),
    )
    for word in words
}


def to_micros(value: object, unit: str | None = None, where: str = "at") -> int:
    """Read a time as microseconds since 1970 in UTC.

    Parameters
    ----------
    value
        A datetime (a naive one is UTC), ISO-8601 text, a NumPy or pandas time, or a number of ``unit``.
    unit
        What a number counts: ``"s"``, ``"ms"``, ``"us"`` or ``"ns"``. Nanoseconds are floored, fractions of
        the other units go to the nearest microsecond.
    where
        The place that an error names.

    Examples
    --------
    >>> to_micros("1970-01-01T00:00:01Z")
    1000000
    >>> to_micros(1500, unit="ms")
    1500000
    """
    micros = _time(value, unit, where)
    if not _EARLIEST <= micros <= _LATEST:
        raise InvalidInput(where=where, expected="a time in the years 1 to 9999", got=repr(value))
    return micros


def _time(value: object, unit: str | None, where: str) -> int:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            expected = "an ISO-8601 time such as 2026-01-01T00:00:00Z"
            raise InvalidInput(where=where, expected=expected, got=repr(value)) from None
    # pandas: going by way of NumPy keeps the nanoseconds, which to_pydatetime warns about and drops.
    if hasattr(value, "to_datetime64"):
        value = value.to_datetime64()
    elif hasattr(value, "to_pydatetime"):
        value = value.to_pydatetime()
    if isinstance(value, datetime):
        aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
        return (aware - _EPOCH) // MICROSECOND
    if isinstance(value, np.datetime64):
        # Years never overflow, microseconds of a far year silently do.
        if not np.isnat(value) and 1 <= int(value.astype("datetime64[Y]").astype(np.int64)) + 1970 <= 9999:
            return int(value.astype("datetime64[us]").astype(np.int64))
        raise InvalidInput(where=where, expected="a time in the years 1 to 9999", got=str(value))
    return _count(value, unit, where)


def _count(value: object, unit: str | None, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Real) or not _is_finite(value):
        raise InvalidInput(where=where, expected="a time", got=repr(value))
    if unit is None:
        hint = "give its unit: time_unit='s', 'ms', 'us' or 'ns'"
        raise InvalidInput(where=where, expected="a time", got=f"the number {value!r}", hint=hint)
    if unit not in TIME_UNITS:
        raise InvalidInput(where=where, expected="a unit 's', 'ms', 'us' or 'ns'", got=repr(unit))
    exact = _exact(value) * TIME_UNITS[unit]
    return math.floor(exact) if unit == "ns" else round(exact)


def seconds(value: object, where: str) -> int:
    """Read a duration as microseconds; a plain number counts seconds. The sign is kept.

    Examples
    --------
    >>> seconds(1.5, "lateness"), seconds("500 ms", "lateness")
    (1500000, 500000)
    """
    if isinstance(value, timedelta):
        return int(value // MICROSECOND)
    if isinstance(value, np.timedelta64):
        # Years and months have no fixed length, and a bare count has no unit.
        if not np.isnat(value) and np.datetime_data(value)[0] not in ("Y", "M", "generic"):
            return math.floor(int(value.astype(np.int64)) * _numpy_unit(value))
    elif isinstance(value, str):
        match = _DURATION.fullmatch(value)
        if match is not None and match[2].lower() in _DURATION_UNITS:
            return round(Fraction(match[1]) * _DURATION_UNITS[match[2].lower()])
    elif not isinstance(value, bool) and isinstance(value, Real) and _is_finite(value):
        return round(_exact(value) * 1_000_000)
    expected = "a timedelta, a number of seconds or text such as '10 seconds'"
    raise InvalidInput(where=where, expected=expected, got=repr(value))


_NUMPY_UNITS = {"W": 604_800, "D": 86_400, "h": 3_600, "m": 60, "s": 1}


def _numpy_unit(value: np.timedelta64) -> Fraction:
    """Return the microseconds of one count of a NumPy duration, without the overflow that a conversion would risk."""
    unit, counts = np.datetime_data(value)
    if unit in _NUMPY_UNITS:
        return Fraction(_NUMPY_UNITS[unit] * 1_000_000 * counts)
    return Fraction(counts * 10**6, 10 ** (3 * ("ms", "us", "ns", "ps", "fs", "as").index(unit) + 3))


def _is_finite(value: Real) -> bool:
    return isinstance(value, Integral) or math.isfinite(value)  # an integer may be beyond all floats


def from_micros(micros: int) -> str:
    """Write microseconds since 1970 as ISO-8601 in UTC.

    Examples
    --------
    >>> from_micros(1_500_000)
    '1970-01-01T00:00:01.500000Z'
    """
    if not _EARLIEST <= micros <= _LATEST:
        raise InvalidInput(where="time", expected="a time in the years 1 to 9999", got=f"{micros} µs since 1970")
    return (_EPOCH + timedelta(microseconds=micros)).replace(tzinfo=None).isoformat() + "Z"


def _exact(value: Real) -> Fraction:
    return Fraction(int(value)) if isinstance(value, Integral) else Fraction(float(value))
