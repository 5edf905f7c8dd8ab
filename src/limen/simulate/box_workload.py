"""Streams and boxes in any number of dimensions, as in the evaluation of the border monitoring paper.

The paper takes one to nine dimensions, each of size 100,000, and a fluctuation and a width of 0.1 % a
dimension; these are the defaults.

References
----------
J. Lee et al., *BMQ-Processor: A High-Performance Border-Crossing Event Detection Framework for Large-Scale
Monitoring Applications*, IEEE TKDE 21(2), 2009, §7.3.1.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from limen.model.columns import Columns
from limen.simulate.bounds import Widths, random_bounds
from limen.simulate.tick_tables import stream_names, tick_tables
from limen.simulate.walk import Distribution, Walk

DOMAIN = 100_000.0


def box_columns(dimensions: int) -> Columns:
    """Return the columns of `box_streams`.

    Examples
    --------
    >>> box_columns(2).values
    ('x0', 'x1')
    """
    return Columns(id="id", time="time", values=tuple(f"x{dimension}" for dimension in range(dimensions)))


def box_values(
    dimensions: int = 2,
    streams: int = 2_000,
    tuples: int = 1_000,
    fluctuation: float = 0.001,
    start: Distribution = "uniform",
    domain: float = DOMAIN,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Return the positions of `box_streams` as one array of shape (tuples, streams, dimensions)."""
    return Walk(streams, tuples, fluctuation, domain, dimensions, start, seed).values()


def box_streams(
    dimensions: int = 2,
    streams: int = 2_000,
    tuples: int = 1_000,
    fluctuation: float = 0.001,
    start: Distribution = "uniform",
    domain: float = DOMAIN,
    seed: int = 0,
    batch_ticks: int = 1,
) -> Iterator[pa.Table]:
    """Yield batches of positions with the columns `id`, `time`, `x0`, `x1` and so on.

    Parameters are those of `price_streams`; the domain, the start and the fluctuation are the same in every
    dimension.

    Examples
    --------
    >>> next(box_streams(dimensions=3, streams=2, tuples=1)).column_names
    ['id', 'time', 'x0', 'x1', 'x2']
    """
    walk = Walk(streams, tuples, fluctuation, domain, dimensions, start, seed)
    return tick_tables(walk, box_columns(dimensions), stream_names("V", streams), batch_ticks)


def box_queries(
    n: int = 10_000,
    dimensions: int = 2,
    width: float = 0.001,
    distribution: Distribution = "uniform",
    widths: Widths = "constant",
    domain: float = DOMAIN,
    seed: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw the lower and upper corners of `n` boxes, two arrays of shape (n, dimensions).

    Parameters are those of `price_queries`, in every dimension.

    Examples
    --------
    >>> lo, hi = box_queries(n=5, dimensions=3)
    >>> lo.shape, bool((lo < hi).all())
    ((5, 3), True)
    """
    return random_bounds((n, dimensions), width, distribution, widths, domain, seed)
