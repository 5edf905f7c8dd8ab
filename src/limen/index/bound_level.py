"""Shapes that are about streams of their own, listed by stream: one level of a border grid of such queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from limen.index.figures import Figures
from limen.index.grid_level import collect
from limen.kernels.candidates import candidates_crossed, candidates_stabbed
from limen.kernels.passing import candidates_passed

if TYPE_CHECKING:
    from limen.index.moves import Moves
    from limen.index.pairs import PairBuffer, Pairs
    from limen.index.shapes import Shapes

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


class BoundLevel:
    """Shapes, each the region of a query about some streams.

    Parameters
    ----------
    shapes, slots, lonlat
        As for a `GridLevel`.
    owners, counts : int32 array, int64 array (n,)
        The streams of all queries one after another, and how many each has.
    """

    def __init__(self, shapes: Shapes, slots: Slots, owners: Slots, counts: Ints, *, lonlat: bool) -> None:
        self.figures = Figures(shapes, lonlat=lonlat)
        self.slot_of = slots
        self.dead = 0
        self.bind(owners, counts)

    def __len__(self) -> int:
        return len(self.slot_of)

    def bind(self, owners: Slots, counts: Ints) -> None:
        """List shapes by stream."""
        row = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        order = np.argsort(owners, kind="stable")
        present, first = np.unique(owners[order], return_index=True)
        self._entry = row[order]
        self._segments = np.append(first, len(owners))
        # One more than there are owners, since without any segment all streams would share one.
        self._segment_of = np.full(int(present.max(initial=0)) + 1, -1, np.int32)
        self._segment_of[present] = np.arange(len(present))

    def crossings(self, moves: Moves, alive: Mask, buffer: PairBuffer, found: Pairs) -> int:
        """Find what moves enter and leave; returns how many entries were looked at."""
        args = moves.records, *self._lists(alive), *self.figures.arrays
        return collect(candidates_crossed, args, len(moves), buffer, found)

    def containing(self, stream: Slots, x: Floats, y: Floats, alive: Mask, buffer: PairBuffer, found: Pairs) -> None:
        """Find what contains points."""
        args = stream, x, y, *self._lists(alive), *self.figures.arrays
        collect(candidates_stabbed, args, len(x), buffer, found)

    def passings(self, moves: Moves, alive: Mask, buffer: PairBuffer, found: Pairs) -> None:
        """Find what moves pass through, from outside to outside."""
        args = moves.records, *self._lists(alive), *self.figures.arrays
        collect(candidates_passed, args, len(moves), buffer, found)

    def _lists(self, alive: Mask) -> tuple[Slots, Ints, Slots, Slots, Mask]:
        return self._segment_of, self._segments, self._entry, self.slot_of, alive

    @property
    def nbytes_queries(self) -> int:
        """Bytes held."""
        arrays = self.slot_of, self._entry, self._segments, self._segment_of
        return self.figures.nbytes + sum(array.nbytes for array in arrays)
