"""Columns of the queries of a shared buffer."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from limen.arrays import Codes, Floats, Ints, Slots


@dataclass(frozen=True, slots=True)
class BufferedQueries:
    """Queries of a shared buffer, as columns.

    Attributes
    ----------
    kind : int8 array
        BOX, DISC or NEAREST (`answer.kernels.around`), FIXED or SHAPE (`budget.kernels.arrays`).
    focal : int32 array
        The stream that a query moves with; -1 for one that stays where it is.
    center : float array (n, dimensions)
        Of discs and nearest that stay.
    half : float array (n, 2)
        Half the width and half the height of boxes that move.
    limit : float array
        Of discs: the square of the radius, or the radius in metres.
    wanted : int64 array
        Of nearest: how many.
    bounds : float array (n, dimensions, 2)
        Of regions that stay, discs aside.
    edges, edge_counts : float array (m, 4), int64 array
        Of shapes: see `limen.regions.shapes`.
    margin : float array
        How far the cache area reaches beyond the region.
    least : float array
        The accuracy, in percent, that shedding must leave; 0 for any.
    listed, counts : int32 array, int64 array
        The streams that queries are about, one query's after another's, and how many each has; -1 for all streams.
    """

    kind: Codes
    focal: Slots
    center: Floats
    half: Floats
    limit: Floats
    wanted: Ints
    bounds: Floats
    edges: Floats
    edge_counts: Ints
    margin: Floats
    least: Floats
    listed: Slots
    counts: Ints

    def __len__(self) -> int:
        return len(self.kind)


#: What each column is made of, and the shape of a row by the number of dimensions.
COLUMNS: dict[str, tuple[npt.DTypeLike, tuple[int, ...]]] = {
    "kind": (np.int8, ()),
    "focal": (np.int32, ()),
    "center": (np.float64, (-1,)),
    "half": (np.float64, (2,)),
    "limit": (np.float64, ()),
    "wanted": (np.int64, ()),
    "bounds": (np.float64, (-1, 2)),
    "edges": (np.float64, (4,)),
    "edge_counts": (np.int64, ()),
    "margin": (np.float64, ()),
    "least": (np.float64, ()),
    "listed": (np.int32, ()),
    "counts": (np.int64, ()),
}
