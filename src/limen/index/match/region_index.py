"""Boxes of match queries, in the index for matching that is the fastest for what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limen.index.match.counting import Counting
from limen.index.match.vci import VCI
from limen.index.match.vcr import VCR
from limen.index.owners import Owners

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from limen.index.contract import Floats, Ints, Slots
    from limen.index.match.levels import LevelledIndex
    from limen.index.pairs import Pairs


class MatchBoxes:
    """An index of half-open boxes that is asked which of them contain points; see `limen.index.contract.RegionIndex`.

    Parameters
    ----------
    dimensions : int
    """

    bound = False

    def __init__(self, dimensions: int) -> None:
        self.owners = Owners()  # of nobody
        self._index: LevelledIndex = (
            VCI() if dimensions == 1 else VCR() if dimensions == 2 else Counting(dimensions)
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self._index)

    @property
    def alive(self) -> npt.NDArray[np.bool_]:
        """Which slots are taken."""
        return self._index.slots.alive

    def insert(self, boxes: Floats, owners: Slots | None = None, owner_counts: Ints | None = None) -> Slots:  # noqa: ARG002
        """Add boxes (m, dimensions, 2) and return their slots."""
        return self._index.insert(boxes)

    def remove(self, slots: Slots) -> None:
        """Take boxes out."""
        self._index.remove(slots)

    def regions(self, slots: Slots) -> Floats:
        """Return boxes as they are inserted."""
        return self._index.slots.bounds[slots]

    def renumber_owners(self, number: Slots) -> None:
        """Follow a renumbering of the streams: no box is about some of them."""

    def containing(self, slot: Slots, points: Floats, columns: Ints) -> Pairs:  # noqa: ARG002
        """Find all pairs (row, slot) with the row's point inside the box; rows with a NaN are in none."""
        return self._index.match(points[columns])

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return self._index.nbytes

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams: none do."""
        return 0
