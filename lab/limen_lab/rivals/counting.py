"""One VCI a column and a count of the columns that match: the paper's way for several columns (vci-vcr §2.1)."""

import numpy as np

from limen.arrays import Floats, Ints, Mask, Slots
from limen.errors import InvalidInput
from limen.queries.match.interval_level import arranged
from limen.queries.match.levels import LevelledBoxes, MatchLevel
from limen.queries.match.pair_chunks import PairChunks
from limen.regions.pairs import Pairs
from limen_lab.rivals.kernels.counting import counted

ROWS = 256  # of which the first phase is done before the second


class CountedLevel:
    """Boxes (n, dimensions, 2) with their slots: one level of a VCI for each column, and how many columns each needs.

    A column in which a box is not bounded at all is not counted. A box that is bounded nowhere needs the first column.
    """

    def __init__(self, bounds: Floats, slots: Slots) -> None:
        bounded = ~((bounds[:, :, 0] == -np.inf) & (bounds[:, :, 1] == np.inf))
        bounded[~bounded.any(axis=1), 0] = True
        self._needed = np.zeros(int(slots.max()) + 1, np.int16)
        self._needed[slots] = bounded.sum(axis=1)
        self._hits = np.zeros_like(self._needed)
        self._columns = [
            arranged(bounds[here, k : k + 1], slots[here]) if here.any() else None for k, here in enumerate(bounded.T)
        ]

    def match(self, points: Floats, alive: Mask, *, any_dead: bool, chunks: PairChunks, found: Pairs) -> None:
        """Find the pairs (row, slot) of living boxes that contain a point."""
        # a column that is not counted cannot exclude a row that is in no box
        points = np.where((points < np.inf).all(axis=0), points, np.nan)
        for first in range(0, points.shape[1], ROWS):
            some = points[:, first : first + ROWS]
            inside = Pairs()
            self._count(*self._look_up(some, alive, any_dead=any_dead, chunks=chunks), chunks, inside)
            for row, slot in inside.chunks():
                found.append(row + np.int32(first), slot)

    def _look_up(self, points: Floats, alive: Mask, *, any_dead: bool, chunks: PairChunks) -> tuple[Ints, Slots]:
        """Do the first phase: return what each column finds for each row, as `counted` takes it."""
        rows = points.shape[1]
        begin, parts, total = np.zeros((len(points), rows + 1), np.int64), [], 0
        for k, level in enumerate(self._columns):
            hits = Pairs()
            if level is not None:
                level.match(points[k : k + 1], alive, any_dead=any_dead, chunks=chunks, found=hits)
            row, slot = hits.arrays()
            begin[k] = total + np.searchsorted(row, np.arange(rows + 1))
            parts.append(slot)
            total += len(slot)
        return begin, np.concatenate(parts)

    def _count(self, begin: Ints, slot: Slots, chunks: PairChunks, inside: Pairs) -> None:
        """Do the second phase."""

        def find(row: int, out_row: Slots, out_slot: Slots) -> tuple[int, int]:
            done: tuple[int, int] = counted(begin, slot, self._needed, row, self._hits, out_row, out_slot)
            return done

        chunks.collect(begin.shape[1] - 1, find, inside)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        columns = sum(level.nbytes for level in self._columns if level is not None)
        return columns + self._needed.nbytes + self._hits.nbytes


class Counting(LevelledBoxes):
    """An index of boxes in two or more dimensions.

    One VCI a column finds the boxes that contain the row's value there; a second phase counts in how many columns each
    box was found. Its work is all that any column finds.

    Parameters
    ----------
    dimensions : int

    Examples
    --------
    >>> index = Counting(3)
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
        return CountedLevel(bounds, slots)
