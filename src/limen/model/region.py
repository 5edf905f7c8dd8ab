"""The parts of space that queries watch."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real

from limen.errors import InvalidQuery


class Region:
    """A part of space; every region lies between its `lower` and `upper` bounds, one for each dimension."""

    __slots__ = ()

    @property
    def lower(self) -> tuple[float, ...]:
        """The smallest value in each dimension, itself inside."""
        raise NotImplementedError

    @property
    def upper(self) -> tuple[float, ...]:
        """The value in each dimension from which on all is outside."""
        raise NotImplementedError

    @property
    def dimensions(self) -> int:
        """How many columns the region is about."""
        return len(self.lower)


@dataclass(frozen=True, slots=True, init=False)
class Range(Region):
    """The values ``lo <= v < hi``; an end that is ``None`` is infinite.

    Examples
    --------
    >>> Range(40, None)
    Range(lo=40.0, hi=inf)
    >>> Range(3, 1)
    Traceback (most recent call last):
    limen.errors.InvalidQuery: range: expected lo < hi, got lo 3.0, hi 1.0
    """

    lo: float
    hi: float

    def __init__(self, lo: float | None, hi: float | None) -> None:
        low, high = _interval(lo, hi, "range")
        object.__setattr__(self, "lo", low)
        object.__setattr__(self, "hi", high)

    @property
    def lower(self) -> tuple[float, ...]:
        """The lower end, itself inside."""
        return (self.lo,)

    @property
    def upper(self) -> tuple[float, ...]:
        """The upper end, itself outside."""
        return (self.hi,)


@dataclass(frozen=True, slots=True, init=False)
class Box(Region):
    """A range in each dimension: all points with ``lo[i] <= v[i] < hi[i]``.

    Examples
    --------
    >>> Box((0, 0), (10, None))
    Box(lo=(0.0, 0.0), hi=(10.0, inf))

    With ``crs="lonlat"`` a box may cross the antimeridian, its west end being larger than its east end.

    >>> Box((170, -20), (-170, 0)).wraps
    True
    """

    lo: tuple[float, ...]
    hi: tuple[float, ...]

    def __init__(self, lo: Iterable[float | None], hi: Iterable[float | None]) -> None:
        lows, highs = _corner(lo, "lo"), _corner(hi, "hi")
        if len(lows) != len(highs):
            got = f"{len(lows)} and {len(highs)}"
            raise InvalidQuery(where="box", expected="lo and hi of one length", got=got)
        if not lows:
            raise InvalidQuery(where="box", expected="one dimension or more", got="none")
        pairs = [
            _interval(low, high, f"box, dimension {d}", may_wrap=d == 1 and len(lows) == 2)
            for d, (low, high) in enumerate(zip(lows, highs, strict=True), start=1)
        ]
        object.__setattr__(self, "lo", tuple(low for low, _ in pairs))
        object.__setattr__(self, "hi", tuple(high for _, high in pairs))

    @property
    def wraps(self) -> bool:
        """Whether it crosses the antimeridian, from west to east; such a box is one of longitude and latitude."""
        return self.lo[0] > self.hi[0]

    @property
    def lower(self) -> tuple[float, ...]:
        """The corner with the smallest values, itself inside."""
        return self.lo

    @property
    def upper(self) -> tuple[float, ...]:
        """The corner with the largest values, itself outside."""
        return self.hi


def _corner(corner: object, name: str) -> tuple[object, ...]:
    if not isinstance(corner, (str, bytes)):
        try:
            return tuple(corner)  # type: ignore[arg-type]  # what cannot be iterated over is caught
        except TypeError:
            pass
    raise InvalidQuery(
        where=f"box: {name}",
        expected="a number for each dimension",
        got=repr(corner),
        hint="Range(lo, hi) takes two plain numbers",
    )


def _interval(lo: object, hi: object, where: str, *, may_wrap: bool = False) -> tuple[float, float]:
    low = -math.inf if lo is None else _number(lo, where, "lo")
    high = math.inf if hi is None else _number(hi, where, "hi")
    # From west to east over the antimeridian. Whether these are degrees is seen when the query meets its columns.
    if may_wrap and -180 <= high < low <= 180:
        return low, high
    # Written so that NaN, which compares false to all, is refused too.
    if not low < high:
        raise InvalidQuery(where=where, expected="lo < hi", got=f"lo {low}, hi {high}")
    return low, high


def _number(value: object, where: str, end: str) -> float:
    return read_number(value, f"{where}: {end}", "a number or None")


def read_number(value: object, where: str, expected: str) -> float:
    """Read a number; an error has its place and what was expected."""
    # Adding 0.0 turns -0.0 into 0.0: equal bounds must have equal bytes.
    if type(value) is float:
        return value + 0.0
    if not isinstance(value, bool) and isinstance(value, Real):
        try:
            return float(value) + 0.0
        except OverflowError:
            pass  # an integer beyond the largest float
    raise InvalidQuery(where=where, expected=expected, got=repr(value))
