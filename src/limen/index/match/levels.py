"""Indexes made of levels: one that is built in bulk, and small ones beside it for what has changed since."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Protocol

import numpy as np

from limen.index.match.chunks import PairChunks
from limen.index.match.slots import BoxSlots, checked_points
from limen.index.pairs import Pairs

if TYPE_CHECKING:
    import numpy.typing as npt

    from limen.index.contract import Floats, Slots


class Level(Protocol):
    """Some boxes, arranged once and for all."""

    def match(
        self, points: Floats, alive: npt.NDArray[np.bool_], *, any_dead: bool, chunks: PairChunks, found: Pairs
    ) -> None:
        """Find the pairs (row, slot) of living boxes that contain a point."""

    @property
    def nbytes(self) -> int:
        """Bytes held."""


class LevelledIndex(ABC):
    """An index whose levels are rebuilt as they grow; implements `MatchIndex` for whoever can build a level.

    What is inserted waits for the next look-up, which puts it into a level together with all levels that are not much
    larger. So every box is moved a few times only, and an insertion costs microseconds at any size. A removed box stays
    listed, marked dead, until everything is rebuilt, when a quarter is dead. Levels choose their domains by what they
    hold: a domain grows with the level that is rebuilt.

    Parameters
    ----------
    dimensions : int
    """

    SMALL = 256  # a level with no more boxes is always rebuilt with what is new …
    RATIO = 16  # … and a larger one when what is new has grown to this part of it

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.slots = BoxSlots(dimensions)
        self._pending: list[Slots] = []  # not yet in a level
        self._levels: list[tuple[Slots, Level]] = []  # and the slots in each; the largest first
        self._chunks = PairChunks()

    @abstractmethod
    def _build(self, bounds: Floats, slots: Slots) -> Level:
        """Arrange boxes (n, dimensions, 2), of which there is one at least."""

    def __len__(self) -> int:
        return len(self.slots)

    def insert(self, boxes: Floats) -> Slots:
        """Add boxes and return their slots; see `MatchIndex.insert`."""
        slots = self.slots.allocate(boxes)
        if len(slots):
            self._pending.append(slots)
        return slots

    def remove(self, slots: Slots) -> None:
        """Take boxes out."""
        self.slots.release(slots)

    def match(self, points: Floats) -> Pairs:
        """Find all pairs (row, slot); see `MatchIndex.match`."""
        points = checked_points(points, self.dimensions)
        found, books = Pairs(), self.slots
        self._bring_up_to_date()
        for _, level in self._levels:
            level.match(points, books.alive, any_dead=books.dead > 0, chunks=self._chunks, found=found)
        return found

    def _bring_up_to_date(self) -> None:
        books = self.slots
        if books.dead > max(self.SMALL, len(books) // 4):
            self._pending, self._levels = [books.living()], []
            books.recycle()
        if not self._pending:
            return
        size = sum(map(len, self._pending))
        while self._levels and len(self._levels[-1][0]) <= max(self.SMALL, self.RATIO * size):
            slots, _ = self._levels.pop()
            self._pending.append(slots)
            size += len(slots)
        slots = np.concatenate(self._pending)
        slots = slots[books.alive[slots]]
        self._pending = []
        if len(slots):
            self._levels.append((slots, self._build(books.bounds[slots], slots)))

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.slots.nbytes + sum(slots.nbytes + level.nbytes for slots, level in self._levels)
