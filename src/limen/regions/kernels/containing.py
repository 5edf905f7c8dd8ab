"""Find the queries that contain a point.

A look-up without memory, for first appearances, for predicates that turn true or false, and for plain matching: all
entries of the first dimension that begin at or below the point, block by block, cross-checked in the others.
"""

from limen.kernels._jit import kernel
from limen.regions.kernels.edges import position, scan


@kernel
def containing(
    slot, points, columns, edge, query, far1, far2, far3, segment_of, segments, boxes, alive, row, out_row, out_query
):
    """List the pairs (row, query) with the point of the row inside the query's box, for rows [row, …).

    `edge` … `segments` are the edge list of dimension 0 along the axis, as in `crossings.crossed`; points (columns,
    n). A row with a NaN among its columns is in no query. Returns the first row not done and the number of pairs.
    """
    count = 0
    first = 0
    last = edge.shape[0]
    for i in range(row, slot.size):
        known = True
        for k in range(columns.size):
            x = points[columns[k], i]
            if x != x:
                known = False
        if not known:
            continue
        if segment_of.size:
            s = slot[i]
            g = segment_of[s] if s < segment_of.size else -1
            if g < 0:
                continue
            first = segments[g]
            last = segments[g + 1]
        x = points[columns[0], i]
        end = position(edge, x, first, last, first)
        begin = count
        y = points[columns[1 % columns.size], i]
        count, _ = scan(edge, query, far1, far2, far3, first + 1, end + 1, x, y, count, out_query)
        if count < 0:
            return i, begin
        kept = begin
        for m in range(begin, count):
            q = out_query[m]
            inside = alive[q]
            if inside:
                for k in range(1, columns.size):
                    x = points[columns[k], i]
                    if x < boxes[q, k, 0] or x >= boxes[q, k, 1]:
                        inside = False
                        break
            if inside:
                out_query[kept] = q
                out_row[kept] = i
                kept += 1
        count = kept
    return slot.size, count
