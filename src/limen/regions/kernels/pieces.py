"""Find the polygons that short moves enter and leave, from the pieces of their borders in the cells on the way.

A *piece* is a polygon's edges in one cell and a flag. With R the right side of the cell, a point of it is inside the
polygon when flag ^ XOR over the piece's edges of [crosses(edge, point) ^ (exactly one end has x >= R, and that end is
above the point)] is true, and that is the same as with all edges:

* Of edges with both ends at or beyond R, as many meet the ray from a point as edges with one end there have that end
  above the point, but for an even number, since an even number of edges meet at every vertex. The second term counts
  the latter, so the former are left out.
* Of all other edges those that do not reach the cell contribute the same at every point of it. The flag makes up for
  them: it is the result of testing all edges at one point of the cell, compared with that of the piece.

That holds a little beyond the cell as well, to the left, below and above, since edges that come near are listed too.

`piece` is of type PIECE and has one more row, so that the edges of piece k are `piece_edge[piece[k].first:piece[k +
1].first]`.
"""

import numpy as np

from limen.kernels._jit import inner_kernel, kernel
from limen.regions.kernels.cells import cell_at, number_of
from limen.regions.kernels.geometry import crosses
from limen.regions.kernels.plain_borders import on_way
from limen.regions.kernels.shapes import contains, lives
from limen.regions.kernels.tracing import SPARE

PIECE = np.dtype([("row", np.int32), ("first", np.int32)])  # ~row where the flag is set


@inner_kernel
def odd_in_piece(first, last, piece_edge, right, x, y):
    """Return whether the sum over a piece's edges is odd at a point of its cell."""
    odd = False
    for e in range(first, last):
        xa, ya, xb, yb = piece_edge[e, 0], piece_edge[e, 1], piece_edge[e, 2], piece_edge[e, 3]
        if y >= yb:  # it neither meets the ray nor has an end above
            continue
        if (xa >= right) != (xb >= right):
            odd ^= (ya if xa >= right else yb) > y
        odd ^= crosses(xa, ya, xb, yb, x, y)
    return odd


@kernel
def set_flags(
    x, y, level, cells_a_unit, piece, piece_edge,
    lonlat, box, part, circle, outline, edge, strip_start, strip_edge,
):  # fmt: skip
    """Set the flags of pieces, given their cells (x, y, level), from all edges at the middle of the cell."""
    for k in range(x.size):
        row = piece[k]["row"]
        side = 1.0 / cells_a_unit[level[k]]
        middle_x = (x[k] + 0.5) * side
        middle_y = (y[k] + 0.5) * side
        inside = contains(
            row, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, middle_x, middle_y
        )  # fmt: skip
        first, last = piece[k]["first"], piece[k + 1]["first"]
        if inside != odd_in_piece(first, last, piece_edge, (x[k] + 1) * side, middle_x, middle_y):
            piece[k]["row"] = ~row


@inner_kernel
def find_piece(c, row, start, piece):
    """Return the piece of a polygon that a cell, by its number, lists, or -1."""
    if c >= 0:
        for k in range(start[c], start[c + 1]):
            if piece[k]["row"] == row or piece[k]["row"] == ~row:
                return k
    return -1


@inner_kernel
def in_piece(k, piece, piece_edge, right, x, y):
    """Return whether a point of a cell is in the polygon of piece k, which the cell lists."""
    odd = odd_in_piece(piece[k]["first"], piece[k + 1]["first"], piece_edge, right, x, y)
    return odd ^ (piece[k]["row"] < 0)


@inner_kernel
def turns_in_piece(first, last, piece_edge, right, x0, y0, x1, y1):
    """Return whether two points of a cell are on different sides, by the edges of a piece."""
    odd = False
    for e in range(first, last):
        xa, ya, xb, yb = piece_edge[e, 0], piece_edge[e, 1], piece_edge[e, 2], piece_edge[e, 3]
        above = (y0 >= yb) & (y1 >= yb)
        below = (y0 < ya) & (y1 < ya)
        beyond = (x0 >= xa) & (x0 >= xb) & (x1 >= xa) & (x1 >= xb)
        if above | below | beyond:  # most are, which is one branch that can be guessed
            continue
        if (xa >= right) != (xb >= right):
            end = ya if xa >= right else yb
            odd ^= (end > y0) != (end > y1)
        odd ^= crosses(xa, ya, xb, yb, x0, y0) != crosses(xa, ya, xb, yb, x1, y1)
    return odd


@inner_kernel
def between(at, cell, other, side):
    """Return the coordinate itself within a cell, or one a little below the border of two: both pieces hold there."""
    return at if cell == other else (max(cell, other) - 0.5 * SPARE) * side


@inner_kernel
def write_crossing(row, now, move, slot_of, alive, count, out_row, out_query):
    """Write down that a move enters, or leaves, the polygon of a row, if it is still there."""
    slot = slot_of[row]
    if not lives(slot, alive):
        return count
    out_row[count] = move["row"]
    out_query[count] = slot if now else ~slot
    return count + 1


@kernel
def crossed_pieces(
    moves,
    reach,
    cells_a_unit,
    block,
    start,
    piece,
    piece_edge,
    slot_of,
    alive,
    lonlat,
    box,
    part,
    circle,
    outline,
    edge,
    strip_start,
    strip_edge,
    first,
    out_row,
    out_query,
):
    """Find the polygons whose side changes in moves [first, …); arguments and results as in `plain_borders`.

    Within a cell, its piece decides whether the side changes. For a move to the next cell, the pieces of both decide,
    each as far as the border between them; a polygon without a piece in one of them does not change sides there.
    """
    count = 0
    looked = 0
    for i in range(first, moves.size):
        move = moves[i]
        xp, yp, xq, yq = move["x0"], move["y0"], move["x1"], move["y1"]
        if not (abs(xq - xp) <= reach and abs(yq - yp) <= reach):
            continue
        begin = count
        for level in range(cells_a_unit.size):
            scale = cells_a_unit[level]
            side = 1.0 / scale
            x0, y0, x1, y1 = cell_at(xp, scale), cell_at(yp, scale), cell_at(xq, scale), cell_at(yq, scale)
            steps = max(abs(x1 - x0), abs(y1 - y0))
            head = number_of(block, x0, y0, level)
            tail = head if steps == 0 else number_of(block, x1, y1, level)
            for step in range(steps + 1):
                c = head
                if step == steps:
                    c = tail
                elif step:
                    c = number_of(block, on_way(x0, x1, step, steps), on_way(y0, y1, step, steps), level)
                if c < 0:
                    continue
                if count + start[c + 1] - start[c] > out_query.size:
                    return i, begin, looked
                looked += start[c + 1] - start[c]
                for k in range(start[c], start[c + 1]):
                    row = piece[k]["row"]
                    if row < 0:
                        row = ~row
                    if steps > 1:
                        was = contains(row, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, xp, yp)
                        now = contains(row, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, xq, yq)
                        turns = was != now
                        for earlier in range(step if turns else 0):
                            x, y = on_way(x0, x1, earlier, steps), on_way(y0, y1, earlier, steps)
                            if find_piece(number_of(block, x, y, level), row, start, piece) >= 0:
                                turns = False  # already written
                    else:
                        left, last = piece[k]["first"], piece[k + 1]["first"]
                        if steps == 0:
                            turns = turns_in_piece(left, last, piece_edge, (x0 + 1) * side, xp, yp, xq, yq)
                        else:
                            x, y = between(xq, x0, x1, side), between(yq, y0, y1, side)
                            if step == 0:
                                turns = turns_in_piece(left, last, piece_edge, (x0 + 1) * side, xp, yp, x, y)
                                other = find_piece(tail, row, start, piece)
                                if other >= 0:
                                    left, last = piece[other]["first"], piece[other + 1]["first"]
                                    turns ^= turns_in_piece(left, last, piece_edge, (x1 + 1) * side, x, y, xq, yq)
                            else:
                                turns = find_piece(head, row, start, piece) < 0 and turns_in_piece(
                                    left, last, piece_edge, (x1 + 1) * side, x, y, xq, yq
                                )
                        if turns:
                            if step == 0:
                                now = not in_piece(k, piece, piece_edge, (x0 + 1) * side, xp, yp)
                            else:
                                now = in_piece(k, piece, piece_edge, (x1 + 1) * side, xq, yq)
                    if turns:
                        count = write_crossing(row, now, move, slot_of, alive, count, out_row, out_query)
    return moves.size, count, looked
