"""The interval skip list (IS-list), which one-dimensional border monitoring is measured against."""

from functools import partial

import numpy as np

from limen.arrays import Codes, Floats, Ints, Slots
from limen.growable import grown
from limen.queries.match.checked_input import checked_points
from limen.queries.match.pair_chunks import PairChunks
from limen.regions.pairs import Pairs
from limen_lab.rivals.box_slots import BoxSlots
from limen_lab.rivals.kernels.skip_list import HEAD, LEVELS, TAIL, link_in_order, marked_edges, under_edges
from limen_lab.rivals.kernels.skip_list_nodes import NO_NODE, insert_nodes, remove_nodes
from limen_lab.rivals.lists import SlotLists

ROOM = 1 << 16  # pairs


class IntervalSkipList:
    """Intervals that mark the edges of a skip list of their ends.

    Parameters
    ----------
    up : float
        The share of nodes that go up a level.
    seed : int
        Of the heights.

    Examples
    --------
    >>> index = IntervalSkipList()
    >>> index.insert(np.array([[[0.0, 10.0]], [[5.0, 7.5]]]))
    array([0, 1], dtype=int32)
    >>> row, slot = index.match(np.array([[6.0, 7.5]])).arrays()
    >>> sorted(zip(row.tolist(), slot.tolist()))
    [(0, 0), (0, 1), (1, 0)]
    """

    dimensions = 1

    def __init__(self, *, up: float = 0.25, seed: int = 0) -> None:
        self.up = up
        self._random = np.random.default_rng(seed)
        self._slots = BoxSlots(1)
        self._chunks = PairChunks(ROOM)
        self._rebuild()

    def __len__(self) -> int:
        return len(self._slots)

    def insert(self, boxes: Floats) -> Slots:
        """Add intervals (n, 1, 2) and return their slots."""
        several = len(boxes) > len(self)
        slots = self._slots.allocate(boxes)
        if several:  # nodes made in their order lie in memory as they are walked along
            self._rebuild()
            return slots
        heights = self._heights(2 * len(slots))
        self._make_room(int(self._unused[0] + heights.sum()))
        self._lists.pool = insert_nodes(
            slots, self._slots.bounds, heights, *self._nodes, self._unused, np.empty(LEVELS, np.int64),
            np.empty(self._slots.used, np.int32), np.zeros(self._slots.used, np.uint8), *self._marks,
        )  # fmt: skip
        self._lists.add(*self._edges(slots))
        return slots

    def remove(self, slots: Slots) -> None:
        """Take intervals out."""
        self._slots.release(slots)
        self._lists.discard(self._edges(slots)[0], slots, self._slots.used)
        self._lists.pool = remove_nodes(
            slots, self._slots.bounds, *self._nodes, self._unused, np.empty(LEVELS, np.int64),
            np.empty((2, self._slots.used), np.int32), *self._marks,
        )  # fmt: skip

    def match(self, points: Floats) -> Pairs:
        """Find all pairs (row, slot) with the point in the interval, in the order of rows."""
        points, found = checked_points(points, 1), Pairs()
        arrays = self._next_key, self._next_node, self._lists.extent, self._lists.pool
        self._chunks.collect(points.shape[1], partial(under_edges, points, *arrays), found)
        return found

    def _rebuild(self) -> None:
        """Make nodes of all ends and mark the edges between them."""
        living = self._slots.living()
        bounds = self._slots.bounds[living, 0]
        ends = bounds[bounds[:, 0] < bounds[:, 1]].reshape(-1)
        keys, uses = np.unique(ends[np.isfinite(ends)], return_counts=True)
        heights = self._heights(len(keys))
        edges = 2 * LEVELS + int(heights.sum())
        self._next_key, self._next_node = np.empty(edges), np.empty(edges, np.int32)
        self._key, self._height, self._uses = np.empty(edges), np.zeros(edges, np.int8), np.zeros(edges, np.int32)
        link_in_order(keys, heights, self._next_key, self._next_node, self._key, self._height)
        self._uses[2 * LEVELS + np.cumsum(heights) - heights] = uses
        self._uses[HEAD], self._uses[TAIL] = (ends == -np.inf).sum(), (ends == np.inf).sum()
        self._unused = np.full(LEVELS + 1, NO_NODE, np.int64)
        self._unused[0] = edges
        self._lists = SlotLists.filled(edges, *self._edges(living))

    def _heights(self, count: int) -> Ints:
        """Draw the heights of nodes."""
        return np.minimum(self._random.geometric(1 - self.up, count), LEVELS)

    def _edges(self, slots: Slots) -> tuple[Slots, Slots]:
        """Return the edges that intervals mark, as pairs (edge, slot)."""
        found = Pairs()
        arrays = self._slots.bounds, self._next_key, self._next_node, self._height
        self._chunks.collect(len(slots), partial(marked_edges, slots, *arrays), found)
        return found.arrays()

    def _make_room(self, edges: int) -> None:
        self._next_key, self._key = grown(self._next_key, edges), grown(self._key, edges)
        self._next_node, self._uses = grown(self._next_node, edges), grown(self._uses, edges)
        self._height = grown(self._height, edges)
        self._lists.grow(len(self._next_key))

    @property
    def _nodes(self) -> tuple[Floats, Slots, Floats, Codes, Slots]:
        """The arrays of nodes and edges, as kernels take them."""
        return self._next_key, self._next_node, self._key, self._height, self._uses

    @property
    def _marks(self) -> tuple[Slots, Codes, Ints, Slots]:
        """The arrays of marks, as kernels take them."""
        return self._lists.extent, self._lists.grade, self._lists.free, self._lists.pool

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._slots.nbytes + self._lists.nbytes + sum(array.nbytes for array in self._nodes)
