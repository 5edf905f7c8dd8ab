"""Evaluate boxes and circles one by one: emit the streams that enter and leave them."""

import numpy as np

from limen.kernels._jit import kernel
from limen.queries.answer.kernels.around import DISC, extent_of, inside
from limen.queries.answer.kernels.emit import emit, with_columns
from limen.queries.answer.kernels.nearest import listed_somewhere
from limen.queries.answer.kernels.object_grid import PRESENT, collect


@kernel
def candidates(queries, grid, listed, q, center, at, lonlat, scratch):
    """Find the streams that may be in the region of a query with its center in a row of an array."""
    if queries.listed_count[q] < 0:
        extent_of(lonlat, queries, q, center, at, scratch.extent)
        return collect(grid, scratch.extent, lonlat, scratch.columns, scratch.found, scratch.found_here)
    first = queries.listed_first[q]
    last = first + queries.listed_count[q]
    return listed_somewhere(grid, listed.stream, first, last, scratch.found, scratch.found_here)


@kernel
def where_to(point, code, entries, slots_at, found, here, there):
    """Look up the positions of some streams after the instant; NaN for streams without one."""
    for at in range(found):
        mine = entries[slots_at[at]]
        for c in range(here.shape[1]):
            if mine < 0:
                there[at, c] = here[at, c]
            else:
                there[at, c] = point[mine, c] if code[mine] == PRESENT else np.nan


@kernel
def where_from(old_point, entries, first, slots_at, found, here, there):
    """Look up the positions of some streams before the instant."""
    for at in range(found):
        mine = entries[slots_at[at]]
        for c in range(here.shape[1]):
            there[at, c] = here[at, c] if mine < 0 else old_point[mine - first, c]


@kernel
def differing(
    lonlat, kind, half_x, half_y, limit, focal, q, center, c, other, o, slots_at, here, there, found, adds, entry, rows,
    out, count,
):  # fmt: skip
    """Emit the streams that are in a region at one position and center, and not at the other."""
    nowhere = np.isnan(other[o, 0])
    for at in range(found):
        i = slots_at[at]
        if i == focal or not inside(lonlat, kind, half_x, half_y, limit, center, c, here, at):
            continue
        if nowhere or np.isnan(there[at, 0]) or not inside(lonlat, kind, half_x, half_y, limit, other, o, there, at):
            count = emit(out, count, q, i, adds, entry, rows[i])
    return count


@kernel
def evaluate_range(queries, grid, listed, timeline, at, comes, first, lonlat, scratch, out, count):
    """Emit the streams that enter a region, after all moves, or that leave it, before any move."""
    q, center, other = scratch.affected[at], queries.center, scratch.old_center if comes else scratch.new_center
    if np.isnan(center[q, 0]):
        return count, out
    slots_at, here, there, entries = scratch.found, scratch.found_here, scratch.found_there, scratch.entry
    found = candidates(queries, grid, listed, q, center, q, lonlat, scratch)
    if comes:
        where_from(scratch.old_point, entries, first, slots_at, found, here, there)
    else:
        where_to(timeline.point, timeline.code, entries, slots_at, found, here, there)
    out = with_columns(out, count, found)
    count = differing(
        lonlat, queries.kind[q], queries.half[q, 0], queries.half[q, 1], queries.limit[q], queries.focal[q], q, center,
        q, other, at, slots_at, here, there, found, comes, first, scratch.row, out, count,
    )  # fmt: skip
    return count, out


@kernel
def evaluate_ranges(queries, grid, listed, timeline, affected, comes, first, lonlat, scratch, out, count):
    """Evaluate affected boxes and circles one by one."""
    for at in range(affected):
        if queries.kind[scratch.affected[at]] <= DISC:
            count, out = evaluate_range(queries, grid, listed, timeline, at, comes, first, lonlat, scratch, out, count)
    return count, out
