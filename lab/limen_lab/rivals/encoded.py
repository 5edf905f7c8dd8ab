"""What CEI, CES and the direct list share: boxes cut into parts of a grid, and a list of boxes for each part."""

from abc import ABC, abstractmethod
from functools import partial

import numpy as np

from limen.arrays import Floats, Ints, Mask, Slots
from limen.queries.match.checked_input import checked_points
from limen.queries.match.pair_chunks import PairChunks
from limen.regions.pairs import Pairs
from limen_lab.rivals.box_slots import BoxSlots
from limen_lab.rivals.lists import SlotLists

FEWEST = 64  # boxes that a grid is chosen for, or more
ROOM = 1 << 16  # pairs


class EncodedIndex(ABC):
    """Boxes in lists by parts of a grid.

    The grid is chosen for the boxes of the first insertion, and chosen again whenever there are twice as many.

    Parameters
    ----------
    dimensions : int
    cells_a_box : float
        How many cells a box of median width has along an axis, unless there would be too many of them.
    k : int
        How often cells are joined, two and two along each axis; a segment has 2^k of them.
    cells_for_each : float
        The most cells there may be, in proportion to the boxes.

    The defaults of the kinds are what was fastest for 100,000 boxes with 10 and with 100 of them around a point: finer
    grids compare less and miss the cache more.
    """

    def __init__(self, dimensions: int, *, cells_a_box: float, k: int, cells_for_each: float) -> None:
        self.dimensions = dimensions
        self.cells_a_box = cells_a_box
        self.k = k
        self.cells_for_each = cells_for_each
        self._slots = BoxSlots(dimensions)
        self._chosen_for = 0  # boxes, when the grid was chosen
        self._origin = np.zeros(dimensions)
        self._cells_a_unit = np.ones(dimensions)
        self._segments = np.ones(dimensions, np.int64)
        self._lists = SlotLists(0)
        self._used = np.zeros(k + 1, np.bool_)  # by level: whether anything is listed there
        self._chunks = PairChunks(ROOM)

    def __len__(self) -> int:
        return len(self._slots)

    def insert(self, boxes: Floats) -> Slots:
        """Add boxes (n, dimensions, 2) and return their slots."""
        slots = self._slots.allocate(boxes)
        if len(self) > 2 * self._chosen_for:
            living = self._slots.living()
            self._used[:] = False
            self._choose_grid(self._slots.bounds[living])
            self._lists = SlotLists.filled(self._list_count(), *self._pieces(living))
        else:
            self._lists.add(*self._pieces(slots))
        return slots

    def remove(self, slots: Slots) -> None:
        """Take boxes out."""
        self._slots.release(slots)
        self._lists.discard(self._pieces(slots)[0], slots, self._slots.used)

    def match(self, points: Floats) -> Pairs:
        """Find all pairs (row, slot) with the point in the box, in the order of rows."""
        points, found = checked_points(points, self.dimensions), Pairs()
        if len(self):
            self._chunks.collect(points.shape[1], partial(self._look_up, points), found)
        return found

    def _choose_grid(self, bounds: Floats) -> None:
        count = max(len(bounds), FEWEST)
        self._chosen_for = count
        most_cells = (self.cells_for_each * count) ** (1 / self.dimensions)
        for axis in range(self.dimensions):
            origin, span, width = _domain(bounds[:, axis])
            cells = min(self.cells_a_box * span / width, most_cells)
            self._segments[axis] = max(int(np.ceil(cells / (1 << self.k))), 1)
            self._origin[axis] = origin
            # never 0 nor infinite: a product with an infinite end would be no number
            self._cells_a_unit[axis] = min(max((int(self._segments[axis]) << self.k) / span, 1e-300), 1e300)

    def _pieces(self, slots: Slots) -> tuple[Slots, Slots]:
        """Return the lists that boxes are in, as pairs (list, slot)."""
        found = Pairs()
        self._chunks.collect(len(slots), partial(self._decompose, slots), found)
        return found.arrays()

    @property
    def _grid(self) -> tuple[Floats, Floats, int, Ints, Mask]:
        """The arguments that describe the grid to a kernel."""
        return self._origin, self._cells_a_unit, self.k, self._segments, self._used

    @abstractmethod
    def _list_count(self) -> int:
        """Return how many lists the grid has."""

    @abstractmethod
    def _decompose(self, slots: Slots, done: int, out_list: Slots, out_slot: Slots) -> tuple[int, int]:
        """Write the pieces of boxes, those done left out; return how many are done then, and how many pieces."""

    @abstractmethod
    def _look_up(self, points: Floats, row: int, out_row: Slots, out_slot: Slots) -> tuple[int, int]:
        """Write the pairs of rows from one on; return the first row not done, and how many pairs."""

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._slots.nbytes + self._lists.nbytes


def _domain(bounds: Floats) -> tuple[float, float, float]:
    """Return where bounds (n, 2) of one axis begin, how far they reach and how wide they are, infinite ends aside."""
    ends = bounds[np.isfinite(bounds)]
    if not len(ends):
        return 0.0, 1.0, 1.0
    low, early, late, high = np.quantile(ends, (0, 0.001, 0.999, 1), method="nearest").tolist()
    with np.errstate(over="ignore"):
        # A few that are far from all others would leave these one cell; they may share the outermost cells instead.
        if late / 4 - early / 4 < (high / 16 - low / 16):
            low, high = early, late
        span = float(np.float64(high) - low)
        widths = bounds[:, 1] - bounds[:, 0]
    widths = widths[np.isfinite(widths) & (widths > 0)]
    width = float(np.quantile(widths, 0.5, method="nearest")) if len(widths) else span
    if not np.isfinite(span) or span <= 0:
        return low, 1.0, 1.0
    return low, span, min(max(width, span * 1e-9), span)
