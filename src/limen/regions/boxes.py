"""Boxes in one to n dimensions, indexed for border crossings: the stateful RS-list index.

There are two levels at most, since every look-up goes through all of them, and since a sorted list is merged into
another at the speed of copying. Nothing that streams remember needs repair when levels change: hints are only guesses.
"""

from __future__ import annotations

import numpy as np

from limen.arrays import Floats, Ints, Mask, Slots
from limen.growable import with_rows
from limen.regions.edges import SHARED, EdgeListLevel
from limen.regions.kernels.containing import containing
from limen.regions.kernels.crossings import confirmed, crossed
from limen.regions.kernels.distances import far_from_boxes
from limen.regions.kernels.passing_boxes import passed_boxes
from limen.regions.levelled_index import LevelledIndex
from limen.regions.pairs import PairBuffer, Pairs, collect


class BoxIndex(LevelledIndex[EdgeListLevel]):
    """An index of half-open boxes.

    Parameters
    ----------
    dimensions : int
    bound : bool
        Whether each query is about streams of its own. Entries are then ordered by (stream, bound), and a tuple walks
        only what is bound to its stream.
    """

    RATIO = 8
    LARGE = 4096  # the second level never has more entries than this

    def __init__(self, dimensions: int, *, bound: bool = False) -> None:
        super().__init__(bound=bound)
        self.dimensions = dimensions
        self.boxes = np.empty((0, dimensions, 2))
        self.looked = 0  # entries and summaries looked at by `crossings` so far
        self._buffer = PairBuffer()

    # ---- changes -----------------------------------------------------------------------------------------------------

    def insert(self, boxes: Floats, owners: Slots | None = None, owner_counts: Ints | None = None) -> Slots:
        """Add boxes (m, dimensions, 2) and return their slots.

        A bound index takes the streams of all boxes one after another in `owners`, and how many each has.
        """
        slots = self._new_slots(len(boxes), owners, owner_counts)
        if len(self.alive) > len(self.boxes):
            self.boxes = with_rows(self.boxes, len(self.alive))
        self.boxes[slots] = boxes
        return slots

    def regions(self, slots: Slots) -> Floats:
        """Return boxes as they are inserted."""
        return self.boxes[slots]

    def subset(self, slots: Slots) -> BoxIndex:
        """Build an index of some of the queries; its slot i is `slots[i]`."""
        part = BoxIndex(self.dimensions, bound=self.bound)
        part.insert(self.boxes[slots], *(self.owners.of(slots) if self.bound else ()))
        return part

    def renumber_owners(self, number: Slots) -> None:
        """Follow a renumbering of the streams: `number` is the new slot of each old one."""
        self.owners.renumber(number)
        self._arrange_anew()

    # ---- look-up -----------------------------------------------------------------------------------------------------

    def crossings(self, slot: Slots, before: Floats, after: Floats, columns: Ints, slots: int) -> Pairs:
        """Find the queries that rows enter and leave, as pairs (row, query), ~query for a leave; each once.

        Parameters
        ----------
        slot : int32 array (n,)
            The stream of each row, in an order in which each stream's rows follow in time.
        before, after : float arrays (value columns, n)
            Position before and after each row; NaN where a row is not to be looked at.
        columns : int array (dimensions,)
            Which value column each dimension is.
        slots : int
            How many streams there are.
        """
        found = Pairs()
        for level in self._up_to_date() if self.changed else self.levels:
            if slots > level.hints.shape[1]:
                level.make_room(slots)
            for which, edges in enumerate(level.lists):
                k = which // 2
                column, following = columns[k], columns[(k + 1) % self.dimensions]
                row = 0
                while row < len(slot):
                    row, count, looked = crossed(
                        slot, before[column], after[column], before[following], after[following], which % 2 == 1,
                        *edges[:5], level.segment_of, edges.segments, level.hints[which], row,
                        self._buffer.row, self._buffer.query,
                    )  # fmt: skip
                    self.looked += looked
                    if row < len(slot):
                        self._buffer.make_room(count)
                    if self.dimensions > 1 or self.dead:
                        count = confirmed(
                            k, columns, before, after, self.boxes, self.alive, count,
                            self._buffer.row, self._buffer.query,
                        )  # fmt: skip
                    found.add(self._buffer, count)
        return found

    def containing(self, slot: Slots, points: Floats, columns: Ints) -> Pairs:
        """Find all pairs (row, query) with the row's point inside the query; rows with a NaN are in none."""
        found = Pairs()
        for level in self._up_to_date() if self.changed else self.levels:
            edges = level.lists[0]
            args = slot, points, columns, *edges[:5], level.segment_of, edges.segments, self.boxes, self.alive
            collect(containing, args, len(slot), self._buffer, found)
        return found

    def passings(self, slot: Slots, before: Floats, after: Floats, columns: Ints) -> Pairs:
        """Find all pairs (row, query) of moves that begin and end outside the query and pass through it."""
        found = Pairs()
        for level in self._up_to_date() if self.changed else self.levels:
            edges = level.lists[0]
            args = slot, before, after, columns, *edges[:3], level.segment_of, edges.segments, self.boxes, self.alive
            collect(passed_boxes, args, len(slot), self._buffer, found)
        return found

    def distant(self, slots: Slots, points: Floats, columns: Ints, margin: Floats) -> Mask:
        """Return for pairs of a query and a point (value columns, n) whether they are further apart than a margin."""
        far = np.empty(len(slots), np.bool_)
        far_from_boxes(slots, points, columns, self.boxes, margin, far)
        return far

    # ---- levels ------------------------------------------------------------------------------------------------------

    def _first_to_merge(self, size: int) -> int:
        """Return 1, for the second level, as long as that stays small beside the first."""
        if not self.levels:
            return 0
        main = self.levels[0].size
        size += sum(level.size for level in self.levels[1:])
        return int(size <= min(max(self.SMALL, main // self.RATIO), self.LARGE))

    def _build(self, new: Slots, merged: list[tuple[EdgeListLevel, Slots]]) -> EdgeListLevel:
        """Put entries into the largest of the levels that are merged; that leaves out its dead itself."""
        queries = np.concatenate([new, *(living for _, living in merged[1:])])
        if self.bound:
            owners, counts = self.owners.of(queries)
            queries = np.repeat(queries, counts)
        else:
            owners = np.full(len(queries), SHARED, np.int32)
        base = merged[0][0] if merged else None
        return EdgeListLevel(self.boxes, self.alive, queries, owners, bound=self.bound, base=base)

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return self.nbytes + self.boxes.nbytes

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams."""
        return sum(level.hints.nbytes for level in self.levels)
