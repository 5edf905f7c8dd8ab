"""Where the members of nearest queries are kept: one query's after another's, each with room for all it may have."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from limen.index.growing import grown

Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]


class Rooms:
    """Rooms for members, by slot of the query.

    Examples
    --------
    >>> rooms = Rooms()
    >>> rooms.give(np.array([5, 2], np.int32), np.array([3, 1])).tolist()
    [0, 3]
    >>> rooms.drop(np.array([5], np.int32))
    >>> rooms.give(np.array([0], np.int32), np.array([2])).tolist()
    [4]
    """

    def __init__(self) -> None:
        self.members = np.empty(0, np.int32)
        self.size = np.empty(0, np.int64)  # by slot
        self._used = 0
        self._kept = 0

    def give(self, slots: Slots, sizes: Ints) -> Ints:
        """Give queries, which have none, rooms of these sizes; return where each begins."""
        self.size = grown(self.size, max(int(slots.max(initial=-1)) + 1, len(self.size)), 0)
        self.size[slots] = sizes
        first = self._used + np.cumsum(sizes) - sizes
        needed = int(sizes.sum())
        self._used, self._kept = self._used + needed, self._kept + needed
        if self._used > len(self.members):
            self.members = grown(self.members, max(self._used, len(self.members) * 5 // 4), 0)
        return first

    def drop(self, slots: Slots) -> None:
        """Take rooms back; they stay empty until all are given anew."""
        self._kept -= int(self.size[slots].sum())
        self.size[slots] = 0

    @property
    def wasteful(self) -> bool:
        """Whether most of the room belongs to nobody."""
        return self._used > 2 * self._kept + 4096

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.members.nbytes + self.size.nbytes
