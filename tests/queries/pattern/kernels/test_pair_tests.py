"""Whether two tuples may stand together, on the very limits."""

import math

import numpy as np
import pytest

from limen import Pair, Pattern
from limen.model.graph import graph_of
from limen.queries.pattern.kernels import layout
from limen.queries.pattern.kernels.layout import IN_SPACE, OF_COLUMNS, ON_EARTH, TUPLE, StreamNames, Tuples
from limen.queries.pattern.kernels.pair_tests import comes_before, compares, computed, may_stand_together
from limen.queries.pattern.tables import HOW, Computation, ConditionStep, Link, PatternRules, tables_of
from tests.oracle.region import haversine

NAMES = StreamNames(np.array([0, 1, 2]), np.frombuffer(b"ba", np.uint8))


def stand(pair, one, other, *, measure=IN_SPACE, links=(), same=False):
    """Ask of two tuples (second, stream, place)."""
    variables = {"a": "x > 1", "b": "x > 1" if same else "x > 2"}
    tables = tables_of([PatternRules(graph_of(Pattern("p", variables, pair)), links)], lonlat=measure == ON_EARTH)
    record = np.zeros(2, TUPLE)
    place = np.array([one[2], other[2]], np.float64).reshape(2, -1)
    record["time"], record["stream"] = [one[0], other[0]], [one[1], other[1]]
    spot = np.zeros((2, 3))
    if measure == ON_EARTH:
        longitude, latitude = np.radians(place.T)
        spot = np.stack(
            [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], 1
        )
    else:
        spot[:, : min(3, place.shape[1])] = place[:, :3]
    record["x"], record["y"], record["z"] = spot.T
    tuples = Tuples(record, place, link=np.array([[1.0], [2.0]]))
    return [may_stand_together(tables, tuples, NAMES, measure, *asked) for asked in ((1, 0, 1), (2, 1, 0))]


@pytest.mark.parametrize(("after", "met"), [((0, 5), True), ((5, 5), True), ((6, 9), False), ((-9, 4), False)])
def test_times_include_their_ends(after, met):
    assert stand(Pair("a", "b", after), (0, 0, ()), (5_000_000, 1, ())) == [met, met]


@pytest.mark.parametrize(
    ("place", "near", "met"),
    [
        ((3, 4), 5.0, False), ((3, 4), math.nextafter(5, 9), True), ((1, 1, 1, 1), 2.0, False),
        ((1, 1, 1, 1), 2.1, True), ((1e200, 0), 1e100, False), ((0, 0), 5e-324, False),
    ],
)  # fmt: skip
def test_a_distance_is_below(place, near, met):
    measure = IN_SPACE if len(place) < 4 else OF_COLUMNS
    origin = (0, 0, [0.0] * len(place))
    assert stand(Pair("a", "b", (0, 0), near), origin, (0, 1, place), measure=measure) == [met, met]
    if not met:
        assert stand(Pair("a", "b", (0, 0), beyond=near), origin, (0, 1, place), measure=measure) == [True, True]


@pytest.mark.parametrize("other", [(1.0, 0.0), (0.0, 90.0), (179.0, 1.0), (180.0, 0.0), (0.0, 1e-6)])
def test_on_earth_the_formula_decides_between_neighbours(other):
    apart = haversine((0.0, 0.0), other)
    for near, met in ((apart, False), (math.nextafter(apart, 1e9), True), (apart * 1.1, True), (apart / 1.1, False)):
        pair = Pair("a", "b", (0, 0), near)
        assert stand(pair, (0, 0, (0.0, 0.0)), (0, 1, other), measure=ON_EARTH) == [met, met]
        beyond = Pair("a", "b", (0, 0), beyond=near)
        assert stand(beyond, (0, 0, (0.0, 0.0)), (0, 1, other), measure=ON_EARTH) == [not met, not met]


@pytest.mark.parametrize(
    ("how", "below", "equal", "above"),
    [("=", 0, 1, 0), ("<>", 1, 0, 1), ("<", 1, 0, 0), ("<=", 1, 1, 0), (">", 0, 0, 1), (">=", 0, 1, 1)],
)
def test_comparisons(how, below, equal, above):
    assert [compares(HOW[how], 1.0, other) for other in (2.0, 1.0, 0.0)] == [below, equal, above]
    assert not compares(HOW[how], math.nan, 1.0)
    assert not compares(HOW[how], math.nan, math.nan)
    pair = Pair("a", "b", (0, 0))
    assert stand(pair, (0, 0, ()), (0, 1, ()), links=(Link(0, 0, HOW[how], 1, 0),)) == [bool(below)] * 2


def test_interchangeable_tuples_are_in_canonical_order():
    pair = Pair("a", "b", (-5, 5))
    assert stand(pair, (0, 0, ()), (1, 1, ()), same=True) == [True, True]
    assert stand(pair, (1, 0, ()), (0, 1, ()), same=True) == [False, False]
    assert stand(pair, (1, 1, ()), (1, 0, ()), same=True) == [True, True]  # "a" before "b"
    assert stand(pair, (1, 0, ()), (1, 1, ()), same=True) == [False, False]
    record = np.zeros(2, TUPLE)
    record["stream"] = [0, 1]
    tuples = Tuples(record, np.empty((2, 0)), np.empty((2, 0)))
    assert not comes_before(tuples, NAMES, 0, 1)
    assert comes_before(tuples, NAMES, 1, 0)


MISSING_VALUE = math.nan


@pytest.mark.parametrize(
    ("how", "one", "other", "expected"),
    [
        (layout.PLUS, 1.5, 2.0, 3.5), (layout.MINUS, 1.5, 2.0, -0.5), (layout.TIMES, 1.5, 2.0, 3.0),
        (layout.OVER, 3.0, 2.0, 1.5), (layout.OVER, 3.0, 0.0, MISSING_VALUE), (layout.REST, -7.0, 4.0, -3.0),
        (layout.REST, 7.0, 0.0, MISSING_VALUE), (layout.NEGATIVE, 2.0, 0.0, -2.0),
        (layout.PLUS, MISSING_VALUE, 1.0, MISSING_VALUE), (layout.NOT, 1.0, 0.0, 0.0), (layout.NOT, 0.0, 0.0, 1.0),
        (layout.NOT, MISSING_VALUE, 0.0, MISSING_VALUE), (layout.MISSING, MISSING_VALUE, 0.0, 1.0),
        (layout.MISSING, 5.0, 0.0, 0.0), (layout.BOTH, 1.0, 1.0, 1.0), (layout.BOTH, MISSING_VALUE, 0.0, 0.0),
        (layout.BOTH, 1.0, MISSING_VALUE, MISSING_VALUE), (layout.EITHER, 0.0, 0.0, 0.0),
        (layout.EITHER, MISSING_VALUE, 1.0, 1.0), (layout.EITHER, 0.0, MISSING_VALUE, MISSING_VALUE),
        (layout.COMPARED + layout.BELOW, 1.0, 2.0, 1.0), (layout.COMPARED + layout.BELOW, 2.0, 2.0, 0.0),
        (layout.COMPARED + layout.UNEQUAL, MISSING_VALUE, 2.0, MISSING_VALUE),
    ],
)  # fmt: skip
def test_what_is_computed(how, one, other, expected):
    got = computed(how, one, other)
    assert got == expected or (math.isnan(got) and math.isnan(expected))


@pytest.mark.parametrize(("limit", "met"), [(-1.5, True), (-1.0, False), (MISSING_VALUE, False)])
def test_a_computation_of_two_tuples_holds_from_both_sides(limit, met):
    # a's column less b's is 1 - 2
    program = (
        ConditionStep(layout.OF_ONE), ConditionStep(layout.OF_OTHER), ConditionStep(layout.GIVEN, value=limit),
        ConditionStep(layout.MINUS, 0, 1),
        ConditionStep(layout.COMPARED + layout.ABOVE, 3, 2), ConditionStep(layout.HOLDS, 4),
    )  # fmt: skip
    pair = Pair("a", "b", (0, 0))
    assert stand(pair, (0, 0, ()), (0, 1, ()), links=(Computation(0, 1, program),)) == [met, met]
