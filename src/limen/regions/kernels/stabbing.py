"""Find the regions that contain a point, regardless of where a stream was before: in cells as large as regions.

A region is listed once, in the cell of its lower left corner, on a level whose cells are at least as large as its
bounds. So whatever contains a point is listed in the cell of the point, or in one of the three to the left and below.
Arrays are those of `cells` and `stored`; `entry` lists rows.

Long moves come here as well: what contains one end is tested at the other.
"""

from limen.kernels._jit import inner_kernel, kernel
from limen.regions.kernels.cells import cell_at, number_of
from limen.regions.kernels.shapes import contains, lives


@inner_kernel
def list_at(
    x, y, cells_a_unit, block, start, entry,
    lonlat, box, part, circle, outline, edge, strip_start, strip_edge, count, out,
):  # fmt: skip
    """Append the rows that contain a point to `out`; returns the new count, or -1 when there might not be room."""
    for level in range(cells_a_unit.size):
        cell_x = cell_at(x, cells_a_unit[level])
        cell_y = cell_at(y, cells_a_unit[level])
        for corner in range(4):
            c = number_of(block, cell_x - (corner & 1), cell_y - (corner >> 1), level)
            if c < 0:
                continue
            if count + start[c + 1] - start[c] > out.size:
                return -1
            for at in range(start[c], start[c + 1]):
                row = entry[at]
                # Most fail here: a call with so many arrays is for those that do not.
                near = (box[row, 0] <= x) & (x < box[row, 1]) & (box[row, 2] <= y) & (y < box[row, 3])
                if near and (
                    part[row] == 0
                    or contains(row, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, x, y)
                ):
                    out[count] = row
                    count += 1
    return count


@kernel
def stabbed(
    points_x, points_y, cells_a_unit, block, start, entry, slot_of, alive,
    lonlat, box, part, circle, outline, edge, strip_start, strip_edge, first, out_row, out_query,
):  # fmt: skip
    """List the pairs (row, query) with point [first, …) inside the query; a point with a NaN is in none.

    Returns the first point not done and the number of pairs.
    """
    count = 0
    for i in range(first, points_x.size):
        x, y = points_x[i], points_y[i]
        if x != x or y != y:
            continue
        begin = count
        count = list_at(
            x, y, cells_a_unit, block, start, entry,
            lonlat, box, part, circle, outline, edge, strip_start, strip_edge, begin, out_query,
        )  # fmt: skip
        if count < 0:
            return i, begin
        kept = begin
        for k in range(begin, count):
            slot = slot_of[out_query[k]]
            if lives(slot, alive):
                out_row[kept] = i
                out_query[kept] = slot
                kept += 1
        count = kept
    return points_x.size, count


@kernel
def jumped(
    moves, reach, cells_a_unit, block, start, entry, slot_of, alive,
    lonlat, box, part, circle, outline, edge, strip_start, strip_edge, first, out_row, out_query,
):  # fmt: skip
    """Find the regions whose side changes in moves [first, …) that are longer than `reach` along an axis.

    Arguments and results are those of `plain_borders.crossed_plain`.
    """
    count = 0
    looked = 0
    for i in range(first, moves.size):
        move = moves[i]
        xp, yp, xq, yq = move["x0"], move["y0"], move["x1"], move["y1"]
        if abs(xq - xp) <= reach and abs(yq - yp) <= reach:
            continue
        begin = count
        for turn in range(2):
            x, y, other_x, other_y = (xp, yp, xq, yq) if turn == 0 else (xq, yq, xp, yp)
            found = list_at(
                x, y, cells_a_unit, block, start, entry,
                lonlat, box, part, circle, outline, edge, strip_start, strip_edge, count, out_query,
            )  # fmt: skip
            if found < 0:
                return i, begin, looked
            looked += found - count
            for k in range(count, found):
                row = out_query[k]
                slot = slot_of[row]
                if lives(slot, alive) and not contains(
                    row, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, other_x, other_y
                ):  # fmt: skip
                    out_row[count] = move["row"]
                    out_query[count] = slot if turn else ~slot
                    count += 1
    return moves.size, count, looked
