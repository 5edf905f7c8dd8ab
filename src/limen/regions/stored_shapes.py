"""Shapes as an index level stores them: 37 bytes a box, and what circles and polygons need besides."""

from typing import Any

import numpy as np
import numpy.typing as npt

from limen.arrays import Array, Floats, Ints
from limen.regions.kernels.outlines import OUTLINE, list_strips
from limen.regions.outline_edges import with_horizontal_edges
from limen.regions.shapes import BOX, CIRCLE, POLYGON, Shapes

EDGES_A_STRIP = 2  # of a simple outline; more strips cost memory, fewer cost time
LISTED_AT_MOST = 4  # strips that edges are listed in, on average


class StoredShapes:
    """Shapes in rows, arranged for `limen.regions.kernels.shapes`.

    Parameters
    ----------
    shapes : Shapes
        What to store, in the order of the rows.
    lonlat : bool
        Whether coordinates are degrees, and radiuses metres.
    """

    def __init__(self, shapes: Shapes, *, lonlat: bool) -> None:
        self.lonlat = lonlat
        self.box: Floats = shapes.bounds.reshape(-1, 4).copy()
        self.part = np.zeros(len(shapes), np.int32)
        round_ones, polygons = np.flatnonzero(shapes.kind == CIRCLE), np.flatnonzero(shapes.kind == POLYGON)
        self.part[round_ones] = 1 + np.arange(len(round_ones))
        self.part[polygons] = ~np.arange(len(polygons))
        self.circle: Floats = np.column_stack([shapes.center[round_ones], shapes.radius[round_ones]])
        if lonlat:
            # Circles are closed, and a pole is a bound of theirs; our bounds are half-open.
            self.box[round_ones, 1::2] = np.nextafter(self.box[round_ones, 1::2], np.inf)
        else:
            # The rule for circles is rounded, and so are bounds: a little to spare keeps all their points within.
            middle, radius = self.circle[:, :2], self.circle[:, 2:]
            spare = radius * (1 + 1e-9) + np.abs(middle) * 1e-15
            self.box[round_ones, ::2], self.box[round_ones, 1::2] = middle - spare, middle + spare
        self.edge, counts = with_horizontal_edges(shapes.edges, shapes.edge_counts[polygons])
        self.outline = _outlines(self.edge, counts, self.box[polygons])
        strips = int(self.outline["strips"].sum())
        self.strip_start = np.zeros(strips + 1, np.int64)
        self.strip_edge = np.empty(0, np.int32)
        if strips:
            listed = list_strips(self.outline, self.edge, self.strip_start, self.strip_edge)
            self.strip_edge = np.empty(listed, np.int32)
            list_strips(self.outline, self.edge, self.strip_start, self.strip_edge)

    def __len__(self) -> int:
        return len(self.part)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What `limen.regions.kernels.shapes` takes behind the row."""
        return (
            self.lonlat, self.box, self.part, self.circle, self.outline, self.edge, self.strip_start, self.strip_edge,
        )  # fmt: skip

    def shapes(self, rows: npt.NDArray[np.integer]) -> Shapes:
        """Return some rows as shapes again."""
        part = self.part[rows]
        kind = np.where(part == 0, BOX, np.where(part > 0, CIRCLE, POLYGON)).astype(np.int8)
        center, radius = np.zeros((len(rows), 2)), np.zeros(len(rows))
        center[part > 0] = self.circle[part[part > 0] - 1, :2]
        radius[part > 0] = self.circle[part[part > 0] - 1, 2]
        which = self.outline[~part[part < 0]]
        counts = np.zeros(len(rows), np.int64)
        counts[part < 0] = which["count"]
        start = np.cumsum(which["count"]) - which["count"]
        place = np.arange(int(counts.sum())) + np.repeat(which["first"] - start, which["count"])
        return Shapes(kind, self.box[rows].reshape(-1, 2, 2), center, radius, self.edge[place], counts)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(array.nbytes for array in self.arrays[1:])


def _outlines(edge: Floats, counts: Ints, bounds: Floats) -> Array:
    outline = np.zeros(len(counts), OUTLINE)
    outline["count"] = counts
    outline["first"] = np.cumsum(counts) - counts
    bottom, height = bounds[:, 2], bounds[:, 3] - bounds[:, 2]
    rise = np.bincount(np.repeat(np.arange(len(counts)), counts), edge[:, 3] - edge[:, 1], minlength=len(counts))
    # An edge as high as all of the outline is listed in every strip; where many are, strips must be few.
    fitting = counts * (LISTED_AT_MOST - 1) * np.divide(height, rise, out=np.ones_like(height), where=rise > 0)
    outline["strips"] = np.maximum(np.minimum(counts // EDGES_A_STRIP, fitting), 1).astype(np.int64)
    outline["first_strip"] = np.cumsum(outline["strips"]) - outline["strips"]
    outline["bottom"] = bottom
    with np.errstate(over="ignore"):
        a_unit = np.divide(outline["strips"], height, out=np.zeros_like(height), where=height > 0)
    outline["strips_a_unit"] = np.where(np.isfinite(a_unit), a_unit, 0.0)
    return outline
