"""Traffic in a city: objects that travel through a road network and report where they are.

After the network-based generator of moving objects: objects appear at a node, take the fastest way to a destination
about as far as their kind likes to go, and end there; roads have classes, and classes have speeds. Unlike there,
objects do not slow each other down.

Time is continuous. The moment an object ends, a new one of the same kind and manner appears elsewhere under a new
number, so that their count and mix never change; the first ones are met in the middle of their trips. What depends
on nothing but the seed is also independent of how it is cut into batches.

References
----------
T. Brinkhoff, *A Framework for Generating Network-Based Moving Objects*, GeoInformatica 6(2), 2002. BMQ-Processor,
section 7.2.1, for the city, its objects and regions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from limen.errors import InvalidInput
from limen.model.border import Border
from limen.simulate.bounds import QUERIES, as_borders
from limen.simulate.fastest_routes import Routes, city_routes
from limen.simulate.fleet import Fleet
from limen.simulate.kinds import FAST, SLOW, Kind
from limen.simulate.reports import Reports, report_tables
from limen.simulate.roads import RoadNetwork
from limen.simulate.walk import spread

DAY = 86_400  # seconds
TRAFFIC = 4  # added to a seed: separates the random sequence of traffic from others


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """Objects on the roads of a city.

    Parameters
    ----------
    network : RoadNetwork
        Where; `city_roads()` is the papers' city.
    objects, reports : int
        How many objects are under way at any time, and reports of each: one every interval.
    interval : int
        Seconds between two reports. Each object reports at a second of its own within it, and every second has its
        share of the objects: 33,333 or 33,334 of a million and 30 seconds.
    kind : {"fast", "slow"} or float
        Vehicles (20 km/h on average, 60 at most), pedestrians (4.3 and 12), or the fraction that are vehicles.
    destinations : int
        How many nodes, drawn at random, are ends of trips; more take more memory, see `Routes`.
    first_number : int
        The number of the first object; others follow.

    Examples
    --------
    >>> from limen.simulate.generated_roads import generated_roads
    >>> traffic = Traffic(network=generated_roads(200, 230), objects=90, reports=4)
    >>> sum(len(reports.number) for reports in traffic.seconds())
    360
    >>> next(traffic.tables(batch_seconds=30)).column_names
    ['vehicle', 'time', 'x', 'y', 'kind', 'speed']
    """

    network: RoadNetwork
    objects: int = 1_000
    reports: int = 100
    interval: int = 30
    kind: Literal["fast", "slow"] | float = "fast"
    destinations: int = 256
    seed: int = 0
    first_number: int = 0

    def __post_init__(self) -> None:
        for name, least in (("objects", 1), ("reports", 1), ("interval", 1), ("destinations", 2)):
            if getattr(self, name) < least:
                raise InvalidInput(where=name, expected=f"{least} or more", got=getattr(self, name))
        if self.interval > DAY:
            raise InvalidInput(where="interval", expected=f"a day, {DAY:,} seconds, or less", got=self.interval)
        if self.kind not in ("fast", "slow") and not (isinstance(self.kind, (int, float)) and 0 <= self.kind <= 1):
            raise InvalidInput(where="kind", expected="'fast', 'slow' or a fraction that are fast", got=repr(self.kind))

    def routes(self) -> Routes:
        """Find the ways to the destinations of this traffic, as fast as its kinds need them."""
        rng = np.random.default_rng((self.seed, TRAFFIC, 0))
        nodes = len(self.network.xy)
        gates = rng.choice(nodes, min(self.destinations, nodes), replace=False)
        return city_routes(self.network, gates, [kind for kind, count in self._mix() if count])

    def seconds(self, routes: Routes | None = None) -> Iterator[Reports]:
        """Yield the reports of one second after another, those of an object always at the same place of its second.

        `routes` are those of `self.routes()`, if they are at hand.
        """
        rng = np.random.default_rng((self.seed, TRAFFIC, 1))
        routes = self.routes() if routes is None else routes
        fleet, is_fast = self._begin(rng, routes)
        number = np.arange(self.objects, dtype=np.int64) + self.first_number
        last = self.first_number + self.objects
        bounds = second_bounds(self.objects, self.interval)
        for second in range(self.reports * self.interval):
            phase = second % self.interval
            at_turn = np.arange(bounds[phase], bounds[phase + 1])
            if second >= self.interval:
                last = self._move(rng, fleet, at_turn, is_fast, number, last)
            x, y = fleet.places(at_turn)
            yield Reports(second, number[at_turn], is_fast[at_turn], x, y, fleet.kmh(at_turn))

    def tables(self, batch_seconds: int = 1) -> Iterator[pa.Table]:
        """Yield tables of `batch_seconds` seconds each, with `TRAFFIC_COLUMNS`; the last may be shorter."""
        return report_tables(self.seconds(), batch_seconds)

    def _mix(self) -> tuple[tuple[Kind, int], tuple[Kind, int]]:
        share = float(self.kind == "fast") if isinstance(self.kind, str) else self.kind
        count = round(share * self.objects)
        return (FAST, count), (SLOW, self.objects - count)

    def _begin(self, rng: np.random.Generator, routes: Routes) -> tuple[Fleet, NDArray[np.bool_]]:
        """Place the first objects at random points of their trips."""
        fleet = Fleet(routes, np.empty(self.objects))
        shuffled = rng.permutation(self.objects)
        is_fast = np.zeros(self.objects, np.bool_)
        (_, fast), _ = self._mix()
        is_fast[shuffled[:fast]] = True
        for kind, objects in ((FAST, np.flatnonzero(is_fast)), (SLOW, np.flatnonzero(~is_fast))):
            if not len(objects):
                continue
            fleet.speed[objects] = kind.speeds(rng, len(objects), routes.pace(kind))
            start, toward = routes.trips(rng, max(len(objects), 1_000), kind)
            # At any moment one finds long trips more often than short ones, as often as they last longer.
            until = np.cumsum(routes.seconds[start, toward])
            found = np.minimum(np.searchsorted(until, rng.random(len(objects)) * until[-1]), len(until) - 1)
            start, toward = start[found], toward[found]
            fleet.set_out(objects, start, toward)
            driven = rng.random(len(objects)) * routes.seconds[start, toward] / fleet.speed[objects]
            fleet.drive(objects, driven)
        return fleet, is_fast

    def _move(
        self,
        rng: np.random.Generator,
        fleet: Fleet,
        objects: NDArray[np.int64],
        is_fast: NDArray[np.bool_],
        number: NDArray[np.int64],
        last: int,
    ) -> int:
        """Move objects by an interval. A new object replaces one that arrives, and moves for the rest of the time."""
        left = np.full(len(objects), float(self.interval))
        while True:
            arrived = fleet.drive(objects, left)
            objects, left = objects[arrived], left[arrived]
            if not len(objects):
                return last
            number[objects] = np.arange(last, last + len(objects))
            last += len(objects)
            for kind, chosen in ((FAST, objects[is_fast[objects]]), (SLOW, objects[~is_fast[objects]])):
                fleet.set_out(chosen, *fleet.routes.trips(rng, len(chosen), kind))


def second_bounds(objects: int, interval: int) -> NDArray[np.int64]:
    """Share objects out to the seconds of an interval: those of second s are `[bounds[s], bounds[s + 1])`.

    Examples
    --------
    >>> second_bounds(10, 4).tolist()
    [0, 2, 5, 7, 10]
    """
    return np.arange(interval + 1) * objects // interval


def traffic_queries(network: RoadNetwork, n: int = 500, width: float = 500.0, seed: int = 0) -> list[Border]:
    """Draw square regions that report entering and leaving objects, crowded around the middle of the city as shops are.

    A side has `width` metres.

    Examples
    --------
    >>> from limen.simulate.generated_roads import generated_roads
    >>> region = traffic_queries(generated_roads(40, 45), n=3)[0].region
    >>> [hi - lo for lo, hi in zip(region.lower, region.upper)]
    [500.0, 500.0]
    """
    if n < 1:
        raise InvalidInput(where="n", expected="1 or more", got=n)
    if not 0 < width < np.inf:
        raise InvalidInput(where="width", expected="metres, finite and above 0", got=width)
    rng = np.random.default_rng((seed, QUERIES))
    middles = np.column_stack([spread(rng, (n,), "normal", side) for side in network.extent.tolist()])
    lo = middles.round() - width / 2
    return as_borders(lo, lo + width)
