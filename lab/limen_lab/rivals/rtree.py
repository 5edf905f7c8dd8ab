"""R-trees of two well-kept libraries: shapely's, which is packed once, and libspatialindex's, which can be changed.

Both find bounding boxes that touch a point, borders included, so what they find is compared once more.
"""

import numpy as np
import shapely
from rtree.index import Index, Property

from limen.arrays import Floats, Ints, Mask, Slots
from limen.queries.match.checked_input import checked_points
from limen.regions.pairs import Pairs
from limen_lab.rivals.box_slots import BoxSlots

FAR = 1e30  # stands for whatever is further away, so that the volume of a box is a number; the last test is exact
SEVERAL = 1 << 16  # rows looked up at once
STRTREE_BYTES = 490  # a box, measured with 300,000: 410 for shapely's objects and 80 in the tree
RTREE_BYTES = 60  # a box, and …
RTREE_BYTES_A_DIMENSION = 54  # … this for each dimension, measured alike


class PackedTree:
    """Shapely's STR-tree of boxes in one or two dimensions, packed anew after each change.

    Parameters
    ----------
    dimensions : int
        1 or 2. A line is a plane whose second coordinate is always 0.
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._slots = BoxSlots(dimensions)
        self._tree: shapely.STRtree | None = None
        self._listed: Slots = np.empty(0, np.int32)  # the slot of each box in the tree

    def __len__(self) -> int:
        return len(self._slots)

    def insert(self, boxes: Floats) -> Slots:
        """Add boxes (n, dimensions, 2) and return their slots."""
        self._tree = None
        return self._slots.allocate(boxes)

    def remove(self, slots: Slots) -> None:
        """Take boxes out."""
        self._slots.release(slots)
        self._tree = None

    def match(self, points: Floats) -> Pairs:
        """Find all pairs (row, slot) with the point in the box, in the order of rows."""
        points, found = checked_points(points, self.dimensions), Pairs()
        if self._tree is None:
            self._tree = self._packed()
        for first in range(0, points.shape[1], SEVERAL):
            part = points[:, first : first + SEVERAL]
            known = np.flatnonzero(~np.isnan(part).any(axis=0))
            x = np.clip(part[:, known], -FAR, FAR)
            row, which = self._tree.query(shapely.points(x[0], x[-1] if self.dimensions > 1 else 0.0))
            _add_confirmed(found, self._slots, part, known[row], self._listed[which], first)
        return found

    def _packed(self) -> shapely.STRtree:
        living = self._slots.living()
        self._listed = living[_not_empty(self._slots.bounds[living])]
        lower, upper = np.clip(self._slots.bounds[self._listed], -FAR, FAR).transpose(2, 1, 0)
        y = (lower[1], upper[1]) if self.dimensions > 1 else (0.0, 0.0)
        return shapely.STRtree(shapely.box(lower[0], y[0], upper[0], y[1]))

    @property
    def nbytes(self) -> int:
        """Bytes held, by what a box was measured to take."""
        return self._slots.nbytes + self._listed.nbytes + STRTREE_BYTES * len(self._listed)


class DynamicTree:
    """The R*-tree of libspatialindex, of boxes in any number of dimensions.

    Parameters
    ----------
    dimensions : int
        The library needs two: a line is a plane whose second coordinate is always 0.
    capacity : int
        Of a node. 16 was fastest for points by far: half the time of the library's 100.
    """

    def __init__(self, dimensions: int, *, capacity: int = 16) -> None:
        self.dimensions = dimensions
        self.capacity = capacity
        self._slots = BoxSlots(dimensions)
        self._tree = Index(properties=self._properties())

    def __len__(self) -> int:
        return len(self._slots)

    def insert(self, boxes: Floats) -> Slots:
        """Add boxes (n, dimensions, 2) and return their slots; more than there are already make a new tree, in bulk."""
        several = len(boxes) > len(self)
        slots = self._slots.allocate(boxes)
        if several:
            living, corners = self._corners(self._slots.living())
            if len(living):
                lower, upper = np.split(corners, 2, axis=1)
                arrays = living.astype(np.int64), np.ascontiguousarray(lower), np.ascontiguousarray(upper)
                self._tree = Index(arrays, properties=self._properties())
            return slots
        for slot, corner in zip(*self._corners(slots), strict=True):
            self._tree.insert(int(slot), corner)
        return slots

    def remove(self, slots: Slots) -> None:
        """Take boxes out."""
        self._slots.release(slots)
        for slot, corner in zip(*self._corners(slots), strict=True):
            self._tree.delete(int(slot), corner)

    def match(self, points: Floats) -> Pairs:
        """Find all pairs (row, slot) with the point in the box, in the order of rows."""
        points, found = checked_points(points, self.dimensions), Pairs()
        for first in range(0, points.shape[1], SEVERAL):
            part = points[:, first : first + SEVERAL]
            known = np.flatnonzero(~np.isnan(part).any(axis=0))
            x = np.zeros((len(known), max(self.dimensions, 2)))
            x[:, : self.dimensions] = np.clip(part[:, known], -FAR, FAR).T
            slot, counts = self._tree.intersection_v(x, x)  # type: ignore[no-untyped-call]
            row = np.repeat(known, counts.astype(np.int64))
            _add_confirmed(found, self._slots, part, row, slot.astype(np.int32), first)
        return found

    def _corners(self, slots: Slots) -> tuple[Slots, Floats]:
        """Return those that contain anything, and their corners as the library takes them."""
        bounds = self._slots.bounds[slots]
        there = _not_empty(bounds)
        corners = np.zeros((int(there.sum()), 2, max(self.dimensions, 2)))
        corners[:, :, : self.dimensions] = np.clip(bounds[there], -FAR, FAR).transpose(0, 2, 1)
        return slots[there], corners.reshape(len(corners), 2 * corners.shape[2])

    def _properties(self) -> Property:
        return Property(
            dimension=max(self.dimensions, 2),
            leaf_capacity=self.capacity,
            index_capacity=self.capacity,
            near_minimum_overlap_factor=self.capacity - 1,  # must be below the capacity
        )

    @property
    def nbytes(self) -> int:
        """Bytes held, by what a box was measured to take."""
        each = RTREE_BYTES + RTREE_BYTES_A_DIMENSION * max(self.dimensions, 2)
        return self._slots.nbytes + each * len(self)


def _not_empty(bounds: Floats) -> Mask:
    there: Mask = np.all(bounds[:, :, 0] < bounds[:, :, 1], axis=1)
    return there


def _add_confirmed(found: Pairs, slots: BoxSlots, points: Floats, row: Ints, slot: Slots, first: int) -> None:
    """Keep the pairs whose point is in the half-open box."""
    at, bounds = points[:, row].T, slots.bounds[slot]
    inside = ((bounds[:, :, 0] <= at) & (at < bounds[:, :, 1])).all(axis=1)
    found.append((row[inside] + first).astype(np.int32), slot[inside])
