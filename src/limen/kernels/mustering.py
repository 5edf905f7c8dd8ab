"""Queries that are asked at once: in which order, and what a sweep has to know of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np  # noqa: TC002  # Numba reads fields, and documentation their types
import numpy.typing as npt  # noqa: TC002

from limen.kernels._jit import kernel
from limen.kernels.object_grid import cell_of

IS, WAS = 0, 2  # where the center of a query is, and where it was, in what is known of where
HOW_MANY, AGE = 0, 1  # what is known of an order
FRESH = 32  # instants for which an order is good enough: by then a stream has come a few cells further


class Muster(NamedTuple):
    """Queries in the order in which they are asked."""

    where: npt.NDArray[np.float64]  # (queries, 8): center, center before, half the width and height, limit; x before y
    who: npt.NDArray[np.int32]  # (queries, 3): query, kind, focal


class Order(NamedTuple):
    """All queries, those near each other after each other, as they were some instants ago."""

    query: npt.NDArray[np.int32]
    state: npt.NDArray[np.int64]  # (2,): how many there are, 0 for none, and for how many instants they have been


@kernel
def in_order(queries, grid, asked, scratch):
    """Sort the queries that are asked by the cells of their centers, so that neighbours are asked after each other."""
    counts, by_cell, asked_queries = scratch.counts, scratch.found_queries, scratch.asked
    frame, center = grid.frame, queries.center
    counts[:] = 0
    cells = scratch.cells
    for at in range(asked):
        cells[at] = cell_of(frame, center, asked_queries[at])
        counts[cells[at] + 1] += 1
    for cell in range(counts.size - 1):
        counts[cell + 1] += counts[cell]
    for at in range(asked):
        by_cell[counts[cells[at]]] = asked_queries[at]
        counts[cells[at]] += 1
    asked_queries[:asked] = by_cell[:asked]


@kernel
def all_in_order(queries, grid, asked, scratch):
    """Sort all queries that there are, or take them in an order that is still good enough."""
    query, state = scratch.order.query, scratch.order.state
    if state[HOW_MANY] == asked and state[AGE] < FRESH:
        scratch.asked[:asked] = query[:asked]
        state[AGE] += 1
        return
    in_order(queries, grid, asked, scratch)
    query[:asked] = scratch.asked[:asked]
    state[HOW_MANY], state[AGE] = asked, 0


@kernel
def muster(queries, known, asked, scratch):
    """Give queries the new centers that their streams have, and lay out what a sweep has to know of each.

    What is known of a query lies elsewhere in no order that a sweep could follow, so it is fetched once, at one go.
    """
    focals, center, kind, half, limit = queries.focal, queries.center, queries.kind, queries.half, queries.limit
    asked_queries, where, who = scratch.asked, scratch.muster.where, scratch.muster.who
    for at in range(asked):
        q = asked_queries[at]
        focal = focals[q]
        where[at, WAS], where[at, WAS + 1] = center[q, 0], center[q, 1]
        if focal >= 0:
            center[q, 0], center[q, 1] = known[focal, 0], known[focal, 1]
        where[at, IS], where[at, IS + 1] = center[q, 0], center[q, 1]
        where[at, 4], where[at, 5], where[at, 6] = half[q, 0], half[q, 1], limit[q]
        who[at, 0], who[at, 1], who[at, 2] = q, kind[q], focal
