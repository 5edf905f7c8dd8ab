"""Coordinates as coarse numbers of 16 bits: who surely has not changed sides is told of many at once, by these alone.

A larger coordinate never has a smaller coarse number. So of a point whose number is neither that of a bound nor beyond
it, the side is known; only of the others, and of those that have changed sides, is the answer looked for exactly.
"""

from __future__ import annotations

import math

import numpy as np

from limen.kernels._jit import inner_kernel, kernel
from limen.kernels.around import BOX, SPARE, reach_of
from limen.kernels.lanes import LANES, lowest, who_may_differ

MOST = 32_767  # the numbers are from 0 to MOST, so that the difference of two is one of 16 bits, too
HERE, THERE = 0, 2  # the columns of coarse places: x and y of where points are, x and y of where they were
DEPTH = 8  # bounds are low and high by column, and then how deep within them a point surely is inside
INSCRIBED = 0.7071067  # of the radius of a circle: half the side of a square in it


@kernel
def coarse_scale(frame, axis):
    """Return how many coarse numbers a unit has along an axis of a frame."""
    return frame[axis, 1] / frame[axis, 2] * MOST


@kernel
def coarse_of(begin, scale, value):
    """Return the coarse number of a coordinate; what is beyond the frame has the first or the last, as has NaN.

    Examples
    --------
    >>> [coarse_of(0.0, 10.0, value) for value in (-1.0, 0.0, 0.05, 0.15, 1e9, np.nan)]
    [0, 0, 0, 1, 32767, 0]
    """
    steps = max(0.0, (value - begin) * scale)
    return np.int64(min(np.float64(MOST), steps))


@inner_kernel
def bound_box(bounds, column, begin_x, scale_x, begin_y, scale_y, x, y, half_x, half_y):
    """Set between which numbers the points of a box lie in two columns."""
    at = 2 * column
    bounds[at], bounds[at + 1] = coarse_of(begin_x, scale_x, x - half_x), coarse_of(begin_x, scale_x, x + half_x)
    bounds[at + 2], bounds[at + 3] = coarse_of(begin_y, scale_y, y - half_y), coarse_of(begin_y, scale_y, y + half_y)


@inner_kernel
def bound_disc(bounds, column, begin_x, scale_x, begin_y, scale_y, x, y, limit):
    """Set the same of a circle, which lies in one square and another in it, and how far these are apart."""
    spare = SPARE * (abs(x) + abs(y))
    inner, outer = INSCRIBED * math.sqrt(limit) - spare, reach_of(limit) * (1.0 + SPARE) + spare
    bound_box(bounds, column, begin_x, scale_x, begin_y, scale_y, x, y, outer, outer)
    for side in range(4):
        begin, scale, center = (begin_x, scale_x, x) if side < 2 else (begin_y, scale_y, y)
        within = coarse_of(begin, scale, center - inner if side % 2 == 0 else center + inner)
        bounds[DEPTH] = max(bounds[DEPTH], abs(within - bounds[2 * column + side]))


@inner_kernel
def bound_region(bounds, begin_x, scale_x, begin_y, scale_y, kind, half_x, half_y, limit, x, y, old_x, old_y):
    """Set the bounds (9,) of a region: around a center for where points are, around another for where they were.

    Without a center, NaN, nothing is surely inside.
    """
    bounds[DEPTH] = 0
    if kind == BOX:
        bound_box(bounds, HERE, begin_x, scale_x, begin_y, scale_y, x, y, half_x, half_y)
        bound_box(bounds, THERE, begin_x, scale_x, begin_y, scale_y, old_x, old_y, half_x, half_y)
    else:
        bound_disc(bounds, HERE, begin_x, scale_x, begin_y, scale_y, x, y, limit)
        bound_disc(bounds, THERE, begin_x, scale_x, begin_y, scale_y, old_x, old_y, limit)


@inner_kernel
def join_bounds(bounds):
    """Let bounds be such that they tell of all points that are, or were, in only one of the two regions."""
    apart = 0
    for side in range(4):
        here, there = bounds[side], bounds[side + 2 * THERE]
        apart = max(apart, abs(here - there))
        low = side % 2 == 0
        bounds[side] = bounds[side + 2 * THERE] = min(here, there) if low else max(here, there)
    bounds[DEPTH] = min(bounds[DEPTH] + apart, MOST)


@inner_kernel
def pick_cells(
    start, across, left, right, bottom, top, bounds, here_x, here_y, there_x, there_y, bits, places, picked, count
):  # fmt: skip
    """Append the places in some cells whose points may be on different sides here and there; return how many there are.

    One kernel for all rows of cells, since to call one for each would take as long as its work.

    Parameters
    ----------
    start : int64 array
        By cell, where its points begin.
    bounds : int64 array (9,)
        As `bound_region` sets them.
    here_x, here_y, there_x, there_y : int16 arrays (places and LANES more,)
        The numbers of where points are and were.
    bits, places : int64 arrays (places and one more,)
        Room for what is found of many at once.
    picked : int64 array (places,)
    """
    low_x, high_x, low_y, high_y = bounds[0], bounds[1], bounds[2], bounds[3]
    west, east, south, north, depth = bounds[4], bounds[5], bounds[6], bounds[7], bounds[DEPTH]
    some = 0
    for row in range(bottom, top + 1):
        first, last = start[row * across + left], start[row * across + right + 1]
        while first < last:
            found = who_may_differ(
                here_x, here_y, there_x, there_y, first, low_x, high_x, low_y, high_y, west, east, south, north, depth
            )  # fmt: skip
            found &= (1 << min(last - first, LANES)) - 1  # and nobody of the cells that follow
            bits[some], places[some] = found, first
            some += int(found != 0)  # no branch, which would mostly be taken by surprise
            first += LANES
    for at in range(some):
        found = bits[at]
        while found != 0:
            picked[count] = places[at] + lowest(found)
            count += 1
            found &= found - 1
    return count
