"""Whether the straight way from one point to another meets a region that contains neither.

A way meets a region when a point of it is in the region, as `geometry` has it. So touching a border that belongs to the
region is meeting it, touching one that does not is not. For boxes and polygons that is decided without rounding, or
reported as doubtful: where a way crosses a polygon's edges in a point that several of them share.

For circles the point of the way nearest to the center is computed in float64, and tested as any point is. In degrees
the nearest point is sought on a plane that is stretched as the earth is at the center, which is off by about the share
that the circle has of the earth's radius.
"""

import math

from limen.kernels._jit import inner_kernel
from limen.regions.kernels.distances import is_near_edge
from limen.regions.kernels.exact import side
from limen.regions.kernels.geometry import in_circle
from limen.regions.kernels.outlines import in_outline, strip_of

LARGEST = 1.7976931348623157e308  # in place of infinity, for arithmetic
MISSES, MEETS, DOUBTFUL = 0, 1, 2


@inner_kernel
def meets_box(left, right, bottom, top, x0, y0, x1, y1):
    """Return whether a way between points outside meets a half-open box, whose bounds may be infinite.

    It does when it does so along each axis, and its line has corners of the box on both sides, or the only corner that
    belongs to the box on it.
    """
    if max(x0, x1) < left or min(x0, x1) >= right or max(y0, y1) < bottom or min(y0, y1) >= top:
        return False
    left, right = max(left, -LARGEST), min(right, LARGEST)
    bottom, top = max(bottom, -LARGEST), min(top, LARGEST)
    own = side(x0, y0, x1, y1, left, bottom)
    one = side(x0, y0, x1, y1, right, bottom)
    two = side(x0, y0, x1, y1, left, top)
    three = side(x0, y0, x1, y1, right, top)
    return own == 0 or (min(own, one, two, three) < 0 and max(own, one, two, three) > 0)


@inner_kernel
def nearest_is_in_circle(center_x, center_y, width, radius, lonlat, x0, y0, x1, y1):
    """Return whether the point of a way that is nearest to a center is in the circle, where a unit of x has a width."""
    dx, dy = x1 - x0, y1 - y0
    share = dx * (center_x - x0) * width * width + dy * (center_y - y0)
    whole = dx * dx * width * width + dy * dy
    along = min(max(share / whole, 0.0), 1.0) if whole > 0.0 else 0.0
    # Rounding must not take the point off the way: a long one has coarse numbers.
    x = min(max(x0 + along * dx, min(x0, x1)), max(x0, x1))
    y = min(max(y0 + along * dy, min(y0, y1)), max(y0, y1))
    return in_circle(center_x, center_y, radius, lonlat, x, y)


@inner_kernel
def meets_circle(center_x, center_y, radius, lonlat, x0, y0, x1, y1):
    """Return whether the point of a way that is nearest to a circle's center is in the circle.

    In degrees, the center is also seen from one turn round the world before and after.
    """
    if not lonlat:
        return nearest_is_in_circle(center_x, center_y, 1.0, radius, lonlat, x0, y0, x1, y1)
    width = math.cos(math.radians(center_y))
    for turn in range(-1, 2):
        if nearest_is_in_circle(center_x + 360.0 * turn, center_y, width, radius, lonlat, x0, y0, x1, y1):
            return True
    return False


@inner_kernel
def crosses_toward(xa, ya, xb, yb, x, y, to_x, to_y):
    """Return whether the ray from a point next to (x, y), toward another one, meets an edge; see `geometry.crosses`."""
    if (y <= ya or y > yb) if to_y < y else (y < ya or y >= yb):
        return False
    there = side(xa, ya, xb, yb, x, y)
    return (there if there != 0 else side(xa, ya, xb, yb, to_x, to_y)) > 0


@inner_kernel
def enters_from(p, outline, edge, strip_start, strip_edge, x, y, to_x, to_y):
    """Return whether the points of a way next to (x, y), toward another one, are in a polygon."""
    shape = outline[p]
    s = shape["first_strip"] + strip_of(shape, y)
    inside = False
    for at in range(strip_start[s], strip_start[s + 1]):
        e = strip_edge[at]
        inside ^= crosses_toward(edge[e, 0], edge[e, 1], edge[e, 2], edge[e, 3], x, y, to_x, to_y)
    return inside


@inner_kernel
def touches(p, outline, edge, strip_start, strip_edge, x, y, x0, y0, x1, y1):
    """Return whether a way is in a polygon at a point of it, or next to that, before or behind."""
    return (
        in_outline(p, outline, edge, strip_start, strip_edge, x, y)
        or ((x != x0 or y != y0) and enters_from(p, outline, edge, strip_start, strip_edge, x, y, x0, y0))
        or ((x != x1 or y != y1) and enters_from(p, outline, edge, strip_start, strip_edge, x, y, x1, y1))
    )


@inner_kernel
def within(x, y, x0, y0, x1, y1):
    """Return whether a point is in the rectangle that two others span."""
    return min(x0, x1) <= x <= max(x0, x1) and min(y0, y1) <= y <= max(y0, y1)


@inner_kernel
def is_alone(p, e, outline, edge, strip_start, strip_edge, x0, y0, x1, y1):
    """Return True only if no other edge is near the point where a way crosses edge e; False when in doubt."""
    shape = outline[p]
    dx, dy = x1 - x0, y1 - y0
    ex, ey = edge[e, 2] - edge[e, 0], edge[e, 3] - edge[e, 1]
    area = dx * ey - dy * ex
    if not area * area > 1e-10 * (dx * dx + dy * dy) * (ex * ex + ey * ey):
        return False  # nearly along each other, or of sizes that squares cannot have
    share = ((edge[e, 0] - x0) * ey - (edge[e, 1] - y0) * ex) / area
    x, y = x0 + share * dx, y0 + share * dy
    near = 1e-9 * (max(abs(x0), abs(x1)) + max(abs(y0), abs(y1)))
    for s in range(strip_of(shape, y - near), strip_of(shape, y + near) + 1):
        strip = shape["first_strip"] + s
        for at in range(strip_start[strip], strip_start[strip + 1]):
            f = strip_edge[at]
            if f != e and is_near_edge(edge[f, 0], edge[f, 1], edge[f, 2], edge[f, 3], x, y, near):
                return False
    return True


@inner_kernel
def meets_outline(p, outline, edge, strip_start, strip_edge, x0, y0, x1, y1):
    """Return whether a way between points outside meets a polygon: MEETS, MISSES or DOUBTFUL.

    It does when it crosses an edge between their ends, away from all other edges. Otherwise its side can only change
    where it has an end of an edge on it, or an end of its own is on an edge: it is tested at all these points, and next
    to them. Where it crosses several edges in one point, more exact numbers are needed than there are here.
    """
    shape = outline[p]
    doubtful = False
    for s in range(strip_of(shape, min(y0, y1)), strip_of(shape, max(y0, y1)) + 1):
        strip = shape["first_strip"] + s
        for at in range(strip_start[strip], strip_start[strip + 1]):
            e = strip_edge[at]
            xa, ya, xb, yb = edge[e, 0], edge[e, 1], edge[e, 2], edge[e, 3]
            if max(y0, y1) < ya or min(y0, y1) > yb or max(x0, x1) < min(xa, xb) or min(x0, x1) > max(xa, xb):
                continue
            lower = side(x0, y0, x1, y1, xa, ya)
            upper = side(x0, y0, x1, y1, xb, yb)
            first = side(xa, ya, xb, yb, x0, y0)
            second = side(xa, ya, xb, yb, x1, y1)
            if lower * upper < 0 and first * second < 0:
                if is_alone(p, e, outline, edge, strip_start, strip_edge, x0, y0, x1, y1):
                    return MEETS
                doubtful = True
            if (
                lower == 0
                and within(xa, ya, x0, y0, x1, y1)
                and touches(p, outline, edge, strip_start, strip_edge, xa, ya, x0, y0, x1, y1)
            ):
                return MEETS
            if (
                upper == 0
                and within(xb, yb, x0, y0, x1, y1)
                and touches(p, outline, edge, strip_start, strip_edge, xb, yb, x0, y0, x1, y1)
            ):
                return MEETS
            if (
                first == 0
                and within(x0, y0, xa, ya, xb, yb)
                and enters_from(p, outline, edge, strip_start, strip_edge, x0, y0, x1, y1)
            ):
                return MEETS
            if (
                second == 0
                and within(x1, y1, xa, ya, xb, yb)
                and enters_from(p, outline, edge, strip_start, strip_edge, x1, y1, x0, y0)
            ):
                return MEETS
    return DOUBTFUL if doubtful else MISSES


@inner_kernel
def segment_meets(
    row, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, x0, y0, x1, y1
):  # fmt: skip
    """Return whether the way from (x0, y0) to (x1, y1), both outside, meets the region of a row; see `stored`.

    Returns MEETS, MISSES or, of polygons, DOUBTFUL.
    """
    which = part[row]
    if which == 0:
        return MEETS if meets_box(box[row, 0], box[row, 1], box[row, 2], box[row, 3], x0, y0, x1, y1) else MISSES
    if which > 0:
        x, y, radius = circle[which - 1, 0], circle[which - 1, 1], circle[which - 1, 2]
        return MEETS if meets_circle(x, y, radius, lonlat, x0, y0, x1, y1) else MISSES
    return meets_outline(~which, outline, edge, strip_start, strip_edge, x0, y0, x1, y1)
