"""Parking garages in a city: a short stay is free, and so is the return after a short absence.

The scenario of region transitions: a million vehicles report every 30 seconds, 33,300 a second; garages are
30 m by 30 m and their limit is three minutes. The paper measured 21 borders crossed a second, and a half of them
followed by the opposite one within the limit.

Few vehicles park at any moment, so there are two populations: `Traffic`, which only passes by, and `Visitors`, one in
eighty, whose number is set by the wanted rate of crossings. Garages stand beside the roads, so that only
parked vehicles are ever inside one. A visitor keeps its number from garage to garage; a passing vehicle gets a new
number with every trip.

References
----------
BMQ-Processor, sections 6.1 and 6.4.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from limen.errors import InvalidInput
from limen.model.region import Box
from limen.model.transition import Transition
from limen.simulate.fastest_routes import Routes
from limen.simulate.garage_sites import GARAGES, Sites, garage_sites
from limen.simulate.garage_visits import CROSSINGS_A_ROUND, Visitors, round_seconds
from limen.simulate.kinds import FAST
from limen.simulate.reports import Reports, report_tables
from limen.simulate.roads import RoadNetwork
from limen.simulate.tick_tables import stream_names
from limen.simulate.traffic import Traffic, second_bounds

WITHIN = 180.0  # seconds: the paper's three minutes
CROSSINGS = 21 / 33_300  # borders crossed for each report: the paper's


@dataclass(frozen=True, kw_only=True)
class Garages:
    """Vehicles in a city with parking garages.

    Parameters
    ----------
    network, reports, interval
        As for `Traffic`.
    vehicles : int
        How many there are at any time.
    within : float
        The garages' time limit in seconds, three intervals at least.
    crossings : float
        Borders crossed, in and out, for each report; decides how many vehicles visit garages.

    Examples
    --------
    >>> from limen.simulate.generated_roads import generated_roads
    >>> city = Garages(network=generated_roads(200, 230), vehicles=300, reports=4, garages=5)
    >>> [query.id for query in city.queries()]
    ['garage0', 'garage1', 'garage2', 'garage3', 'garage4']
    >>> next(city.tables(batch_seconds=30)).num_rows
    300
    """

    network: RoadNetwork
    vehicles: int = 10_000
    reports: int = 100
    interval: int = 30
    garages: int = 200
    within: float = WITHIN
    crossings: float = CROSSINGS
    seed: int = 0

    def __post_init__(self) -> None:
        if self.vehicles < 2:
            raise InvalidInput(where="vehicles", expected="2 or more", got=self.vehicles)
        self._traffic(self.vehicles, 0)  # finds what else is wrong
        if not 3 * self.interval <= self.within < np.inf:
            raise InvalidInput(
                where="within",
                expected=f"three intervals or more, {3 * self.interval} seconds",
                got=self.within,
                hint="reports are too rare to see a shorter stay",
            )
        if not self.crossings > 0:
            raise InvalidInput(where="crossings", expected="above 0", got=self.crossings)

    @cached_property
    def sites(self) -> Sites:
        """Where the garages are."""
        return garage_sites(self.network, self.garages, self.seed)

    def queries(self) -> list[Transition]:
        """Make a query of each garage: the vehicles that pass through, return, stay, or stay away."""
        return garage_queries(self.sites, self.within)

    def visitors(self, speed: NDArray[np.float64], routes: Routes) -> int:
        """Return how many vehicles must visit garages so that borders are crossed as often as requested.

        `speed` is a sample of what vehicles drive on the fastest of roads, in metres a second.
        """
        rounds = round_seconds(routes, speed, self.within, self.interval)
        crossings_each = float((CROSSINGS_A_ROUND / rounds).mean())
        wanted = self.crossings * self.vehicles / self.interval
        count = max(1, round(wanted / crossings_each))
        if count >= self.vehicles:
            most = (self.vehicles - 1) * crossings_each * self.interval / self.vehicles
            raise InvalidInput(where="crossings", expected=f"{most:.2g} or fewer a report", got=self.crossings)
        return count

    def seconds(self) -> Iterator[Reports]:
        """Yield the reports of one second after another: first of passing vehicles, then of visitors.

        Numbers below the count of visitors belong to visitors.
        """
        rng = np.random.default_rng((self.seed, GARAGES, 1))
        traffic = self._traffic(self.vehicles, 0)
        routes = traffic.routes()
        to_garages = Routes(self.network, self.sites.gates, routes.limits)
        pace = routes.pace(FAST)
        count = self.visitors(FAST.speeds(rng, 1_000, pace), to_garages)
        speed = FAST.speeds(rng, count, pace)
        visitors = Visitors(rng, to_garages, self.sites, speed, self.within, self.interval)
        bounds = second_bounds(count, self.interval)
        for passing in self._traffic(self.vehicles - count, count).seconds(routes):
            phase = passing.second % self.interval
            parking = np.arange(bounds[phase], bounds[phase + 1])
            if passing.second >= self.interval:
                visitors.wait(parking, np.full(len(parking), float(self.interval)))
            x, y = visitors.places(parking)
            yield Reports(
                passing.second,
                np.concatenate([passing.number, parking]),
                np.concatenate([passing.is_fast, np.ones(len(parking), np.bool_)]),
                np.concatenate([passing.x, x]),
                np.concatenate([passing.y, y]),
                np.concatenate([passing.kmh, visitors.kmh(parking)]),
            )

    def tables(self, batch_seconds: int = 1) -> Iterator[pa.Table]:
        """Yield tables of `batch_seconds` seconds each, with `TRAFFIC_COLUMNS`; the last may be shorter."""
        return report_tables(self.seconds(), batch_seconds)

    def _traffic(self, vehicles: int, first_number: int) -> Traffic:
        return Traffic(
            network=self.network,
            objects=vehicles,
            reports=self.reports,
            interval=self.interval,
            seed=self.seed,
            first_number=first_number,
        )


def garage_queries(sites: Sites, within: float = WITHIN) -> list[Transition]:
    """Make a transition query of each garage, with a time limit in seconds."""
    names = stream_names("garage", len(sites.gates))
    ends = zip(names, sites.lo.tolist(), sites.hi.tolist(), strict=True)
    return [Transition(name, Box(lo, hi), within=within) for name, lo, hi in ends]
