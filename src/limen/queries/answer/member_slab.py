"""Slab of the members of nearest queries: one contiguous range for each query."""

import numpy as np

from limen.arrays import Ints, Slots
from limen.growable import with_rows


class MemberSlab:
    """Allocate a range of members for each query, by slot of the query.

    Examples
    --------
    >>> slab = MemberSlab()
    >>> slab.give(np.array([5, 2], np.int32), np.array([3, 1])).tolist()
    [0, 3]
    >>> slab.drop(np.array([5], np.int32))
    >>> slab.give(np.array([0], np.int32), np.array([2])).tolist()
    [4]
    """

    def __init__(self) -> None:
        self.members = np.empty(0, np.int32)
        self.size = np.empty(0, np.int64)  # by slot
        self._used = 0
        self._kept = 0

    def give(self, slots: Slots, sizes: Ints) -> Ints:
        """Allocate ranges of these sizes for queries that have none; return where each begins."""
        self.size = with_rows(self.size, max(int(slots.max(initial=-1)) + 1, len(self.size)))
        self.size[slots] = sizes
        first = self._used + np.cumsum(sizes) - sizes
        needed = int(sizes.sum())
        self._used, self._kept = self._used + needed, self._kept + needed
        if self._used > len(self.members):
            self.members = with_rows(self.members, max(self._used, len(self.members) * 5 // 4))
        return first

    def drop(self, slots: Slots) -> None:
        """Free ranges; the space is reclaimed when all ranges are allocated again."""
        self._kept -= int(self.size[slots].sum())
        self.size[slots] = 0

    @property
    def wasteful(self) -> bool:
        """Whether most of the slab is free."""
        return self._used > 2 * self._kept + 4096

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.members.nbytes + self.size.nbytes
