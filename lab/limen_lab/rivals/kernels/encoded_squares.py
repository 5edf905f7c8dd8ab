"""Containment-encoded squares: the cells of a plane, joined four by four, and the lists of queries over a point.

As `encoded_intervals`, in two dimensions. The plane is cut into blocks of 2^k by 2^k cells, each a quad-tree.
A square of depth d is numbered by d pairs of bits, the bits of its column and row in turn, behind the squares of
smaller depth, so the k + 1 squares over a point come by shifting. A query is listed with the squares that make up the
cells it covers wholly, and in a second list of each cell that it covers in part.

List numbers: square q of depth d of block b is b · squares + (4^d - 1) / 3 + q, with squares = (4^(k + 1) - 1) / 3 a
block; the second list of cell c of block b is blocks · squares + (b << 2k | c).
"""

import numpy as np

from limen.kernels._jit import kernel
from limen_lab.rivals.kernels.extents import LENGTH, START, copy_out
from limen_lab.rivals.kernels.gridding import cell_of, cells_of


@kernel
def with_gaps(number):
    """Put a zero in front of each bit of a number below 2^16.

    Examples
    --------
    >>> bin(with_gaps(0b1011))
    '0b1000101'
    """
    number = (number | (number << 8)) & 0x00FF00FF
    number = (number | (number << 4)) & 0x0F0F0F0F
    number = (number | (number << 2)) & 0x33333333
    return (number | (number << 1)) & 0x55555555


@kernel
def squares_above(depth):
    """Count the squares of smaller depths in a block."""
    return ((1 << (2 * depth)) - 1) // 3


@kernel
def second_lists(x, x_end, y, y_end, x_whole, x_end_whole, y_whole, y_end_whole, k, across, base, slot, count, out):
    """Append the second lists of cells that are met, not covered; returns the new count. `out` is (lists, slots)."""
    inside = (1 << k) - 1
    for row in range(y, y_end + 1):
        column = x
        while column <= x_end:
            if y_whole <= row <= y_end_whole and column == x_whole and x_whole <= x_end_whole:
                column = x_end_whole + 1
                continue
            block = (row >> k) * across + (column >> k)
            code = with_gaps(column & inside) | (with_gaps(row & inside) << 1)
            out[0][count] = base + ((block << (2 * k)) | code)
            out[1][count] = slot
            count += 1
            column += 1
    return count


@kernel
def squares_within(x, x_end, y, y_end, k, across, slot, stack, used, count, out):
    """Append the squares that make up the cells [x, x_end], [y, y_end]; returns the new count. `stack` (3k + 4, 3)."""
    inside = (1 << k) - 1
    squares = squares_above(k + 1)
    for block_y in range(y >> k, (y_end >> k) + 1):
        for block_x in range(x >> k, (x_end >> k) + 1):
            block = block_y * across + block_x
            stack[0] = k, block_x << k, block_y << k
            height = 1
            while height:
                height -= 1
                level, left, bottom = stack[height]
                right, top = left + (1 << level) - 1, bottom + (1 << level) - 1
                if right < x or left > x_end or top < y or bottom > y_end:
                    continue
                if x <= left and right <= x_end and y <= bottom and top <= y_end:
                    used[level] = True
                    code = with_gaps(left & inside) | (with_gaps(bottom & inside) << 1)
                    out[0][count] = block * squares + squares_above(k - level) + (code >> (2 * level))
                    out[1][count] = slot
                    count += 1
                    continue
                half = 1 << (level - 1)
                for quarter in range(4):
                    stack[height] = level - 1, left + (quarter & 1) * half, bottom + (quarter >> 1) * half
                    height += 1
    return count


@kernel
def square_pieces(slots, bounds, origin, cells_a_unit, k, blocks, used, first, out_list, out_slot):
    """List the pairs (list, slot) by which queries `slots[first:]` are found.

    `bounds` (slots, 2, 2); `blocks` (2,), how many there are along each axis; `used` (k + 1,) as in
    `interval_pieces`. A query that contains nothing has no pairs.
    Returns the first query not done and the number of pairs.
    """
    base = blocks[0] * blocks[1] * squares_above(k + 1)
    stack = np.empty((3 * k + 4, 3), np.int64)
    out = (out_list, out_slot)
    count = 0
    for i in range(first, slots.size):
        slot = slots[i]
        if not (bounds[slot, 0, 0] < bounds[slot, 0, 1] and bounds[slot, 1, 0] < bounds[slot, 1, 1]):
            continue
        x, x_end, x_whole, x_end_whole = cells_of(
            bounds[slot, 0, 0], bounds[slot, 0, 1], origin[0], cells_a_unit[0], blocks[0] << k
        )
        y, y_end, y_whole, y_end_whole = cells_of(
            bounds[slot, 1, 0], bounds[slot, 1, 1], origin[1], cells_a_unit[1], blocks[1] << k
        )
        cells = (x_end - x + 1) * (y_end - y + 1)
        if count + cells > out_list.size:  # as if no two were joined: simple, and never too little
            return i, count
        count = second_lists(
            x, x_end, y, y_end, x_whole, x_end_whole, y_whole, y_end_whole, k, blocks[0], base, slot, count, out
        )
        if x_whole <= x_end_whole and y_whole <= y_end_whole:
            count = squares_within(
                x_whole, x_end_whole, y_whole, y_end_whole, k, blocks[0], slot, stack, used, count, out
            )
    return slots.size, count


@kernel
def in_squares(points, origin, cells_a_unit, k, blocks, used, extent, pool, bounds, first, out_row, out_slot):
    """List the pairs (row, slot) with point [first, …) inside the query; points (2, n), one with a NaN is in none.

    Returns the first row not done and the number of pairs.
    """
    squares = squares_above(k + 1)
    inside = (1 << k) - 1
    count = 0
    for i in range(first, points.shape[1]):
        x, y = points[0, i], points[1, i]
        if not (x < np.inf and y < np.inf):  # nor is infinity itself in any query
            continue
        begin = count
        column = cell_of(x, origin[0], cells_a_unit[0], blocks[0] << k)
        row = cell_of(y, origin[1], cells_a_unit[1], blocks[1] << k)
        block = (row >> k) * blocks[0] + (column >> k)
        code = with_gaps(column & inside) | (with_gaps(row & inside) << 1)
        for level in range(k, -1, -1):
            if not used[level]:
                continue
            at = block * squares + squares_above(k - level) + (code >> (2 * level))
            count = copy_out(at, extent, pool, count, out_slot)
            if count < 0:
                return i, begin
        at = blocks[0] * blocks[1] * squares + ((block << (2 * k)) | code)
        start = extent[at, START]
        length = extent[at, LENGTH]
        if count + length > out_slot.size:
            return i, begin
        for m in range(start, start + length):
            slot = pool[m]
            out_slot[count] = slot  # without branches: written always, kept when it counts
            count += (
                (bounds[slot, 0, 0] <= x)
                & (x < bounds[slot, 0, 1])
                & (bounds[slot, 1, 0] <= y)
                & (y < bounds[slot, 1, 1])
            )
        for m in range(begin, count):
            out_row[m] = i
    return points.shape[1], count
