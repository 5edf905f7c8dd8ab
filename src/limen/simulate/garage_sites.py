"""Where parking garages can stand: beside a node of the network, and off every road."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limen.errors import InvalidInput
from limen.simulate.roads import RoadNetwork

GARAGES = 5  # added to a seed: separates the random sequence of garages from others
SIZE = 30.0  # metres of a side, as in the paper
CLEARANCE = 2.0  # metres at least between a garage and any road, or another garage
_NEAREST, _FARTHEST = 24.0, 45.0  # metres from the node that is its gate to its middle
_TRIES = 12  # directions from a node, before the next one is looked at


@dataclass(frozen=True, eq=False)
class Sites:
    """Garages: the node that is the gate of each, all different, and the corners of its square in metres."""

    gates: NDArray[np.int64]
    lo: NDArray[np.float64]
    hi: NDArray[np.float64]


def garage_sites(network: RoadNetwork, n: int = 200, seed: int = 0) -> Sites:
    """Find places for garages of 30 m by 30 m that no road touches, each a few steps from a node.

    Examples
    --------
    >>> from limen.simulate.generated_roads import generated_roads
    >>> sites = garage_sites(generated_roads(200, 230), n=3)
    >>> (sites.hi - sites.lo).tolist()
    [[30.0, 30.0], [30.0, 30.0], [30.0, 30.0]]
    """
    if n < 2:
        raise InvalidInput(where="garages", expected="2 or more", got=n)
    rng = np.random.default_rng((seed, GARAGES))
    one, other = network.xy[network.ends[:, 0]], network.xy[network.ends[:, 1]]
    gates, middles = np.empty(n, np.int64), np.empty((n, 2))
    found = 0
    for node in rng.permutation(len(network.xy)):
        angle = rng.uniform(0.0, 2 * np.pi, _TRIES)
        distance = rng.uniform(_NEAREST, _FARTHEST, _TRIES)
        # On whole metres, so that the corners read well and the sides are exact.
        tried = (network.xy[node] + distance[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])).round()
        far = np.abs(tried[:, None] - middles[:found]).max(axis=2) >= SIZE + CLEARANCE
        for middle in tried[far.all(axis=1)]:
            if not touched(one, other, middle, SIZE / 2 + CLEARANCE).any():
                gates[found], middles[found] = node, middle
                found += 1
                break
        if found == n:
            return Sites(gates, middles - SIZE / 2, middles + SIZE / 2)
    raise InvalidInput(where="garages", expected=f"{found} or fewer: there is room for no more", got=n)


def touched(
    one: NDArray[np.float64], other: NDArray[np.float64], middle: NDArray[np.float64], reach: float
) -> NDArray[np.bool_]:
    """Return which straight lines, given by their ends, touch the square of half-width `reach` around a point.

    Examples
    --------
    >>> ends = np.array([[[0.0, 0.0], [9.0, 9.0]], [[0.0, 5.0], [5.0, 9.0]]])
    >>> touched(ends[:, 0], ends[:, 1], np.array([4.0, 4.0]), 1.0).tolist()
    [True, False]
    """
    # A line is outside a square if it is on one side of it, or if all corners are on one side of the line.
    a, b = one - middle, other - middle
    beside = (np.minimum(a, b) > reach).any(axis=1) | (np.maximum(a, b) < -reach).any(axis=1)
    way = b - a
    offset = np.abs(way[:, 0] * a[:, 1] - way[:, 1] * a[:, 0])
    touching: NDArray[np.bool_] = ~beside & (offset <= reach * np.abs(way).sum(axis=1))
    return touching
