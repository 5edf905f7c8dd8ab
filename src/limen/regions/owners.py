"""Which streams queries are bound to: lists one behind the other, found by the query's slot."""

import numpy as np

from limen.arrays import Ints, Slots
from limen.growable import grown


class BoundStreams:
    """The streams of each query.

    Examples
    --------
    >>> owners = BoundStreams()
    >>> owners.put(np.array([0, 1], np.int32), np.array([7, 3, 5], np.int32), np.array([1, 2]))
    >>> owners.of(np.array([1, 0], np.int32))
    (array([3, 5, 7], dtype=int32), array([2, 1]))
    """

    def __init__(self) -> None:
        self._start = np.empty(0, np.int64)
        self._count = np.empty(0, np.int64)
        self._lists = np.empty(0, np.int32)
        self._used = 0  # of the lists
        self._kept = 0  # of that, what belongs to queries that are still there

    def put(self, slots: Slots, owners: Slots, counts: Ints) -> None:
        """Bind queries to streams, which come one after another in `owners`."""
        if self._used > 2 * self._kept + 1024:
            self._close_gaps()
        top, end = int(slots.max(initial=-1)) + 1, self._used + len(owners)
        self._start, self._count = grown(self._start, top), grown(self._count, top)
        self._lists = grown(self._lists, end)
        self._start[slots] = self._used + np.cumsum(counts) - counts
        self._count[slots] = counts
        self._lists[self._used : end] = owners
        self._used, self._kept = end, self._kept + len(owners)

    def drop(self, slots: Slots) -> None:
        """Forget queries."""
        self._kept -= int(self._count[slots].sum())
        self._count[slots] = 0

    def of(self, slots: Slots) -> tuple[Slots, Ints]:
        """Return the streams of queries, one after another, and how many each has."""
        counts = self._count[slots]
        first = np.cumsum(counts) - counts
        place = np.arange(int(counts.sum())) + np.repeat(self._start[slots] - first, counts)
        return self._lists[place], counts

    def renumber(self, number: Slots) -> None:
        """Follow a renumbering of the streams: `number` is the new slot of each old one."""
        self._close_gaps()
        self._lists = number[self._lists]

    def _close_gaps(self) -> None:
        there = np.flatnonzero(self._count).astype(np.int32)
        self._lists, counts = self.of(there)
        self._start[there] = np.cumsum(counts) - counts
        self._used = self._kept = len(self._lists)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._start.nbytes + self._count.nbytes + self._lists.nbytes
