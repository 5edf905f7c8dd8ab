"""Boxes and circles that are asked who comes into them and who goes, as they and the streams move."""

from __future__ import annotations

import numpy as np

from limen.kernels._jit import kernel
from limen.kernels.around import DISC, extent_of, inside
from limen.kernels.nearest import listed_somewhere
from limen.kernels.object_grid import PRESENT, collect
from limen.kernels.telling import tell, with_columns


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
def where_to(point, code, entries, who, found, here, there):
    """Find out where some streams will be after the instant; NaN for nowhere."""
    for at in range(found):
        mine = entries[who[at]]
        for c in range(here.shape[1]):
            if mine < 0:
                there[at, c] = here[at, c]
            else:
                there[at, c] = point[mine, c] if code[mine] == PRESENT else np.nan


@kernel
def where_from(old_point, entries, first, who, found, here, there):
    """Find out where some streams were before the instant."""
    for at in range(found):
        mine = entries[who[at]]
        for c in range(here.shape[1]):
            there[at, c] = here[at, c] if mine < 0 else old_point[mine - first, c]


@kernel
def differing(
    lonlat, kind, half_x, half_y, limit, focal, q, center, c, other, o, who, here, there, found, adds, entry, rows, out,
    count,
):  # fmt: skip
    """Tell which streams are in a region here, and not in it there, where its center is another."""
    nowhere = np.isnan(other[o, 0])
    for at in range(found):
        i = who[at]
        if i == focal or not inside(lonlat, kind, half_x, half_y, limit, center, c, here, at):
            continue
        if nowhere or np.isnan(there[at, 0]) or not inside(lonlat, kind, half_x, half_y, limit, other, o, there, at):
            count = tell(out, count, q, i, adds, entry, rows[i])
    return count


@kernel
def ask_range(queries, grid, listed, line, at, comes, first, lonlat, scratch, out, count):
    """Ask a query who comes into its region, when all have moved, or who goes, when nobody has moved yet."""
    q, center, other = scratch.asked[at], queries.center, scratch.old_center if comes else scratch.new_center
    if np.isnan(center[q, 0]):
        return count, out
    who, here, there, entries = scratch.found, scratch.found_here, scratch.found_there, scratch.entry
    found = candidates(queries, grid, listed, q, center, q, lonlat, scratch)
    if comes:
        where_from(scratch.old_point, entries, first, who, found, here, there)
    else:
        where_to(line.point, line.code, entries, who, found, here, there)
    out = with_columns(out, count, found)
    count = differing(
        lonlat, queries.kind[q], queries.half[q, 0], queries.half[q, 1], queries.limit[q], queries.focal[q], q, center,
        q, other, at, who, here, there, found, comes, first, scratch.row, out, count,
    )  # fmt: skip
    return count, out


@kernel
def ask_ranges(queries, grid, listed, line, asked, comes, first, lonlat, scratch, out, count):
    """Ask queries about a region one by one."""
    for at in range(asked):
        if queries.kind[scratch.asked[at]] <= DISC:
            count, out = ask_range(queries, grid, listed, line, at, comes, first, lonlat, scratch, out, count)
    return count, out
