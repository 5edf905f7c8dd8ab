"""The constraint graph of a pattern: given constraints between each two variables, and inferred ones.

Times: if b comes at most 5 after a and c at most 5 after b, c comes at most 10 after a. All such limits follow by the
algorithm of Floyd and Warshall; a pattern with contradictory time constraints has a cycle of limits below 0.
Distances follow by the triangle rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from limen.arrays import Codes, Floats, Ints
from limen.errors import InvalidQuery
from limen.model.expressions.expression import Expression

if TYPE_CHECKING:
    from limen.model.pattern import Pattern


UNBOUNDED = 2**62  # microseconds: no limit


@dataclass(frozen=True, slots=True)
class Graph:
    """The constraints between each two variables of a pattern, by their position.

    Attributes
    ----------
    names
        The variables, as declared.
    latest : int64 array (m, m)
        The most microseconds from the tuple of the one to that of the other, UNBOUNDED for any: it comes at the
        earliest after ``-latest.T`` and at the latest after ``latest``.
    given_latest : int64 array (m, m)
        The same as given in the pattern, before anything is inferred.
    distance, given_distance : float64 arrays (m, m)
        The distance is below this; infinite for any.
    beyond : float64 array (m, m)
        The distance is at least this; 0 for any.
    order : int8 array (m, m)
        1 where the tuple of the one must come before that of the other in canonical order, since the two are
        interchangeable and declared in this order; -1 the other way round; 0 where that does not matter.
    """

    names: tuple[str, ...]
    latest: Ints
    given_latest: Ints
    distance: Floats
    given_distance: Floats
    beyond: Floats
    order: Codes

    @property
    def uses_distance(self) -> bool:
        """Whether tuples need a place."""
        apart = ~np.eye(len(self.names), dtype=np.bool_)
        return bool(np.isfinite(self.given_distance[apart]).any() or self.beyond.any())


@lru_cache(maxsize=4096)
def graph_of(pattern: Pattern) -> Graph:
    """Return the completed graph of a pattern.

    Raises
    ------
    InvalidQuery
        When no tuples can meet its times or its distances, or when a pair has no limit in time.
    """
    names = tuple(variable.name for variable in pattern.variables)
    number = {name: position for position, name in enumerate(names)}
    m = len(names)
    given = np.full((m, m), UNBOUNDED, np.int64)
    distance, beyond = np.full((m, m), np.inf), np.zeros((m, m))
    for pair in pattern.pairs:
        a, b = number[pair.a], number[pair.b]
        low, high = pair.micros
        given[a, b] = min(given[a, b], UNBOUNDED if high is None else high)
        given[b, a] = min(given[b, a], UNBOUNDED if low is None else -low)
        if pair.distance is not None:
            distance[a, b] = distance[b, a] = min(distance[a, b], pair.distance)
        if pair.beyond is not None:
            beyond[a, b] = beyond[b, a] = max(beyond[a, b], pair.beyond)
    np.fill_diagonal(given, 0)
    np.fill_diagonal(distance, 0.0)
    order = _order(pattern, given, distance, beyond)
    if pattern.retain is not None:
        given = np.minimum(given, pattern.retain_micros)
    # An order of interchangeable variables is also an order in time.
    latest = closed(np.where(order < 0, np.minimum(given, 0), given))
    if (np.diagonal(latest) < 0).any():
        raise _contradiction(pattern, names, given)
    unbounded = np.argwhere(latest >= UNBOUNDED)
    if len(unbounded):
        one, other = (names[position] for position in unbounded[0])
        raise InvalidQuery(
            where=f"query {pattern.id!r}: pair {one!r}, {other!r}",
            expected="a limit to the time between the two, given or following from others",
            got="none",
            hint="add after=(least, most) to a pair, or retain=… to the pattern",
        )
    near = _triangles(distance)
    # Inferred distances may be off by rounding; given ones are not.
    apart = np.argwhere((beyond > 0) & (beyond >= np.where(near < distance, near * (1 + 1e-9), distance)))
    if len(apart):
        a, b = apart[0]
        raise InvalidQuery(
            where=f"query {pattern.id!r}: pair {names[a]!r}, {names[b]!r}",
            expected=f"a possible distance: below {near[a, b]:g}, by the other constraints",
            got=f"beyond {beyond[a, b]:g}",
        )
    return Graph(names, latest, given, near, distance, beyond, order)


def closed(limits: Ints) -> Ints:
    """Return the limits that follow from limits, by Floyd and Warshall.

    Examples
    --------
    >>> closed(np.array([[0, 5, UNBOUNDED], [0, 0, 5], [UNBOUNDED, -1, 0]])).tolist()
    [[0, 5, 10], [0, 0, 5], [-1, -1, 0]]
    """
    limits = limits.copy()
    for k in range(len(limits)):
        to, on = limits[:, k, None], limits[None, k, :]
        through = np.where((to >= UNBOUNDED) | (on >= UNBOUNDED), UNBOUNDED, np.minimum(to, UNBOUNDED // 2) + on)
        np.minimum(limits, through, out=limits)
        if (np.diagonal(limits) < 0).any():
            break  # limits would fall below any number
    return limits


def _triangles(distance: Floats) -> Floats:
    near = distance.copy()
    for k in range(len(near)):
        np.minimum(near, near[:, k, None] + near[None, k, :], out=near)
    return near


def _order(pattern: Pattern, given: Ints, distance: Floats, beyond: Floats) -> Codes:
    """Find the variables that can be exchanged without a difference."""
    m = len(pattern.variables)
    order = np.zeros((m, m), np.int8)
    definition = [variable.definition for variable in pattern.variables]
    for one in range(m):
        for other in range(one + 1, m):
            if definition[one] != definition[other]:
                continue
            exchanged = np.arange(m)
            exchanged[[one, other]] = other, one
            alike = all(
                np.array_equal(each, each[np.ix_(exchanged, exchanged)]) for each in (given, distance, beyond)
            ) and _comparisons(pattern, {}) == _comparisons(
                pattern,
                {
                    pattern.variables[one].name: pattern.variables[other].name,
                    pattern.variables[other].name: pattern.variables[one].name,
                },
            )
            if alike:
                order[one, other], order[other, one] = 1, -1
    return order


def _comparisons(pattern: Pattern, names: dict[str, str]) -> set[str]:
    """Return what pairs compare, once variables have other names, in a form that does not depend on the order."""
    found = set()
    for pair in pattern.pairs:
        if pair.where is not None:
            condition = Expression.parse(pair.where)
            columns = {}
            for name in condition.names:
                variable, column = pair.column(name) or ("", name)
                columns[name] = f"{names.get(variable, variable)}.{column}"
            found.add(condition.exchanged(columns))
    return found


def _contradiction(pattern: Pattern, names: tuple[str, ...], given: Ints) -> InvalidQuery:
    """Return the error of contradictory time constraints, naming a cycle of them."""
    m = len(names)
    best: list[list[int]] = [[int(limit) for limit in row] for row in given]
    through: list[list[list[int]]] = [[[i, j] for j in range(m)] for i in range(m)]
    for k in range(m):
        for i in range(m):
            for j in range(m):
                if best[i][k] >= UNBOUNDED or best[k][j] >= UNBOUNDED or best[i][k] + best[k][j] >= best[i][j]:
                    continue
                best[i][j] = best[i][k] + best[k][j]
                through[i][j] = through[i][k][:-1] + through[k][j]
                if i == j:
                    cycle = " → ".join(names[each] for each in through[i][i])
                    return InvalidQuery(
                        where=f"query {pattern.id!r}",
                        expected="consistent time constraints",
                        got=f"contradictory ones: {cycle} adds up to {best[i][i] / 1e6:g} seconds",
                    )
    raise AssertionError("a closed graph that contradicts itself has a cycle")
