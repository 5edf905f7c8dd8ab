"""Patterns: tuples of several streams that together cause an alert."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations
from numbers import Integral
from typing import Any, ClassVar

from limen.errors import InvalidQuery, did_you_mean
from limen.model.columns import Columns
from limen.model.debounced import duration
from limen.model.expressions.expression import Expression
from limen.model.graph import graph_of
from limen.model.pair import Pair
from limen.model.query import Query, check_distances, check_region, unknown_column
from limen.model.variable import Variable, read_variables

REPORTS = ("all", "first")
MOST_VARIABLES = 12
MOST_ALERTS = 2**31 - 1  # that a cap may allow


@dataclass(frozen=True, slots=True, init=False)
class Pattern(Query):
    """Alert whenever there are tuples, one for each variable and no two the same, that satisfy all constraints.

    Parameters
    ----------
    id, on, streams, where
        See `Query`; `on` is what distances are measured on. `streams` and `where` hold for every variable.
    variables
        By name, which tuples may take each place: a condition in SQL, or a `Variable` or its parts.
    pairs
        What must hold between two of them.
    report
        ``"all"`` alerts, or only the ``"first"`` for each last tuple.
    cap
        The most alerts for each last tuple; how many more there were is counted.
    retain
        The most time between any two of the tuples: for a pattern whose pairs leave that open.

    Examples
    --------
    >>> storm = Pattern(
    ...     "storm",
    ...     {"humid": "humidity > 90", "windy": "wind > 8"},
    ...     [Pair("humid", "windy", after=(0, 3600), distance=50_000)],
    ... )
    >>> [variable.name for variable in storm.variables]
    ['humid', 'windy']
    """

    type: ClassVar[str] = "pattern"

    variables: tuple[Variable, ...]
    pairs: tuple[Pair, ...]
    report: str
    cap: int | None
    retain: timedelta | None

    def __init__(
        self,
        id: str | int,
        variables: Mapping[str, Any] | Sequence[Variable],
        pairs: Pair | Iterable[Pair] = (),
        report: str = "all",
        cap: int | None = None,
        retain: float | str | timedelta | None = None,
        on: str | Sequence[str] | None = None,
        streams: str | int | Iterable[str | int] | None = None,
        where: str | None = None,
    ) -> None:
        self._set_common(id, on, streams, where)
        put, place = object.__setattr__, self._place()
        put(self, "variables", read_variables(variables, place))
        names = [variable.name for variable in self.variables]
        if not 1 <= len(names) <= MOST_VARIABLES:
            expected = f"1 to {MOST_VARIABLES} variables"
            raise InvalidQuery(where=f"{place}: variables", expected=expected, got=f"{len(names)}")
        if len(set(names)) < len(names):
            raise InvalidQuery(where=f"{place}: variables", expected="each name once", got=", ".join(names))
        put(self, "pairs", self._read_pairs(pairs, names))
        if report not in REPORTS:
            raise InvalidQuery(where=f"{place}: report", expected=" or ".join(map(repr, REPORTS)), got=repr(report))
        put(self, "report", report)
        if cap is not None and (isinstance(cap, bool) or not isinstance(cap, Integral) or not 1 <= cap <= MOST_ALERTS):
            raise InvalidQuery(where=f"{place}: cap", expected="a number of alerts, 1 or more", got=repr(cap))
        put(self, "cap", None if cap is None else int(cap))
        put(self, "retain", None if retain is None else duration(retain, f"{place}: retain"))
        graph_of(self)  # an unsatisfiable or unbounded pattern fails here

    @classmethod
    def at_least(
        cls,
        id: str | int,
        count: int,
        where: str | None = None,
        distance: float | None = None,
        within: float | str | timedelta | None = None,
        **more: Any,
    ) -> Pattern:
        """Make the pattern of so many tuples that all meet a condition, near each other in space and time.

        Parameters
        ----------
        id, where
            As of a pattern.
        count
            How many, 1 to 12.
        distance
            Each two are nearer than this to each other; None for any distance.
        within
            Each two are at most this far apart in time.
        **more
            As of a pattern: `report`, `cap`, `on`, `streams`; and `beyond` as of a pair.

        Examples
        --------
        >>> len(Pattern.at_least("crowd", 5, where="speed < 1", distance=5.0, within=300).pairs)
        10
        """
        if isinstance(count, bool) or not isinstance(count, Integral) or not 1 <= count <= MOST_VARIABLES:
            expected = f"a number of tuples from 1 to {MOST_VARIABLES}"
            raise InvalidQuery(where=f"query {id!r}: at_least", expected=expected, got=repr(count))
        names = [f"r{number}" for number in range(1, int(count) + 1)]
        beyond = more.pop("beyond", None)
        span = None if within is None else duration(within, f"query {id!r}: within")
        after = None if span is None else (-span, span)
        pairs = [Pair(one, other, after, distance, beyond) for one, other in combinations(names, 2)]
        return cls(id, [Variable(name, where) for name in names], pairs, **more)

    def _read_pairs(self, pairs: object, names: list[str]) -> tuple[Pair, ...]:
        given = [pairs] if isinstance(pairs, Pair) else list(pairs) if isinstance(pairs, Iterable) else [pairs]
        for pair in given:
            if not isinstance(pair, Pair):
                expected = "pairs such as limen.Pair('a', 'b', after=(0, 300))"
                raise InvalidQuery(where=f"{self._place()}: pairs", expected=expected, got=repr(pair))
            for name in (pair.a, pair.b):
                if name not in names:
                    raise InvalidQuery(
                        where=f"{self._place()}: {pair.place}",
                        expected=f"a variable among {', '.join(names)}",
                        got=repr(name),
                        hint=did_you_mean(name, names),
                    )
        return tuple(given)

    @property
    def retain_micros(self) -> int:
        """`retain` in microseconds, of a pattern that has it."""
        return 0 if self.retain is None else self.retain // timedelta(microseconds=1)

    @property
    def needs_global_order(self) -> bool:
        """Whether it looks at many streams at once, along one time line: it does."""
        return True

    @property
    def sees_all_streams(self) -> bool:
        """Whether every shard that evaluates it needs all streams: its tuples may be of any."""
        return True

    @property
    def most(self) -> int | None:
        """The most alerts for each last tuple."""
        return 1 if self.report == "first" else self.cap

    def conditions(self) -> list[tuple[str, Expression]]:
        """Return its conditions, each with its place."""
        of_pairs = [(pair.place, pair.where) for pair in self.pairs]
        of_variables = [(f"variable {variable.name!r}", variable.where) for variable in self.variables]
        given = [("", self.where), *of_variables, *of_pairs]
        return [(place, Expression.parse(where)) for place, where in given if where is not None]

    def check(self, columns: Columns) -> tuple[int, ...]:
        """Test the query against the columns of the data; see `Query.check`."""
        positions = columns.positions(self.on) if self.on is None else self._positions(columns)
        self._check_place(columns, positions)
        usable = (columns.id, columns.time, *columns.attributes, *columns.values)
        for place, condition in self.conditions():
            for name in condition.names:
                column = name
                if place.startswith("pair") and name not in usable:
                    column = next(
                        (found[1] for pair in self.pairs if pair.place == place and (found := pair.column(name))), name
                    )
                if column not in usable:
                    raise unknown_column(f"{self._place()}: {place or 'where'}", column, usable, columns)
        return positions

    def _positions(self, columns: Columns) -> tuple[int, ...]:
        for name in self.on or ():
            if name not in columns.values:
                raise unknown_column(f"{self._place()}: on", name, columns.values, columns)
        return columns.positions(self.on)

    def _check_place(self, columns: Columns, positions: tuple[int, ...]) -> None:
        if graph_of(self).uses_distance:
            check_distances(columns, positions, self._place(), "distances")
        for variable in self.variables:
            if variable.region is not None:
                place = f"{self._place()}: variable {variable.name!r}"
                check_region(variable.region, columns, positions, place)
