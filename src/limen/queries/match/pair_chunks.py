"""Pairs as kernels find them, in chunks that are not copied."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from limen.arrays import Slots
from limen.regions.pairs import Pairs

if TYPE_CHECKING:
    Find = Callable[[int, Slots, Slots], tuple[int, int]]

SMALL = 1 << 14
LARGE = 1 << 21  # pairs; arrays of 4 MB and more get large pages, which are several times cheaper to come by


class PairChunks:
    """Room for a kernel that is called again until it is done.

    Millions of pairs are more expensive to copy than to find. So what does not fit into a small buffer is written to
    arrays that become the result as they are.
    """

    def __init__(self, small: int = SMALL) -> None:
        self._row = np.empty(small, np.int32)
        self._slot = np.empty(small, np.int32)

    def collect(self, rows: int, find: Find, found: Pairs) -> None:
        """Call `find(first, out_row, out_slot)` for all rows; it returns the first row not done and how many pairs."""
        row, row_room, slot_room = 0, self._row, self._slot
        while row < rows:
            begin = row
            row, count = find(row, row_room, slot_room)
            kept = row_room is not self._row and 2 * count >= len(row_room)
            if count:
                found.append(*((part[:count] if kept else part[:count].copy()) for part in (row_room, slot_room)))
            if row < rows:
                # as much as the rest should need and a bit more; twice as much when not even one row had room
                needed = (rows - row) * 9 // 8 * max(count, 1) // max(row - begin, 1)
                size = min(max(needed, SMALL), LARGE) if count else 2 * len(row_room) + 1
                row_room, slot_room = np.empty(size, np.int32), np.empty(size, np.int32)
