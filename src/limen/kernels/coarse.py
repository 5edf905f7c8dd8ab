"""Coordinates as coarse numbers of 16 bits: who surely has not changed sides is told of many at once, by these alone.

A larger coordinate never has a smaller coarse number. So of a point whose number is neither that of a bound nor beyond
it, the side is known; only of the others, and of those that have changed sides, is the answer looked for exactly.
"""

from __future__ import annotations

import math

import numpy as np

from limen.kernels._jit import kernel
from limen.kernels.around import BOX, SPARE, reach_of

MOST = 32_766  # the numbers are from -MOST to MOST, so that there is one more on either side
LANES = 16  # places that are compared at once; arrays have so many more than they need
HERE, THERE = 0, 2  # the columns of coarse places: x and y of where points are, x and y of where they were; …
INNER = 8  # … each has two outer bounds, and two inner ones that begin here
INSCRIBED = 0.7071067  # of the radius of a circle: half the side of a square in it


@kernel
def coarse_scale(frame, axis):
    """Return how many coarse numbers a unit has along an axis of a frame."""
    return frame[axis, 1] / frame[axis, 2] * (2.0 * MOST)


@kernel
def coarse_of(begin, scale, value):
    """Return the coarse number of a coordinate; what is beyond the frame has the first or the last, as has NaN.

    Examples
    --------
    >>> [coarse_of(0.0, 10.0, value) for value in (-1.0, 0.0, 0.05, 0.15, 1e9, np.nan)]
    [-32766, -32766, -32766, -32765, 32766, -32766]
    """
    steps = (value - begin) * scale
    steps = max(0.0, steps)
    return np.int64(min(2.0 * MOST, steps)) - MOST


@kernel
def bound_box(bounds, column, begin_x, scale_x, begin_y, scale_y, x, y, half_x, half_y):
    """Set between which numbers the points of a box may lie in two columns, and between which they surely do."""
    low_x, high_x = coarse_of(begin_x, scale_x, x - half_x), coarse_of(begin_x, scale_x, x + half_x)
    low_y, high_y = coarse_of(begin_y, scale_y, y - half_y), coarse_of(begin_y, scale_y, y + half_y)
    outer, inner = 2 * column, 2 * column + INNER
    bounds[outer], bounds[outer + 1], bounds[outer + 2], bounds[outer + 3] = low_x, high_x, low_y, high_y
    bounds[inner], bounds[inner + 1], bounds[inner + 2], bounds[inner + 3] = (
        low_x + 1,
        high_x - 1,
        low_y + 1,
        high_y - 1,
    )


@kernel
def bound_disc(bounds, column, begin_x, scale_x, begin_y, scale_y, x, y, limit):
    """Set the same of a circle: it lies in one square, and another lies in it."""
    spare = SPARE * (abs(x) + abs(y))
    inner, outer = INSCRIBED * math.sqrt(limit) - spare, reach_of(limit) * (1.0 + SPARE) + spare
    bound_box(bounds, column, begin_x, scale_x, begin_y, scale_y, x, y, inner, inner)
    bounds[2 * column], bounds[2 * column + 1] = (
        coarse_of(begin_x, scale_x, x - outer),
        coarse_of(begin_x, scale_x, x + outer),
    )
    bounds[2 * column + 2], bounds[2 * column + 3] = (
        coarse_of(begin_y, scale_y, y - outer),
        coarse_of(begin_y, scale_y, y + outer),
    )


@kernel
def bound_region(bounds, begin_x, scale_x, begin_y, scale_y, kind, half_x, half_y, limit, x, y, old_x, old_y):
    """Set the bounds (16,) of a region: around a center for where points are, around another for where they were.

    Without a center, NaN, nothing is surely inside.
    """
    if kind == BOX:
        bound_box(bounds, HERE, begin_x, scale_x, begin_y, scale_y, x, y, half_x, half_y)
        bound_box(bounds, THERE, begin_x, scale_x, begin_y, scale_y, old_x, old_y, half_x, half_y)
    else:
        bound_disc(bounds, HERE, begin_x, scale_x, begin_y, scale_y, x, y, limit)
        bound_disc(bounds, THERE, begin_x, scale_x, begin_y, scale_y, old_x, old_y, limit)


@kernel
def join_bounds(bounds):
    """Let bounds be such that they tell of all points that are, or were, in only one of the two regions."""
    for side in range(0, 4, 2):
        here, there = side, side + 2 * THERE
        bounds[here] = bounds[there] = min(bounds[here], bounds[there])
        bounds[here + 1] = bounds[there + 1] = max(bounds[here + 1], bounds[there + 1])
        here, there = here + INNER, there + INNER
        bounds[here] = bounds[there] = max(bounds[here], bounds[there])
        bounds[here + 1] = bounds[there + 1] = min(bounds[here + 1], bounds[there + 1])


@kernel
def pick_cells(
    start, across, left, right, bottom, top, bounds, here_x, here_y, there_x, there_y, differs, picked, count
):  # fmt: skip
    """Append the places in some cells whose points may be on different sides here and there; return how many there are.

    One kernel for all rows of cells, since to call one for each would take as long as its work.

    Parameters
    ----------
    start : int64 array
        By cell, where its points begin.
    bounds : int16 array (16,)
        From and to, both included, by column: first the outer bounds, then the inner ones.
    here_x, here_y, there_x, there_y : int16 arrays (places and LANES more,)
        The numbers of where points are and were.
    differs : uint8 array (places and LANES more,)
        Room for marks.
    picked : int64 array (places and one more,)
    """
    low_x, high_x, low_y, high_y = bounds[0], bounds[1], bounds[2], bounds[3]
    west, east, south, north = bounds[4], bounds[5], bounds[6], bounds[7]
    in_low_x, in_high_x, in_low_y, in_high_y = bounds[8], bounds[9], bounds[10], bounds[11]
    in_west, in_east, in_south, in_north = bounds[12], bounds[13], bounds[14], bounds[15]
    for row in range(bottom, top + 1):
        first = start[row * across + left]
        size = start[row * across + right + 1] - first
        # Whole lanes, so that no place is left to be compared by itself; and no index that could be negative.
        begin = np.uint64(first)
        for step in range((size + LANES - 1) // LANES * LANES):
            at = begin + np.uint64(step)
            is_x, is_y, was_x, was_y = here_x[at], here_y[at], there_x[at], there_y[at]
            is_near = (low_x <= is_x) & (is_x <= high_x) & (low_y <= is_y) & (is_y <= high_y)
            was_near = (west <= was_x) & (was_x <= east) & (south <= was_y) & (was_y <= north)
            is_in = (in_low_x <= is_x) & (is_x <= in_high_x) & (in_low_y <= is_y) & (is_y <= in_high_y)
            was_in = (in_west <= was_x) & (was_x <= in_east) & (in_south <= was_y) & (was_y <= in_north)
            differs[step] = np.uint8(is_near | was_near) & ~np.uint8(is_in & was_in)
        for step in range(size):
            picked[count] = first + step
            count += np.int64(differs[step])  # no branch, which would mostly be taken by surprise
    return count
