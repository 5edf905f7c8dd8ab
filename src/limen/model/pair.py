"""Constraints between two tuples of a pattern: in time, in space, and on their columns."""

import math
from dataclasses import dataclass
from datetime import timedelta
from numbers import Real

from limen.errors import InvalidInput, InvalidQuery
from limen.model.expressions.expression import Expression
from limen.model.options import LONGEST
from limen.model.region import read_number
from limen.model.time import MICROSECOND, seconds

#: From when to when, ends included; None where there is no end.
Interval = tuple[timedelta | None, timedelta | None]


@dataclass(frozen=True, slots=True, init=False)
class Pair:
    """What must hold between the tuples of two variables of a `Pattern`.

    Parameters
    ----------
    a, b
        The variables.
    after
        How long after the tuple of `a` that of `b` is: the least and the most, both included, in seconds or as
        durations; negative for before, None for no limit.
    distance
        The distance of the two is smaller than this.
    beyond
        The distance of the two is this or more.
    where
        A condition in SQL on the columns of both, ``a.kind <> b.kind``; the id and the time of a tuple are columns too.

    Examples
    --------
    >>> Pair("brake", "crash", after=(0, "5 minutes"), where="brake.vehicle = crash.vehicle").after
    (datetime.timedelta(0), datetime.timedelta(seconds=300))
    """

    a: str
    b: str
    after: Interval | None
    distance: float | None
    beyond: float | None
    where: str | None

    def __init__(
        self,
        a: str,
        b: str,
        after: tuple[float | str | timedelta | None, float | str | timedelta | None] | None = None,
        distance: float | None = None,
        beyond: float | None = None,
        where: str | None = None,
    ) -> None:
        put = object.__setattr__
        for name in (a, b):
            if not isinstance(name, str) or not name:
                raise InvalidQuery(where="pair", expected="the names of two variables", got=repr(name))
        put(self, "a", a)
        put(self, "b", b)
        if a == b:
            raise InvalidQuery(where=self.place, expected="two different variables", got=f"{a!r} twice")
        put(self, "after", None if after is None else _interval(after, f"{self.place}: after"))
        put(self, "distance", None if distance is None else _distance(distance, f"{self.place}: distance"))
        put(self, "beyond", None if beyond is None else _distance(beyond, f"{self.place}: beyond"))
        put(self, "where", None if where is None else self._condition(where))

    @property
    def place(self) -> str:
        """The pair, as errors name it."""
        return f"pair {self.a!r}, {self.b!r}"

    @property
    def micros(self) -> tuple[int | None, int | None]:
        """The interval in microseconds."""
        low, high = self.after or (None, None)
        return None if low is None else low // MICROSECOND, None if high is None else high // MICROSECOND

    def column(self, name: str) -> tuple[str, str] | None:
        """Return the variable and the column of a name in `where`; None for a column of neither."""
        for variable in (self.a, self.b):
            if name.startswith(f"{variable}."):
                return variable, name[len(variable) + 1 :]
        return None

    def _condition(self, where: object) -> str:
        place = f"{self.place}: where"
        if not isinstance(where, str):
            raise InvalidQuery(where=place, expected="SQL text", got=repr(where))
        try:
            names = Expression.parse(where).names
        except InvalidQuery as error:
            raise error.within(self.place) from error
        for name in names:
            if self.column(name) is None:
                raise InvalidQuery(
                    where=place,
                    expected=f"columns of the two, such as {self.a}.{name.rpartition('.')[2]}",
                    got=repr(name),
                    hint="a condition on one tuple alone belongs to its variable",
                )
        return where


def _interval(after: object, place: str) -> Interval:
    if not isinstance(after, (list, tuple)) or len(after) != 2:
        expected = "two durations: the least and the most time from a to b"
        raise InvalidQuery(where=place, expected=expected, got=repr(after))
    low, high = (_duration(end, place, endless) for end, endless in zip(after, (-math.inf, math.inf), strict=True))
    if low is not None and high is not None and low > high:
        raise InvalidQuery(where=place, expected="the least before the most", got=repr(tuple(after)))
    return low, high


def _duration(end: object, place: str, endless: float) -> timedelta | None:
    if end is None or (isinstance(end, Real) and end == endless):
        return None
    if isinstance(end, Real) and not isinstance(end, bool) and math.isinf(end):
        expected = "a duration; for no limit None, or -inf as the least and inf as the most"
        raise InvalidQuery(where=place, expected=expected, got=repr(end))
    try:
        micros = seconds(end, place)
    except InvalidInput as error:  # here it is a part of a query
        raise InvalidQuery(str(error)) from error
    if abs(micros) > LONGEST:
        raise InvalidQuery(where=place, expected="at most 10,000 years", got=repr(end))
    return timedelta(microseconds=micros)


def _distance(value: object, place: str) -> float:
    expected = "a distance above 0"
    distance = read_number(value, place, expected)
    if not 0 < distance < math.inf:
        raise InvalidQuery(where=place, expected=expected, got=repr(value))
    return distance
