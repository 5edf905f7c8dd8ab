"""Memberships, folded from events: which streams are in which queries, and since when."""

import numpy as np

from limen.arrays import Array, Ints, Mask

#: Kinds after which a stream is inside, and after which it is not.
BEGINS = ("enter", "add", "returned", "stayed")
ENDS = ("exit", "remove", "passed", "gone")
#: Kinds of events about a state that began at `started_at`.
BEFORE = ("stayed",)

_BITS = 32
_LOW = (1 << _BITS) - 1


class Inside:
    """Pairs of a query and a stream that is in it, by their slots.

    The pairs are kept in order of query and stream, so that those of one query lie together.

    Examples
    --------
    >>> inside = Inside()
    >>> inside.fold(np.array([7, 7]), np.array([1, 2]), np.array([True, True]), np.array([10, 20]))
    (array([7]), array([2]))
    >>> inside.fold(np.array([7]), np.array([1]), np.array([False]), np.array([30]))
    (array([7]), array([-1]))
    >>> inside.of_query(7)
    (array([2]), array([20]))
    """

    def __init__(self) -> None:
        self._pairs = np.empty(0, np.int64)
        self._since = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._pairs)

    def fold(self, query: Array, stream: Array, begins: Mask, since: Ints) -> tuple[Ints, Ints]:
        """Apply events in order; return the queries with a changed number of members, and by how much each changed."""
        key = (query.astype(np.int64) << _BITS) | stream.astype(np.int64)
        if not len(key):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        # Of several events of a pair only the last one counts.
        last, at = np.unique(np.flip(key), return_index=True)
        begins, since = np.flip(begins)[at], np.flip(since)[at]
        place = np.searchsorted(self._pairs, last)
        known = np.zeros(len(last), np.bool_)
        within = place < len(self._pairs)
        known[within] = self._pairs[place[within]] == last[within]
        gone, new = known & ~begins, ~known & begins
        put = np.searchsorted(self._pairs, last[new])
        pairs, when = np.insert(self._pairs, put, last[new]), np.insert(self._since, put, since[new])
        if gone.any():
            keep = np.ones(len(pairs), np.bool_)
            keep[np.searchsorted(pairs, last[gone])] = False
            pairs, when = pairs[keep], when[keep]
        self._pairs, self._since = pairs, when
        changed = np.concatenate([last[new], last[gone]]) >> _BITS
        by = np.concatenate([np.ones(int(new.sum()), np.int64), np.full(int(gone.sum()), -1)])
        queries, at = np.unique(changed, return_inverse=True)
        difference = np.bincount(at, by, minlength=len(queries)).astype(np.int64)
        return queries, difference

    def of_query(self, query: int) -> tuple[Ints, Ints]:
        """Return the streams that are in a query, and since when."""
        low, high = np.searchsorted(self._pairs, [query << _BITS, (query + 1) << _BITS])
        return self._pairs[low:high] & _LOW, self._since[low:high]

    def of_stream(self, stream: int) -> tuple[Ints, Ints]:
        """Return the queries that a stream is in, and since when."""
        at = np.flatnonzero((self._pairs & _LOW) == stream)
        return self._pairs[at] >> _BITS, self._since[at]

    def forget(self, query: int) -> int:
        """Remove all pairs of a deregistered query; return how many there were."""
        low, high = np.searchsorted(self._pairs, [query << _BITS, (query + 1) << _BITS])
        keep = np.r_[0:low, high : len(self._pairs)]
        self._pairs, self._since = self._pairs[keep], self._since[keep]
        return int(high - low)

    def streams(self) -> Ints:
        """Return the streams that are in any query."""
        return np.unique(self._pairs & _LOW)

    def renumber(self, slots: Ints) -> None:
        """Replace each stream's slot by `slots[slot]`; every stream that is in a query must have one."""
        self._pairs = (self._pairs & ~_LOW) | slots[self._pairs & _LOW]
        order = np.argsort(self._pairs)
        self._pairs, self._since = self._pairs[order], self._since[order]
