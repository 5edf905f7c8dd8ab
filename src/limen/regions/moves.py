"""The rows of a batch that move, as records for kernels."""

from dataclasses import dataclass

import numpy as np

from limen.arrays import Array, Floats, Slots
from limen.regions.kernels.moves import MOVE, pack_moves, sort_moves

WORTH_SORTING = 1 << 15  # rows; of fewer, too few are near each other
A_SQUARE = 16  # rows that share a neighbourhood, about
MOST_SQUARES = 256  # along a side: scattering rows over more costs what it saves


@dataclass(frozen=True, slots=True)
class MoveBatch:
    """The rows of a batch, or of a part of it, that move."""

    records: Array
    furthest: float  # of a move, along an axis
    in_order: bool  # of their rows

    def __len__(self) -> int:
        return len(self.records)


class MoveBuffer:
    """Room for the moves of a batch. It is kept, since fresh memory costs as much as filling it."""

    MOST = 1 << 20  # rows taken at once

    def __init__(self) -> None:
        self._moves = np.empty(0, MOVE)
        self._place = np.empty(0, np.int32)
        self._starts = np.empty(MOST_SQUARES**2 + 1, np.int64)

    def fill(
        self,
        stream: Slots,
        before: tuple[Floats, Floats],
        after: tuple[Floats, Floats],
        first: int,
        extent: Floats | None,
    ) -> MoveBatch:
        """Return the rows from `first` on that move, MOST at most.

        Those of a large batch come neighbourhood by neighbourhood, given the `extent` (low and high, x and y) of the
        plane in which that matters.
        """
        rows = min(len(stream) - first, self.MOST)
        if rows > len(self._moves):
            self._moves, self._place = np.empty(rows, MOVE), np.empty(rows, np.int32)
        ends = *before, *after
        if extent is None or rows < WORTH_SORTING:
            count, furthest = pack_moves(stream, *ends, first, first + rows, self._moves)
            return MoveBatch(self._moves[:count], furthest, in_order=True)
        side = min(1 << int(np.log2(rows / A_SQUARE)) // 2, MOST_SQUARES)
        (low_x, low_y), (a_unit_x, a_unit_y) = extent[0], side / np.maximum(extent[1] - extent[0], 1e-300)
        count, furthest = sort_moves(
            stream, *ends, first, first + rows, low_x, low_y, a_unit_x, a_unit_y, side,
            self._place, self._starts[: side * side + 1], self._moves,
        )  # fmt: skip
        return MoveBatch(self._moves[:count], furthest, in_order=False)
