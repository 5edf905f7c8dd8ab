"""A set of boxes in all its dimensions, with what streams remember of it: one level of an index."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from limen.index.edges import NO_QUERY, EdgeList, build, edges_of

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
    queries : int32 array
        The queries listed here; one that is bound to several streams is listed once for each.
    owners : int32 array, or None
        The stream that each is bound to; None when they are about all streams.
    base : Level, optional
        A level whose living queries are listed here too. Its order is kept, so that this costs little more than a copy.
    alive : bool array (slots,)
        Which queries live.
    """

    def __init__(
        self, boxes: Floats, queries: Slots, owners: Slots | None, alive: Mask, bases: tuple[Level, ...] = ()
    ) -> None:
        self.bound = owners is not None
        self.segment_of = NOBODY
        self.lists: list[EdgeList] = []  # along the axis and mirrored, dimension after dimension
        for which in range(2 * boxes.shape[1]):
            self.lists.append(self._list(which, boxes, queries, owners, alive, bases))
        self._hints = [np.zeros(0, np.int32) for _ in self.lists]

    def _list(
        self, which: int, boxes: Floats, queries: Slots, owners: Slots | None, alive: Mask, bases: tuple[Level, ...]
    ) -> EdgeList:
        query_parts, owner_parts = [], []
        for base in bases:
            listed = base.lists[which].query
            kept = listed != NO_QUERY
            kept[kept] = alive[listed[kept]]
            query_parts.append(listed[kept])
            if owners is not None:
                owner_parts.append(base.owners(which)[kept])
        query = np.concatenate([*query_parts, queries]).astype(np.int32, copy=False)
        k, dimensions = which // 2, boxes.shape[1]
        bounds = boxes[query, k]
        own, other = edges_of(bounds[:, 0], bounds[:, 1], mirrored=which % 2 == 1)
        if owners is None:
            order = np.argsort(own, kind="stable")  # joins sorted runs, so this is a merge
            sizes = None
        else:
            owner = np.concatenate([*owner_parts, owners])
            order = np.lexsort((own, owner))
            present, sizes = np.unique(owner, return_counts=True)
            self.segment_of = np.full(int(present[-1]) + 1 if len(present) else 1, -1, np.int32)
            self.segment_of[present] = np.arange(len(present))
        query = query[order]
        following = boxes[query, (k + 1) % dimensions] if dimensions > 1 else np.empty((0, 2))
        return build(own[order], other[order], query, following, sizes)

    def owners(self, which: int) -> Slots:
        """Return the stream that each entry of a list is bound to, sentinels included."""
        present = np.flatnonzero(self.segment_of >= 0).astype(np.int32)
        return np.repeat(present, np.diff(self.lists[which].segments))

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
        return sum(edges.nbytes for edges in self.lists) + self.segment_of.nbytes

    @property
    def nbytes_streams(self) -> int:
        return sum(hints.nbytes for hints in self._hints)
