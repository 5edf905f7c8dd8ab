"""Convert patterns to the arrays that kernels read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limen.arrays import Floats, Ints
from limen.kernels.earth import EARTH_RADIUS
from limen.model.graph import Graph
from limen.queries.pattern.kernels import layout

HOW = {
    "=": layout.EQUAL,
    "<>": layout.UNEQUAL,
    "<": layout.BELOW,
    "<=": layout.AT_MOST,
    ">": layout.ABOVE,
    ">=": layout.AT_LEAST,
}
_MIRRORED = {
    layout.EQUAL: layout.EQUAL,
    layout.UNEQUAL: layout.UNEQUAL,
    layout.BELOW: layout.ABOVE,
    layout.ABOVE: layout.BELOW,
    layout.AT_MOST: layout.AT_LEAST,
    layout.AT_LEAST: layout.AT_MOST,
}
#: What follows from distances is widened by this, more than rounding can make of it; chords of the unit sphere by that.
SPARE, SPARE_CHORD = 1 + 1e-9, 1e-12


@dataclass(frozen=True, slots=True)
class Link:
    """Two columns of the tuples of two variables, by position, that are compared."""

    a: int
    column_a: int
    how: int
    b: int
    column_b: int

    @property
    def mirrored(self) -> Link:
        """The same with the two variables exchanged."""
        return Link(self.b, self.column_b, _MIRRORED[self.how], self.a, self.column_a)

    def steps(self, first: int) -> list[ConditionStep]:  # noqa: ARG002  # as of a computation
        """Return it as the kernel's only step."""
        return [ConditionStep(self.how, self.column_a, self.column_b)]


class ConditionStep(NamedTuple):
    """A step of a computation: the operation, its columns or earlier steps, and the value of a number."""

    how: int
    one: int = 0
    other: int = 0
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class Computation:
    """A condition computed from the tuples of two variables, by position."""

    a: int
    b: int
    program: tuple[ConditionStep, ...]

    @property
    def mirrored(self) -> Computation:
        """The same with the two variables exchanged."""
        exchanged = {layout.OF_ONE: layout.OF_OTHER, layout.OF_OTHER: layout.OF_ONE}
        return Computation(
            self.b, self.a, tuple(step._replace(how=exchanged.get(step.how, step.how)) for step in self.program)
        )

    def steps(self, first: int) -> list[ConditionStep]:
        """Return its steps, the first of which has this number."""
        return [
            step if step.how <= layout.GIVEN else step._replace(one=first + step.one, other=first + step.other)
            for step in self.program
        ]


@dataclass(frozen=True, slots=True)
class PatternRules:
    """A pattern as an index takes it: its graph, other constraints of pairs, and the most alerts for a last tuple."""

    graph: Graph
    links: tuple[Link | Computation, ...] = ()
    most: int | None = None


def tables_of(rules: list[PatternRules], *, lonlat: bool) -> layout.Patterns:
    """Return the records of patterns."""
    size = np.array([len(each.graph.names) for each in rules], np.int64)
    pattern = np.zeros(len(rules), layout.PATTERN)
    pattern["size"], pattern["first"], pattern["base"] = size, np.cumsum(size) - size, np.cumsum(size**2) - size**2
    pattern["most"] = [layout.NONE if each.most is None else each.most for each in rules]
    variable = np.zeros(int(size.sum()), layout.VARIABLE)
    variable["pattern"] = np.repeat(np.arange(len(rules)), size)
    variable["longest"] = np.concatenate([np.empty(0, np.int64), *(_longest(each.graph) for each in rules)])
    variable["side"] = np.concatenate([np.empty(0), *(_sides(each.graph, lonlat=lonlat) for each in rules)])
    pair = np.zeros(int((size**2).sum()), layout.PAIR)
    none = np.empty(0, np.int64)
    pair["latest"] = np.concatenate([none, *(each.graph.latest.reshape(-1) for each in rules)])
    pair["earliest"] = np.concatenate([none, *(-each.graph.latest.T.reshape(-1) for each in rules)])
    near = _limits(_flat([_apart(each.graph.given_distance, np.inf) for each in rules]), lonlat=lonlat)
    beyond = _limits(_flat([each.graph.beyond for each in rules]), lonlat=lonlat)
    for word, limits in (("near", near), ("beyond", beyond)):
        pair[word], pair[f"{word}_low"], pair[f"{word}_high"] = limits.T
    radius = _flat([_radius(each.graph, lonlat=lonlat) for each in rules])
    with np.errstate(over="ignore"):
        pair["reach"] = radius * radius
    pair["order"] = np.concatenate([np.empty(0, np.int8), *(each.graph.order.reshape(-1) for each in rules)])
    starts, link = _links(rules)
    pair["first_link"], pair["last_link"] = starts[:-1], starts[1:]
    nothing_more = (pair["order"] == 0) & (starts[:-1] == starts[1:]) & (pair["beyond"] == 0)
    within = np.where(np.isinf(pair["near"]), pair["reach"], np.minimum(pair["near_low"], pair["reach"]))
    pair["sure"] = np.where(nothing_more, within, -1.0)
    return layout.Patterns(pattern, variable, pair, link)


def _flat(matrices: list[Floats]) -> Floats:
    return np.concatenate([np.empty(0), *(matrix.reshape(-1) for matrix in matrices)])


def _apart(matrix: Floats, value: float) -> Floats:
    """Set the value between a variable and itself to a neutral one."""
    out = matrix.copy()
    np.fill_diagonal(out, value)
    return out


def _radius(graph: Graph, *, lonlat: bool) -> Floats:
    """Return an upper bound of the distance between tuples, in units of spots."""
    near = _apart(graph.distance, np.inf) * SPARE
    if lonlat:
        near = np.where(near < math.pi * EARTH_RADIUS, _chord(near) * SPARE + SPARE_CHORD, np.inf)
    return near


def _chord(metres: Floats) -> Floats:
    """Convert distances on the earth to chords of the unit sphere."""
    return 2 * np.sin(np.minimum(metres / EARTH_RADIUS, math.pi) / 2)


def _limits(metres: Floats, *, lonlat: bool) -> Floats:
    """Return distances, each with the squares below and above which a distance certainly is below or above it."""
    if not lonlat:
        with np.errstate(over="ignore"):
            return np.stack([metres, metres * metres, metres * metres], axis=1)
    chord = _chord(metres)
    low = np.maximum(chord / SPARE - SPARE_CHORD, 0.0)
    high = chord * SPARE + SPARE_CHORD
    # Half round the world and further: nothing is surely further.
    return np.stack([metres, low * low, np.where(metres < math.pi * EARTH_RADIUS, high * high, np.inf)], axis=1)


def _longest(graph: Graph) -> Ints:
    if len(graph.names) == 1:
        return np.zeros(1, np.int64)
    others = graph.latest.copy()
    np.fill_diagonal(others, np.iinfo(np.int64).min)
    longest: Ints = others.max(axis=1)
    return longest


def _sides(graph: Graph, *, lonlat: bool) -> Floats:
    """Return the size of cells: the largest search radius of any look-up of the variable, so that few are searched."""
    radius = _radius(graph, lonlat=lonlat)
    side: Floats = np.where(np.isfinite(radius), radius, 0.0).max(axis=0)
    return side


def _links(rules: list[PatternRules]) -> tuple[Ints, npt.NDArray[np.void]]:
    starts: list[int] = [0]
    flat: list[ConditionStep] = []
    for each in rules:
        m = len(each.graph.names)
        both = [*each.links, *(link.mirrored for link in each.links)]
        for i in range(m):
            for j in range(m):
                for link in both:
                    if (link.a, link.b) == (i, j):
                        flat += link.steps(len(flat))
                starts.append(len(flat))
    return np.array(starts, np.int64), np.array(flat, layout.STEP)
