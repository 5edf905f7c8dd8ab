"""Containment-encoded squares (CES), which two-dimensional border monitoring is measured against."""

from limen.arrays import Floats, Slots
from limen_lab.rivals.encoded import EncodedIndex
from limen_lab.rivals.kernels.encoded_squares import in_squares, square_pieces, squares_above


class CES(EncodedIndex):
    """Boxes in the plane, listed by the encoded squares that make them up.

    Parameters
    ----------
    cells_a_box : float
        How many cells a box of median width has along an axis. A box is listed about seven times as often.
    k : int
        A block, the largest encoded square, has 2^k by 2^k cells.
    cells_for_each : float
        The most cells there may be, in proportion to the boxes.

    References
    ----------
    K.-L. Wu, S. Chen, P. S. Yu, *On Incremental Processing of Continual Range Queries for Location-Aware Services and
    Applications*, MobiQuitous 2005; cited by the border monitoring paper as CES. Here by its principle, half-open.
    """

    def __init__(self, *, cells_a_box: float = 4, k: int = 2, cells_for_each: float = 0.5) -> None:
        super().__init__(2, cells_a_box=cells_a_box, k=k, cells_for_each=cells_for_each)

    def _list_count(self) -> int:
        blocks = int(self._segments.prod())
        return blocks * int(squares_above(self.k + 1)) + (blocks << (2 * self.k))

    def _decompose(self, slots: Slots, done: int, out_list: Slots, out_slot: Slots) -> tuple[int, int]:
        rest: tuple[int, int] = square_pieces(slots, self._slots.bounds, *self._grid, done, out_list, out_slot)
        return rest

    def _look_up(self, points: Floats, row: int, out_row: Slots, out_slot: Slots) -> tuple[int, int]:
        rest: tuple[int, int] = in_squares(
            points, *self._grid, self._lists.extent, self._lists.pool, self._slots.bounds, row, out_row, out_slot
        )
        return rest
