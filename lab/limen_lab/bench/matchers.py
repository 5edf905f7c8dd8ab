"""The ways to find what contains a point that `limen bench match` compares, by number of dimensions."""

from collections.abc import Callable

import numpy as np

from limen.arrays import Floats, Slots
from limen.queries.match.construct_index import ConstructIndex
from limen.regions.border_grid import BorderGrid
from limen.regions.boxes import BoxIndex
from limen.regions.pairs import Pairs
from limen.regions.shapes import Shapes
from limen_lab.rivals.cei import CEI
from limen_lab.rivals.ces import CES
from limen_lab.rivals.counting import Counting
from limen_lab.rivals.direct_list import DirectList
from limen_lab.rivals.match_index import MatchIndex
from limen_lab.rivals.rtree import DynamicTree, PackedTree
from limen_lab.rivals.scan import Scan
from limen_lab.rivals.skip_list import IntervalSkipList
from limen_lab.rivals.vci import VCI
from limen_lab.rivals.vcr import VCR


class BorderLookUp:
    """An index of borders, searched for the boxes that contain a point, never for a move."""

    def __init__(self, dimensions: int, index: BoxIndex | BorderGrid) -> None:
        self.dimensions = dimensions
        self.index = index
        self._columns = np.arange(dimensions)

    def __len__(self) -> int:
        return len(self.index)

    def insert(self, boxes: Floats) -> Slots:
        """Add boxes and return their slots."""
        if isinstance(self.index, BorderGrid):
            return self.index.insert(Shapes.boxes(boxes))
        return self.index.insert(boxes)

    def remove(self, slots: Slots) -> None:
        """Take boxes out."""
        self.index.remove(slots)

    def match(self, points: Floats) -> Pairs:
        """Find all pairs (row, slot) with the point in the box."""
        return self.index.containing(np.zeros(points.shape[1], np.int32), points, self._columns)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return int(self.index.nbytes_queries)


def ours(dimensions: int) -> dict[str, Callable[[], MatchIndex]]:
    """Return what `Match` may choose among; another index is one more line here."""
    makers: dict[str, Callable[[], MatchIndex]] = {
        "edge lists": lambda: BorderLookUp(dimensions, BoxIndex(dimensions)),
    }
    if dimensions == 1:
        makers["VCI"] = VCI
    if dimensions == 2:
        makers["border grid"] = lambda: BorderLookUp(2, BorderGrid())
        makers["VCR"] = VCR
    if dimensions > 2:
        makers["constructs along several columns"] = lambda: ConstructIndex(dimensions)
        makers["VCI and counting"] = lambda: Counting(dimensions)
    return makers


def rivals(dimensions: int) -> dict[str, Callable[[], MatchIndex]]:
    """Return what they are measured against."""
    makers: dict[str, Callable[[], MatchIndex]] = {}
    if dimensions == 1:
        makers |= {"CEI": CEI, "direct list": DirectList, "IS-list": IntervalSkipList}
    if dimensions == 2:
        makers["CES"] = CES
    if dimensions <= 2:
        makers["shapely STRtree"] = lambda: PackedTree(dimensions)
    makers["rtree"] = lambda: DynamicTree(dimensions)
    makers["NumPy scan"] = lambda: Scan(dimensions)
    return makers
