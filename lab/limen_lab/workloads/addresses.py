"""Addresses: points inside zones, for trips to begin and end at."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# A zone of scattered islands fills a few percent of its bounds; one that fills none of them is no zone.
_MOST_DRAWS = 1_000


def addresses(rng: np.random.Generator, rings: Sequence[NDArray[np.float64]], count: int) -> NDArray[np.float64]:
    """Draw points of a zone, all equally likely.

    Parameters
    ----------
    rng : Generator
        Decides the points.
    rings : sequence of arrays of shape (vertices, 2)
        Those of all parts and holes of the zone, closed or not.
    count : int
        How many.

    Returns
    -------
    array of shape (count, 2)

    Examples
    --------
    >>> triangle = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    >>> points = addresses(np.random.default_rng(0), [triangle], 100)
    >>> points.shape, bool((points.sum(axis=1) < 4).all())
    ((100, 2), True)
    """
    vertices = np.concatenate(rings)
    lower, upper = vertices.min(axis=0), vertices.max(axis=0)
    found = np.empty((0, 2))
    for _ in range(_MOST_DRAWS):
        points = rng.uniform(lower, upper, (2 * count, 2))
        found = np.concatenate([found, points[inside(points, rings)]])
        if len(found) >= count:
            return found[:count]
    raise ValueError("a zone without an area has no addresses")


def inside(points: NDArray[np.float64], rings: Sequence[NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Return which points are inside: those from which an odd number of edges lies to the right."""
    begin = np.concatenate(rings)
    end = np.concatenate([np.roll(ring, -1, axis=0) for ring in rings])
    x, y = points[:, :1], points[:, 1:]
    passes = (begin[:, 1] > y) != (end[:, 1] > y)
    rise = np.where(end[:, 1] == begin[:, 1], 1.0, end[:, 1] - begin[:, 1])  # level edges pass no height
    crossing = begin[:, 0] + (y - begin[:, 1]) * (end[:, 0] - begin[:, 0]) / rise
    odd: NDArray[np.bool_] = np.count_nonzero(passes & (x < crossing), axis=1) % 2 == 1
    return odd
