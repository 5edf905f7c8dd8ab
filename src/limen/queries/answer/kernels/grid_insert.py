"""Insert queries into the grid of centers, and remove them."""

import numpy as np

from limen.kernels._jit import inner_kernel, kernel
from limen.queries.answer.kernels.around import NEAREST, extent_of, reach_along
from limen.queries.answer.kernels.center_grid import OPEN, level_of, put_in, take_out


@inner_kernel
def place(queries, centers, q, lonlat, scratch):
    """Insert a query into the grid of centers; a query about listed streams is found by those instead."""
    if queries.listed_count[q] >= 0:
        return
    if np.isnan(queries.center[q, 0]):
        take_out(centers, q)
        return
    if queries.kind[q] == NEAREST and queries.member_count[q] < queries.wanted[q]:
        put_in(centers, q, OPEN, 0.0, 0.0)
        return
    extent_of(lonlat, queries, q, queries.center, q, scratch.extent)
    level = level_of(reach_along(scratch.extent, queries.center, q), lonlat)
    put_in(centers, q, level, queries.center[q, 0], queries.center[q, 1])


@inner_kernel
def update_places(queries, centers, affected, all_affected, lonlat, scratch):
    """Reinsert the affected queries into the grid; if all are affected, defer it until the next look-up."""
    if all_affected:
        centers.stale[0] = 1
        return
    for at in range(affected):
        place(queries, centers, scratch.affected[at], lonlat, scratch)


@inner_kernel
def freshen_places(queries, centers, lonlat, scratch):
    """Reinsert all queries into the grid, if that was deferred."""
    if centers.stale[0] == 1:
        centers.stale[0] = 0
        for q in range(queries.kind.size):
            if queries.kind[q] >= 0:
                place(queries, centers, q, lonlat, scratch)


@kernel
def take_back(centers, some):
    """Remove queries from the grid of centers."""
    for q in some:
        take_out(centers, q)


@kernel
def put_back(centers, some, levels, center):
    """Insert queries into a resized grid of centers, except queries without a known center."""
    for at in range(some.size):
        q = some[at]
        if not np.isnan(center[q, 0]):
            put_in(centers, q, levels[at], center[q, 0], center[q, 1])
