"""What a border grid is measured against: look up where streams are now, and compare with what was remembered.

Vectorised, with shapely's tree of bounding boxes; see `limen_lab.bench.geofence`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import shapely

from limen.arrays import Floats, Ints
from limen_lab.bench.record import seconds

BITS = 32  # of a query in a pair


class Stabbing:
    """Polygons, or boxes, in a tree.

    Parameters
    ----------
    geometries : array of shapely's
    """

    def __init__(self, geometries: npt.NDArray[np.object_]) -> None:
        self.geometries = geometries
        self.tree = shapely.STRtree(geometries)
        shapely.prepare(self.geometries)

    @classmethod
    def boxes(cls, bounds: Floats) -> Stabbing:
        """Take boxes (n, 2, 2)."""
        return cls(shapely.box(bounds[:, 0, 0], bounds[:, 1, 0], bounds[:, 0, 1], bounds[:, 1, 1]))

    @classmethod
    def polygons(cls, rings: Sequence[Sequence[Floats]]) -> Stabbing:
        """Take polygons as rings, shells and holes alike."""
        made = [shapely.symmetric_difference_all([shapely.Polygon(ring) for ring in each]) for each in rings]
        return cls(np.array(made, object))

    def by_boxes(self, at: Floats) -> Ints:
        """Find pairs of a point and a bounding box that it is in, as (point << BITS | query)."""
        pairs: Ints = self.tree.query(shapely.points(at.T))
        found: Ints = pairs[0] << BITS | pairs[1]
        return found

    def by_boxes_then_containment(self, at: Floats) -> Ints:
        """Find pairs of a point and a polygon that it is in: those of the boxes, tested."""
        point, query = self.tree.query(shapely.points(at.T))
        inside = shapely.contains_xy(self.geometries[query], at[0, point], at[1, point])
        found: Ints = point[inside] << BITS | query[inside]
        return found

    def by_predicate(self, at: Floats) -> Ints:
        """Find the same, leaving all to the tree."""
        pairs: Ints = self.tree.query(shapely.points(at.T), predicate="intersects")
        found: Ints = pairs[0] << BITS | pairs[1]
        return found


def through_stabbing(look_up: Callable[[Floats], Ints], path: Sequence[Floats]) -> tuple[float, int]:
    """Return the seconds an update takes, and the number of events, with the previous answer remembered."""
    remembered = look_up(path[1])
    events = 0

    def run() -> None:
        nonlocal remembered, events
        for at in path[2:]:
            now = look_up(at)
            events += len(np.setdiff1d(now, remembered, assume_unique=True))
            events += len(np.setdiff1d(remembered, now, assume_unique=True))
            remembered = now

    taken = seconds(run)
    return taken / (path[0].shape[1] * (len(path) - 2)), events
