"""Whether a point is further from a region than a margin, for points outside of it.

Squares of distances are compared, in the order of the columns. On the plane, the point of a line that is nearest is not
computed: the area that they span with it gives the distance, without a division.

In degrees a distance is in metres, to the nearest point, which is sought on a plane on which degrees of longitude are
as long as at the given point. The world is round: the region is also seen from one turn before and after.
"""

import math

from limen.kernels._jit import inner_kernel, kernel
from limen.kernels.earth import EARTH_RADIUS
from limen.regions.kernels.geometry import distance_on_earth
from limen.regions.kernels.outlines import strip_of

SPARE = 1e-14  # of a coordinate, more than rounding can make of it


@inner_kernel
def gap(x, low, high):
    """Return how far a number is from an interval.

    Examples
    --------
    >>> gap(5.0, 1.0, 3.0), gap(2.0, 1.0, 3.0), gap(0.0, 1.0, 3.0)
    (2.0, 0.0, 1.0)
    """
    if x < low:
        return low - x
    return x - high if x > high else 0.0


@kernel
def far_from_boxes(query, points, columns, boxes, margin, far):
    """Return whether pairs of a point (value columns, n) and a box of any number of dimensions are further apart.

    `query` and `margin` (n,) are by pair, `boxes` (slots, dimensions, 2) by query; `far` (n,) is filled.
    """
    for i in range(query.size):
        square = 0.0
        for k in range(columns.size):
            apart = gap(points[columns[k], i], boxes[query[i], k, 0], boxes[query[i], k, 1])
            square += apart * apart
        far[i] = square > margin[i] * margin[i]


@inner_kernel
def is_near_edge(xa, ya, xb, yb, x, y, margin):
    """Return whether a point of the plane is no further from an edge than a margin.

    Examples
    --------
    >>> is_near_edge(0.0, 0.0, 4.0, 3.0, -1.0, 7.0, 5.0), is_near_edge(0.0, 0.0, 4.0, 3.0, -1.0, 7.0, 4.9)
    (False, False)
    >>> is_near_edge(0.0, 0.0, 4.0, 3.0, -1.0, 5.5, 5.0), is_near_edge(0.0, 0.0, 4.0, 3.0, 5.0, 3.0, 1.0)
    (True, True)
    """
    dx, dy = xb - xa, yb - ya
    to_x, to_y = x - xa, y - ya
    along = to_x * dx + to_y * dy
    square = dx * dx + dy * dy
    if along <= 0.0:
        return to_x * to_x + to_y * to_y <= margin * margin
    if along >= square:
        to_x, to_y = x - xb, y - yb
        return to_x * to_x + to_y * to_y <= margin * margin
    area = to_x * dy - to_y * dx
    return area * area <= margin * margin * square


@inner_kernel
def is_near_edge_on_earth(xa, ya, xb, yb, x, y, margin):
    """Return the same for degrees, with the margin in metres."""
    width = math.cos(math.radians(y))
    dx, dy = xb - xa, yb - ya
    square = dx * dx * width * width + dy * dy
    for turn in range(-1, 2):
        turned = x + 360.0 * turn
        along = 0.0
        if square > 0.0:
            along = min(max(((turned - xa) * dx * width * width + (y - ya) * dy) / square, 0.0), 1.0)
        if distance_on_earth(turned, y, xa + along * dx, ya + along * dy) <= margin:
            return True
    return False


@inner_kernel
def is_far_from_box_on_earth(left, right, bottom, top, x, y, margin):
    """Return whether a place is further from a box of degrees than a margin in metres."""
    for turn in range(-1, 2):
        turned = x + 360.0 * turn
        if distance_on_earth(turned, y, min(max(turned, left), right), min(max(y, bottom), top)) <= margin:
            return False
    return True


@inner_kernel
def is_far_from_outline(p, lonlat, outline, edge, strip_start, strip_edge, x, y, margin):
    """Return whether a point outside a polygon is further from all its edges than a margin; see `outlines`."""
    shape = outline[p]
    reach = math.degrees(margin / EARTH_RADIUS) if lonlat else margin
    reach += SPARE * (reach + abs(y))
    for s in range(strip_of(shape, y - reach), strip_of(shape, y + reach) + 1):
        strip = shape["first_strip"] + s
        for at in range(strip_start[strip], strip_start[strip + 1]):
            e = strip_edge[at]
            xa, ya, xb, yb = edge[e, 0], edge[e, 1], edge[e, 2], edge[e, 3]
            if yb < y - reach or ya > y + reach:
                continue
            if lonlat:
                if is_near_edge_on_earth(xa, ya, xb, yb, x, y, margin):
                    return False
            elif is_near_edge(xa, ya, xb, yb, x, y, margin):
                return False
    return True


@inner_kernel
def is_far(row, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, x, y, margin):
    """Return whether a point outside the region of a row is further from it than a margin; see `stored`."""
    which = part[row]
    if which > 0:
        dx, dy = x - circle[which - 1, 0], y - circle[which - 1, 1]
        limit = circle[which - 1, 2] + margin
        if lonlat:
            return distance_on_earth(circle[which - 1, 0], circle[which - 1, 1], x, y) > limit
        return dx * dx + dy * dy > limit * limit
    if which < 0:
        return is_far_from_outline(~which, lonlat, outline, edge, strip_start, strip_edge, x, y, margin)
    if lonlat:
        return is_far_from_box_on_earth(box[row, 0], box[row, 1], box[row, 2], box[row, 3], x, y, margin)
    dx, dy = gap(x, box[row, 0], box[row, 1]), gap(y, box[row, 2], box[row, 3])
    return dx * dx + dy * dy > margin * margin


@kernel
def far_from_shapes(
    rows, x, y, margin, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, far
):  # fmt: skip
    """Return whether pairs of a region and a point outside of it are further apart than a margin.

    `rows`, `x`, `y` and `margin` (n,) are by pair; `far` (n,) is filled.
    """
    for i in range(rows.size):
        far[i] = is_far(
            rows[i], lonlat, box, part, circle, outline, edge, strip_start, strip_edge, x[i], y[i], margin[i]
        )  # fmt: skip
