"""Edge lists for kernels to work on, made as an index makes them."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from limen.regions.edges import SHARED, EdgeList, EdgeListLevel
from tests.regions.kernels.moves import Case


def level_of(case: Case) -> EdgeListLevel:
    """List all queries, dead ones too, as an index does until it merges."""
    queries = np.arange(len(case.boxes), dtype=np.int32)
    owners = np.full(len(queries), SHARED, np.int32)
    if case.owners is not None:
        queries = np.repeat(queries, [len(each) for each in case.owners])
        owners = np.array([owner for each in case.owners for owner in each], np.int32)
    everyone = np.ones(len(case.boxes), np.bool_)
    return EdgeListLevel(case.boxes, everyone, queries, owners, bound=case.owners is not None)


def line(boxes: npt.ArrayLike, before: Sequence[float], after: Sequence[float]) -> Case:
    """Rows of one stream over queries in one dimension."""
    ranges = np.array(boxes, np.float64).reshape(-1, 1, 2)
    return Case(
        boxes=ranges,
        alive=np.ones(len(ranges), np.bool_),
        owners=None,
        slot=np.zeros(len(before), np.int32),
        before=np.array([before], np.float64),
        after=np.array([after], np.float64),
        columns=np.array([0]),
        streams=1,
    )


def edges_ending_at(others: Sequence[float], following: npt.ArrayLike | None = None) -> EdgeList:
    """Make a list whose entry i + 1 is query i and ends there; `following` (n, 2) is the next dimension."""
    n = len(others)
    dimensions = [np.stack([np.arange(n, dtype=np.float64), np.array(others, np.float64)], axis=1)]
    if following is not None:
        dimensions.append(np.array(following, np.float64).reshape(n, 2))
    queries, everyone = np.arange(n, dtype=np.int32), np.ones(n, np.bool_)
    level = EdgeListLevel(np.stack(dimensions, axis=1), everyone, queries, np.full(n, SHARED, np.int32), bound=False)
    return level.lists[0]
