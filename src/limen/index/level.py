"""A set of boxes in all its dimensions, with what streams remember of it: one level of an index."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from limen.index.edges import EdgeList
from limen.kernels.merging import NO_QUERY

Floats = npt.NDArray[np.float64]
Slots = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

NOBODY = np.empty(0, np.int32)


class Level:
    """Edge lists of boxes, two a dimension, and each stream's hint into each of them.

    Parameters
    ----------
    boxes : float array (slots, dimensions, 2)
        Bounds of all queries of the index.
    alive : bool array (slots,)
        Which of them live.
    queries, owners : int32 arrays
        The queries listed here, and the stream that each is bound to; one that is bound to several streams is listed
        once for each. Queries about all streams have the owner SHARED.
    bound : bool
        Whether queries are bound to streams.
    base : Level, optional
        A level whose living queries are listed here too. It is sorted already, so it is copied and the others are put
        in.
    """

    def __init__(
        self, boxes: Floats, alive: Mask, queries: Slots, owners: Slots, *, bound: bool, base: Level | None = None
    ) -> None:
        dimensions = boxes.shape[1]
        empty = EdgeList.empty(dimensions, bound=bound)
        bases: list[EdgeList] = base.lists if base is not None else [empty] * (2 * dimensions)
        # along the axis and mirrored, dimension after dimension
        self.lists: list[EdgeList] = [
            each.with_entries(queries, owners, boxes, which, alive) for which, each in enumerate(bases)
        ]
        self.segment_of = NOBODY  # by slot of the stream, -1 for none; empty when all share the only segment
        if bound:
            present = self.lists[0].owners
            self.segment_of = np.full(int(present.max(initial=0)) + 1, -1, np.int32)
            self.segment_of[present] = np.arange(len(present))
        self._hints = [NOBODY for _ in self.lists]

    def pairs(self) -> tuple[Slots, Slots]:
        """Return the queries listed, dead ones too, and the stream that each is bound to."""
        edges = self.lists[0]
        owner = np.repeat(edges.owners, np.diff(edges.segments))
        listed = edges.query != NO_QUERY
        return edges.query[listed], owner[listed]

    def hints(self, which: int, slots: int) -> Slots:
        """Return the hints into a list, for at least so many streams."""
        if len(self._hints[which]) < slots:
            grown = np.zeros(max(slots, len(self._hints[which]) * 5 // 4), np.int32)
            grown[: len(self._hints[which])] = self._hints[which]
            self._hints[which] = grown
        return self._hints[which]

    @property
    def size(self) -> int:
        """Entries of each list, sentinels aside."""
        return len(self.lists[0].query) - 2 * (len(self.lists[0].segments) - 1)

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return sum(edges.nbytes for edges in self.lists) + self.segment_of.nbytes

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams."""
        return sum(hints.nbytes for hints in self._hints)
