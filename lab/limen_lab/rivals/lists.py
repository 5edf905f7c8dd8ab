"""Lists of slots, very many of them, that can be changed at any time and are read by kernels."""

from __future__ import annotations

import numpy as np

from limen.arrays import Slots
from limen.growable import grown
from limen_lab.rivals.kernels.extents import LENGTH, append_all, lay_out, no_extents, sift_all


class SlotLists:
    """Lists by number, all empty at first.

    Parameters
    ----------
    count : int
        How many lists.

    Attributes
    ----------
    extent, grade, free, pool : arrays
        As `limen_lab.rivals.kernels.extents` has them.
    """

    def __init__(self, count: int) -> None:
        self.extent = np.zeros((count, 2), np.int32)
        self.grade = np.zeros(count, np.int8)
        self.free = no_extents()
        self.pool = np.empty(0, np.int32)

    @classmethod
    def filled(cls, count: int, lists: Slots, slots: Slots) -> SlotLists:
        """Make lists that hold `slots[i]` in list `lists[i]`, side by side in memory."""
        made = cls(count)
        made.extent[:, LENGTH] = np.bincount(lists, minlength=count)
        made.pool = np.empty(lay_out(made.extent, made.grade, made.free), np.int32)
        made.add(lists, slots)
        return made

    def add(self, lists: Slots, slots: Slots) -> None:
        """Put `slots[i]` into list `lists[i]`."""
        self.pool = append_all(lists, slots, self.extent, self.grade, self.free, self.pool)

    def discard(self, lists: Slots, slots: Slots, used: int) -> None:
        """Take slots, which are below `used` as all are, out of the lists that they are in, which are among `lists`."""
        stamp = np.zeros(used, np.uint8)
        stamp[slots] = 1
        sift_all(np.unique(lists), stamp, self.extent, self.grade, self.free, self.pool)

    def grow(self, count: int) -> None:
        """Make room for at least so many lists."""
        self.extent, self.grade = grown(self.extent, count), grown(self.grade, count)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.extent.nbytes + self.grade.nbytes + self.free.nbytes + self.pool.nbytes
