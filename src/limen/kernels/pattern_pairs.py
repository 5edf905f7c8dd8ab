"""Whether two tuples may stand together in an alert, and which of them comes first."""

from __future__ import annotations

from limen.kernels._jit import kernel
from limen.kernels.geometry import distance_on_earth
from limen.kernels.nearest import precedes
from limen.kernels.pattern_arrays import ABOVE, AT_LEAST, AT_MOST, BELOW, EQUAL, OF_COLUMNS, ON_EARTH


@kernel
def comes_before(starts, text, tuples, x, y):
    """Tell whether a tuple comes before another in canonical order; a stream has one tuple of a time."""
    if tuples[x]["time"] != tuples[y]["time"]:
        return tuples[x]["time"] < tuples[y]["time"]
    return precedes(starts, text, tuples[x]["stream"], tuples[y]["stream"])


@kernel
def is_nearer(limit, low, high, place, measure, x, y, square):
    """Tell whether a distance is below a limit, given squares below and above which there is no doubt.

    On the sphere only what lies between the two is computed by the formula that decides.
    """
    if square < low:
        return True
    if square > high or measure != ON_EARTH:
        return False
    return distance_on_earth(place[x, 0], place[x, 1], place[y, 0], place[y, 1]) < limit


@kernel
def are_placed(pairs, tuples, place, measure, pair, x, y):
    """Tell whether tuples x and y are as far apart, in time and space, as a pair of variables has it."""
    said, one, other = pairs[pair], tuples[x], tuples[y]
    apart = other["time"] - one["time"]
    if apart < said["earliest"] or apart > said["latest"]:
        return False
    if said["reach"] == float("inf") and said["near"] == float("inf") and said["beyond"] == 0.0:
        return True
    dx, dy, dz = one["x"] - other["x"], one["y"] - other["y"], one["z"] - other["z"]
    square = dx * dx + dy * dy + dz * dz
    if measure == OF_COLUMNS:
        for k in range(3, place.shape[1]):
            off = place[x, k] - place[y, k]
            square += off * off
    if square > said["reach"]:
        return False
    if said["near"] < float("inf") and not is_nearer(
        said["near"], said["near_low"], said["near_high"], place, measure, x, y, square
    ):
        return False
    return said["beyond"] == 0.0 or not is_nearer(
        said["beyond"], said["beyond_low"], said["beyond_high"], place, measure, x, y, square
    )


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
def are_compared(pairs, link, tuples, linked, starts, text, pair, x, y):
    """Tell whether columns of tuples x and y compare as a pair has it, and whether the tuples are in its order."""
    for at in range(pairs[pair]["first_link"], pairs[pair]["last_link"]):
        if not compares(link[at, 1], linked[x, link[at, 0]], linked[y, link[at, 2]]):
            return False
    if pairs[pair]["order"] > 0:
        return comes_before(starts, text, tuples, x, y)
    if pairs[pair]["order"] < 0:
        return comes_before(starts, text, tuples, y, x)
    return True


@kernel
def may_stand_together(pairs, link, tuples, place, linked, starts, text, measure, pair, x, y):
    """Tell whether tuples x and y meet all that is said of a pair of variables."""
    if not are_placed(pairs, tuples, place, measure, pair, x, y):
        return False
    if pairs[pair]["order"] == 0 and pairs[pair]["first_link"] == pairs[pair]["last_link"]:
        return True
    return are_compared(pairs, link, tuples, linked, starts, text, pair, x, y)
