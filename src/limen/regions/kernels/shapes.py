"""Whether a region contains a point, whatever kind of region it is.

Regions of an index level are rows. `box` (rows, 4) holds their bounds as (xlo, xhi, ylo, yhi), half-open for all
kinds. `part` (rows,) is 0 for a box, c + 1 for the circle in row c of `circle` (center x, center y, radius), and ~p for
the polygon in row p of `outline`; see `outlines` for the arrays that follow it.
"""

from limen.kernels._jit import inner_kernel
from limen.regions.kernels.geometry import in_box, in_circle
from limen.regions.kernels.outlines import in_outline


@inner_kernel
def lives(slot, alive):
    """Return whether a query is still there; `alive` is empty when all are, which saves a look at far memory."""
    return alive.size == 0 or alive[slot]


@inner_kernel
def contains(row, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, x, y):
    """Return whether the region of a row contains (x, y)."""
    if not in_box(box, row, x, y):
        return False
    which = part[row]
    if which == 0:
        return True
    if which > 0:
        return in_circle(circle[which - 1, 0], circle[which - 1, 1], circle[which - 1, 2], lonlat, x, y)
    return in_outline(~which, outline, edge, strip_start, strip_edge, x, y)
