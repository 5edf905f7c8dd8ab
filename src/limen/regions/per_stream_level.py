"""Shapes that are about streams of their own, listed by stream: one level of a border grid of such queries."""

import numpy as np

from limen.arrays import Floats, Ints, Mask, Slots
from limen.regions.kernels.candidates import candidates_crossed, candidates_stabbed
from limen.regions.kernels.passing import candidates_passed
from limen.regions.moves import MoveBatch
from limen.regions.pairs import PairBuffer, Pairs, collect
from limen.regions.shapes import Shapes
from limen.regions.stored_shapes import StoredShapes


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
        self.stored = StoredShapes(shapes, lonlat=lonlat)
        self.slots = slots
        self.bind(owners, counts)

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

    def crossings(self, moves: MoveBatch, alive: Mask, buffer: PairBuffer, found: Pairs) -> int:
        """Find what moves enter and leave; returns how many entries were looked at."""
        args = moves.records, *self._lists(alive), *self.stored.arrays
        return collect(candidates_crossed, args, len(moves), buffer, found)

    def containing(self, stream: Slots, x: Floats, y: Floats, alive: Mask, buffer: PairBuffer, found: Pairs) -> None:
        """Find what contains points."""
        args = stream, x, y, *self._lists(alive), *self.stored.arrays
        collect(candidates_stabbed, args, len(x), buffer, found)

    def passings(self, moves: MoveBatch, alive: Mask, buffer: PairBuffer, found: Pairs) -> None:
        """Find what moves pass through, from outside to outside."""
        args = moves.records, *self._lists(alive), *self.stored.arrays
        collect(candidates_passed, args, len(moves), buffer, found)

    def _lists(self, alive: Mask) -> tuple[Slots, Ints, Slots, Slots, Mask]:
        return self._segment_of, self._segments, self._entry, self.slots, alive

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        arrays = self.slots, self._entry, self._segments, self._segment_of
        return self.stored.nbytes + sum(array.nbytes for array in arrays)
