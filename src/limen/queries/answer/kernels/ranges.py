"""Evaluate boxes and circles one by one: emit the streams that enter and leave them."""

import numpy as np

from limen.kernels._jit import inner_kernel
from limen.queries.answer.kernels.around import DISC, extent_of, inside
from limen.queries.answer.kernels.emit import emit, with_columns
from limen.queries.answer.kernels.nearest import listed_somewhere
from limen.queries.answer.kernels.object_grid import PRESENT, collect


@inner_kernel
def candidates(queries, grid, listed, q, lonlat, scratch):
    """Find the streams that may be in the region of a query."""
    if queries.listed_count[q] < 0:
        extent_of(lonlat, queries, q, queries.center, q, scratch.extent)
        return collect(grid, scratch.extent, lonlat, scratch.columns, scratch.found, scratch.found_here)
    return listed_somewhere(queries, grid, listed, q, scratch)


@inner_kernel
def where_to(timeline, found, scratch):
    """Look up the positions of the streams found after the instant; NaN for streams without one."""
    point, code, here, there = timeline.point, timeline.code, scratch.found_here, scratch.found_there
    for at in range(found):
        mine = scratch.entry[scratch.found[at]]
        for c in range(here.shape[1]):
            if mine < 0:
                there[at, c] = here[at, c]
            else:
                there[at, c] = point[mine, c] if code[mine] == PRESENT else np.nan


@inner_kernel
def where_from(first, found, scratch):
    """Look up the positions of the streams found before the instant."""
    old_point, here, there = scratch.old_point, scratch.found_here, scratch.found_there
    for at in range(found):
        mine = scratch.entry[scratch.found[at]]
        for c in range(here.shape[1]):
            there[at, c] = here[at, c] if mine < 0 else old_point[mine - first, c]


@inner_kernel
def differing(queries, q, other, o, found, adds, entry, lonlat, scratch, out, count):
    """Emit the streams that are in a region at one position and center, and not at the other."""
    kind, half_x, half_y, limit = queries.kind[q], queries.half[q, 0], queries.half[q, 1], queries.limit[q]
    focal, center, here, there = queries.focal[q], queries.center, scratch.found_here, scratch.found_there
    nowhere = np.isnan(other[o, 0])
    for at in range(found):
        i = scratch.found[at]
        if i == focal or not inside(lonlat, kind, half_x, half_y, limit, center, q, here, at):
            continue
        if nowhere or np.isnan(there[at, 0]) or not inside(lonlat, kind, half_x, half_y, limit, other, o, there, at):
            count = emit(out, count, q, i, adds, entry, scratch.row[i])
    return count


@inner_kernel
def evaluate_range(queries, grid, listed, timeline, at, comes, first, lonlat, scratch, out, count):
    """Emit the streams that enter a region, after all moves, or that leave it, before any move."""
    q, other = scratch.affected[at], scratch.old_center if comes else scratch.new_center
    if np.isnan(queries.center[q, 0]):
        return count, out
    found = candidates(queries, grid, listed, q, lonlat, scratch)
    if comes:
        where_from(first, found, scratch)
    else:
        where_to(timeline, found, scratch)
    out = with_columns(out, count, found)
    return differing(queries, q, other, at, found, comes, first, lonlat, scratch, out, count), out


@inner_kernel
def evaluate_ranges(queries, grid, listed, timeline, affected, comes, first, lonlat, scratch, out, count):
    """Evaluate affected boxes and circles one by one."""
    for at in range(affected):
        if queries.kind[scratch.affected[at]] <= DISC:
            count, out = evaluate_range(queries, grid, listed, timeline, at, comes, first, lonlat, scratch, out, count)
    return count, out
