"""Regions of two dimensions as columns: what an index of shapes is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from limen.arrays import Codes, Floats, Ints
from limen.regions.column_set import ColumnSet

BOX, CIRCLE, POLYGON = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Shapes(ColumnSet):
    """Some regions.

    Attributes
    ----------
    kind : int8 array (n,)
        BOX, CIRCLE or POLYGON.
    bounds : float array (n, 2, 2)
        Lower and upper bound in each dimension. A box is its bounds, which may be infinite; others lie within them.
    center, radius : float arrays (n, 2), (n,)
        Of circles.
    edges : float array (m, 4)
        The edges of polygons one after another, each as (xa, ya, xb, yb), its lower end by (y, x) first. Horizontal
        ones may be left out: the others determine where they are.
    edge_counts : int array (n,)
        How many edges each has.
    """

    kind: Codes
    bounds: Floats
    center: Floats
    radius: Floats
    edges: Floats
    edge_counts: Ints

    @classmethod
    def boxes(cls, bounds: Floats) -> Shapes:
        """Take boxes (n, 2, 2).

        Examples
        --------
        >>> len(Shapes.boxes(np.array([[[0.0, 1.0], [0.0, np.inf]]])))
        1
        """
        n = len(bounds)
        nothing = np.zeros((n, 2)), np.zeros(n), np.empty((0, 4)), np.zeros(n, np.int64)
        return cls(np.full(n, BOX, np.int8), np.asarray(bounds, np.float64), *nothing)

    @classmethod
    def polygons(cls, polygons: Sequence[Sequence[Floats]]) -> Shapes:
        """Take polygons, each a list of rings (vertices, 2), shells and holes alike.

        Examples
        --------
        >>> Shapes.polygons([[np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 1.0]])]]).edges.tolist()
        [[2.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]]
        """
        n = len(polygons)
        edges = [np.concatenate([edges_of_ring(ring) for ring in rings]) for rings in polygons]
        bounds = [np.stack([ends.min(axis=0), ends.max(axis=0)], axis=1) for ends in (e.reshape(-1, 2) for e in edges)]
        return cls(
            np.full(n, POLYGON, np.int8),
            np.array(bounds).reshape(n, 2, 2),
            np.zeros((n, 2)),
            np.zeros(n),
            np.concatenate([np.empty((0, 4)), *edges]),
            np.array([len(each) for each in edges], np.int64),
        )

    @classmethod
    def joined(cls, parts: Sequence[Shapes]) -> Shapes:
        """Put parts, of which there may be none, one behind the other."""
        return super(Shapes, cls).joined(parts or [NO_SHAPES])

    def take(self, slots: npt.NDArray[np.integer]) -> Shapes:
        """Return some of them, in the given order."""
        counts = self.edge_counts[slots]
        edges = self.edges
        if len(edges):
            first = np.cumsum(self.edge_counts) - self.edge_counts
            start = np.cumsum(counts) - counts
            edges = edges[np.arange(int(counts.sum())) + np.repeat(first[slots] - start, counts)]
        return Shapes(
            self.kind[slots], self.bounds[slots], self.center[slots], self.radius[slots], edges, counts
        )  # fmt: skip

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(column.nbytes for column in self.columns)


def edges_of_ring(ring: Floats) -> Floats:
    """Return the edges of a ring (vertices, 2), closed or not: lower end first, without horizontal ones."""
    following = np.roll(ring, -1, axis=0)
    upward = (ring[:, 1] < following[:, 1])[:, None]
    edges = np.concatenate([np.where(upward, ring, following), np.where(upward, following, ring)], axis=1)
    kept: Floats = edges[edges[:, 1] != edges[:, 3]]
    return kept


NO_SHAPES = Shapes.boxes(np.empty((0, 2, 2)))
