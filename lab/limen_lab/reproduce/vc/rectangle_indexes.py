"""What vci-vcr §3.5 and §3.6 measure: rectangles of a grid of 60,000 cells, cut into virtual construct rectangles."""

from typing import Literal

import numpy as np

from limen.arrays import Floats, Slots
from limen.queries.match.axis import CellAxis
from limen.queries.match.box_level import BoxLevel
from limen.queries.match.cutting import CuttingPlan
from limen.queries.match.levels import LevelledBoxes

Overlap = Literal["uniform", "90–10"]

SIDES = (300, 200)  # Rx · Ry = 60,000; the paper gives the product only
HOT_QUERIES, HOT_AREA = 0.9, 0.1


def rectangles(n: int, widest: int, overlap: Overlap = "uniform") -> Floats:
    """Draw rectangles (n, 2, 2) along the grid, their sides even from 1 to W, cut off where the region ends."""
    rng = np.random.default_rng((12, n, widest))
    corner = np.floor(_places(rng, n, overlap))
    far = np.minimum(corner + rng.integers(1, widest + 1, (n, 2)), SIDES)
    return np.stack([corner, far], axis=2)


def positions(n: int, overlap: Overlap = "uniform") -> Floats:
    """Draw points (2, n), where corners are drawn."""
    return np.ascontiguousarray(_places(np.random.default_rng((13, n)), n, overlap).T)


def _places(rng: np.random.Generator, n: int, overlap: Overlap) -> Floats:
    """Draw places (n, 2): anywhere, or nine of ten in a tenth of the region, in its middle."""
    sides = np.array(SIDES, np.float64)
    hot = rng.random(n) < (HOT_QUERIES if overlap == "90–10" else 0.0)
    extent = np.where(hot[:, None], sides * HOT_AREA**0.5, sides)
    return (sides - extent) / 2 + rng.random((n, 2)) * extent


class PaperVCR(LevelledBoxes):
    """VCR as in the paper: a cell is an integer, L is given, lists are in the order of ids, no rectangle is put apart.

    Parameters
    ----------
    longest : int
        L.
    """

    def __init__(self, longest: int) -> None:
        super().__init__(2)
        axes = tuple(CellAxis.over((0.0, float(side)), side) for side in SIDES)
        self._plan = CuttingPlan((0, 1), axes, longest)

    def _arrange(self, bounds: Floats, slots: Slots) -> BoxLevel:
        return BoxLevel(bounds, slots, self._plan, by_shape=False)

    @property
    def entries(self) -> int:
        """How many pieces rectangles were cut into."""
        return sum(level.entries for _, level in self.levels if isinstance(level, BoxLevel))


def lists_read(longest: int) -> int:
    """Return how many constructs are over a point: those whose lists hold the answer.

    Examples
    --------
    >>> lists_read(1), lists_read(8)
    (1, 225)
    """
    return (2 * longest - 1) ** 2
