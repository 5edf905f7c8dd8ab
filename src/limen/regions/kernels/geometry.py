"""Which points regions of the plane contain: the rules of the specification, one function each.

An edge of a polygon is stored lower end first, by (y, x), so that two polygons with an edge in common evaluate the same
expression. All rules for polygons amount to this: a point of a border has the side of the point a little to its right,
and less still above it.
"""

import math

from limen.kernels._jit import inner_kernel
from limen.kernels.earth import EARTH_RADIUS
from limen.regions.kernels.exact import side


@inner_kernel
def crosses(xa, ya, xb, yb, x, y):
    """Return whether the ray from (x, y) to the right meets an edge: ya <= y < yb, and the point strictly left of it.

    Examples
    --------
    >>> crosses(4.0, 0.0, 6.0, 2.0, 5.0, 1.0), crosses(4.0, 0.0, 6.0, 2.0, 4.999, 1.0)
    (False, True)
    """
    if y < ya or y >= yb:
        return False
    if x < xa and x < xb:
        return True
    if x >= xa and x >= xb:
        return False
    return side(xa, ya, xb, yb, x, y) > 0


@inner_kernel
def distance_on_earth(longitude, latitude, other_longitude, other_latitude):
    """Return metres between two places given in degrees: the haversine formula.

    Examples
    --------
    >>> round(distance_on_earth(0.0, 0.0, 1.0, 0.0))
    111195
    """
    one = math.radians(latitude)
    other = math.radians(other_latitude)
    up = math.sin((other - one) / 2)
    along = math.sin((math.radians(other_longitude) - math.radians(longitude)) / 2)
    half = up * up + math.cos(one) * math.cos(other) * (along * along)
    return 2 * EARTH_RADIUS * math.asin(min(math.sqrt(half), 1.0))


@inner_kernel
def in_circle(center_x, center_y, radius, lonlat, x, y):
    """Return whether a point is in a circle, which is closed; with `lonlat` in degrees, and the radius in metres."""
    if lonlat:
        return distance_on_earth(center_x, center_y, x, y) <= radius
    dx = x - center_x
    dy = y - center_y
    return dx * dx + dy * dy <= radius * radius


@inner_kernel
def in_box(box, row, x, y):
    """Return whether a point is in the half-open box (xlo, xhi, ylo, yhi) of a row; a NaN is in none."""
    return box[row, 0] <= x < box[row, 1] and box[row, 2] <= y < box[row, 3]
