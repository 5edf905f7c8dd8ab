"""The index of match queries: boxes cut into virtual constructs (VCI, VCR; vci-vcr §2 and §3)."""

from limen.arrays import Floats, Slots
from limen.queries.match.box_level import BoxParts
from limen.queries.match.cutting import MOST_AXES
from limen.queries.match.interval_level import arranged
from limen.queries.match.levels import LevelledBoxes, MatchLevel


class ConstructIndex(LevelledBoxes):
    """An index of boxes in any number of dimensions; constructs, cells and domain are chosen by the boxes.

    Boxes of several columns are cut along up to four of the most selective ones together, as the paper cuts them along
    two, and the candidates are compared with the bounds. The work is little more than what these columns find together.

    Examples
    --------
    >>> import numpy as np
    >>> index = ConstructIndex(3)
    >>> index.insert(np.array([[[0.0, 3.0], [0.0, 2.0], [-np.inf, np.inf]]]))
    array([0], dtype=int32)
    >>> index.match(np.array([[2.5, 4.0], [1.5, 0.5], [0.0, 0.0]])).arrays()
    (array([0], dtype=int32), array([0], dtype=int32))
    """

    def _arrange(self, bounds: Floats, slots: Slots) -> MatchLevel:
        if self.dimensions == 1:
            return arranged(bounds, slots)
        return BoxParts(bounds, slots, range(2, min(self.dimensions, MOST_AXES) + 1))
