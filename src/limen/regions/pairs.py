"""Pairs (row, query) that kernels find, collected buffer by buffer."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from limen.arrays import Ints, Slots
from limen.kernels.routing import count_shards

LOWER_HALF = (1 << 32) - 1
NO_PAIRS = np.empty(0, np.int64)


def as_pairs(upper: npt.NDArray[np.integer], lower: npt.NDArray[np.integer]) -> Ints:
    """Return pairs of numbers that are not negative as one number each, to be compared and sorted.

    Examples
    --------
    >>> pair = as_pairs(np.array([3]), np.array([5]))
    >>> pair >> 32, pair & LOWER_HALF
    (array([3]), array([5]))
    """
    return upper.astype(np.int64) << 32 | lower


class PairBuffer:
    """Room that a kernel writes pairs into. A kernel without enough room returns how far it got and is called again."""

    def __init__(self, size: int = 1 << 14) -> None:
        self.row = np.empty(size, np.int32)
        self.query = np.empty(size, np.int32)

    def make_room(self, count: int) -> None:
        """Double the room after a kernel stopped before it was done; what it found stays readable."""
        if not count or len(self.row) < 1 << 18:
            self.row = np.concatenate([self.row, np.empty_like(self.row)])
            self.query = np.concatenate([self.query, np.empty_like(self.query)])


class Pairs:
    """Pairs found, in no particular order until `by_row`."""

    def __init__(self) -> None:
        self._rows: list[Slots] = []
        self._queries: list[Slots] = []

    def add(self, buffer: PairBuffer, count: int) -> None:
        """Take the first `count` pairs out of a buffer."""
        if count:
            self.append(buffer.row[:count].copy(), buffer.query[:count].copy())

    def append(self, row: Slots, query: Slots) -> None:
        """Take pairs as arrays."""
        self._rows.append(row)
        self._queries.append(query)

    def chunks(self) -> Iterator[tuple[Slots, Slots]]:
        """Go through the pairs in the pieces in which they came."""
        return zip(self._rows, self._queries, strict=True)

    def arrays(self) -> tuple[Slots, Slots]:
        """Return all rows and queries."""
        if not self._rows:
            return np.empty(0, np.int32), np.empty(0, np.int32)
        if len(self._rows) == 1:
            return self._rows[0], self._queries[0]
        return np.concatenate(self._rows), np.concatenate(self._queries)

    def by_row(self, rows: int) -> tuple[Slots, Slots]:
        """Return them ordered by row, of which there are `rows`."""
        row, query = self.arrays()
        if len(self._rows) < 2:
            return row, query
        order = np.empty(len(row), np.int64)
        count_shards(row, np.zeros(rows + 1, np.int64), order)
        return row[order], query[order]


def collect(kernel: Callable[..., Any], args: tuple[Any, ...], rows: int, buffer: PairBuffer, found: Pairs) -> int:
    """Call a kernel that finds pairs until all rows are done; return how many entries it looked at, if counted."""
    row, looked = 0, 0
    while row < rows:
        row, count, *more = kernel(*args, row, buffer.row, buffer.query)
        found.add(buffer, count)
        if row < rows:
            buffer.make_room(count)
        looked += sum(more)
    return looked
