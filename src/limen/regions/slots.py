"""Slots: the numbers of what is kept in arrays, handed out and given back."""

import numpy as np

from limen.arrays import Slots


class SlotPool:
    """Hand out slots, those given back last first.

    Attributes
    ----------
    used : int
        Slots ever handed out: arrays need so many rows.
    count : int
        Slots handed out and not given back.

    Examples
    --------
    >>> pool = SlotPool()
    >>> pool.take(3)
    array([0, 1, 2], dtype=int32)
    >>> pool.give_back(np.array([1], np.int32))
    >>> pool.take(2), pool.count
    (array([1, 3], dtype=int32), 4)
    """

    def __init__(self) -> None:
        self.used = self.count = 0
        self._free: list[int] = []

    def take(self, count: int) -> Slots:
        """Hand out so many slots."""
        reused = [self._free.pop() for _ in range(min(count, len(self._free)))] if self._free else []
        first, self.used = self.used, self.used + count - len(reused)
        self.count += count
        slots = np.arange(first, self.used, dtype=np.int32)
        return np.concatenate([np.array(reused, np.int32), slots]) if reused else slots

    def give_back(self, slots: Slots) -> None:
        """Let slots be handed out again."""
        self._free += slots.tolist()
        self.count -= len(slots)
