"""VCR: boxes of two columns, cut into virtual construct rectangles (vci-vcr §3)."""

from typing import Literal

from limen.arrays import Floats, Slots
from limen.errors import InvalidInput
from limen.queries.match.axis import Domain
from limen.queries.match.box_level import BoxParts
from limen.queries.match.constructs import logarithmic
from limen.queries.match.levels import LevelledBoxes
from limen_lab.rivals.construct_settings import checked_domain, checked_sizes


class VCR(LevelledBoxes):
    """An index of rectangles.

    Bounds are rounded outwards to cells; what the lists of the covering rectangles hold is compared with the bounds.

    With overlapped decomposition a cell may be covered by two pieces, or four, of one rectangle. It must answer once:
    along each axis, only the last piece is moved back, over cells that belong to the one before. An entry of a piece
    that was moved is heard only from the first cell on that no other piece covers.

    Parameters
    ----------
    decomposition : {"simple", "overlapped"}
        Into strips and these into the longest pieces that fit; or into pieces of one size, the last of which may
        overlap those before, which makes fewer pieces and comparisons that take longer.
    lists : {"by shape", "by id"}
        How lists are stored. Shape after shape, rectangles of one shape over a cell that begin side by side are read in
        one run; in the order of ids as in the paper, only those that begin at one point.
    longest : int, optional
        L, in cells; chosen by the rectangles when not given.
    cells : (int, int), optional
        Into how many cells the domain is cut along x and y; chosen when not given. Rectangles that are very much larger
        than cells get larger ones.
    domain : ((float, float), (float, float)), optional
        Where cells are; when not given, where the rectangles are, and it grows with them. What is outside of it is
        found as well, more slowly.

    Examples
    --------
    >>> import numpy as np
    >>> index = VCR()
    >>> index.insert(np.array([[[0.0, 3.0], [0.0, 2.0]], [[2.0, 5.0], [1.0, np.inf]]]))
    array([0, 1], dtype=int32)
    >>> index.match(np.array([[2.5, 4.0], [1.5, 0.5]])).arrays()
    (array([0, 0], dtype=int32), array([0, 1], dtype=int32))
    """

    def __init__(
        self,
        *,
        decomposition: Literal["simple", "overlapped"] = "simple",
        lists: Literal["by shape", "by id"] = "by shape",
        longest: int | None = None,
        cells: tuple[int, int] | None = None,
        domain: tuple[Domain, Domain] | None = None,
    ) -> None:
        super().__init__(2)
        self._overlapped = decomposition == "overlapped"
        self._by_shape = lists == "by shape"
        self._longest = longest
        self._cells = cells
        if cells is not None and len(cells) != 2:
            raise InvalidInput(where="cells", expected="two numbers", got=cells)
        if domain is not None and len(domain) != 2:
            raise InvalidInput(where="domain", expected="two pairs of numbers", got=domain)
        self._domains = None if domain is None else [checked_domain(each) for each in domain]
        checked_sizes(longest, cells)
        if longest is not None:
            logarithmic(longest)

    def _arrange(self, bounds: Floats, slots: Slots) -> BoxParts:
        return BoxParts(
            bounds, slots, range(2, 3), domains=self._domains, cells=self._cells, longest=self._longest,
            overlapped=self._overlapped, by_shape=self._by_shape,
        )  # fmt: skip
