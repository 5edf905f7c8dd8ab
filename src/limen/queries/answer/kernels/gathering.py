"""Gather the queries of a sweep: sort them by cell, and lay out the fields that a sweep reads."""

from typing import NamedTuple

import numpy as np  # Numba reads fields, and documentation their types
import numpy.typing as npt

from limen.kernels._jit import inner_kernel
from limen.kernels.by_reference import by_reference
from limen.queries.answer.kernels.object_grid import cell_of

IS, WAS = 0, 2  # where the center of a query is, and where it was, in what is known of where
HOW_MANY, AGE = 0, 1  # what is known of an order
FRESH = 32  # instants for which an order is good enough: by then a stream has come a few cells further


@by_reference
class QueryBatch(NamedTuple):
    """Queries in the order in which a sweep evaluates them."""

    where: npt.NDArray[np.float64]  # (queries, 8): center, center before, half the width and height, limit; x before y
    slots_at: npt.NDArray[np.int32]  # (queries, 3): query, kind, focal


@by_reference
class Order(NamedTuple):
    """All queries, sorted by cell as of an earlier instant."""

    query: npt.NDArray[np.int32]
    state: npt.NDArray[np.int64]  # (2,): how many there are, 0 for none, and for how many instants they have been


@inner_kernel
def in_order(queries, grid, affected, scratch):
    """Sort the affected queries by the cells of their centers, so that neighbours are evaluated consecutively."""
    counts, by_cell, affected_queries = scratch.counts, scratch.found_queries, scratch.affected
    frame, center = grid.frame, queries.center
    counts[:] = 0
    cells = scratch.cells
    for at in range(affected):
        cells[at] = cell_of(frame, center, affected_queries[at])
        counts[cells[at] + 1] += 1
    for cell in range(counts.size - 1):
        counts[cell + 1] += counts[cell]
    for at in range(affected):
        by_cell[counts[cells[at]]] = affected_queries[at]
        counts[cells[at]] += 1
    for at in range(affected):
        affected_queries[at] = by_cell[at]


@inner_kernel
def all_in_order(queries, grid, affected, scratch):
    """Sort all queries by cell, or reuse an earlier order that is still good enough."""
    query, state = scratch.order.query, scratch.order.state
    if state[HOW_MANY] == affected and state[AGE] < FRESH:
        for at in range(affected):
            scratch.affected[at] = query[at]
        state[AGE] += 1
        return
    in_order(queries, grid, affected, scratch)
    for at in range(affected):
        query[at] = scratch.affected[at]
    state[HOW_MANY], state[AGE] = affected, 0


@inner_kernel
def gather(queries, known, affected, scratch):
    """Update the centers of queries from their focal streams, and lay out the fields that a sweep reads.

    The records of queries are not in the order of a sweep, so their fields are gathered once.
    """
    focals, center, kind, half, limit = queries.focal, queries.center, queries.kind, queries.half, queries.limit
    affected_queries, where, slots_at = scratch.affected, scratch.query_batch.where, scratch.query_batch.slots_at
    for at in range(affected):
        q = affected_queries[at]
        focal = focals[q]
        where[at, WAS], where[at, WAS + 1] = center[q, 0], center[q, 1]
        if focal >= 0:
            center[q, 0], center[q, 1] = known[focal, 0], known[focal, 1]
        where[at, IS], where[at, IS + 1] = center[q, 0], center[q, 1]
        where[at, 4], where[at, 5], where[at, 6] = half[q, 0], half[q, 1], limit[q]
        slots_at[at, 0], slots_at[at, 1], slots_at[at, 2] = q, kind[q], focal
