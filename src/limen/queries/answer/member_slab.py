"""Slab of the members of nearest queries: one contiguous range for each query."""

from __future__ import annotations

import numpy as np

from limen.arrays import Ints, Slots
from limen.growable import grown


def ranges_of(first: Ints, counts: Ints) -> Ints:
    """Return the places in ranges, one range after another.

    Examples
    --------
    >>> ranges_of(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    return np.arange(int(counts.sum())) + np.repeat(first - np.cumsum(counts) + counts, counts)


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
        self.size = grown(self.size, int(slots.max(initial=-1)) + 1)
        self.size[slots] = sizes
        first = self._used + np.cumsum(sizes) - sizes
        needed = int(sizes.sum())
        self._used, self._kept = self._used + needed, self._kept + needed
        self.members = grown(self.members, self._used)
        return first

    def copy(self, old: MemberSlab, before: Ints, now: Ints, counts: Ints) -> None:
        """Copy members from where their ranges began in another slab to where they begin in this one."""
        self.members[ranges_of(now, counts)] = old.members[ranges_of(before, counts)]

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
