"""Quantize coordinates to 16 bits: skip streams that certainly did not enter or leave a region, many at once.

Quantization is monotonic: a larger coordinate never has a smaller number. A point with a number strictly inside or
outside the bounds is therefore decided; only the other points are tested exactly.
"""

import math

import numpy as np

from limen.kernels._jit import inlined_kernel, inner_kernel
from limen.queries.answer.kernels.around import BOX, SPARE, reach_of
from limen.queries.answer.kernels.simd import LANES, lowest, may_differ

MOST = 32_767  # the numbers are from 0 to MOST, so that the difference of two is one of 16 bits, too
HERE, THERE = 0, 2  # the columns of quantized places: x and y of where points are, x and y of where they were
DEPTH = 8  # bounds are low and high by column, and then how deep within them a point surely is inside
INSCRIBED = 0.7071067  # of the radius of a circle: half the side of a square in it


@inner_kernel
def quantized_scale(frame, axis):
    """Return the number of quantization steps per unit along an axis of a frame."""
    return frame[axis, 1] / frame[axis, 2] * MOST


@inner_kernel
def quantize(begin, scale, value):
    """Return the quantized coordinate; beyond the frame it is the first or the last number, for NaN the first.

    Examples
    --------
    >>> [quantize(0.0, 10.0, value) for value in (-1.0, 0.0, 0.05, 0.15, 1e9, np.nan)]
    [0, 0, 0, 1, 32767, 0]
    """
    steps = max(0.0, (value - begin) * scale)
    return np.int64(min(np.float64(MOST), steps))


@inlined_kernel
def bound_box(bounds, column, begin_x, scale_x, begin_y, scale_y, x, y, half_x, half_y):
    """Set the quantized bounds of a box in two columns."""
    at = 2 * column
    bounds[at], bounds[at + 1] = quantize(begin_x, scale_x, x - half_x), quantize(begin_x, scale_x, x + half_x)
    bounds[at + 2], bounds[at + 3] = quantize(begin_y, scale_y, y - half_y), quantize(begin_y, scale_y, y + half_y)


@inlined_kernel
def bound_disc(bounds, column, begin_x, scale_x, begin_y, scale_y, x, y, limit):
    """Set the quantized bounds of the square around a circle, and its gap to the square within the circle."""
    spare = SPARE * (abs(x) + abs(y))
    inner, outer = INSCRIBED * math.sqrt(limit) - spare, reach_of(limit) * (1.0 + SPARE) + spare
    bound_box(bounds, column, begin_x, scale_x, begin_y, scale_y, x, y, outer, outer)
    for side in range(4):
        begin, scale, center = (begin_x, scale_x, x) if side < 2 else (begin_y, scale_y, y)
        within = quantize(begin, scale, center - inner if side % 2 == 0 else center + inner)
        bounds[DEPTH] = max(bounds[DEPTH], abs(within - bounds[2 * column + side]))


@inlined_kernel
def bound_region(bounds, begin_x, scale_x, begin_y, scale_y, kind, half_x, half_y, limit, x, y, old_x, old_y):
    """Set the bounds (9,) of a region: around its center for new positions, around its old one for old positions.

    Without a center, NaN, nothing is surely inside.
    """
    bounds[DEPTH] = 0
    if kind == BOX:
        bound_box(bounds, HERE, begin_x, scale_x, begin_y, scale_y, x, y, half_x, half_y)
        bound_box(bounds, THERE, begin_x, scale_x, begin_y, scale_y, old_x, old_y, half_x, half_y)
    else:
        bound_disc(bounds, HERE, begin_x, scale_x, begin_y, scale_y, x, y, limit)
        bound_disc(bounds, THERE, begin_x, scale_x, begin_y, scale_y, old_x, old_y, limit)


@inlined_kernel
def join_bounds(bounds):
    """Extend the bounds to find all points that are, or were, in only one of the two regions."""
    apart = 0
    for side in range(4):
        here, there = bounds[side], bounds[side + 2 * THERE]
        apart = max(apart, abs(here - there))
        low = side % 2 == 0
        bounds[side] = bounds[side + 2 * THERE] = min(here, there) if low else max(here, there)
    bounds[DEPTH] = min(bounds[DEPTH] + apart, MOST)


@inlined_kernel
def pick_cells(
    start, across, left, right, bottom, top, bounds, here_x, here_y, there_x, there_y, bits, places, picked, count
):  # fmt: skip
    """Append the places of the points that may have entered or left a region; return how many there are.

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
            found = may_differ(
                here_x, here_y, there_x, there_y, first, low_x, high_x, low_y, high_y, west, east, south, north, depth
            )  # fmt: skip
            found &= (1 << min(last - first, LANES)) - 1  # exclude the cells that follow
            bits[some], places[some] = found, first
            some += int(found != 0)  # no branch, since it would be hard to predict
            first += LANES
    for at in range(some):
        found = bits[at]
        while found != 0:
            picked[count] = places[at] + lowest(found)
            count += 1
            found &= found - 1
    return count
