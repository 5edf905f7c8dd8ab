"""Moves of a batch as records, in the order in which they came or by where they begin.

A large batch over a large index is best taken neighbourhood by neighbourhood: what one move reads is then still at hand
for the next. Rows carry both of their ends, so any order will do.
"""

import numpy as np

from limen.kernels._jit import inner_kernel, kernel

MOVE = np.dtype(
    [
        ("x0", np.float64),
        ("y0", np.float64),
        ("x1", np.float64),
        ("y1", np.float64),
        ("row", np.int32),
        ("stream", np.int32),
    ]
)


@inner_kernel
def length_of(x0, y0, x1, y1):
    """Return how far a move goes along an axis: 0 when it does not, or when an end is not known."""
    along = abs(x1 - x0)
    up = abs(y1 - y0)
    if along != along or up != up:
        return 0.0
    return max(along, up)


@kernel
def pack_moves(stream, before_x, before_y, after_x, after_y, first, last, moves):
    """Write the rows [first, last) that move into `moves`, as they come; return how many do, and the furthest."""
    count = 0
    furthest = 0.0
    for i in range(first, last):
        x0, y0, x1, y1 = before_x[i], before_y[i], after_x[i], after_y[i]
        length = length_of(x0, y0, x1, y1)
        if length == 0.0:
            continue
        furthest = max(furthest, length)
        moves[count]["x0"] = x0
        moves[count]["y0"] = y0
        moves[count]["x1"] = x1
        moves[count]["y1"] = y1
        moves[count]["row"] = i
        moves[count]["stream"] = stream[i]
        count += 1
    return count, furthest


@inner_kernel
def neighbourhood(x, y, low_x, low_y, a_unit_x, a_unit_y, side):
    """Return the number of the square, of side x side, that a point is in or nearest to."""
    column = min(max((x - low_x) * a_unit_x, 0.0), side - 1.0)
    line = min(max((y - low_y) * a_unit_y, 0.0), side - 1.0)
    return np.int64(line) * side + np.int64(column)


@kernel
def sort_moves(
    stream, before_x, before_y, after_x, after_y, first, last, low_x, low_y, a_unit_x, a_unit_y, side,
    place, starts, moves,
):  # fmt: skip
    """Do the same by squares, side x side of them from (low_x, low_y) on, as they come within each.

    `place` (rows,) and `starts` (side * side + 1,) are room to work in.
    """
    starts[:] = 0
    furthest = 0.0
    for i in range(first, last):
        x0, y0, x1, y1 = before_x[i], before_y[i], after_x[i], after_y[i]
        length = length_of(x0, y0, x1, y1)
        square = -1
        if length > 0.0:
            furthest = max(furthest, length)
            square = neighbourhood(x0, y0, low_x, low_y, a_unit_x, a_unit_y, side)
            starts[square + 1] += 1
        place[i - first] = square
    for k in range(1, starts.size):
        starts[k] += starts[k - 1]
    count = starts[starts.size - 1]
    for i in range(first, last):
        square = place[i - first]
        if square < 0:
            continue
        at = starts[square]
        starts[square] = at + 1
        moves[at]["x0"] = before_x[i]
        moves[at]["y0"] = before_y[i]
        moves[at]["x1"] = after_x[i]
        moves[at]["y1"] = after_y[i]
        moves[at]["row"] = i
        moves[at]["stream"] = stream[i]
    return count, furthest
