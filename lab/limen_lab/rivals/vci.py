"""VCI: intervals of one column, cut into virtual construct intervals (vci-vcr §2)."""

from typing import Literal

from limen.arrays import Floats, Slots
from limen.queries.match.axis import Domain
from limen.queries.match.constructs import logarithmic, simple
from limen.queries.match.interval_level import IntervalLevel, arranged
from limen.queries.match.levels import LevelledBoxes
from limen_lab.rivals.construct_settings import checked_domain, checked_sizes


class VCI(LevelledBoxes):
    """An index of intervals.

    The best of the paper's variants, LCI-BV(DT), should be `VCI(lists="by id")`. "BV" is not explained there. The
    abstract of the work that it cites (Wu, Chen, Yu and Mei, RC23063) begins with a bitmap of activated constructs for
    each value and ends with "bitmap virtualization", which has no bitmap; we take BV for that. Then ids of covering
    constructs come from the one difference table (DT), and a list that is empty says so itself. The default differs in
    how lists are stored, shape after shape, so that the 2 L - 1 lists over a value are log2(L) + 1 runs.

    Parameters
    ----------
    constructs : {"logarithmic", "simple"}
        LCI, whose constructs have lengths 1, 2, 4, … L, or SCI, with all lengths up to L.
    lists : {"by shape", "by id"}
        How lists are stored.
    longest : int, optional
        L, in cells; chosen by the intervals when not given, so that they are cut into few pieces.
    cells : int, optional
        Into how many cells the domain is cut. When not given it is a quarter of the number of intervals, or more when
        these are few: then a cell has few ends of intervals, with which values are compared, and tables are small.
    domain : (float, float), optional
        Where cells are; when not given, where the intervals are, and it grows with them. Intervals and values outside
        of it are found as well, more slowly.

    Examples
    --------
    >>> import numpy as np
    >>> index = VCI()
    >>> index.insert(np.array([[[1.0, 3.0]], [[2.0, np.inf]]]))
    array([0, 1], dtype=int32)
    >>> index.match(np.array([[0.5, 2.0, 3.0]])).arrays()
    (array([1, 1, 2], dtype=int32), array([0, 1, 1], dtype=int32))
    """

    def __init__(
        self,
        *,
        constructs: Literal["logarithmic", "simple"] = "logarithmic",
        lists: Literal["by shape", "by id"] = "by shape",
        longest: int | None = None,
        cells: int | None = None,
        domain: Domain | None = None,
    ) -> None:
        super().__init__(1)
        self._lengths = logarithmic if constructs == "logarithmic" else simple
        self._by_shape = lists == "by shape"
        self._longest = longest
        self._cells = cells
        self._domain = None if domain is None else checked_domain(domain)
        checked_sizes(longest, None if cells is None else (cells,))
        if longest is not None:
            self._lengths(longest)

    def _arrange(self, bounds: Floats, slots: Slots) -> IntervalLevel:
        return arranged(
            bounds, slots, lengths=self._lengths, by_shape=self._by_shape, longest=self._longest, cells=self._cells,
            domain=self._domain,
        )  # fmt: skip
