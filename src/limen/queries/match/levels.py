"""Boxes in levels, looked up by points: the common part of all indexes for matching that are made of constructs."""

from abc import abstractmethod
from typing import NamedTuple, Protocol

import numpy as np

from limen.arrays import Floats, Ints, Mask, Slots
from limen.growable import with_rows
from limen.queries.match.checked_input import checked_boxes, checked_points, checked_slots
from limen.queries.match.pair_chunks import PairChunks
from limen.regions.levelled_index import LevelledIndex
from limen.regions.pairs import Pairs


class MatchLevel(Protocol):
    """Some boxes, arranged once and for all."""

    def match(self, points: Floats, alive: Mask, *, any_dead: bool, chunks: PairChunks, found: Pairs) -> None:
        """Find the pairs (row, slot) of living boxes that contain a point."""

    @property
    def nbytes(self) -> int:
        """Bytes held."""


class SlottedLevel(NamedTuple):
    """A level and the slots of its boxes."""

    slots: Slots
    boxes: MatchLevel

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.slots.nbytes + self.boxes.nbytes


class LevelledBoxes(LevelledIndex[SlottedLevel]):
    """Implements `RegionIndex` for subclasses that arrange boxes.

    Levels choose their domains by what they hold: a domain grows with the level that is rebuilt.

    Parameters
    ----------
    dimensions : int
    """

    def __init__(self, dimensions: int) -> None:
        super().__init__()
        self.dimensions = dimensions
        self.bounds = np.empty((0, dimensions, 2))  # by slot
        self._chunks = PairChunks()

    @abstractmethod
    def _arrange(self, bounds: Floats, slots: Slots) -> MatchLevel:
        """Arrange boxes (n, dimensions, 2), of which there is one at least."""

    def insert(self, boxes: Floats, owners: Slots | None = None, owner_counts: Ints | None = None) -> Slots:  # noqa: ARG002
        """Add half-open boxes (n, dimensions, 2), whose bounds may be infinite, and return their slots."""
        slots = self._new_slots(len(checked_boxes(boxes, self.dimensions)))
        if len(self.alive) > len(self.bounds):
            self.bounds = with_rows(self.bounds, len(self.alive))
        self.bounds[slots] = boxes
        return slots

    def remove(self, slots: Slots) -> None:
        """Take boxes out."""
        super().remove(checked_slots(slots, self.alive))

    def regions(self, slots: Slots) -> Floats:
        """Return boxes as they are inserted."""
        return self.bounds[slots]

    def renumber_owners(self, number: Slots) -> None:
        """Follow a renumbering of the streams: no box is about some of them."""

    def match(self, points: Floats) -> Pairs:
        """Find all pairs (row, slot) with the point (dimensions, n) in the box, each once, in any order."""
        points = checked_points(points, self.dimensions)
        found = Pairs()
        for level in self._up_to_date() if self.changed else self.levels:
            level.boxes.match(points, self.alive, any_dead=self.dead > 0, chunks=self._chunks, found=found)
        return found

    def containing(self, slot: Slots, points: Floats, columns: Ints) -> Pairs:  # noqa: ARG002
        """Find all pairs (row, slot) with the row's point inside the box; rows with a NaN are in none."""
        return self.match(points[columns])

    def _build(self, new: Slots, merged: list[tuple[SlottedLevel, Slots]]) -> SlottedLevel:
        slots = np.concatenate([new, *(living for _, living in merged)])
        return SlottedLevel(slots, self._arrange(self.bounds[slots], slots))

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return super().nbytes + self.bounds.nbytes
