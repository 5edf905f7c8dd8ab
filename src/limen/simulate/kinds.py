"""The kinds of moving objects in the papers, fast and slow, with speeds calibrated to the papers' averages.

An object's speed on a road is the product of three: its kind's maximum, the road's limit as a fraction of the fastest
road, and the object's own share of what is allowed, which it keeps for life. No factor is above 1, so the maximum is
never passed. Averages follow from the last factor. Over its trips, an object goes some metres for every metre it
would go on the fastest of roads: `Routes.pace`, a fact of network and trips, the same for all objects. The mean of
their own shares is set so that the product of maximum, pace and mean is the requested average.

References
----------
BMQ-Processor, section 7.2.1, for the speeds.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

KMH = 1000 / 3600  # metres a second


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of moving objects: its speeds and the length of its trips.

    Attributes
    ----------
    name : str
        The name in tables.
    maximum, average : float
        Speeds in km/h: never exceeded, and the mean over all objects and times.
    trip : float
        Metres of a trip, on average: trips are half as long to half as long again.
    """

    name: str
    maximum: float
    average: float
    trip: float

    def trips(self, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Draw the preferred lengths of trips, in metres."""
        return rng.uniform(0.5 * self.trip, 1.5 * self.trip, count)

    def speeds(self, rng: np.random.Generator, count: int, pace: float) -> NDArray[np.float64]:
        """Return the speeds of objects on the fastest roads, in metres a second, in random order.

        The shares of the maximum are spread from a third of their mean to 1, the more the rarer, and are taken at
        even distances rather than drawn, so that few objects have the right average as well as many.

        `pace` is the metres that roads allow for each on the fastest of roads, above the kind's average by its maximum.

        Examples
        --------
        >>> speeds = FAST.speeds(np.random.default_rng(0), 10_000, pace=0.6)
        >>> round(float(speeds.mean() * 0.6 / KMH), 3), round(float(speeds.max() / KMH), 1)
        (20.0, 60.0)
        """
        mean = self.average / self.maximum / pace
        least = mean / 3
        power = (1 - least) / (mean - least) - 1
        even = (np.arange(count) + 0.5) / count
        share = least + (1 - least) * even**power
        return rng.permutation(share) * (self.maximum * KMH)


FAST = Kind("fast", maximum=60.0, average=20.0, trip=5_000.0)
SLOW = Kind("slow", maximum=12.0, average=4.3, trip=1_000.0)
