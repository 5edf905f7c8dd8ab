"""Shops of a city: beside its roads, and crowded around its middle."""

import numpy as np
from numpy.typing import NDArray

from limen.errors import InvalidInput
from limen.simulate.roads import RoadNetwork

SHOPS = 7  # added to a seed: separates the random sequence of shops from others
FROM_ROAD = 12.0  # metres from the middle of a road to a shop


def shop_sites(network: RoadNetwork, n: int = 5_000, seed: int = 0) -> NDArray[np.float64]:
    """Find places for shops, on either side of the roads; the nearer to the middle of the city, the more of them.

    Returns an array of shape (n, 2), in metres.

    References
    ----------
    BMQ-Processor, section 7.2.1: several thousand shops, normally distributed around the middle. The deviation is a
    sixth of the city, as for the regions of `traffic_queries`.

    Examples
    --------
    >>> from limen.simulate.generated_roads import generated_roads
    >>> shop_sites(generated_roads(40, 45), n=3).shape
    (3, 2)
    """
    if n < 1:
        raise InvalidInput(where="n", expected="1 or more", got=n)
    rng = np.random.default_rng((seed, SHOPS))
    begin, end = network.xy[network.ends[:, 0]], network.xy[network.ends[:, 1]]
    off = ((begin + end) / 2 - network.extent / 2) / (network.extent / 6)
    weight = network.metres * np.exp(-0.5 * (off**2).sum(axis=1))
    road = rng.choice(len(weight), n, p=weight / weight.sum())
    along = (end - begin)[road]
    aside = along[:, ::-1] * (1, -1) / np.hypot(*along.T)[:, None] * rng.choice((-FROM_ROAD, FROM_ROAD), (n, 1))
    sites: NDArray[np.float64] = begin[road] + rng.random((n, 1)) * along + aside
    return sites
