"""INTERVAL 3 MINUTES, read and written."""

from datetime import timedelta

from limen.errors import InvalidInput, did_you_mean
from limen.model.time import seconds
from limen.sql.cursor import Cursor, Token, either

UNITS = {
    "WEEKS": 604_800_000_000, "DAYS": 86_400_000_000, "HOURS": 3_600_000_000, "MINUTES": 60_000_000,
    "SECONDS": 1_000_000, "MILLISECONDS": 1_000, "MICROSECONDS": 1,
}  # fmt: skip
_WORDS = {word for unit in UNITS for word in (unit, unit.removesuffix("S"))}


def read_duration(cursor: Cursor) -> timedelta:
    """Read ``INTERVAL 3 MINUTES``, ``INTERVAL '3' MINUTES``, ``INTERVAL '3 minutes'`` or a number of seconds."""
    first = cursor.token
    if not cursor.accept("INTERVAL"):
        return _duration(cursor, first, cursor.number("INTERVAL, or a number of seconds"))
    token = cursor.token
    if token.kind == "text":
        text = cursor.take().text
        if cursor.token.upper in _WORDS:
            text = f"{text} {cursor.take().text}"
        return _duration(cursor, first, text)
    sign = "-" if cursor.accept("-") else ""
    if cursor.token.kind != "number":
        cursor.fail("a number and a unit, such as 3 MINUTES")
    number = cursor.take().text
    if cursor.token.upper not in _WORDS:
        cursor.fail(f"a unit: {either(list(UNITS))}", hint=did_you_mean(cursor.token.text, _WORDS))
    return _duration(cursor, first, f"{sign}{number} {cursor.take().text}")


def _duration(cursor: Cursor, first: Token, value: object) -> timedelta:
    try:
        return timedelta(microseconds=seconds(value, "INTERVAL"))
    except (InvalidInput, OverflowError):
        cursor.fail("a duration such as INTERVAL 3 MINUTES", got=str(value), token=first)


def read_interval(cursor: Cursor) -> tuple[timedelta | None, timedelta | None]:
    """Read ``[0, 5]``: the least and the most time, in seconds or as INTERVAL; NULL for no limit."""
    cursor.expect("[")
    low = None if cursor.accept("NULL") else read_duration(cursor)
    cursor.expect(",")
    high = None if cursor.accept("NULL") else read_duration(cursor)
    cursor.expect("]")
    return low, high


def write_duration(duration: timedelta) -> str:
    """Write a duration in the largest unit of which it is a whole number.

    Examples
    --------
    >>> write_duration(timedelta(minutes=3)), write_duration(timedelta(seconds=1.5))
    ('INTERVAL 3 MINUTES', 'INTERVAL 1500 MILLISECONDS')
    """
    micros = duration // timedelta(microseconds=1)
    unit = next(unit for unit, size in UNITS.items() if micros % size == 0 and (micros or unit == "SECONDS"))
    count = micros // UNITS[unit]
    return f"INTERVAL {count} {unit.removesuffix('S') if count == 1 else unit}"
