"""Match points: go through the lists of the constructs that cover a point's cell (vci-vcr §2.4, §3.4).

The ids of the constructs over a cell come by additions: to the id of the *pivot*, the first construct that begins L - 1
cells before the cell along every axis, is added a difference that is the same for all cells. Lists that are stored one
after another are read in one go, so the table of differences has one row for each *run* of them: from the list of
construct pivot + run[r, 0] to before that of pivot + run[r, 1].

Every box is in at most one list over a cell, since its pieces do not overlap, or record the cell from which on they
apply; so each pair is found once.

No half-open box reaches infinity, so a value that is not below it, which no NaN is either, is in none.
"""

import math

import numpy as np

from limen.kernels._jit import kernel
from limen.queries.match.kernels.constructs import cell_of


@kernel
def covered_intervals(
    x, origin, cells_a_unit, cells, shapes, run, start, entry, rim_start, rim_entry, rim_bounds,
    alive, any_dead, first, out_row, out_slot,
):  # fmt: skip
    """List the pairs (row, slot) with value [first, …) in the interval of the slot.

    Cells that an interval fills are in the lists (`start`, `entry`) of constructs: nothing is compared. Cells that it
    fills in part are in the lists (`rim_start`, `rim_entry`) of cells, with the bounds (entries, 2) beside them.
    Returns the first row not done and the number of pairs.
    """
    count = 0
    for i in range(first, x.size):
        value = x[i]
        if not value < math.inf:
            continue
        cell = cell_of(value, origin, cells_a_unit, cells)
        pivot = cell * shapes
        begin = count
        for r in range(run.shape[0]):
            at = start[pivot + run[r, 0]]
            stop = start[pivot + run[r, 1]]
            if count + stop - at > out_slot.size:
                return i, begin
            for m in range(at, stop):
                out_slot[count] = entry[m]
                count += 1
        at = rim_start[cell]
        stop = rim_start[cell + 1]
        if count + stop - at > out_slot.size:
            return i, begin
        for m in range(at, stop):  # without branches: written always, kept when it counts
            out_slot[count] = rim_entry[m]
            count += (rim_bounds[m, 0] <= value) & (value < rim_bounds[m, 1])
        if any_dead:
            found = count
            count = begin
            for m in range(begin, found):
                slot = out_slot[m]
                out_slot[count] = slot
                count += alive[slot]
        for m in range(begin, count):
            out_row[m] = i
    return x.size, count


@kernel
def covered_boxes(
    points, columns, origin, cells_a_unit, cells, position_step, run, start, entry, own, box, slot_of,
    alive, any_dead, first, out_row, out_slot,
):  # fmt: skip
    """List the pairs (row, slot) with point [first, …) of points (dimensions, n) in the box of the slot.

    `columns` (dimensions,), two at least, are rows of `points`, those first that have an axis; `origin`,
    `cells_a_unit`, `cells` and `position_step` (axes,) are the axes'. Lists hold numbers of boxes: `box` (boxes,
    dimensions, 2) has their bounds in the order of `columns`, `slot_of` their slots.

    With overlapped pieces, entry m answers from cell own[m] (axes,) on; else `own` is empty. Returns the first row not
    done and the number of pairs.
    """
    count = 0
    axes = origin.size
    overlapped = own.shape[0] > 0
    cell = np.zeros(axes, np.int64)
    for i in range(first, points.shape[1]):
        pivot = 0
        known = True
        for k in range(axes):
            x = points[columns[k], i]
            if not x < math.inf:
                known = False
                break
            cell[k] = cell_of(x, origin[k], cells_a_unit[k], cells[k])
            pivot += position_step[k] * cell[k]
        if not known:
            continue
        begin = count
        x = points[columns[0], i]
        y = points[columns[1], i]
        for r in range(run.shape[0]):
            at = start[pivot + run[r, 0]]
            stop = start[pivot + run[r, 1]]
            if count + stop - at > out_slot.size:
                return i, begin
            # Without branches: written always, kept when it counts. Nearly all that fails does so in two dimensions.
            if overlapped:
                for m in range(at, stop):
                    b = entry[m]
                    out_slot[count] = b
                    answers = (box[b, 0, 0] <= x) & (x < box[b, 0, 1]) & (box[b, 1, 0] <= y) & (y < box[b, 1, 1])
                    for k in range(axes):
                        answers &= own[m, k] <= cell[k]
                    count += answers
            else:
                for m in range(at, stop):
                    b = entry[m]
                    out_slot[count] = b
                    count += (box[b, 0, 0] <= x) & (x < box[b, 0, 1]) & (box[b, 1, 0] <= y) & (y < box[b, 1, 1])
        found = count
        count = begin
        for m in range(begin, found):
            b = out_slot[m]
            slot = slot_of[b]
            inside = not any_dead or alive[slot]
            for k in range(2, columns.size):
                x = points[columns[k], i]
                inside &= (box[b, k, 0] <= x) & (x < box[b, k, 1])
            out_slot[count] = slot
            out_row[count] = i
            count += inside
    return points.shape[1], count
