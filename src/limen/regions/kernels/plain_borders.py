"""Find the boxes and circles that short moves enter and leave, in the cells on the way.

A cell lists the regions whose border may pass through it. A region that contains one end of a move and not the other is
listed in some cell of any way from cell to cell (see `tracing`), so the shortest such way is taken, and candidates are
tested at both ends of the move.
"""

import numpy as np

from limen.kernels._jit import inner_kernel, kernel
from limen.regions.kernels.cells import cell_at, number_of
from limen.regions.kernels.geometry import in_circle
from limen.regions.kernels.shapes import lives
from limen.regions.kernels.tracing import near_circle, on_rim

MOST_CELLS = 1 << 20  # on the way of a move, for which there is room


@inner_kernel
def on_way(first, last, step, steps):
    """Return the cell after so many of all steps along one axis.

    Examples
    --------
    >>> [on_way(5, 3, step, 4) for step in range(5)]
    [5, 5, 4, 4, 3]
    """
    return first + (2 * step * (last - first) + steps) // (2 * steps)


@kernel
def crossed_plain(
    moves,
    reach,
    cells_a_unit,
    block,
    start,
    entry,
    slot_of,
    alive,
    lonlat,
    box,
    part,
    circle,
    first,
    out_row,
    out_query,
):
    """Find the boxes and circles whose side changes in moves [first, …).

    Parameters
    ----------
    moves : MOVE array (n,)
        Where moves begin and end, and which rows they are; see `moves`.
    reach : float
        Moves that are longer along an axis are left to others.
    cells_a_unit : float array (levels,)
        The inverse of the cells' sides.
    block, start : arrays
        The cells; see `cells`.
    entry : int32 array
        What they list: rows of regions, ~row for a circle.
    slot_of, alive : arrays (rows,), (slots,)
        The query of each row, and whether it is still there; an empty array when all are.
    lonlat, box, part, circle
        The regions; see `stored`.
    out_row, out_query : int32 arrays
        Results: the row, and the query, ~query for a leave.

    Returns
    -------
    (first, count, looked)
        The first move not done (n when all are: otherwise there was no more room), the number of results, and how many
        entries were looked at.
    """
    count = 0
    looked = 0
    # A level's cells on the way of a move, beginning with its own; there is no more than one cell beyond `reach`.
    way = np.empty((int(min(reach * cells_a_unit.max(), MOST_CELLS)) + 3, 2), np.int64)
    for i in range(first, moves.size):
        move = moves[i]
        xp, yp, xq, yq = move["x0"], move["y0"], move["x1"], move["y1"]
        if not (abs(xq - xp) <= reach and abs(yq - yp) <= reach):
            continue
        begin = count
        for level in range(cells_a_unit.size):
            scale = cells_a_unit[level]
            x0, y0, x1, y1 = cell_at(xp, scale), cell_at(yp, scale), cell_at(xq, scale), cell_at(yq, scale)
            steps = max(abs(x1 - x0), abs(y1 - y0))
            for step in range(steps + 1):
                x, y = x0, y0
                if step:
                    x, y = on_way(x0, x1, step, steps), on_way(y0, y1, step, steps)
                way[step, 0], way[step, 1] = x, y
                c = number_of(block, x, y, level)
                if c < 0:
                    continue
                candidates = start[c + 1] - start[c]
                if count + candidates > out_query.size:
                    return i, begin, looked
                looked += candidates
                for at in range(start[c], start[c + 1]):
                    row = entry[at]
                    round_one = row < 0
                    if round_one:
                        row = ~row
                        k = part[row] - 1
                        was = in_circle(circle[k, 0], circle[k, 1], circle[k, 2], lonlat, xp, yp)
                        now = in_circle(circle[k, 0], circle[k, 1], circle[k, 2], lonlat, xq, yq)
                    else:
                        # without branches: candidates are near, so that no branch could be guessed
                        left, right, bottom, top = box[row, 0], box[row, 1], box[row, 2], box[row, 3]
                        was = (left <= xp) & (xp < right) & (bottom <= yp) & (yp < top)
                        now = (left <= xq) & (xq < right) & (bottom <= yq) & (yq < top)
                    if was == now:
                        continue
                    slot = slot_of[row]
                    if not lives(slot, alive):
                        continue
                    emitted = False
                    if step:  # whether a cell before lists it too
                        west, east = cell_at(box[row, 0], scale), cell_at(box[row, 1], scale)
                        south, north = cell_at(box[row, 2], scale), cell_at(box[row, 3], scale)
                        for earlier in range(step):
                            x, y = way[earlier, 0], way[earlier, 1]
                            if round_one:
                                k = part[row] - 1
                                emitted |= (
                                    west <= x <= east
                                    and south <= y <= north
                                    and near_circle(circle[k, 0], circle[k, 1], circle[k, 2], lonlat, scale, x, y)
                                )
                            else:
                                emitted |= on_rim(x, y, west, east, south, north)
                    if emitted:
                        continue
                    out_row[count] = move["row"]
                    out_query[count] = slot if now else ~slot
                    count += 1
    return moves.size, count, looked
