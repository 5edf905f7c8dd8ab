"""Counts in bounded memory: of names, which may be very many, and of points in time and space."""

from collections import Counter

import numpy as np
import pyarrow as pa

from limen.arrays import Array

#: How many different names are counted exactly.
MOST_NAMES = 1_000_000
#: The column of counts.
COUNT = "count"
#: Numbers from here on are no coordinates.
BEYOND = 1e300
#: The finest cells that a grid begins with, as a share of the largest number.
_FINEST = 40


class NameCounts:
    """Count names, or combinations of names.

    Beyond `most` names the rarest are evicted, and `error` bounds the resulting error.
    """

    def __init__(self, *keys: str, most: int = MOST_NAMES) -> None:
        self.error = 0
        self._keys, self._most = list(keys), most
        self._parts: list[pa.Table] = []  # counted each for itself
        self._rows = 0

    def add(self, names: pa.Table) -> None:
        """Count the names of a table, in the columns of the keys."""
        part = names.select(self._keys).group_by(self._keys).aggregate([([], "count_all")])
        self._parts.append(part.rename_columns([*self._keys, COUNT]))
        self._rows += len(part)
        if self._rows > 2 * self._most:
            self.counts()

    def counts(self) -> pa.Table:
        """Return all names and how often each came, the most frequent first."""
        every = pa.concat_tables(self._parts)
        together = every.group_by(self._keys).aggregate([(COUNT, "sum")]).rename_columns([*self._keys, COUNT])
        together = together.sort_by([(COUNT, "descending"), *((key, "ascending") for key in self._keys)])
        if len(together) > self._most:
            kept = self._most // 2
            # An evicted name had at most this count, so a name that returns later is low by at most this count.
            self.error += together[COUNT][kept].as_py()
            together = together.slice(0, kept)
        self._parts, self._rows = [together], len(together)
        return together

    def number(self, *keys: str) -> str:
        """Return how many different names there were, as text."""
        found = self.counts().select(list(keys or self._keys)).group_by(list(keys or self._keys)).aggregate([])
        return f"{len(found):,}" if not self.error else f"more than {self._most:,}"


class Grid:
    """How many points are in each cell of a grid that grows with what it sees: cells double, so they are few.

    Parameters
    ----------
    cells
        At most so many along each axis.
    least
        The smallest cell; by default a small part of the first points' extent.
    """

    def __init__(self, cells: int, axes: int = 2, least: float | None = None) -> None:
        self._cells, self._least = cells, least
        self.exponents = [0] * axes  # a cell is two to this power wide
        self.counts: Counter[tuple[int, ...]] = Counter()

    def add(self, points: Array) -> None:
        """Count points, one a row; those with a missing or extremely large coordinate are left out."""
        points = points[(np.abs(points) < BEYOND).all(axis=1)]
        if not len(points):
            return
        if not self.counts:
            self.exponents = [self._first(axis) for axis in points.T]
        places = self._places(points)
        while (wide := self._too_wide(places)) is not None:
            self._double(wide)
            places = self._places(points)
        low = places.min(axis=0)
        shape = tuple(places.max(axis=0) - low + 1)
        dense = np.bincount(np.ravel_multi_index(tuple((places - low).T), shape)).astype(np.int64)
        found = np.flatnonzero(dense)
        cells = np.column_stack(np.unravel_index(found, shape)) + low
        for cell, count in zip(map(tuple, cells.tolist()), dense[found].tolist(), strict=True):
            self.counts[cell] += count

    def sizes(self) -> list[float]:
        """Return how wide cells are along each axis."""
        return [2.0**exponent for exponent in self.exponents]

    def dense(self) -> tuple[Array, list[tuple[float, float]]]:
        """Return the counts of all cells from the first to the last, and from where to where each axis goes."""
        cells = np.array(list(self.counts))
        low = cells.min(axis=0)
        shape = cells.max(axis=0) - low + 1
        counts = np.zeros(shape, np.int64)
        counts[tuple((cells - low).T)] = list(self.counts.values())
        ends = [
            (float(lo * size), float((lo + n) * size)) for lo, n, size in zip(low, shape, self.sizes(), strict=True)
        ]
        return counts, ends

    def _first(self, axis: Array) -> int:
        if self._least is not None:
            return int(np.frexp(self._least)[1]) - 1
        extent = max(np.ptp(axis) / self._cells, np.abs(axis).max() * 2.0**-_FINEST, 2.0**-1000)
        return int(np.frexp(extent)[1])

    def _places(self, points: Array) -> Array:
        with np.errstate(over="ignore"):
            scaled = np.ldexp(points, [-exponent for exponent in self.exponents])
        # What is beyond all cells is so until cells are wider.
        places: Array = np.floor(np.clip(scaled, -(2.0**61), 2.0**61)).astype(np.int64)
        places[(places == 0) & (points < 0)] = -1  # so small that it became 0
        return places

    def _too_wide(self, places: Array) -> int | None:
        known = np.array(list(self.counts)).reshape(-1, places.shape[1])
        every = np.concatenate([places, known])
        beyond = np.abs(places).max(axis=0) >= 2**60  # too far out to be distinguished
        wide = np.flatnonzero((every.max(axis=0) - every.min(axis=0) >= self._cells) | beyond)
        return int(wide[0]) if wide.size else None

    def _double(self, axis: int) -> None:
        self.exponents[axis] += 1
        merged: Counter[tuple[int, ...]] = Counter()
        for cell, count in self.counts.items():
            merged[(*cell[:axis], cell[axis] // 2, *cell[axis + 1 :])] += count
        self.counts = merged
