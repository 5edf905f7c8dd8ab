"""What a cache area costs and what it saves, by the formulas of the SOLE paper (§4.5).

A square query moves among streams that are spread evenly. Each side grows by twice the way that a stream can come
between two reports, or by a fraction of it, the `cache`. Any unit of length will do, if `side` and `speed` agree on it;
the paper has miles and miles an hour, which is ``speed=30 / 3600`` a second.
"""

import math

from limen.errors import InvalidInput


def expansion_factor(side: float, speed: float, interval: float, cache: float = 1.0) -> float:
    """Return how many times as long a query's side is as what the cache area adds to it.

    Parameters
    ----------
    side : float
        Of the square.
    speed : float
        How far a stream comes in a second, at most.
    interval : float
        Seconds between two reports, at most.
    cache : float
        How much of the cache area is kept, from 0 to 1.

    Examples
    --------
    >>> expansion_factor(3, 30 / 3600, 30)
    6.0
    """
    added = _added(side, speed, interval, cache)
    return side / added if added > 0 else math.inf


def cache_overhead(side: float, speed: float, interval: float, cache: float = 1.0) -> float:
    """Return how much larger the area is with the cache area, in percent of what it is without.

    The parameters are those of `expansion_factor`.

    Examples
    --------
    >>> [round(cache_overhead(3, 30 / 3600, 30, cache), 1) for cache in (1, 0.5, 0.25, 0)]
    [36.1, 17.4, 8.5, 0.0]
    """
    factor = expansion_factor(side, speed, interval, cache)
    return 100 * (2 + 1 / factor) / factor


def _added(side: float, speed: float, interval: float, cache: float) -> float:
    """Return what the cache area adds to a side."""
    if not 0 < side < math.inf:
        raise InvalidInput(where="side", expected="a length above 0", got=side)
    for name, value in (("speed", speed), ("interval", interval)):
        if not 0 <= value < math.inf:
            raise InvalidInput(where=name, expected="0 or more, and finite", got=value)
    if not 0 <= cache <= 1:
        raise InvalidInput(where="cache", expected="0 to 1", got=cache)
    return 2 * cache * speed * interval
