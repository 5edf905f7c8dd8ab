"""Alerts of investors, each on the one stock they hold: "buy below 40, sell above 50".

Unlike the ranges of `prices`, which watch all streams, an alert names its stream. Millions of them on
thousands of stocks are the financial scenario of the border monitoring papers.

References
----------
J. Lee et al., *BMQ-Index: Shared and Incremental Processing of Border Monitoring Queries over Data Streams*,
MDM 2006, §2.1, scenario 1.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limen.errors import InvalidInput
from limen.model.border import Border
from limen.model.region import Range
from limen.simulate.bounds import QUERIES, above
from limen.simulate.tick_tables import stream_names

BELOW, ABOVE = 0, 1


class Alerts(NamedTuple):
    """Alerts as arrays: alert i watches stream `stream[i]` for prices in `[lo[i], hi[i])`."""

    stream: NDArray[np.int64]
    lo: NDArray[np.float64]
    hi: NDArray[np.float64]


def alert_queries(
    prices: NDArray[np.float64],
    per_stream: int = 20,
    reach: float = 0.05,
    width: float = 0.005,
    seed: int = 0,
) -> Alerts:
    """Draw alerts near the prices of stocks.

    A third each are below a limit, above a limit, and within a narrow range.

    Parameters
    ----------
    prices : array of shape (streams,)
        Today's prices; `price_values(...)[0]` are the first of a simulation.
    reach : float
        How far a limit is from the price at most, as a fraction of the price: limits to buy lie below it,
        limits to sell above it.
    width : float
        Width of the narrow ranges, as a fraction of the price.

    Examples
    --------
    >>> alerts = alert_queries(np.array([40.0, 50.0]), per_stream=3)
    >>> alerts.stream.tolist()
    [0, 0, 0, 1, 1, 1]
    """
    if per_stream < 1:
        raise InvalidInput(where="per_stream", expected="1 or more", got=per_stream)
    for name, fraction in (("reach", reach), ("width", width)):
        if not 0 < fraction < 1:
            raise InvalidInput(where=name, expected="a fraction between 0 and 1", got=fraction)
    rng = np.random.default_rng((seed, QUERIES))
    stream = np.repeat(np.arange(len(prices)), per_stream)
    price = np.repeat(prices, per_stream)
    distance = rng.uniform(0.0, reach, len(stream)) * price
    # By turns and not by lot, so that every stock has all three kinds.
    kind = np.tile(np.arange(per_stream) % 3, len(prices))
    side = np.where(rng.random(len(stream)) < 0.5, -1.0, 1.0)
    near = price + side * distance
    lo = np.select([kind == BELOW, kind == ABOVE], [-np.inf, price + distance], near)
    hi = np.select([kind == BELOW, kind == ABOVE], [price - distance, np.inf], near + width * price)
    return Alerts(stream, lo, above(lo, hi))


def as_alerts(alerts: Alerts, streams: Sequence[str], *, prefix: str = "A") -> list[Border]:
    """Make one silent border query, on a single stream, of each alert.

    Examples
    --------
    >>> alerts = alert_queries(np.array([40.0, 50.0]), per_stream=3)
    >>> as_alerts(alerts, ["IBM", "SAP"])[5].streams
    ('SAP',)
    """
    names = stream_names(prefix, len(alerts.stream))
    rows = zip(names, alerts.stream.tolist(), alerts.lo.tolist(), alerts.hi.tolist(), strict=True)
    return [Border(name, Range(lo, hi), streams=(streams[stream],)) for name, stream, lo, hi in rows]
