"""Ways to find border events, all used alike: by an index of borders, or by a difference of sets."""

from typing import Protocol

import numpy as np

from limen.arrays import Floats, Slots
from limen.regions.border_grid import BorderGrid
from limen.regions.boxes import BoxIndex
from limen.regions.pairs import Pairs
from limen.regions.plane_boxes import PlaneBoxes
from limen.regions.shapes import Shapes
from limen_lab.rivals.diff import DiffRMQ
from limen_lab.rivals.match_index import MatchIndex


class Method(Protocol):
    """Boxes, and what is remembered of streams; `SegmentLists` is one too."""

    def move(self, slot: Slots, points: Floats) -> int:
        """Take the next point (dimensions, n) of each of n streams, and return how many borders were crossed."""

    @property
    def looked(self) -> int:
        """The size of all intermediate results so far."""

    @property
    def nbytes(self) -> int:
        """Bytes held for queries and for streams, last points among them."""


class Borders:
    """An index of borders, and the last points that Limen keeps in its stream table."""

    def __init__(self, index: BoxIndex | BorderGrid | PlaneBoxes, boxes: Floats, streams: int) -> None:
        self.index = index
        if isinstance(index, BorderGrid):
            index.insert(Shapes.boxes(boxes))
        else:
            index.insert(boxes)
        self.streams = streams
        self.last = np.full((boxes.shape[1], streams), np.nan)
        self._columns = np.arange(boxes.shape[1])

    def move(self, slot: Slots, points: Floats) -> int:
        """Take the next point of each stream."""
        before = self.last.take(slot, axis=1)
        self.last[:, slot] = points
        return count(self.index.crossings(slot, before, points, self._columns, self.streams))

    @property
    def looked(self) -> int:
        """Entries, and summaries of entries, that were looked at."""
        index = self.index
        if isinstance(index, PlaneBoxes):
            return index._within.looked  # noqa: SLF001  # what it chose counts
        return index.looked

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.index.nbytes_queries + self.index.nbytes_streams + self.last.nbytes


class Differences:
    """DiffRMQ: an index for matching, and what contained each stream last.

    Parameters
    ----------
    index : MatchIndex
    boxes : float array (queries, dimensions, 2)
    streams : int

    Attributes
    ----------
    counting : bool
        Whether to count intermediate results, the queries that contain the last point and those that contain the new
        one. They are looked up once more for it, so that is not for a run that is timed.
    """

    def __init__(self, index: MatchIndex, boxes: Floats, streams: int) -> None:
        self.rival = DiffRMQ(index)
        self.rival.insert(boxes)
        self.streams = streams
        self.looked = 0
        self.counting = False
        self._matching = np.full(streams, -1)  # how many queries contain each stream; -1 while it has no point

    def move(self, slot: Slots, points: Floats) -> int:
        """Take the next point of each stream."""
        if self.counting:
            row, _ = self.rival.index.match(points).arrays()
            now, before = np.bincount(row, minlength=len(slot)), self._matching[slot]
            self.looked += int((now + before)[before >= 0].sum())
            self._matching[slot] = now
        return count(self.rival.crossings(slot, points, self.streams))

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.rival.nbytes


def count(pairs: Pairs) -> int:
    """Count pairs without putting them together."""
    return sum(len(row) for row, _ in pairs.chunks())
