"""Where queries around a center are put, so that points find them."""

from __future__ import annotations

import numpy as np

from limen.kernels._jit import kernel
from limen.kernels.around import NEAREST, extent_of, reach_along
from limen.kernels.center_grid import OPEN, level_of, put_in, take_out


@kernel
def place(queries, centers, q, lonlat, scratch):
    """Put a query where points find it; those about some streams only are found by these."""
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
    y = queries.center[q, 1] if queries.center.shape[1] > 1 else 0.0
    put_in(centers, q, level, queries.center[q, 0], y)


@kernel
def settle_places(queries, centers, asked, everyone, lonlat, scratch):
    """Put queries that were asked where points find them now; if that is everyone, not before someone looks."""
    if everyone:
        centers.stale[0] = 1
        return
    for at in range(asked):
        place(queries, centers, scratch.asked[at], lonlat, scratch)


@kernel
def freshen_places(queries, centers, lonlat, scratch):
    """Put all queries where points find them, if that was put off."""
    if centers.stale[0] == 1:
        centers.stale[0] = 0
        for q in range(queries.kind.size):
            if queries.kind[q] >= 0:
                place(queries, centers, q, lonlat, scratch)
