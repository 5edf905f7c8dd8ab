"""Cells of the plane and what they list, built from a list of (cell, entry); see `limen.regions.kernels.cells`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from limen.arrays import Array, Floats, Ints, Slots
from limen.regions.kernels.cells import BLOCK, FREE, list_entries, mark_cells, number_cells

FINER = 2  # octaves that a level may be finer than its regions would like, rather than that there is one more level
FEW = 64  # one in so many regions may get cells that are too coarse for it
MOST_FINER = 10  # octaves, for regions that are few


@dataclass(frozen=True, slots=True)
class Cells:
    """Which cells list something, and where it is listed."""

    cells_a_unit: Floats  # by level
    block: Array
    start: Slots

    @classmethod
    def listing(cls, x: Ints, y: Ints, level: npt.NDArray[np.int16], cells_a_unit: Floats) -> tuple[Cells, Slots]:
        """Make cells that list entries, given the cell of each entry; also return the order of the entries.

        Cells are numbered as they first come, so entries that are near each other stay so.
        """
        size, done, known = 64, 0, 0
        block, found = np.empty(0, BLOCK), np.empty(0, np.int32)
        while done < len(x) or not len(block):
            block, found = np.zeros(size, BLOCK), np.empty(size // 2, np.int32)
            block["level"] = FREE
            done, known = mark_cells(x, y, level, 0, block, 0, found)
            size *= 4 if done < len(x) // 4 else 2
        start = np.zeros(number_cells(block, found[:known]) + 1, np.int32)
        order = np.empty(len(x), np.int32)
        list_entries(x, y, level, block, start, order)
        return cls(cells_a_unit, block, start), order

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What kernels take."""
        return self.cells_a_unit, self.block, self.start

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.cells_a_unit.nbytes + self.block.nbytes + self.start.nbytes


def levels_for(exponent: Ints, finer: int = FINER) -> tuple[npt.NDArray[np.int16], Floats]:
    """Choose few levels for regions that would each like cells of side 2**exponent.

    Returns the level of each region, and `cells_a_unit` of the levels. Cells may be up to `finer` octaves smaller than
    requested. A move looks at every level, so one is added only where regions differ much: coarser cells make moves
    look at regions that are far off, finer cells make the borders of large regions pass through more of them than
    there is memory for.

    Examples
    --------
    >>> levels_for(np.array([6, 7, 6, 8]))
    (array([0, 0, 0, 0], dtype=int16), array([0.015625]))
    """
    wished, count = np.unique(exponent, return_counts=True)
    below = np.searchsorted(np.cumsum(count), len(exponent) / FEW, side="right")
    chosen: list[int] = []
    for side, regions in zip(wished[below:].tolist(), count[below:].tolist(), strict=True):
        octaves = side - chosen[-1] if chosen else MOST_FINER + 1
        if octaves > finer and not (octaves <= MOST_FINER and regions << octaves <= len(exponent)):
            chosen.append(side)
    level = np.maximum(np.searchsorted(chosen, exponent, side="right") - 1, 0)
    return level.astype(np.int16), np.ldexp(1.0, -np.array(chosen, np.int64))
