"""A column's values as cells: an affine map onto a domain, and one cell beyond either end of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limen.arrays import Floats, Ints, Mask
from limen.queries.match.kernels.constructs import cells_of

Domain = tuple[float, float]

FINEST = 1e300  # cells a unit; with more, a difference of nothing times infinity would be no number
LOOKED_AT = 4096  # bounds that a domain is chosen by


@dataclass(frozen=True)
class CellAxis:
    """How values become cells 0 … cells - 1; the first and the last one are all that is outside of the domain.

    Whatever the domain, look-ups are exact: cells decide only how much there is to compare.

    Examples
    --------
    >>> axis = CellAxis.over((10.0, 14.0), 4)
    >>> first, stop, sure = axis.cells_of(np.array([[[11.0, 13.0]], [[11.5, np.inf]]]), 0)
    >>> first, stop, sure
    (array([2, 2]), array([4, 6]), array([[ True,  True], [False,  True]]))
    """

    origin: float
    cells_a_unit: float
    cells: int

    @classmethod
    def over(cls, domain: Domain, cells: int) -> CellAxis:
        """Cut a domain into a number of cells."""
        lo, hi = domain
        half = hi / 2 - lo / 2  # the whole might be more than a number can be
        return cls(lo, min(cells / 2 / half, FINEST) if half > 0 else FINEST, cells + 2)

    def cells_of(self, bounds: Floats, column: int) -> tuple[Ints, Ints, Mask]:
        """Return the cells [first, stop) of boxes (n, dimensions, 2) in a column, and which ends they fill (n, 2)."""
        first, stop = np.empty((2, len(bounds)), np.int64)
        sure = np.empty((len(bounds), 2), np.bool_)
        cells_of(bounds, column, self.origin, self.cells_a_unit, self.cells, first, stop, sure)
        return first, stop, sure


def domain_of(bounds: Floats) -> Domain:
    """Choose a domain for intervals (n, 2): all of their finite ends, but for those that lie far off.

    Few of them must not make all cells large: beyond once the width of the middle 90 % on either side is outside.
    """
    ends = bounds[np.isfinite(bounds)]
    if not len(ends):
        return 0.0, 1.0
    if len(ends) > LOOKED_AT:
        least, most = ends.min(), ends.max()
        ends = np.concatenate([ends[:: len(ends) // LOOKED_AT + 1], [least, most]])
    ends = np.sort(ends)
    lower, upper = ends[len(ends) // 20], ends[-1 - len(ends) // 20]
    with np.errstate(over="ignore"):
        beyond = upper - lower
        lo, hi = max(ends[0], lower - beyond), min(ends[-1], upper + beyond)
    return float(lo), float(hi)
