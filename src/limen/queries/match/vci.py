"""Intervals of one column, cut into virtual construct intervals (VCI; vci-vcr §2)."""

from limen.arrays import Floats, Slots
from limen.queries.match.interval_level import IntervalLevel, arranged
from limen.queries.match.levels import LevelledBoxes


class VCI(LevelledBoxes):
    """An index of intervals; L, cells and domain are chosen by the intervals.

    Examples
    --------
    >>> import numpy as np
    >>> index = VCI()
    >>> index.insert(np.array([[[1.0, 3.0]], [[2.0, np.inf]]]))
    array([0, 1], dtype=int32)
    >>> index.match(np.array([[0.5, 2.0, 3.0]])).arrays()
    (array([1, 1, 2], dtype=int32), array([0, 1, 1], dtype=int32))
    """

    def __init__(self) -> None:
        super().__init__(1)

    def _arrange(self, bounds: Floats, slots: Slots) -> IntervalLevel:
        return arranged(bounds, slots)
