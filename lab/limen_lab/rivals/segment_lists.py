"""BMQ-Processor as the paper has it: a list of region segments for each dimension, and a check across dimensions.

A stream keeps a pointer into each list and its last point. A move walks every bound between two values, entry by
entry; what it finds in one dimension is tested in the others one after another, until one excludes it.

References
----------
BMQ-Processor, sections 4 and 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limen.arrays import Floats, Mask, Slots
from limen.regions.kernels.crossings import confirmed
from limen.regions.pairs import PairBuffer
from limen_lab.rivals.kernels.segment_walk import walked


@dataclass(frozen=True, slots=True)
class SegmentList:
    """The bounds of one dimension in their order; of each, the query, its other bound, and which of the two it is."""

    bounds: Floats
    other: Floats
    query: Slots
    starts: Mask

    @classmethod
    def of(cls, intervals: Floats) -> SegmentList:
        """List intervals (queries, 2)."""
        lower, upper = intervals.T
        bounds = np.concatenate([lower, upper])
        order = np.argsort(bounds, kind="stable")
        query = np.tile(np.arange(len(lower), dtype=np.int32), 2)
        starts = np.repeat([True, False], len(lower))
        return cls(bounds[order], np.concatenate([upper, lower])[order], query[order], starts[order])

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.bounds.nbytes + self.other.nbytes + self.query.nbytes + self.starts.nbytes


class SegmentLists:
    """Half-open boxes in one to n dimensions, and streams on their way over them.

    Parameters
    ----------
    boxes : float array (queries, dimensions, 2)
    streams : int
        How many there are.

    Examples
    --------
    >>> lists = SegmentLists(np.array([[[0.0, 10.0]], [[5.0, 7.5]]]), streams=1)
    >>> [lists.move(np.zeros(1, np.int32), np.array([[value]])) for value in (1.0, 6.0, 12.0)]
    [0, 1, 2]
    >>> lists.looked  # 5 on the way to 6; 7.5 and 10 on the way to 12
    3
    """

    def __init__(self, boxes: Floats, streams: int) -> None:
        self.boxes = boxes
        self.dimensions = boxes.shape[1]
        self.lists = [SegmentList.of(boxes[:, k]) for k in range(self.dimensions)]
        self.pointer = np.zeros((self.dimensions, streams), np.int32)
        self.last = np.full((self.dimensions, streams), np.nan)
        self.looked = 0  # entries walked so far
        self._alive = np.ones(len(boxes), np.bool_)
        self._columns = np.arange(self.dimensions)
        self._buffer = PairBuffer()

    def move(self, slot: Slots, points: Floats) -> int:
        """Take the next point (dimensions, n) of each of n streams, and return how many borders were crossed."""
        before = self.last.take(slot, axis=1)  # not indexed, so that kernels meet rows laid out one way only
        self.last[:, slot] = points
        new = np.isnan(before[0])
        if new.any():
            self._place(slot[new], points[:, new])
            known = np.flatnonzero(~new)
            slot, before, points = slot[known], before.take(known, axis=1), points.take(known, axis=1)
        return sum(self._moved(k, slot, before, points) for k in range(self.dimensions))

    def _place(self, slot: Slots, points: Floats) -> None:
        for k, segments in enumerate(self.lists):
            self.pointer[k, slot] = np.searchsorted(segments.bounds, points[k], side="right")

    def _moved(self, k: int, slot: Slots, before: Floats, after: Floats) -> int:
        """Count the borders that are crossed in dimension k first."""
        segments, buffer, row, events = self.lists[k], self._buffer, 0, 0
        while row < len(slot):
            row, count, looked = walked(
                slot, before[k], after[k], segments.bounds, segments.other, segments.query, segments.starts,
                self.pointer[k], row, buffer.row, buffer.query,
            )  # fmt: skip
            self.looked += looked
            if self.dimensions > 1:
                rows = buffer.row, buffer.query
                events += confirmed(k, self._columns, before, after, self.boxes, self._alive, count, *rows)
            else:
                events += count
            if row < len(slot):
                buffer.make_room(count)
        return events

    @property
    def nbytes(self) -> int:
        """Bytes held: lists, the stream table, and from two dimensions on the query table."""
        table = self.boxes.nbytes if self.dimensions > 1 else 0
        return sum(each.nbytes for each in self.lists) + self.pointer.nbytes + self.last.nbytes + table
