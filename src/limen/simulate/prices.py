"""Price streams and ranges of prices, as in the evaluation of the border monitoring paper.

Thousands of stocks whose prices move a little with every tuple, and very many ranges to be watched on all of
them. The defaults are the paper's: 2,000 streams of 1,000 tuples over a domain of one million.

References
----------
J. Lee et al., *BMQ-Processor: A High-Performance Border-Crossing Event Detection Framework for Large-Scale
Monitoring Applications*, IEEE TKDE 21(2), 2009, §7.1.1.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from limen.model.columns import Columns
from limen.simulate.bounds import Widths, random_bounds
from limen.simulate.box_workload import box_values
from limen.simulate.tick_tables import stream_names, tick_tables
from limen.simulate.walk import Distribution, Walk

DOMAIN = 1_000_000.0
PRICE_COLUMNS = Columns(id="symbol", time="time", values=("price",))


def symbols(streams: int) -> list[str]:
    """Return the stocks' names, in their order in every array and table here.

    Examples
    --------
    >>> symbols(3)
    ['S0', 'S1', 'S2']
    """
    return stream_names("S", streams)


def price_values(
    streams: int = 2_000,
    tuples: int = 1_000,
    fluctuation: float = 0.0001,
    start: Distribution = "uniform",
    domain: float = DOMAIN,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Return the prices of `price_streams` as one array of shape (tuples, streams)."""
    return box_values(1, streams, tuples, fluctuation, start, domain, seed)[:, :, 0]


def price_streams(
    streams: int = 2_000,
    tuples: int = 1_000,
    fluctuation: float = 0.0001,
    start: Distribution = "uniform",
    domain: float = DOMAIN,
    seed: int = 0,
    batch_ticks: int = 1,
) -> Iterator[pa.Table]:
    """Yield batches of price tuples with the columns `symbol`, `time` and `price`.

    Parameters
    ----------
    streams, tuples : int
        How many stocks, and tuples of each; at each tick, a second apart, every stock has one.
    fluctuation : float
        The paper's FL: the average change of a price, as a fraction of the domain.
    start : {"uniform", "normal"}
        How the first prices are spread.
    domain : float
        Prices are in `[0, domain)`.

    Examples
    --------
    >>> batch = next(price_streams(streams=3, tuples=2, batch_ticks=2))
    >>> batch.column_names, batch.num_rows
    (['symbol', 'time', 'price'], 6)
    """
    walk = Walk(streams, tuples, fluctuation, domain, start=start, seed=seed)
    return tick_tables(walk, PRICE_COLUMNS, symbols(streams), batch_ticks)


def price_queries(
    n: int = 100_000,
    width: float = 0.001,
    distribution: Distribution = "uniform",
    widths: Widths = "constant",
    domain: float = DOMAIN,
    seed: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw the lower and upper ends of `n` ranges.

    Parameters
    ----------
    width : float
        The paper's W: the average width, as a fraction of the domain.
    distribution : {"uniform", "normal"}
        How lower ends are spread over the domain.
    widths : {"constant", "exponential"}
        All alike, or mixed with `width` as their average.
    domain : float
        Size of the domain; upper ends may lie beyond it.

    Examples
    --------
    >>> lo, hi = price_queries(n=4, width=0.5, domain=10.0)
    >>> (hi - lo).round(9).tolist()
    [5.0, 5.0, 5.0, 5.0]
    """
    return random_bounds((n,), width, distribution, widths, domain, seed)
