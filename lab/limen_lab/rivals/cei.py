"""Containment-encoded intervals (CEI), one of the indexes that the border monitoring papers are measured against."""

from limen.arrays import Floats, Slots
from limen_lab.rivals.encoded import EncodedIndex
from limen_lab.rivals.kernels.encoded_intervals import in_intervals, interval_pieces


class CEI(EncodedIndex):
    """Intervals, listed by the few encoded intervals that make them up.

    Parameters
    ----------
    cells_a_box : float
        How many cells an interval of median width has. With more, fewer have to be compared at the end, and more memory
        is read on the way.
    k : int
        A segment, the largest encoded interval, has 2^k cells.
    cells_for_each : float
        The most cells there may be, in proportion to the intervals.

    Examples
    --------
    >>> import numpy as np
    >>> index = CEI()
    >>> index.insert(np.array([[[0.0, 10.0]], [[5.0, 7.5]]]))
    array([0, 1], dtype=int32)
    >>> index.match(np.array([[6.0, 7.5]])).arrays()
    (array([0, 0, 1], dtype=int32), array([0, 1, 0], dtype=int32))
    """

    def __init__(self, *, cells_a_box: float = 16, k: int = 4, cells_for_each: float = 0.5) -> None:
        super().__init__(1, cells_a_box=cells_a_box, k=k, cells_for_each=cells_for_each)

    def _list_count(self) -> int:
        segments = int(self._segments[0])
        return (segments << (self.k + 1)) + (segments << self.k)

    def _decompose(self, slots: Slots, done: int, out_list: Slots, out_slot: Slots) -> tuple[int, int]:
        origin, cells_a_unit, k, segments, used = self._grid
        rest: tuple[int, int] = interval_pieces(
            slots, self._slots.bounds, origin, cells_a_unit, k, segments[0], used, done, out_list, out_slot
        )
        return rest

    def _look_up(self, points: Floats, row: int, out_row: Slots, out_slot: Slots) -> tuple[int, int]:
        origin, cells_a_unit, k, segments, used = self._grid
        rest: tuple[int, int] = in_intervals(
            points, origin, cells_a_unit, k, segments[0], used, self._lists.extent, self._lists.pool,
            self._slots.bounds, row, out_row, out_slot,
        )  # fmt: skip
        return rest
