"""Format times and durations as text."""

from limen.model.time import from_micros

_UNITS = (("d", 86_400.0), ("h", 3_600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))


def duration(seconds: float) -> str:
    """Write a duration in a unit that fits.

    Examples
    --------
    >>> duration(90), duration(64), duration(60), duration(0.25), duration(0), duration(200000)
    ('1.5 min', '64 s', '1 min', '250 ms', '0 s', '2.31 d')
    """
    for unit, size in _UNITS:
        if seconds >= 1.5 * size or seconds == size or (size <= seconds and size <= 1):
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def moment(seconds: float) -> str:
    """Write a time that is given in seconds since 1970.

    Examples
    --------
    >>> moment(0.5)
    '1970-01-01 00:00:00.500000 UTC'
    """
    return from_micros(round(seconds * 1e6)).replace("T", " ").replace("Z", " UTC")
