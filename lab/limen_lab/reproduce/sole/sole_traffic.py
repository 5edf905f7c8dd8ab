"""The city of the SOLE paper: a square of 28 miles with roads, and objects that report where they are."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from limen.arrays import Floats, Ints, Slots
from limen.runtime.ids import Ids
from limen.simulate import city_roads
from limen.simulate.fastest_routes import Routes, city_routes
from limen.simulate.fleet import Fleet
from limen.simulate.kinds import FAST, KMH

MILE = 1_609.344  # metres
SIDE = 28.0  # miles
PAPERS_OBJECTS = 110_000
#: Miles an hour. The paper does not say how fast its objects are at most; that a full cache takes 50 % more memory for
#: a square of 2 miles and reports every 30 s means 27.
FASTEST = 27.0
INTERVAL = 30  # seconds
DESTINATIONS = 256
MICROSECONDS = 1_000_000


class Second(NamedTuple):
    """What is reported in one second."""

    time: int  # microseconds
    stream: Slots
    point: Floats  # (n, 2), miles


@cache
def routes() -> Routes:
    """Return the ways through the city; the map is the papers' where it is at hand, else one of its kind."""
    network = city_roads(side=SIDE * MILE)
    gates = np.random.default_rng(12).choice(len(network.xy), DESTINATIONS, replace=False)
    return city_routes(network, gates, [FAST])


@dataclass(frozen=True)
class MileTraffic:
    """Objects on roads. Each reports at a second of its own in every interval; on arrival it sets out again.

    Attributes
    ----------
    objects : int
    fastest : float
        Miles an hour that no object exceeds; the average is a third of it.
    interval : int
        Seconds between two reports of an object.
    """

    objects: int
    fastest: float = FASTEST
    interval: int = INTERVAL
    seed: int = 1

    @cached_property
    def ids(self) -> Ids:
        """What streams are called."""
        return Ids.of([f"V{number}" for number in range(self.objects)])

    @property
    def speed(self) -> float:
        """Miles a second that no object exceeds."""
        return self.fastest / 3600

    @property
    def reach(self) -> float:
        """Miles that an object can come between two reports."""
        return self.speed * self.interval

    def seconds(self, intervals: int) -> Iterator[Second]:
        """Yield what is reported, second by second."""
        rng = np.random.default_rng((self.seed, self.objects))
        ways, everyone = routes(), np.arange(self.objects)
        share = self.fastest * MILE / 1000 / FAST.maximum
        fleet = Fleet(ways, FAST.speeds(rng, self.objects, ways.pace(FAST)) * share)
        start, toward = ways.trips(rng, self.objects, FAST)
        fleet.set_out(everyone, start, toward)
        # somewhere on their ways
        self._drive(rng, fleet, everyone, rng.random(self.objects) * FAST.trip / (FAST.average * KMH * share))
        phase = rng.permutation(self.objects) % self.interval
        at_turn = [np.flatnonzero(phase == second) for second in range(self.interval)]
        for second in range(intervals * self.interval):
            objects = at_turn[second % self.interval]
            if second >= self.interval:
                self._drive(rng, fleet, objects, np.full(len(objects), float(self.interval)))
            point = np.column_stack(fleet.places(objects)) / MILE
            yield Second(second * MICROSECONDS, objects.astype(np.int32), point)

    def _drive(self, rng: np.random.Generator, fleet: Fleet, objects: Ints, left: Floats) -> None:
        """Move objects; one that arrives sets out from there to another place."""
        while len(objects):
            arrived = fleet.drive(objects, left)
            objects, left = objects[arrived], left[arrived]
            here = fleet.routes.gates[fleet.toward[objects]]
            toward = fleet.routes.destinations(here, FAST.trips(rng, len(objects)))
            same = fleet.routes.gates[toward] == here
            toward[same] = (toward[same] + 1) % len(fleet.routes.gates)
            fleet.set_out(objects, here, toward)


@cache
def recorded(objects: int, intervals: int, fastest: float = FASTEST, interval: int = INTERVAL) -> list[Second]:
    """Return the reports of some traffic, kept for further calls."""
    return list(MileTraffic(objects, fastest, interval).seconds(intervals))


def side_of(share: float) -> float:
    """Return the miles of a square's side that covers a share of the city.

    Examples
    --------
    >>> round(side_of(0.005), 2)
    1.98
    """
    return float(SIDE * share**0.5)
