"""Border queries with hysteresis and debouncing: when a crossing counts."""

from dataclasses import dataclass
from datetime import timedelta
from numbers import Integral, Real

from limen.errors import InvalidInput, InvalidQuery
from limen.model.options import LONGEST
from limen.model.query import RegionQuery
from limen.model.time import seconds

NO_TIME = timedelta(0)
NONE, ONE = 0, 1  # the defaults, of which Python has one object each
WIDEST = 1e150  # squares of distances are compared, and must be numbers
MOST = 2**31 - 1  # tuples to wait for


@dataclass(frozen=True, slots=True, init=False)
class BorderQuery(RegionQuery):
    """A query on the border of a region.

    Parameters
    ----------
    margin
        How far outside the region a stream must be to have left it, in the units of its columns; in metres where they
        are longitude and latitude.
    confirm
        How many consecutive rows must be on the new side.
    min_stay
        How long a stream must have been there without a return: a timedelta, seconds, or text such as ``"5 seconds"``.
    """

    margin: float
    confirm: int
    min_stay: timedelta

    def _set_debounce(self, margin: object, confirm: object, min_stay: object) -> None:
        put = object.__setattr__
        if margin is NONE and confirm is ONE and min_stay is NONE:  # a million queries may be made at the start
            put(self, "margin", 0.0)
            put(self, "confirm", 1)
            put(self, "min_stay", NO_TIME)
            return
        place = self._place()
        put(self, "margin", _distance(margin, f"{place}: margin"))
        put(self, "confirm", _count(confirm, f"{place}: confirm"))
        put(self, "min_stay", duration(min_stay, f"{place}: min_stay"))

    @property
    def debounced(self) -> bool:
        """Whether a change of side must be confirmed."""
        return self.margin > 0 or self.confirm > 1 or self.min_stay > NO_TIME

    @property
    def has_deadlines(self) -> bool:
        """Whether time alone can cause its events: it confirms crossings that must last."""
        return self.min_stay > NO_TIME


def duration(value: object, place: str, *, above_zero: bool = False) -> timedelta:
    """Read how long something takes, which is not negative."""
    try:
        micros = seconds(value, place)
    except InvalidInput as error:
        raise InvalidQuery(str(error)) from None
    if micros < above_zero or micros > LONGEST:
        least = "a duration above 0" if above_zero else "a duration of 0 or more"
        expected = least if micros < above_zero else "at most 10,000 years"
        raise InvalidQuery(where=place, expected=expected, got=repr(value))
    return timedelta(microseconds=micros)


def _distance(value: object, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= WIDEST:
        raise InvalidQuery(where=place, expected=f"a distance from 0 to {WIDEST:g}", got=repr(value))
    return float(value)


def _count(value: object, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or not 1 <= int(value) <= MOST:
        raise InvalidQuery(where=place, expected="a number of rows, 1 or more", got=repr(value))
    return int(value)
