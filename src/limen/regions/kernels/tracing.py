"""Which cells the borders of regions pass through.

A cell is listed for a region unless all its points are inside, or all outside: more cells do no harm. Then a way from
cell to cell, sideways or over corners, that begins inside and ends outside meets a listed cell, however it goes; that
is what finding crossings rests on.

Kernels write cells as (row, x, y), `edge` too where a polygon's edge is the reason, and never past their outputs: they
return how far they got and how many they wrote.
"""

import math

from limen.kernels._jit import inner_kernel, kernel
from limen.kernels.earth import EARTH_RADIUS
from limen.regions.kernels.cells import cell_at
from limen.regions.kernels.geometry import distance_on_earth

SPARE = 1 / 4096  # of a cell's side: edges that come so close are taken to reach it, which covers all rounding


@inner_kernel
def on_rim(x, y, left, right, bottom, top):
    """Return whether a cell is among the outermost of those from (left, bottom) to (right, top).

    With the cells of a box's corners: cells further in lie inside the box, all others outside.
    """
    within = (left <= x) & (x <= right) & (bottom <= y) & (y <= top)
    return within & ((x == left) | (x == right) | (y == bottom) | (y == top))


@inner_kernel
def near_circle(center_x, center_y, radius, lonlat, cells_a_unit, x, y):
    """Return whether a circle's border may pass through a cell.

    No point of a cell is further from its middle than half a diagonal. In degrees, a diagonal is at most as long as it
    is where the cell comes closest to the equator.
    """
    side = 1.0 / cells_a_unit
    middle_x = (x + 0.5) * side
    middle_y = (y + 0.5) * side
    if lonlat:
        nearest = max(abs(middle_y) - 0.5 * side, 0.0)
        width = math.cos(math.radians(min(nearest, 90.0)))
        reach = 0.5 * math.radians(side) * EARTH_RADIUS * math.sqrt(1.0 + width * width)
        away = distance_on_earth(center_x, center_y, middle_x, middle_y)
    else:
        reach = side * math.sqrt(0.5)
        away = math.sqrt((middle_x - center_x) ** 2 + (middle_y - center_y) ** 2)
    return abs(away - radius) <= reach * (1.0 + SPARE) + radius * 1e-9


@kernel
def trace_plain(rows, level, box, part, circle, lonlat, cells_a_unit, first, out_row, out_x, out_y):
    """List the cells of the borders of boxes and circles: rows[first:], whose cells are of level[i]."""
    count = 0
    for i in range(first, rows.size):
        row = rows[i]
        scale = cells_a_unit[level[i]]
        left = cell_at(box[row, 0], scale)
        right = cell_at(box[row, 1], scale)
        bottom = cell_at(box[row, 2], scale)
        top = cell_at(box[row, 3], scale)
        which = part[row]
        begin = count
        for y in range(bottom, top + 1):
            # of a box only the ends of rows further in
            stride = right - left if which == 0 and bottom < y < top and right > left else 1
            for x in range(left, right + 1, stride):
                if which > 0:
                    c = which - 1
                    if not near_circle(circle[c, 0], circle[c, 1], circle[c, 2], lonlat, scale, x, y):
                        continue
                if count == out_row.size:
                    return i, begin
                out_row[count] = row
                out_x[count] = x
                out_y[count] = y
                count += 1
    return rows.size, count


@inner_kernel
def reach_at(xa, ya, xb, yb, y0, y1):
    """Return between which x an edge runs from height y0 to y1; both lie on it, or beyond its ends."""
    if ya == yb:
        return min(xa, xb), max(xa, xb)
    one = xa + min(max((y0 - ya) / (yb - ya), 0.0), 1.0) * (xb - xa)
    other = xa + min(max((y1 - ya) / (yb - ya), 0.0), 1.0) * (xb - xa)
    return min(one, other), max(one, other)


@kernel
def trace_edges(rows, level, part, outline, edge, cells_a_unit, first, out_row, out_edge, out_x, out_y):
    """List the cells that the edges of polygons reach: rows[first:], one entry for each edge and cell."""
    count = 0
    for i in range(first, rows.size):
        scale = cells_a_unit[level[i]]
        side = 1.0 / scale
        spare = side * SPARE
        shape = outline[~part[rows[i]]]
        begin = count
        for e in range(shape["first"], shape["first"] + shape["count"]):
            xa, ya, xb, yb = edge[e, 0], edge[e, 1], edge[e, 2], edge[e, 3]
            for y in range(cell_at(ya - spare, scale), cell_at(yb + spare, scale) + 1):
                left, right = reach_at(xa, ya, xb, yb, y * side - spare, (y + 1) * side + spare)
                for x in range(cell_at(left - spare, scale), cell_at(right + spare, scale) + 1):
                    if count == out_row.size:
                        return i, begin
                    out_row[count] = rows[i]
                    out_edge[count] = e
                    out_x[count] = x
                    out_y[count] = y
                    count += 1
    return rows.size, count
