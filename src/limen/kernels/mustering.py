"""Queries that are asked at once, drawn up: cell after cell, with all that a sweep has to know of each in one place.

What is known of a query lies elsewhere in no order that a sweep could follow, so it is fetched once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np  # noqa: TC002  # Numba reads fields, and documentation their types
import numpy.typing as npt  # noqa: TC002

from limen.kernels._jit import kernel
from limen.kernels.object_grid import cell_of

IS, WAS = 0, 2  # where the center of a query is, and where it was, in what is known of where


class Muster(NamedTuple):
    """Queries in the order in which they are asked."""

    where: npt.NDArray[np.float64]  # (queries, 8): center, center before, half the width and height, limit; x before y
    who: npt.NDArray[np.int32]  # (queries, 3): query, kind, focal


@kernel
def muster(queries, known, frame, asked, scratch):
    """Give the queries that are asked the new centers that their streams have, and draw them up with the old ones."""
    focals, center, kind, half, limit = queries.focal, queries.center, queries.kind, queries.half, queries.limit
    asked_queries, cells, counts, old_center = scratch.asked, scratch.cells, scratch.counts, scratch.old_center
    where, who = scratch.muster.where, scratch.muster.who
    counts[:] = 0
    for at in range(asked):
        q = asked_queries[at]
        focal = focals[q]
        old_center[at, 0], old_center[at, 1] = center[q, 0], center[q, 1]
        if focal >= 0:
            center[q, 0], center[q, 1] = known[focal, 0], known[focal, 1]
        cells[at] = cell_of(frame, center, q)
        counts[cells[at] + 1] += 1
    for cell in range(counts.size - 1):
        counts[cell + 1] += counts[cell]
    for at in range(asked):
        q = asked_queries[at]
        to = counts[cells[at]]
        counts[cells[at]] += 1
        where[to, 0], where[to, 1] = center[q, 0], center[q, 1]
        where[to, 2], where[to, 3] = old_center[at, 0], old_center[at, 1]
        where[to, 4], where[to, 5], where[to, 6] = half[q, 0], half[q, 1], limit[q]
        who[to, 0], who[to, 1], who[to, 2] = q, kind[q], focals[q]
