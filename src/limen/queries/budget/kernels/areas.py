"""Classify a point for a query of a shared buffer: in its region, its cache area, the rim shed, or outside."""

import math

import numpy as np

from limen.kernels._jit import inner_kernel
from limen.kernels.earth import EARTH_RADIUS
from limen.queries.answer.kernels.around import (
    BOX,
    DISC,
    NEAREST,
    extent_around,
    half_height,
    half_width,
    inside,
    stretch,
)
from limen.queries.answer.kernels.object_grid import step_of
from limen.queries.budget.kernels.layout import CACHE, FIXED, IN, KEPT, OUT, RIM, SHAPE, WHOLE
from limen.regions.kernels.geometry import crosses


@inner_kernel
def widen(buffer, q):
    """Set how far region and cache area reach together: what shedding leaves of them, and all of them."""
    queries = buffer.queries
    queries[q]["shrunk"] = queries[q]["share"] < 1.0
    widen_to(buffer, q, KEPT, queries[q]["share"])
    widen_to(buffer, q, WHOLE, 1.0)


@inner_kernel
def widen_to(buffer, q, area, share):
    """Set how far an area of a query reaches, a share of region and cache area."""
    queries, lonlat = buffer.queries, buffer.lonlat
    kind, margin = queries[q]["kind"], queries[q]["margin"]
    part = share ** (1.0 / buffer.dimensions)
    if kind == BOX:
        for axis in range(2):
            queries["wide_half"][q, area, axis] = (queries["half"][q, axis] + margin) * part
    elif kind in (DISC, NEAREST):
        reach = queries[q]["limit"] if lonlat else math.sqrt(queries[q]["limit"])
        # Of the nearest fewer are wanted once the cache area is gone, so the region keeps its meaning.
        reach = (reach + margin) * part if kind == DISC else reach + margin * max(2.0 * share - 1.0, 0.0)
        wide = reach if lonlat else reach * reach
        whole = kind == NEAREST or share == 1.0
        queries["wide_limit"][q, area] = max(wide, queries[q]["limit"]) if whole else wide
    else:
        for axis in range(queries["bounds"].shape[1]):
            low, high, more = queries["bounds"][q, axis, 0], queries["bounds"][q, axis, 1], margin
            if lonlat:
                more = margin_in_degrees(queries["bounds"], q, axis, margin)
            low, high = low - more, high + more
            if share < 1.0 and high - low < np.inf:
                middle, half = low + (high - low) / 2.0, (high - low) / 2.0 * part
                low, high = max(middle - half, low), min(middle + half, high)
            queries["wide_bounds"][q, area, axis, 0], queries["wide_bounds"][q, area, axis, 1] = low, high


@inner_kernel
def margin_in_degrees(bounds, q, axis, metres):
    """Return at least how many degrees a margin in metres is, anywhere along the sides of a box."""
    if axis == 1:
        return math.degrees(metres / EARTH_RADIUS)
    latitude = max(abs(bounds[q, 1, 0]), abs(bounds[q, 1, 1])) + math.degrees(metres / EARTH_RADIUS)
    if metres > 0.0 and latitude >= 89.0:
        return np.inf
    return math.degrees(metres / (EARTH_RADIUS * math.cos(math.radians(latitude)))) if metres > 0.0 else 0.0


@inner_kernel
def in_shape(edges, first, count, x, y):
    """Return whether a point is in a polygon: whether an odd number of edges lie to its right."""
    odd = False
    for e in range(first, first + count):
        odd ^= crosses(edges[e, 0], edges[e, 1], edges[e, 2], edges[e, 3], x, y)
    return odd


@inner_kernel
def is_in_reach(buffer, q, area, points, j):
    """Return whether a point is in an area of a query, or at least in the bounds of one that has them."""
    queries, lonlat = buffer.queries, buffer.lonlat
    kind = queries[q]["kind"]
    if kind <= NEAREST:
        half_x, half_y = queries["wide_half"][q, area, 0], queries["wide_half"][q, area, 1]
        return inside(lonlat, kind, half_x, half_y, queries["wide_limit"][q, area], queries["center"], q, points, j)
    for axis in range(points.shape[1]):
        low, high = queries["wide_bounds"][q, area, axis, 0], queries["wide_bounds"][q, area, axis, 1]
        if not low <= points[j, axis] < high:
            return False
    return True


@inner_kernel
def in_region(buffer, q, points, j):
    """Return whether a point is in the whole region of a query other than nearest."""
    queries, lonlat = buffer.queries, buffer.lonlat
    kind = queries[q]["kind"]
    if kind <= DISC:
        half_x, half_y = queries["half"][q, 0], queries["half"][q, 1]
        return inside(lonlat, kind, half_x, half_y, queries[q]["limit"], queries["center"], q, points, j)
    for axis in range(points.shape[1]):
        if not queries["bounds"][q, axis, 0] <= points[j, axis] < queries["bounds"][q, axis, 1]:
            return False
    if kind == FIXED:
        return True
    return in_shape(buffer.edges, queries[q]["edge_first"], queries[q]["edge_count"], points[j, 0], points[j, 1])


@inner_kernel
def state_of(buffer, q, points, j):
    """Return where a point, a row of an array, is for a query: IN, CACHE, RIM or OUT. The nearest are in the cache."""
    queries = buffer.queries
    kind = queries[q]["kind"]
    if kind < 0 or np.isnan(queries["center"][q, 0]):
        return OUT
    kept = is_in_reach(buffer, q, KEPT, points, j)
    if not kept and not (queries[q]["shrunk"] and is_in_reach(buffer, q, WHOLE, points, j)):
        return OUT
    within = kind != NEAREST and in_region(buffer, q, points, j)
    if not within and kind in (FIXED, SHAPE) and queries[q]["margin"] == 0.0:
        return OUT
    if not kept:
        return RIM
    return IN if within else CACHE


@inner_kernel
def is_about(buffer, q, stream):
    """Return whether a query is about a stream, -1 for an evicted one, at all: it is listed, and not the focal one."""
    queries, listed = buffer.queries, buffer.listed
    if stream >= 0 and stream == queries[q]["focal"]:
        return False
    if queries[q]["listed_count"] < 0:
        return True
    low = queries[q]["listed_first"]
    end = high = low + queries[q]["listed_count"]
    while low < high:
        middle = (low + high) >> 1
        if listed[middle] < stream:
            low = middle + 1
        else:
            high = middle
    return low < end and listed[low] == stream


@inner_kernel
def interest(buffer, q, o):
    """Return where an object is for a query: IN, CACHE, RIM or OUT."""
    if not is_about(buffer, q, buffer.objects[o]["stream"]):
        return OUT
    return state_of(buffer, q, buffer.objects["point"], o)


@inner_kernel
def find_cells(buffer, q):
    """Set the cells that the whole area of a query reaches into: none while its center is not known."""
    queries, lonlat, extent = buffer.queries, buffer.lonlat, buffer.scratch.extent
    kind = queries[q]["kind"]
    if kind < 0 or np.isnan(queries["center"][q, 0]):
        queries["cells"][q, 0], queries["cells"][q, 1], queries["cells"][q, 2], queries["cells"][q, 3] = 0, -1, 0, -1
        return
    if kind == BOX:
        half_x, half_y = queries["wide_half"][q, WHOLE, 0], queries["wide_half"][q, WHOLE, 1]
        if lonlat:
            half_x, half_y = half_width(half_x, queries["center"][q, 1]), half_height(half_y)
        stretch(extent, 0, queries["center"][q, 0], half_x)
        stretch(extent, 1, queries["center"][q, 1], half_y)
    elif kind in (DISC, NEAREST):
        extent_around(lonlat, queries["center"], q, queries["wide_limit"][q, WHOLE], extent)
    else:
        for axis in range(2):
            extent[2 * axis] = queries["wide_bounds"][q, WHOLE, axis, 0]
            extent[2 * axis + 1] = queries["wide_bounds"][q, WHOLE, axis, 1]
    cells_of(buffer.cells.frame, lonlat, extent, queries["cells"], q)


@inner_kernel
def cells_of(frame, lonlat, extent, out, row):
    """Set the first and last column, and the first and last row, of an extent: all columns, over the antimeridian."""
    if lonlat and (extent[0] < -180.0 or extent[1] > 180.0):
        extent[0], extent[1] = -np.inf, np.inf
    for end in range(2):
        out[row, end] = step_of(frame, 0, extent[end])
        out[row, 2 + end] = step_of(frame, 1, extent[2 + end])
