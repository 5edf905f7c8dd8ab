"""Columns of the queries of a shared buffer."""

from dataclasses import dataclass

import numpy as np

from limen.arrays import Floats, Ints
from limen.queries.answer import centered_queries
from limen.queries.answer.centered_queries import Centered


@dataclass(frozen=True, slots=True)
class BufferedQueries(Centered):
    """Queries of a shared buffer, as columns; a kind may also be FIXED or SHAPE of `budget.kernels.arrays`.

    Attributes
    ----------
    bounds : float array (n, dimensions, 2)
        Of regions that stay, discs aside.
    edges, edge_counts : float array (m, 4), int64 array
        Of shapes: see `limen.regions.shapes`.
    margin : float array
        How far the cache area reaches beyond the region.
    least : float array
        The accuracy, in percent, that shedding must leave; 0 for any.
    """

    bounds: Floats
    edges: Floats
    edge_counts: Ints
    margin: Floats
    least: Floats


#: As `centered_queries.COLUMNS`.
COLUMNS = centered_queries.COLUMNS | {
    "bounds": (np.float64, (-1, 2)),
    "edges": (np.float64, (4,)),
    "edge_counts": (np.int64, ()),
    "margin": (np.float64, ()),
    "least": (np.float64, ()),
}
