"""Regions around a center: boxes, circles, and the circles that hold the nearest.

Whether a point is in one is a comparison with its limit: of squares of distances, in the order of the columns, or of
metres where coordinates are longitude and latitude. A radius is never made of a distance, nor a distance of a radius,
except to look around generously.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limen.kernels._jit import inner_kernel
from limen.kernels.by_reference import by_reference
from limen.kernels.earth import EARTH_RADIUS
from limen.regions.kernels.geometry import distance_on_earth

BOX, DISC, NEAREST = 0, 1, 2
SPARE = 1e-12  # of a length, to look around generously
LEAST_REACH = 1e-150  # squares of what is smaller are zero


@by_reference
class CenteredQueries(NamedTuple):
    """The arrays of queries around a center, by number of the query."""

    kind: npt.NDArray[np.int8]  # -1 for none
    focal: npt.NDArray[np.int32]  # the stream it moves with, -1 for none
    center: npt.NDArray[np.float64]  # (queries, dimensions), NaN while it is not known
    half: npt.NDArray[np.float64]  # (queries, 2): half the width and half the height of a box
    limit: npt.NDArray[np.float64]  # the largest distance inside: a square, or metres
    wanted: npt.NDArray[np.int64]  # how many of the nearest
    next_around: npt.NDArray[np.int32]  # the next query with the same focal
    listed_first: npt.NDArray[np.int64]  # where the streams begin that it is about …
    listed_count: npt.NDArray[np.int64]  # … and how many there are, -1 for all streams
    member_first: npt.NDArray[np.int64]  # of the nearest: where the members are kept
    member_count: npt.NDArray[np.int64]


@inner_kernel
def distance(lonlat, one, i, other, j):
    """Return the distance of two points, rows of arrays: its square, or metres with `lonlat`.

    Examples
    --------
    >>> distance(False, np.array([[0.0, 0.0]]), 0, np.array([[3.0, 4.0]]), 0)
    25.0
    """
    if lonlat:
        return distance_on_earth(one[i, 0], one[i, 1], other[j, 0], other[j, 1])
    square = 0.0
    for c in range(one.shape[1]):
        apart = float(other[j, c]) - float(one[i, c])
        square += apart * apart
    return square


@inner_kernel
def half_width(half, latitude):
    """Convert half the width of a box from metres to degrees of longitude; 180 and more are all longitudes."""
    return math.degrees(2.0 * half / (EARTH_RADIUS * math.cos(math.radians(latitude)))) / 2.0


@inner_kernel
def half_height(half):
    """Convert half the height of a box from metres to degrees of latitude."""
    return math.degrees(2.0 * half / EARTH_RADIUS) / 2.0


@inner_kernel
def in_box(lonlat, half_x, half_y, center, i, points, j):
    """Return whether a point is in the half-open box around a center.

    Examples
    --------
    >>> around = np.array([[10.0, 10.0]])
    >>> in_box(False, 2.0, 1.0, around, 0, np.array([[8.0, 9.0]]), 0)
    True
    >>> in_box(False, 2.0, 1.0, around, 0, np.array([[12.0, 9.0]]), 0)
    False
    """
    x, middle = points[j, 0], center[i, 0]
    if lonlat:
        up = half_height(half_y)
        if not center[i, 1] - up <= points[j, 1] < center[i, 1] + up:
            return False
        half_x = half_width(half_x, center[i, 1])
        if half_x >= 180.0:
            return True
        low, high = middle - half_x, middle + half_x
        return low <= x < high or low <= x + 360.0 < high or low <= x - 360.0 < high
    if not middle - half_x <= x < middle + half_x:
        return False
    return center[i, 1] - half_y <= points[j, 1] < center[i, 1] + half_y


@inner_kernel
def inside(lonlat, kind, half_x, half_y, limit, center, i, points, j):
    """Return whether a point is in the region of a query, center and point being rows of arrays."""
    if kind == BOX:
        return in_box(lonlat, half_x, half_y, center, i, points, j)
    return distance(lonlat, center, i, points, j) <= limit


@inner_kernel
def reach_of(limit):
    """Return an upper bound of the distances whose square is within a limit."""
    return math.sqrt(limit) * (1.0 + SPARE) + LEAST_REACH


@inner_kernel
def stretch(extent, axis, middle, reach):
    """Set the extent along an axis to the middle plus and minus the reach, slightly enlarged."""
    spare = SPARE * (abs(float(middle)) + reach)
    extent[2 * axis] = middle - reach - spare
    extent[2 * axis + 1] = middle + reach + spare


@inner_kernel
def extent_on_earth(longitude, latitude, metres, extent):
    """Set the extent in degrees to the bounds of a circle with a radius in metres, slightly enlarged."""
    angle = metres / EARTH_RADIUS * (1.0 + SPARE) + SPARE
    up = math.degrees(angle)
    stretch(extent, 1, latitude, up)
    across = 180.0
    breadth = math.cos(math.radians(latitude))
    if angle < math.pi / 2 and math.sin(angle) < breadth and abs(latitude) + up < 90.0:
        across = math.degrees(math.asin(min(math.sin(angle) / breadth, 1.0)))
    if across >= 180.0 - 1e-6:
        extent[0], extent[1] = -np.inf, np.inf
    else:
        stretch(extent, 0, longitude, across)


@inner_kernel
def extent_around(lonlat, center, i, limit, extent):
    """Set the extent to the bounds of all points within a limit of a center, along the first two axes."""
    if lonlat:
        extent_on_earth(center[i, 0], center[i, 1], limit, extent)
        return
    reach = reach_of(limit)
    for axis in range(2):
        stretch(extent, axis, center[i, axis], reach)


@inner_kernel
def extent_of(lonlat, queries, q, center, i, extent):
    """Set the extent (4,) to the bounds of the region of a query with its center in a row of an array."""
    if queries.kind[q] != BOX:
        extent_around(lonlat, center, i, queries.limit[q], extent)
        return
    half_x, half_y = queries.half[q, 0], queries.half[q, 1]
    if lonlat:
        half_x, half_y = half_width(half_x, center[i, 1]), half_height(half_y)
    if lonlat and half_x >= 180.0 - 1e-6:
        extent[0], extent[1] = -np.inf, np.inf
    else:
        stretch(extent, 0, center[i, 0], half_x)
    stretch(extent, 1, center[i, 1], half_y)


@inner_kernel
def reach_along(extent, center, i):
    """Return how far an extent reaches from a center."""
    across = max(extent[1] - center[i, 0], center[i, 0] - extent[0])
    return max(across, extent[3] - center[i, 1], center[i, 1] - extent[2])
