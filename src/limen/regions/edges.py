"""Boxes as sorted edge lists, two a dimension: the paper's region segments, laid out flat; one level of a `BoxIndex`.

See `limen.regions.kernels.edges` for what an edge list is. The list along the axis has OWN = lower and OTHER = upper
bound. The mirrored one describes the same intervals on the negated axis. There [lo, hi) becomes (-hi, -lo], open on the
wrong side; the next larger floats of both bounds put that right exactly, since a < b is the same as next(a) <= b.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limen.arrays import Floats, Ints, Mask, Slots
from limen.growable import grown
from limen.regions.kernels.edges import NEXT_LOWER, OTHER, OWN
from limen.regions.kernels.merging import NO_QUERY, merge

SHARED = -1  # the owner of what is about all streams
BLOCK = 16
NO_STREAMS = np.empty(0, np.int32)


def edges_of(lower: Floats, upper: Floats, *, mirrored: bool) -> tuple[Floats, Floats]:
    """Return OWN and OTHER of intervals [lower, upper), along the axis or along the mirrored one.

    Examples
    --------
    >>> edges_of(np.array([1.0]), np.array([3.0]), mirrored=False)
    (array([1.]), array([3.]))
    >>> own, other = edges_of(np.array([1.0]), np.array([3.0]), mirrored=True)
    >>> bool(own[0] > -3.0), bool(other[0] > -1.0)
    (True, True)
    """
    if not mirrored:
        return lower, upper
    with np.errstate(over="ignore", under="ignore"):  # the largest float is followed by infinity, zero by a denormal
        return np.nextafter(-upper, np.inf), np.nextafter(-lower, np.inf)


class EdgeList(NamedTuple):
    """Entries sorted by (owner, own), the entries of each owner between two sentinels.

    Kernels take the first five arrays, in this order.
    """

    edge: Floats  # (n, 2) in one dimension, (n, 4) in several
    query: Slots
    far1: Floats
    far2: Floats
    far3: Floats
    segments: Ints
    owners: Slots  # of the segments, rising

    @classmethod
    def empty(cls, dimensions: int, *, bound: bool) -> EdgeList:
        """Make a list without entries: no segment when queries are bound to streams, else the one that all share."""
        no_entries, no_slots = np.empty((0, 2 if dimensions == 1 else 4)), np.empty(0, np.int32)
        no_floats = np.empty(0)
        nothing = cls(no_entries, no_slots, no_floats, no_floats, no_floats, np.zeros(1, np.int64), no_slots)
        if bound:
            return nothing
        # A segment from 0 to 2 is two sentinels, of which a merge reads only what is between them.
        fenced = nothing._replace(segments=np.array([0, 2]), owners=np.full(1, SHARED, np.int32))
        return fenced.with_entries(no_slots, no_slots, np.empty((0, dimensions, 2)), 0, np.empty(0, np.bool_))

    def with_entries(self, queries: Slots, owners: Slots, boxes: Floats, which: int, alive: Mask) -> EdgeList:
        """Return this list with queries put in and dead ones left out.

        Parameters
        ----------
        queries, owners : int32 arrays (m,)
            What to put in; a query that is bound to several streams comes once for each.
        boxes, alive : arrays (slots, dimensions, 2), (slots,)
            All queries of the index.
        which : int
            Which list this is: along the axis of dimension which // 2, or mirrored when it is odd.
        """
        k, dimensions = which // 2, boxes.shape[1]
        bounds = boxes[queries, k]
        edge = np.empty((len(queries), self.edge.shape[1]))
        edge[:, OWN], edge[:, OTHER] = edges_of(bounds[:, 0], bounds[:, 1], mirrored=which % 2 == 1)
        if dimensions > 1:
            edge[:, NEXT_LOWER:] = boxes[queries, (k + 1) % dimensions]
        order = np.lexsort((edge[:, OWN], owners)) if len(owners) > 1 else slice(None)
        edge, queries, owners = edge[order], queries[order], owners[order]
        new_owners = 1 + int(np.count_nonzero(np.diff(owners))) if len(owners) else 0
        most_segments = len(self.owners) + new_owners
        most = len(self.query) + len(queries) + 2 * most_segments
        out_edge, out_query = np.empty((most, edge.shape[1])), np.empty(most, np.int32)
        segments, segment_owners = np.empty(most_segments + 1, np.int64), np.empty(most_segments, np.int32)
        shared = len(self.owners) == 1 and self.owners[0] == SHARED
        size, count = merge(
            self.edge, self.query, self.segments, self.owners, alive, edge, queries, owners, shared,
            out_edge, out_query, segments, segment_owners,
        )  # fmt: skip
        if size < most * 9 // 10:  # do not hold on to room that dead queries leave
            out_edge, out_query = out_edge[:size].copy(), out_query[:size].copy()
        out_edge, out_query = out_edge[:size], out_query[:size]
        far1 = _largest_of_blocks(out_edge[:, OTHER])
        far2 = _largest_of_blocks(far1)
        far3 = _largest_of_blocks(far2)
        return EdgeList(out_edge, out_query, far1, far2, far3, segments[: count + 1], segment_owners[:count])


def _largest_of_blocks(values: Floats) -> Floats:
    if len(values) == 0:
        return values
    return np.maximum.reduceat(values, np.arange(0, len(values), BLOCK))


class EdgeListLevel:
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
    base : EdgeListLevel, optional
        A level whose living queries are listed here too. It is sorted already, so it is copied and the others are put
        in.
    """

    def __init__(
        self,
        boxes: Floats,
        alive: Mask,
        queries: Slots,
        owners: Slots,
        *,
        bound: bool,
        base: EdgeListLevel | None = None,
    ) -> None:
        dimensions = boxes.shape[1]
        empty = EdgeList.empty(dimensions, bound=bound)
        bases: list[EdgeList] = base.lists if base is not None else [empty] * (2 * dimensions)
        # along the axis and mirrored, dimension after dimension
        self.lists: list[EdgeList] = [
            each.with_entries(queries, owners, boxes, which, alive) for which, each in enumerate(bases)
        ]
        self.segment_of = NO_STREAMS  # by slot of the stream, -1 for none; empty when all share the only segment
        if bound:
            present = self.lists[0].owners
            self.segment_of = np.full(int(present.max(initial=0)) + 1, -1, np.int32)
            self.segment_of[present] = np.arange(len(present))
        self.size = len(self.lists[0].query) - 2 * (len(self.lists[0].segments) - 1)  # entries, sentinels aside
        self.hints = np.zeros((len(self.lists), 0), np.int32)  # for each list, by slot of the stream

    def make_room(self, streams: int) -> None:
        """Have hints for so many streams at least."""
        self.hints = np.ascontiguousarray(grown(self.hints.T, streams).T)

    @property
    def slots(self) -> Slots:
        """The queries listed, dead ones too, each once."""
        query = self.lists[0].query
        listed = query[query != NO_QUERY]
        return np.unique(listed) if len(self.segment_of) else listed

    @property
    def nbytes(self) -> int:
        """Bytes that grow with the queries."""
        return sum(array.nbytes for edges in self.lists for array in edges) + self.segment_of.nbytes
