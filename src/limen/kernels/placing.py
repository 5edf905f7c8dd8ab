"""Where queries around a center are put, so that points find them, and the streams they move with."""

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
    put_in(centers, q, level, queries.center[q, 0], queries.center[q, 1])


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


@kernel
def put_back(centers, some, levels, center):
    """Put queries into a grid of centers that has become another; one whose center is not known waits for it."""
    for at in range(some.size):
        q = some[at]
        if not np.isnan(center[q, 0]):
            put_in(centers, q, levels[at], center[q, 0], center[q, 1])


@kernel
def link(queries, around, some):
    """Note of queries that they move with their focal streams; `around` has of each stream the first such query."""
    for at in range(some.size):
        q = some[at]
        focal = queries.focal[q]
        queries.next_around[q] = around[focal]
        around[focal] = q


@kernel
def unlink(queries, around, centers, some):
    """Take queries out of the grid of centers, and from the streams they move with."""
    for at in range(some.size):
        q = some[at]
        take_out(centers, q)
        focal = queries.focal[q]
        if focal < 0:
            continue
        if around[focal] == q:
            around[focal] = queries.next_around[q]
            continue
        before = around[focal]
        while queries.next_around[before] != q:
            before = queries.next_around[before]
        queries.next_around[before] = queries.next_around[q]
