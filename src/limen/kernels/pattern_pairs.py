"""Whether two tuples may stand together in an alert, and which of them comes first."""

from __future__ import annotations

from limen.kernels._jit import kernel
from limen.kernels.geometry import distance_on_earth
from limen.kernels.nearest import precedes
from limen.kernels.pattern_arrays import ABOVE, AT_LEAST, AT_MOST, BELOW, EQUAL


@kernel
def comes_before(names, tuples, x, y):
    """Tell whether a tuple comes before another in canonical order; a stream has one tuple of a time."""
    if tuples.time[x] != tuples.time[y]:
        return tuples.time[x] < tuples.time[y]
    return precedes(names.starts, names.text, tuples.stream[x], tuples.stream[y])


@kernel
def square_between(tuples, lonlat, x, y):
    """Return the square of a distance: of the columns, in their order, or with `lonlat` of spots."""
    points = tuples.spot if lonlat else tuples.place
    square = 0.0
    for k in range(points.shape[1]):
        apart = points[x, k] - points[y, k]
        square += apart * apart
    return square


@kernel
def is_nearer(limit, pair, tuples, lonlat, x, y, square):
    """Tell whether a distance is below the limit of a pair: (it, its square surely, its square hardly).

    On the sphere only what lies between the two squares is computed by the formula that decides.
    """
    if square < limit[pair, 1]:
        return True
    if square > limit[pair, 2] or not lonlat:
        return False
    place = tuples.place
    return distance_on_earth(place[x, 0], place[x, 1], place[y, 0], place[y, 1]) < limit[pair, 0]


@kernel
def compares(how, here, there):
    """Compare two numbers; one that is missing, a NaN, compares with nothing."""
    if how == EQUAL:
        return here == there
    if how == BELOW:
        return here < there
    if how == AT_MOST:
        return here <= there
    if how == ABOVE:
        return here > there
    if how == AT_LEAST:
        return here >= there
    return here < there or here > there


@kernel
def may_stand_together(patterns, names, tuples, lonlat, pair, back, x, y):
    """Tell whether tuples x and y meet all that is said of a pair of variables i and j; `back` is the pair j and i."""
    apart = tuples.time[y] - tuples.time[x]
    if apart > patterns.latest[pair] or -apart > patterns.latest[back]:
        return False
    radius, near, beyond = patterns.radius[pair], patterns.near[pair, 0], patterns.beyond[pair, 0]
    if radius < float("inf") or beyond > 0.0:
        square = square_between(tuples, lonlat, x, y)
        if square > radius * radius:
            return False
        if near < float("inf") and not is_nearer(patterns.near, pair, tuples, lonlat, x, y, square):
            return False
        if beyond > 0.0 and is_nearer(patterns.beyond, pair, tuples, lonlat, x, y, square):
            return False
    for at in range(patterns.link_start[pair], patterns.link_start[pair + 1]):
        here, how, there = patterns.link[at, 0], patterns.link[at, 1], patterns.link[at, 2]
        if not compares(how, tuples.link[x, here], tuples.link[y, there]):
            return False
    order = patterns.order[pair]
    if order > 0:
        return comes_before(names, tuples, x, y)
    if order < 0:
        return comes_before(names, tuples, y, x)
    return True
