"""Boxes of two and more columns, cut into virtual constructs along the most selective ones (VCR; vci-vcr §3)."""

from limen.arrays import Floats, Slots
from limen.errors import InvalidInput
from limen.queries.match.box_level import BoxParts
from limen.queries.match.cutting import MOST_AXES
from limen.queries.match.levels import LevelledBoxes, MatchLevel


class ManyColumns(LevelledBoxes):
    """An index of boxes in two or more dimensions.

    Boxes are cut along up to four of the most selective columns together, as the paper cuts them along two, and the
    candidates are compared with the bounds. The work is little more than what all these columns find together.

    Parameters
    ----------
    dimensions : int

    Examples
    --------
    >>> import numpy as np
    >>> index = ManyColumns(3)
    >>> index.insert(np.array([[[0.0, 3.0], [0.0, 2.0], [-np.inf, np.inf]]]))
    array([0], dtype=int32)
    >>> index.match(np.array([[2.5, 4.0], [1.5, 0.5], [0.0, 0.0]])).arrays()
    (array([0], dtype=int32), array([0], dtype=int32))
    """

    def __init__(self, dimensions: int) -> None:
        if dimensions < 2:
            raise InvalidInput(
                where="dimensions", expected="two or more", got=dimensions, hint="use VCI for one column"
            )
        super().__init__(dimensions)

    def _arrange(self, bounds: Floats, slots: Slots) -> MatchLevel:
        return BoxParts(bounds, slots, range(2, min(self.dimensions, MOST_AXES) + 1))
