"""What every index for matching offers, whatever it is made of."""

from typing import Protocol

from limen.arrays import Floats, Slots
from limen.regions.pairs import Pairs


class MatchIndex(Protocol):
    """Boxes by slot, looked up by points."""

    dimensions: int

    def __len__(self) -> int:
        """Return how many boxes there are."""

    def insert(self, boxes: Floats) -> Slots:
        """Add boxes and return their slots; on an empty index this is the bulk build.

        Parameters
        ----------
        boxes : float array (n, dimensions, 2)
            Half-open bounds, lo <= x < hi; they may be infinite. A box whose lo is not below its hi contains nothing.
        """

    def remove(self, slots: Slots) -> None:
        """Take boxes out."""

    def match(self, points: Floats) -> Pairs:
        """Find all pairs (row, slot) with the point in the box, each once, in any order.

        Parameters
        ----------
        points : float array (dimensions, n)
            A point with a NaN is in no box.
        """

    @property
    def nbytes(self) -> int:
        """Bytes held."""
