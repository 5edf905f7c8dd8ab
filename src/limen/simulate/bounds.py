"""Query regions at random: lower ends spread over a domain, widths constant or mixed."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from limen.errors import InvalidInput
from limen.model.border import Border
from limen.model.region import Box, Range
from limen.simulate.tick_tables import stream_names
from limen.simulate.walk import Distribution, spread

Widths = Literal["constant", "exponential"]

# Added to a seed: separates the random sequence of queries from that of streams.
QUERIES = 1


def random_bounds(
    shape: tuple[int, ...],
    width: float,
    distribution: Distribution,
    widths: Widths,
    domain: float,
    seed: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw lower and upper ends, both of the given shape.

    `width` is the average, as a fraction of the domain. Constant widths make the order of lower ends equal to
    that of upper ends, which flatters an index; exponential widths mix narrow and wide ranges.
    """
    if not 0 < width <= 1:
        raise InvalidInput(
            where="width",
            expected="a fraction of the domain above 0, at most 1",
            got=width,
            hint="0.1 % is 0.001",
        )
    # A sequence of its own: drawn from the streams' one, lower ends would be the streams' first values.
    rng = np.random.default_rng((seed, QUERIES))
    lo = spread(rng, shape, distribution, domain)
    if widths == "constant":
        hi = lo + width * domain
    elif widths == "exponential":
        hi = lo + rng.exponential(width * domain, shape)
    else:
        raise InvalidInput(where="widths", expected="'constant' or 'exponential'", got=repr(widths))
    return lo, above(lo, hi)


def above(lo: NDArray[np.float64], hi: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `hi`, moved up where rounding left it on `lo`: a range is never empty."""
    return np.maximum(hi, np.nextafter(lo, np.inf))


def as_borders(lo: NDArray[np.float64], hi: NDArray[np.float64], *, prefix: str = "Q") -> list[Border]:
    """Make one silent border query of each pair of ends, which are of ranges, or of boxes: (queries, dimensions).

    Examples
    --------
    >>> as_borders(np.array([0.0, 5.0]), np.array([1.0, 9.0]))[1].region
    Range(lo=5.0, hi=9.0)
    """
    names = stream_names(prefix, len(lo))
    region = Range if lo.ndim == 1 else Box
    ends = zip(names, lo.tolist(), hi.tolist(), strict=True)
    return [Border(name, region(low, high)) for name, low, high in ends]
