"""DiffRMQ: border events without an index of borders, as the border monitoring papers' rivals find them."""

import numpy as np

from limen.arrays import Floats, Slots
from limen.growable import grown
from limen.queries.match.checked_input import checked_points
from limen.regions.pairs import PairBuffer, Pairs
from limen_lab.rivals.kernels.differences import changed_sets, in_row_order, remember
from limen_lab.rivals.lists import SlotLists
from limen_lab.rivals.match_index import MatchIndex

BLOCK = 512  # rows looked up at once: what is found for them stays in the cache until it is compared


class DiffRMQ:
    """Any index for matching, what contained each stream last, and the difference of sets.

    Queries may be added and removed at any time. The set of a stream is then out of date, and is looked up anew for its
    last point, with the current queries, at the stream's next row: so a stream leaves a query that was registered
    around it, and does not leave one that was removed.

    Parameters
    ----------
    index : MatchIndex

    References
    ----------
    J. Lee et al., *BMQ-Processor: A High-Performance Border-Crossing Event Detection Framework for Large-Scale
    Monitoring Applications*, IEEE TKDE 21(2), 2009, §7.

    Examples
    --------
    >>> from limen_lab.rivals.cei import CEI
    >>> border = DiffRMQ(CEI())
    >>> border.insert(np.array([[[0.0, 10.0]], [[5.0, 7.5]]]))
    array([0, 1], dtype=int32)
    >>> stream = np.zeros(3, np.int32)
    >>> border.crossings(stream, np.array([[1.0, 6.0, 12.0]]), 1).arrays()  # row 1 enters 1, row 2 leaves both
    (array([1, 2, 2], dtype=int32), array([ 1, -1, -2], dtype=int32))
    """

    def __init__(self, index: MatchIndex) -> None:
        self.index = index
        self.dimensions = index.dimensions
        self._sets = SlotLists(0)  # by stream
        self._known = np.empty(0, np.bool_)
        self._last: Floats = np.empty((self.dimensions, 0))
        self._changes = 0
        self._seen = np.empty(0, np.int64)  # by stream: the number of changes when its set was looked up
        self._mark = np.empty(0, np.uint8)  # by query
        self._buffer = PairBuffer()

    def __len__(self) -> int:
        return len(self.index)

    def insert(self, boxes: Floats) -> Slots:
        """Add boxes (n, dimensions, 2) and return their slots."""
        slots = self.index.insert(boxes)
        self._mark = grown(self._mark, int(slots.max(initial=-1)) + 1)
        self._changes += 1
        return slots

    def remove(self, slots: Slots) -> None:
        """Remove boxes; no leave is reported for them."""
        self.index.remove(slots)
        self._changes += 1

    def crossings(self, slot: Slots, points: Floats, slots: int) -> Pairs:
        """Find the queries that rows enter and leave, as pairs (row, query), ~query for a leave; each once.

        Parameters
        ----------
        slot : int32 array (n,)
            The stream of each row, in an order in which each stream's rows follow in time.
        points : float array (dimensions, n)
            Where it is. The first point of a stream gives nothing; one with a NaN is passed over.
        slots : int
            How many streams there are.
        """
        points = checked_points(points, self.dimensions)
        self._make_room(slots)
        self._renew(slot)
        found = Pairs()
        for first in range(0, len(slot), BLOCK):
            self._cross(first, slot[first : first + BLOCK], points[:, first : first + BLOCK], found)
        return found

    def _cross(self, first: int, slot: Slots, points: Floats, found: Pairs) -> None:
        pair_row, pair_query = self._match(points)
        sets, row, pair = self._sets, 0, 0
        while row < len(slot):
            row, pair, count, sets.pool = changed_sets(
                slot, points, pair_row, pair_query, self._known, self._last, sets.extent, sets.grade, sets.free,
                sets.pool, self._mark, row, pair, self._buffer.row, self._buffer.query,
            )  # fmt: skip
            if count:
                found.append(self._buffer.row[:count] + np.int32(first), self._buffer.query[:count].copy())
            if row < len(slot):
                self._buffer.make_room(count)

    def _renew(self, slot: Slots) -> None:
        """Look up what contained the streams of a batch, where queries have changed since."""
        if not len(slot) or (self._seen[slot] == self._changes).all():
            return
        stale = np.unique(slot)
        stale = stale[self._seen[stale] != self._changes]
        self._seen[stale] = self._changes
        stale = stale[self._known[stale]]
        sets = self._sets
        for first in range(0, len(stale), BLOCK):
            streams = stale[first : first + BLOCK]
            pairs = self._match(self._last[:, streams])
            sets.pool = remember(streams, *pairs, sets.extent, sets.grade, sets.free, sets.pool)

    def _match(self, points: Floats) -> tuple[Slots, Slots]:
        """Find pairs (row, query) in the order of rows."""
        row, query = self.index.match(points).arrays()
        if not in_row_order(row):
            order = np.argsort(row, kind="stable")
            row, query = row[order], query[order]
        return row, query

    def _make_room(self, slots: int) -> None:
        if slots <= len(self._known):
            return
        held = len(self._known)
        if slots <= held:
            return
        self._known, self._seen = grown(self._known, slots), grown(self._seen, slots)
        self._sets.grow(len(self._known))
        last = np.empty((self.dimensions, len(self._known)))
        last[:, :held] = self._last
        self._last = last

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return self.index.nbytes + self._mark.nbytes

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams: remembered sets and last points."""
        return self._sets.nbytes + self._known.nbytes + self._last.nbytes + self._seen.nbytes

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.nbytes_queries + self.nbytes_streams
