"""Random walks of many streams: the motion under every simulated workload.

A stream's *fluctuation level* is the average distance between consecutive values divided by the size of the
domain; it decides how many borders a tuple crosses, so a walk keeps it exactly, also at the domain's ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from limen.errors import InvalidInput

Distribution = Literal["uniform", "normal"]

# Steps are up to twice their average, and one that would leave the domain is taken in the other direction:
# there is room for it as long as no step is longer than half the domain.
MAX_FLUCTUATION = 0.25


def spread(
    rng: np.random.Generator, shape: tuple[int, ...], distribution: Distribution, domain: float
) -> NDArray[np.float64]:
    """Draw positions in `[0, domain)`, evenly or crowded around the middle.

    The normal distribution has the middle of the domain as its mean and a sixth of it as its deviation. What
    falls outside is mirrored back rather than cut off, so no value is more frequent than its neighbours.
    """
    if distribution == "uniform":
        return rng.uniform(0.0, domain, shape)
    if distribution == "normal":
        drawn = np.abs(rng.normal(domain / 2, domain / 6, shape))
        mirrored = np.where(drawn < domain, drawn, 2 * domain - drawn)
        return np.clip(mirrored, 0.0, np.nextafter(domain, 0.0))
    raise InvalidInput(where="distribution", expected="'uniform' or 'normal'", got=repr(distribution))


@dataclass(frozen=True, slots=True)
class Walk:
    """Streams that move in every dimension by random steps.

    Parameters
    ----------
    fluctuation : float
        Average size of a step, as a fraction of the domain: at most 0.25. Sizes are uniform between nothing
        and twice that, up and down equally likely.
    start : {"uniform", "normal"}
        How the first values are spread over the domain, which is `[0, domain)` in every dimension.

    Examples
    --------
    >>> Walk(streams=3, tuples=5, dimensions=2, fluctuation=0.01, domain=100.0).values().shape
    (5, 3, 2)
    """

    streams: int
    tuples: int
    fluctuation: float
    domain: float
    dimensions: int = 1
    start: Distribution = "uniform"
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("streams", "tuples", "dimensions"):
            if getattr(self, name) < 1:
                raise InvalidInput(where=name, expected="1 or more", got=getattr(self, name))
        if not 0 <= self.fluctuation <= MAX_FLUCTUATION:
            raise InvalidInput(
                where="fluctuation",
                expected=f"a fraction of the domain between 0 and {MAX_FLUCTUATION}",
                got=self.fluctuation,
                hint="0.01 % is 0.0001",
            )
        if not 0 < self.domain < np.inf:
            raise InvalidInput(where="domain", expected="a finite size above 0", got=self.domain)

    def ticks(self) -> Iterator[NDArray[np.float64]]:
        """Yield the values of all streams, one array of shape (streams, dimensions) a tick."""
        rng = np.random.default_rng(self.seed)
        shape = (self.streams, self.dimensions)
        longest = 2 * self.fluctuation * self.domain
        values = spread(rng, shape, self.start, self.domain)
        yield values
        for _ in range(self.tuples - 1):
            step = rng.uniform(-longest, longest, shape)
            moved = values + step
            stays_inside = (moved >= 0.0) & (moved < self.domain)
            values = np.where(stays_inside, moved, values - step)
            yield values

    def values(self) -> NDArray[np.float64]:
        """Return all values at once, shape (tuples, streams, dimensions)."""
        return np.stack(list(self.ticks()))
