"""Intervals of one column, cut into virtual construct intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from limen.arrays import Floats, Mask, Slots
from limen.queries.match.axis import CellAxis, Domain, domain_of
from limen.queries.match.constructs import ConstructLists, Constructs, logarithmic, simple
from limen.queries.match.kernels.covering import covered_intervals
from limen.queries.match.pair_chunks import PairChunks
from limen.regions.pairs import Pairs

if TYPE_CHECKING:
    Lengths = Callable[[int], tuple[int, ...]]

FEW_CELLS = 4096  # whose lists stay in the fastest cache: no reason to have fewer, unless there are few intervals
SIMPLE_LONGEST = 16


class IntervalLevel:
    """Intervals (n, 2) with their slots, cut into constructs.

    The paper rounds bounds outwards and compares what it finds with them. Here the rounding adds cells, one at either
    end, that are constructs of length one with lists of their own (the *rim*), and only what these list is compared.
    """

    def __init__(
        self, bounds: Floats, slots: Slots, axis: CellAxis, lengths: tuple[int, ...], *, by_shape: bool
    ) -> None:
        self.axis = axis
        self.constructs = Constructs((axis.cells,), lengths, by_shape)
        first, stop, sure = axis.cells_of(bounds, 0)
        lists = ConstructLists(self.constructs, first[:, None], stop[:, None], sure[:, None], split=True)
        self._start = lists.sure_start
        self._entry = slots[lists.sure_entry]
        # All of the rim are unit constructs, so that cells can number their lists.
        units = slice(self.constructs.id_of((0,), (1,)), None, self.constructs.shapes)
        self._rim_start = lists.start[units][: axis.cells + 1].copy()
        self._rim_entry = slots[lists.entry]
        self._rim_bounds = bounds[lists.entry, 0]

    def match(self, points: Floats, alive: Mask, *, any_dead: bool, chunks: PairChunks, found: Pairs) -> None:
        """Find the pairs (row, slot) of living intervals that contain a value."""
        x, axis, constructs = points[0], self.axis, self.constructs

        def find(row: int, out_row: Slots, out_slot: Slots) -> tuple[int, int]:
            done: tuple[int, int] = covered_intervals(
                x, axis.origin, axis.cells_a_unit, axis.cells, constructs.shapes, constructs.runs,
                self._start, self._entry, self._rim_start, self._rim_entry, self._rim_bounds,
                alive, any_dead, row, out_row, out_slot,
            )  # fmt: skip
            return done

        chunks.collect(len(x), find, found)

    @property
    def entries(self) -> int:
        """How many pieces intervals were cut into."""
        return len(self._entry) + len(self._rim_entry)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        arrays = self._start, self._entry, self._rim_start, self._rim_entry, self._rim_bounds
        return sum(array.nbytes for array in arrays)


def arranged(
    bounds: Floats, slots: Slots, *, lengths: Lengths = logarithmic, by_shape: bool = True,
    longest: int | None = None, cells: int | None = None, domain: Domain | None = None,
) -> IntervalLevel:  # fmt: skip
    """Cut intervals (n, 1, 2) into constructs, and choose for them what is not given."""
    domain = domain or domain_of(bounds[:, 0])
    count = len(bounds)
    if cells is None:
        cells = max(count // 4, min(4 * count, FEW_CELLS), longest or 1)
        if lengths is simple:
            # L lists a position instead of log2(L) + 1: cells so large that intervals are a few times L long at most
            width = _mean_cells(bounds, CellAxis.over(domain, cells))
            cells = max(int(cells * min(1.0, 2 * SIMPLE_LONGEST / width)), longest or 1)
    axis = CellAxis.over(domain, cells)
    if longest is None:
        # of length L there are to be four pieces on average at most
        most = SIMPLE_LONGEST if lengths is simple else axis.cells
        pieces = int(_mean_cells(bounds, axis)) // 4
        longest = 1 << min(max(pieces - 1, 0).bit_length(), most.bit_length() - 1)
    return IntervalLevel(bounds, slots, axis, lengths(longest), by_shape=by_shape)


def _mean_cells(bounds: Floats, axis: CellAxis) -> float:
    """Return how many cells intervals touch on average, one at least."""
    first, stop, _ = axis.cells_of(bounds[:: len(bounds) // 1024 + 1], 0)
    return float(max(np.mean(stop - first), 1.0))
