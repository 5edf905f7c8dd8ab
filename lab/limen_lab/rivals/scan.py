"""No index: every box is compared with every point."""

import numpy as np

from limen.arrays import Floats, Slots
from limen.queries.match.checked_input import checked_points
from limen.regions.pairs import Pairs
from limen_lab.rivals.box_slots import BoxSlots

BLOCK = 1 << 18  # comparisons at once: what they need stays in the cache


class Scan:
    """Boxes in any number of dimensions, compared by NumPy, block by block.

    Parameters
    ----------
    dimensions : int

    Examples
    --------
    >>> index = Scan(1)
    >>> slots = index.insert(np.array([[[0.0, 10.0]], [[5.0, 7.5]]]))
    >>> index.match(np.array([[6.0, 7.5]])).arrays()
    (array([0, 0, 1], dtype=int32), array([0, 1, 0], dtype=int32))
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._slots = BoxSlots(dimensions)

    def __len__(self) -> int:
        return len(self._slots)

    def insert(self, boxes: Floats) -> Slots:
        """Add boxes (n, dimensions, 2) and return their slots."""
        return self._slots.allocate(boxes)

    def remove(self, slots: Slots) -> None:
        """Take boxes out."""
        self._slots.release(slots)

    def match(self, points: Floats) -> Pairs:
        """Find all pairs (row, slot) with the point in the box, in the order of rows."""
        points, found = checked_points(points, self.dimensions), Pairs()
        living = self._slots.living()
        bounds = np.ascontiguousarray(self._slots.bounds[living].transpose(1, 2, 0))
        rows = max(BLOCK // max(len(living), 1), 1)
        for first in range(0, points.shape[1], rows):
            inside = np.ones((len(points[0, first : first + rows]), len(living)), np.bool_)
            for (lower, upper), x in zip(bounds, points[:, first : first + rows, None], strict=True):
                inside &= lower <= x
                inside &= x < upper
            # many times faster than on two dimensions
            row, which = np.divmod(np.flatnonzero(inside), max(len(living), 1))
            found.append((row + first).astype(np.int32), living[which])
        return found

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._slots.nbytes
