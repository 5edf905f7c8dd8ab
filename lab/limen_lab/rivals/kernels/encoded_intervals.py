"""Containment-encoded intervals: the cells of a line, joined two by two, and the lists of queries over a value.

The line is cut into segments of 2^k cells. In a segment there is an interval for every cell, for every two, every four
and so on up to the whole, numbered as a heap: 1 is the segment, 2 and 3 its halves, 2^k + c its cell c. The interval
around interval h is h >> 1, so the k + 1 intervals over a value come by shifting. A query is listed with the few
intervals that make up the cells it covers wholly; a value in one of these is in the query. A cell that it covers in
part lists it too, in a list of another kind, and there the bounds decide.

List numbers: heap h of segment s is s << (k + 1) | h; the second list of cell c is (segments << (k + 1)) + c.

References
----------
K.-L. Wu, P. S. Yu, *Interval Query Indexing for Efficient Stream Processing*, CIKM 2004; cited by the border monitoring
paper as CEI. Here by its principle, with half-open intervals.
"""

import numpy as np

from limen.kernels._jit import kernel
from limen_lab.rivals.kernels.extents import LENGTH, START, copy_out
from limen_lab.rivals.kernels.gridding import cell_of, cells_of


@kernel
def interval_pieces(slots, bounds, origin, cells_a_unit, k, segments, used, first, out_list, out_slot):
    """List the pairs (list, slot) by which queries `slots[first:]` are found.

    `bounds` (slots, 1, 2); `used` (k + 1,) becomes true for levels of intervals that list anything, 0 for single cells.
    A query that contains nothing has no pairs. Returns the first query not done and the number of
    pairs.
    """
    cells = segments << k
    count = 0
    for i in range(first, slots.size):
        slot = slots[i]
        lower, upper = bounds[slot, 0, 0], bounds[slot, 0, 1]
        if not lower < upper:
            continue
        begin = count
        at, last, whole, last_whole = cells_of(lower, upper, origin[0], cells_a_unit[0], cells)
        # two lists at the ends, and two intervals a level or one a segment between
        if count + 2 + 2 * k + ((last - at) >> k) + 2 > out_list.size:
            return i, begin
        if at < whole:
            out_list[count] = (segments << (k + 1)) + at
            out_slot[count] = slot
            count += 1
        if last > last_whole and (last > at or at == whole):
            out_list[count] = (segments << (k + 1)) + last
            out_slot[count] = slot
            count += 1
        while whole <= last_whole:
            level = 0
            while level < k and whole & (1 << level) == 0 and whole + (2 << level) - 1 <= last_whole:
                level += 1
            used[level] = True
            heap = (1 << (k - level)) | ((whole & ((1 << k) - 1)) >> level)
            out_list[count] = (whole >> k) << (k + 1) | heap
            out_slot[count] = slot
            count += 1
            whole += 1 << level
    return slots.size, count


@kernel
def in_intervals(points, origin, cells_a_unit, k, segments, used, extent, pool, bounds, first, out_row, out_slot):
    """List the pairs (row, slot) with point [first, …) inside the query; points (1, n), a NaN is in none.

    Returns the first row not done and the number of pairs.
    """
    cells = segments << k
    count = 0
    for i in range(first, points.shape[1]):
        x = points[0, i]
        if not x < np.inf:  # nor is infinity itself in any query
            continue
        begin = count
        cell = cell_of(x, origin[0], cells_a_unit[0], cells)
        segment = (cell >> k) << (k + 1)
        heap = (1 << k) | (cell & ((1 << k) - 1))
        for level in range(k, -1, -1):
            if not used[level]:
                continue
            at = segment | (heap >> level)
            count = copy_out(at, extent, pool, count, out_slot)
            if count < 0:
                return i, begin
        at = (segments << (k + 1)) + cell
        start = extent[at, START]
        length = extent[at, LENGTH]
        if count + length > out_slot.size:
            return i, begin
        for m in range(start, start + length):
            slot = pool[m]
            out_slot[count] = slot  # without branches: written always, kept when it counts
            count += (bounds[slot, 0, 0] <= x) & (x < bounds[slot, 0, 1])
        for m in range(begin, count):
            out_row[m] = i
    return points.shape[1], count
