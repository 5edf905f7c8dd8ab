"""The edges of shapes, one shape's after another's, found by the slot of the query."""

import numpy as np

from limen.arrays import Floats, Ints, Slots
from limen.growable import with_rows


class EdgeLists:
    """Edges (m, 4) by slot.

    Examples
    --------
    >>> edges = EdgeLists()
    >>> edges.put(np.array([1, 0], np.int32), np.ones((3, 4)), np.array([1, 2]))
    (array([0, 1]), array([1, 2]))
    >>> edges.of(np.array([0], np.int32))[0].shape
    (2, 4)
    """

    def __init__(self) -> None:
        self.all = np.empty((0, 4))
        self._first = np.empty(0, np.int64)
        self._count = np.empty(0, np.int64)

    def put(self, slots: Slots, edges: Floats, counts: Ints) -> tuple[Ints, Ints]:
        """Give slots their edges; return where each one's begin, and how many there are."""
        rows = max(int(slots.max(initial=-1)) + 1, len(self._first))
        self._first, self._count = with_rows(self._first, rows), with_rows(self._count, rows)
        self._first[slots] = len(self.all) + np.cumsum(counts) - counts
        self._count[slots] = counts
        self.all = np.concatenate([self.all, edges]) if len(edges) else self.all
        return self._first[slots], counts

    def drop(self, slots: Slots) -> None:
        """Take the edges of slots out."""
        self._count[slots] = 0

    def of(self, slots: Slots) -> tuple[Floats, Ints]:
        """Return the edges of slots, one after another, and how many each has."""
        counts = self._count[slots]
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.all[np.repeat(self._first[slots], counts) + within], counts

    @property
    def wasteful(self) -> bool:
        """Whether most of the stored edges are unused."""
        return len(self.all) > 2 * int(self._count.sum()) + 4096

    def close_gaps(self, slots: Slots) -> Ints:
        """Keep the edges of these slots only; return where each one's begin."""
        self.all, counts = self.of(slots)
        self._first[slots] = np.cumsum(counts) - counts
        return self._first[slots]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.all.nbytes + self._first.nbytes + self._count.nbytes
