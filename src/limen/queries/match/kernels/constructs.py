"""Cut boxes into virtual constructs, and list the boxes of each construct (vci-vcr §2.2, §2.3, §3.2, §3.3).

Values become *cells*: `cell_of` is an affine map, rounded down and clamped, one for each axis. All that exactness rests
on is that it never decreases: whatever lies in a cell strictly between those of two bounds lies between the bounds.

At every position begin the same constructs, one of each *shape*: along one axis of lengths 1, 2, 3, … L (SCI) or 1, 2,
4, … L (LCI), in the plane of all pairs of such lengths (VCR), and so on for more axes. The id of a construct is made by
the paper's formula, id = position * shapes + shape, with positions and shapes numbered along the first axis first.
Positions are numbered from L - 1 cells before the first cell to one behind the last, so that what begins before the
domain has an id too, and a cell near an end of the domain needs no rule of its own.

`fit[m]` is the shape of the longest construct no longer than m cells, for m = 0 … L; `length[shape]` is its length.

Pieces are *sure* when the box fills them: no value in them needs to be compared with its bounds.
"""

import math

import numpy as np

from limen.kernels._jit import inner_kernel, kernel

COUNT, LIST = 0, 1


@inner_kernel
def cell_of(x, origin, cells_a_unit, cells):
    """Return the cell of a value that is not NaN: the first cell is all below `origin`, the last all above the domain.

    Examples
    --------
    >>> cell_of(2.5, 0.0, 2.0, 10), cell_of(-7.0, 0.0, 2.0, 10), cell_of(math.inf, 0.0, 2.0, 10)
    (6, 0, 9)
    """
    at = (x - origin) * cells_a_unit
    # rounded down before the addition, which would round to the nearest number
    return np.int64(math.floor(min(max(at, -1.0), cells - 2.0))) + 1


@kernel
def cells_of(bounds, column, origin, cells_a_unit, cells, out_first, out_stop, out_sure):
    """Find the cells [first, stop) that boxes touch along a column, and whether they fill the two outer ones.

    `bounds` (n, columns, 2), `out_sure` (n, 2). A box fills the cell of a bound when the number next to the bound is in
    another one. A box that contains nothing gets no cell.
    """
    for i in range(bounds.shape[0]):
        lo = bounds[i, column, 0]
        hi = bounds[i, column, 1]
        out_first[i] = 0
        out_stop[i] = 0
        out_sure[i] = True
        if not lo < hi:
            continue
        first = cell_of(lo, origin, cells_a_unit, cells)
        last = cell_of(np.nextafter(hi, -math.inf), origin, cells_a_unit, cells)
        below = cell_of(np.nextafter(lo, -math.inf), origin, cells_a_unit, cells)
        out_first[i] = first
        out_stop[i] = last + 1
        out_sure[i, 0] = lo == -math.inf or below < first
        out_sure[i, 1] = hi == math.inf or last < cell_of(hi, origin, cells_a_unit, cells)


@inner_kernel
def cut(first, stop, sure_first, sure_last, fit, length, overlapped, out_at, out_shape, out_own, out_sure):
    """Cut cells [first, stop) into constructs of one axis and return how many there are.

    A cell at an end that is not sure becomes a piece of its own. What lies between is cut from the left, always the
    longest that fits. With `overlapped`, all pieces have the length of the first, and the last one is moved back to end
    where the range ends; of its cells, those from `out_own` on are in no other piece.

    Examples
    --------
    >>> at, shape, own, sure = np.zeros((4, 9), np.int64)
    >>> fit, length = np.array([-1, 0, 1, 1, 2]), np.array([1, 2, 4])
    >>> count = cut(3, 14, True, True, fit, length, False, at, shape, own, sure)
    >>> at[:count], length[shape[:count]]
    (array([ 3,  7, 11, 13]), array([4, 4, 2, 1]))
    >>> count = cut(3, 14, True, True, fit, length, True, at, shape, own, sure)
    >>> at[:count], length[shape[:count]], own[:count]
    (array([ 3,  7, 10]), array([4, 4, 4]), array([ 0,  0, 11]))
    >>> count = cut(3, 14, False, True, fit, length, False, at, shape, own, sure)
    >>> at[:count], length[shape[:count]], sure[:count]
    (array([ 3,  4,  8, 12]), array([1, 4, 4, 2]), array([0, 1, 1, 1]))
    """
    count = 0
    at = first
    if at < stop and not (sure_first and (sure_last or stop - at > 1)):
        out_at[0], out_shape[0], out_own[0], out_sure[0] = at, 0, 0, 0
        count = 1
        at += 1
    end = stop if sure_last or at >= stop else stop - 1
    first_inside = count
    while at < end:
        shape = fit[min(end - at, fit.size - 1)]
        own = 0
        if overlapped and count > first_inside:
            shape = out_shape[first_inside]
            if at + length[shape] > end:
                own = at
                at = end - length[shape]
        out_at[count], out_shape[count], out_own[count], out_sure[count] = at, shape, own, 1
        count += 1
        at += length[shape]
    if end < stop:
        out_at[count], out_shape[count], out_own[count], out_sure[count] = end, 0, 0, 0
        count += 1
    return count


@kernel
def list_pieces(
    first, stop, sure, fit, length, overlapped, split, position_step, shape_step, room, what,
    sure_start, rim_start, sure_entry, rim_entry, own,
):  # fmt: skip
    """Count the pieces of boxes, construct by construct, or write the boxes' numbers into the constructs' lists.

    `first`, `stop` (n, axes) and `sure` (n, axes, 2) are the boxes' positions. `position_step` and `shape_step` (axes,)
    are what an id grows by with a position and a shape. `room` (4, axes, most pieces) is to work in.

    With `split`, pieces that are sure along all axes go to lists of their own, and the others to those of the rim;
    without, all pieces go to the rim's, and ends are not cut off. With `what` = COUNT, `sure_start` and `rim_start`
    (ids + 1,) count entries. With LIST they come in as where each list ends and go out as where it begins. With
    `overlapped`, `own` (rim entries, axes) gets the position from which on each entry answers.
    """
    axes = first.shape[1]
    pieces = np.zeros(axes, np.int64)
    which = np.zeros(axes, np.int64)
    for i in range(first.shape[0] - 1, -1, -1):  # backwards, so that lists are in the order of the boxes
        together = 1
        for k in range(axes):
            pieces[k] = cut(
                first[i, k], stop[i, k], not split or sure[i, k, 0], not split or sure[i, k, 1], fit, length,
                overlapped, room[0, k], room[1, k], room[2, k], room[3, k],
            )  # fmt: skip
            together *= pieces[k]
            which[k] = 0
        for _ in range(together):
            number = 0
            filled = split
            for k in range(axes):
                w = which[k]
                number += room[0, k, w] * position_step[k] + room[1, k, w] * shape_step[k]
                filled = filled and room[3, k, w] == 1
            start = sure_start if filled else rim_start
            if what == COUNT:
                start[number] += 1
            else:
                start[number] -= 1
                at = start[number]
                if filled:
                    sure_entry[at] = i
                else:
                    rim_entry[at] = i
                    if overlapped:
                        for k in range(axes):
                            own[at, k] = room[2, k, which[k]]
            advance(which, pieces)


@inner_kernel
def advance(which, pieces):
    """Go to the next combination of pieces, one of each axis."""
    for k in range(which.size):
        which[k] += 1
        if which[k] < pieces[k]:
            return
        which[k] = 0


@kernel
def add_up(shapes, by_shape, start):
    """Turn counts by id into where each list ends, with the lists in the order of ids, or shape after shape.

    The last of `start` belongs to no construct and becomes the end of all. Returns it.
    """
    total = 0
    ids = start.size - 1
    if by_shape:
        for shape in range(shapes):
            for number in range(shape, ids, shapes):
                total += start[number]
                start[number] = total
    else:
        for number in range(ids):
            total += start[number]
            start[number] = total
    start[ids] = total
    return total
