"""Points in polygons of any number of vertices: edges in strips of height, so that a point looks only at its own.

A polygon lies in horizontal strips of equal height, and a strip lists the edges that reach into it. Which strip a
height is in is rounded, but never decreasing: an edge that spans a height is listed in the strip of that height,
whatever the rounding.

`outline` has a row a polygon, of type OUTLINE. Its edges are `edge[first:first + count]`, and strip s of it lists
`strip_edge[strip_start[first_strip + s]:strip_start[first_strip + s + 1]]`.
"""

import numpy as np

from limen.kernels._jit import inner_kernel, kernel
from limen.regions.kernels.geometry import crosses

OUTLINE = np.dtype(
    [
        ("first", np.int64),  # edge
        ("count", np.int64),  # of edges
        ("first_strip", np.int64),
        ("strips", np.int64),
        ("bottom", np.float64),
        ("strips_a_unit", np.float64),  # of height
    ]
)


@inner_kernel
def strip_of(shape, y):
    """Return which strip of an outline a height is in, the first or the last one when it is beyond."""
    at = (y - shape["bottom"]) * shape["strips_a_unit"]
    if not at > 0.0:
        return 0
    last = shape["strips"] - 1
    return last if at >= last else np.int64(at)


@kernel
def list_strips(outline, edge, strip_start, strip_edge):
    """Fill `strip_start` (strips of all + 1,) and, unless it is empty, `strip_edge` with the edges of every strip.

    Called twice: to learn how long `strip_edge` must be, which is returned, and to fill it.
    """
    strip_start[:] = 0
    for p in range(outline.size):
        shape = outline[p]
        for e in range(shape["first"], shape["first"] + shape["count"]):
            for s in range(strip_of(shape, edge[e, 1]), strip_of(shape, edge[e, 3]) + 1):
                strip_start[shape["first_strip"] + s + 1] += 1
    for s in range(1, strip_start.size):
        strip_start[s] += strip_start[s - 1]
    total = strip_start[strip_start.size - 1]
    if strip_edge.size < total:
        return total
    for p in range(outline.size):
        shape = outline[p]
        for e in range(shape["first"], shape["first"] + shape["count"]):
            for s in range(strip_of(shape, edge[e, 1]), strip_of(shape, edge[e, 3]) + 1):
                place = strip_start[shape["first_strip"] + s]
                strip_edge[place] = e
                strip_start[shape["first_strip"] + s] += 1
    for s in range(strip_start.size - 1, 0, -1):  # each start has become the next one's
        strip_start[s] = strip_start[s - 1]
    strip_start[0] = 0
    return total


@inner_kernel
def in_outline(p, outline, edge, strip_start, strip_edge, x, y):
    """Return whether a point is in a polygon: whether an odd number of edges lie to its right."""
    shape = outline[p]
    s = shape["first_strip"] + strip_of(shape, y)
    inside = False
    for at in range(strip_start[s], strip_start[s + 1]):
        e = strip_edge[at]
        inside ^= crosses(edge[e, 0], edge[e, 1], edge[e, 2], edge[e, 3], x, y)
    return inside
