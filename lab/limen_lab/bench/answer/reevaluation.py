"""What answers are measured against: finding them afresh for every batch, with trees of scipy and of shapely."""

from collections.abc import Callable
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import cKDTree

from limen.arrays import Floats
from limen_lab.bench.answer.difference import Answers, Difference, answers_of, difference
from limen_lab.bench.answer.queries import MOVING, CityQueries
from limen_lab.bench.answer.traffic import Batch

#: Queries and streams, pairs of one in the answer of the other; a focal may be in its own.
Found: TypeAlias = tuple[npt.NDArray[np.integer[Any]], npt.NDArray[np.integer[Any]]]
#: From where streams are to all answers.
Way: TypeAlias = "Callable[[Floats], Found]"


class KDTree:
    """Trees of scipy, in which a range is a ball of radius 1 under the maximum norm, of coordinates in half sides.

    Trees are built as is fastest for one build and one search: neither balanced nor shrunk to their points.
    """

    def __init__(self, queries: CityQueries) -> None:
        self.queries = queries
        self._fixed = None if queries.place == MOVING else self._tree(queries.center / queries.half)

    @property
    def ways(self) -> dict[str, Way]:
        """How to find answers, by name."""
        if self.queries.nearest:
            return {"query": self.nearest}
        return {
            "query_ball_point": self.by_balls,
            "query_ball_point of a tree of centers": self.by_balls_of_streams,
            "sparse_distance_matrix": self.by_pairs_of_trees,
        }

    def by_balls(self, position: Floats) -> Found:
        """Search a tree of streams around the centers."""
        tree = self._tree(position / self.queries.half)
        centers = self.queries.centers(position) / self.queries.half
        return _flat(tree.query_ball_point(centers, 1, p=np.inf, workers=1, return_sorted=False))

    def by_balls_of_streams(self, position: Floats) -> Found:
        """Search a tree of centers around the streams."""
        stream, query = _flat(
            self._centers(position).query_ball_point(
                position / self.queries.half, 1, p=np.inf, workers=1, return_sorted=False
            )
        )
        return query, stream

    def by_pairs_of_trees(self, position: Floats) -> Found:
        """Walk a tree of streams and one of centers together; finds distances too, but as arrays."""
        tree = self._tree(position / self.queries.half)
        pairs = tree.sparse_distance_matrix(self._centers(position), 1, p=np.inf, output_type="ndarray")
        return pairs["j"], pairs["i"]

    def nearest(self, position: Floats) -> Found:
        """Search a tree of streams for the nearest; a focal stream is one of its own."""
        k = self.queries.nearest + (self.queries.place == MOVING)
        _, stream = self._tree(position).query(self.queries.centers(position), k=k, workers=1)
        return np.repeat(np.arange(self.queries.count), k), stream.ravel()

    def _centers(self, position: Floats) -> cKDTree:
        return self._fixed or self._tree(self.queries.centers(position) / self.queries.half)

    def _tree(self, points: Floats) -> cKDTree:
        return cKDTree(points, balanced_tree=False, compact_nodes=False)


def _flat(lists: Any) -> Found:
    """Return lists of numbers as pairs of the list and the number."""
    counts = np.fromiter(map(len, lists), np.int64, len(lists))
    return np.repeat(np.arange(len(lists)), counts), np.fromiter(chain.from_iterable(lists), np.int64, counts.sum())


class STRTree:
    """Trees of shapely, which have nothing to find several nearest."""

    def __init__(self, queries: CityQueries) -> None:
        self.queries = queries
        moving = queries.place == MOVING
        self._boxes = None if moving else self._boxes_around(queries.center)
        self._fixed = None if moving else shapely.STRtree(self._boxes)

    @property
    def ways(self) -> dict[str, Way]:
        """How to find answers, by name."""
        return {} if self.queries.nearest else {"of points": self.of_points, "of boxes": self.of_boxes}

    def of_points(self, position: Floats) -> Found:
        """Search a tree of streams for those in boxes."""
        boxes = self._boxes_around(self.queries.centers(position)) if self._boxes is None else self._boxes
        query, stream = shapely.STRtree(shapely.points(position)).query(boxes)
        return query, stream

    def of_boxes(self, position: Floats) -> Found:
        """Search a tree of boxes for those around streams."""
        tree = self._fixed or shapely.STRtree(self._boxes_around(self.queries.centers(position)))
        stream, query = tree.query(shapely.points(position))
        return query, stream

    def _boxes_around(self, center: Floats) -> Any:
        return shapely.box(*(center - self.queries.half).T, *(center + self.queries.half).T)


class Reevaluation:
    """Answers found afresh batch by batch, in one of the ways, and compared with the last ones.

    Parameters
    ----------
    queries : CityQueries
    way : from positions of streams to pairs
    compared : bool
        Whether to find the difference; else there is none, and answers stay as they were found.
    """

    def __init__(self, queries: CityQueries, way: Way, *, compared: bool = True) -> None:
        self.queries, self.way, self.compared = queries, way, compared
        self._position = np.empty((0, 2))
        self._last: Answers

    def start(self, batch: Batch) -> None:
        """Take in where streams are."""
        self._position = np.empty_like(batch.point)
        self._position[batch.stream] = batch.point
        self._last = answers_of(*self.way(self._position), self.queries.focal)

    def prepare(self, batch: Batch) -> Batch:
        """Return a batch as it is taken."""
        return batch

    def step(self, batch: Batch) -> Difference | None:
        """Take a batch, and return how answers change."""
        self._position[batch.stream] = batch.point
        found = self.way(self._position)
        if not self.compared:
            return None
        new = answers_of(*found, self.queries.focal)
        last, self._last = self._last, new
        return difference(last, new, len(self._position))

    def changes(self, found: Difference | None) -> Difference | None:
        """Return what a step found as pairs."""
        return found
