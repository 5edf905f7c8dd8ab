"""Test whether two tuples may be in one alert, and which of them comes first."""

import numpy as np

from limen.kernels._jit import inner_kernel
from limen.kernels.text import precedes
from limen.queries.pattern.kernels import layout
from limen.regions.kernels.geometry import distance_on_earth


@inner_kernel
def comes_before(tuples, names, x, y):
    """Return whether a tuple comes before another in canonical order; a stream has one tuple of a time."""
    one, other = tuples.record[x], tuples.record[y]
    if one["time"] != other["time"]:
        return one["time"] < other["time"]
    return precedes(names.starts, names.text, one["stream"], other["stream"])


@inner_kernel
def is_nearer(limit, low, high, place, measure, x, y, square):
    """Return whether a distance is below a limit, given squares below and above which the result is certain.

    On the sphere only what lies between the two is computed by the formula that decides.
    """
    if square < low:
        return True
    if square > high or measure != layout.ON_EARTH:
        return False
    return distance_on_earth(place[x, 0], place[x, 1], place[y, 0], place[y, 1]) < limit


@inner_kernel
def are_placed(patterns, tuples, measure, pair, x, y):
    """Return whether tuples x and y meet the time and distance constraints of a pair of variables."""
    limits, one, other, place = patterns.pair[pair], tuples.record[x], tuples.record[y], tuples.place
    apart = other["time"] - one["time"]
    if apart < limits["earliest"] or apart > limits["latest"]:
        return False
    if limits["reach"] == float("inf") and limits["near"] == float("inf") and limits["beyond"] == 0.0:
        return True
    dx, dy, dz = one["x"] - other["x"], one["y"] - other["y"], one["z"] - other["z"]
    square = dx * dx + dy * dy + dz * dz
    if measure == layout.OF_COLUMNS:
        for k in range(3, place.shape[1]):
            off = place[x, k] - place[y, k]
            square += off * off
    if square > limits["reach"]:
        return False
    if limits["near"] < float("inf") and not is_nearer(
        limits["near"], limits["near_low"], limits["near_high"], place, measure, x, y, square
    ):
        return False
    return limits["beyond"] == 0.0 or not is_nearer(
        limits["beyond"], limits["beyond_low"], limits["beyond_high"], place, measure, x, y, square
    )


@inner_kernel
def compares(how, here, there):
    """Compare two numbers; with a missing one, a NaN, every comparison is false."""
    if how == layout.EQUAL:
        return here == there
    if how == layout.BELOW:
        return here < there
    if how == layout.AT_MOST:
        return here <= there
    if how == layout.ABOVE:
        return here > there
    if how == layout.AT_LEAST:
        return here >= there
    return here < there or here > there


@inner_kernel
def logical(how, one, other):
    """Combine two conditions in three-valued logic; NaN is unknown."""
    if how == layout.NOT:
        return 1.0 - one
    decided = 0.0 if how == layout.BOTH else 1.0
    if one == decided or other == decided:  # noqa: PLR1714  # compiled, a tuple would be made
        return decided
    return one + other if np.isnan(one + other) else 1.0 - decided


@inner_kernel
def computed(how, one, other):
    """Compute a step as SQL does: NaN is null, and operators on it return null."""
    if how >= layout.COMPARED:
        if np.isnan(one) or np.isnan(other):
            return np.nan
        return 1.0 if compares(how - layout.COMPARED, one, other) else 0.0
    if layout.BOTH <= how <= layout.NOT:
        return logical(how, one, other)
    if how == layout.MISSING:
        return 1.0 if np.isnan(one) else 0.0
    if how == layout.PLUS:
        return one + other
    if how == layout.MINUS:
        return one - other
    if how == layout.TIMES:
        return one * other
    if how == layout.NEGATIVE:
        return -one
    if other == 0.0:
        return np.nan
    return one / other if how == layout.OVER else np.fmod(one, other)


@inner_kernel
def are_compared(patterns, tuples, names, pair, x, y):
    """Return whether tuples x and y satisfy the comparisons of a pair, and whether they are in its order."""
    limits, link, linked = patterns.pair[pair], patterns.link, tuples.link
    for at in range(limits["first_link"], limits["last_link"]):
        how, one, other = link[at]["how"], link[at]["one"], link[at]["other"]
        if how <= layout.AT_LEAST:
            if not compares(how, linked[x, one], linked[y, other]):
                return False
        elif how == layout.OF_ONE:
            link[at]["value"] = linked[x, one]
        elif how == layout.OF_OTHER:
            link[at]["value"] = linked[y, one]
        elif how == layout.HOLDS:
            if link[one]["value"] != 1.0:
                return False
        elif how != layout.GIVEN:
            link[at]["value"] = computed(how, link[one]["value"], link[other]["value"])
    if limits["order"] > 0:
        return comes_before(tuples, names, x, y)
    if limits["order"] < 0:
        return comes_before(tuples, names, y, x)
    return True


@inner_kernel
def may_stand_together(patterns, tuples, names, measure, pair, x, y):
    """Return whether tuples x and y satisfy the constraints of a pair of variables."""
    if not are_placed(patterns, tuples, measure, pair, x, y):
        return False
    limits = patterns.pair[pair]
    if limits["order"] == 0 and limits["first_link"] == limits["last_link"]:
        return True
    return are_compared(patterns, tuples, names, pair, x, y)
