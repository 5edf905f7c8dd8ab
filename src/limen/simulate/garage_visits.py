"""Vehicles that park: in and out of garages, back again soon or on to another one.

A vehicle drives to a garage and stays there. Half of the stays are short, within the time that the garage lets pass,
half are long. Half of the vehicles that leave turn round after a while and are back within that time; the others
drive on to another garage. The few metres between the gate, a node, and the place in the garage take no time.
"""

import numpy as np
from numpy.typing import NDArray

from limen.simulate.fastest_routes import Routes
from limen.simulate.fleet import Fleet
from limen.simulate.garage_sites import Sites
from limen.simulate.kinds import FAST

DRIVING, OUT, PARKED = 0, 1, 2  # on the way to a garage; away for a moment; in one
LONG_STAYS = 5.0  # how much longer than the limit long stays are on average, in limits
SHORT, RETURNS = 0.5, 0.5  # shares of the stays, and of vehicles that leave: the paper's selectivity of 0.5
MARGIN = 1.0  # metres between a parked vehicle and the walls
CROSSINGS_A_ROUND = 2 / (1 - RETURNS)  # borders crossed at one garage: in and out, as often as one is there


class Visitors:
    """Vehicles that go from garage to garage.

    Parameters
    ----------
    routes : Routes
        Ways to the gates of the garages.
    speed : array of shape (vehicles,)
        What they drive on the fastest of roads, in metres a second.
    within, interval : float
        The time limit and the time between reports, in seconds. Short absences and stays last an interval at least,
        so that a report sees them, and are shorter than the limit by one, so that it sees them in time.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        routes: Routes,
        sites: Sites,
        speed: NDArray[np.float64],
        within: float,
        interval: float,
    ) -> None:
        self._rng = rng
        self._routes = routes
        self._sites = sites
        self._within = within
        self._interval = interval
        count = len(speed)
        self._fleet = Fleet(routes, speed)
        self._doing = np.full(count, DRIVING, np.int8)
        self._timer = np.full(count, np.inf)  # seconds until one leaves, or turns round
        self._garage = np.zeros(count, np.int32)  # where one is, or was last
        self._place = np.zeros((count, 2))  # in the garage
        everyone = np.arange(count)
        self._fleet.set_out(everyone, *routes.trips(rng, count, FAST))
        # After several rounds, the initial state, in which all were driving, has no effect any more.
        rounds = round_seconds(routes, speed, within, interval)
        self.wait(everyone, rounds * rng.uniform(3.0, 4.0, count))

    def wait(self, vehicles: NDArray[np.int64], seconds: NDArray[np.float64]) -> None:
        """Advance some vehicles by a time each."""
        while len(vehicles):
            seconds = self._until_next(vehicles, seconds)
            vehicles, seconds = vehicles[seconds > 0], seconds[seconds > 0]

    def places(self, vehicles: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the positions of vehicles, x and y in metres."""
        x, y = self._fleet.places(vehicles)
        parked = self._doing[vehicles] == PARKED
        x[parked], y[parked] = self._place[vehicles[parked]].T
        return x, y

    def kmh(self, vehicles: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the speed of vehicles, which is 0 in a garage."""
        return np.where(self._doing[vehicles] == PARKED, 0.0, self._fleet.kmh(vehicles))

    def _until_next(self, vehicles: NDArray[np.int64], seconds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Advance vehicles to their next action, at most by their seconds; return the seconds left."""
        parked = self._doing[vehicles] == PARKED
        used = np.minimum(seconds, self._timer[vehicles])
        unused = np.where(parked, 0.0, used)
        arrived = np.zeros(len(vehicles), np.bool_)
        moving = np.flatnonzero(~parked)
        rest = unused[moving]
        arrived[moving] = self._fleet.drive(vehicles[moving], rest)
        unused[moving] = rest
        self._timer[vehicles] -= used - unused
        rung = self._timer[vehicles] <= 0
        out = self._doing[vehicles] == OUT
        self._leave(vehicles[parked & rung])
        self._park(vehicles[arrived & ~out])
        self._turn_round(vehicles[out & (arrived | rung)])
        left: NDArray[np.float64] = seconds - (used - unused)
        return left

    def _park(self, vehicles: NDArray[np.int64]) -> None:
        """Park vehicles in their garages, and draw how long each stays."""
        garage = self._fleet.toward[vehicles]
        free = self._sites.hi[garage] - self._sites.lo[garage] - 2 * MARGIN
        self._place[vehicles] = self._sites.lo[garage] + MARGIN + self._rng.random((len(vehicles), 2)) * free
        is_short = self._rng.random(len(vehicles)) < SHORT
        more = self._rng.exponential(LONG_STAYS * self._within, len(vehicles))
        self._timer[vehicles] = np.where(is_short, self._moments(len(vehicles)), self._within + self._interval + more)
        self._garage[vehicles] = garage
        self._doing[vehicles] = PARKED

    def _leave(self, vehicles: NDArray[np.int64]) -> None:
        """Send vehicles to another garage; some turn round after half of their absence."""
        start = self._routes.gates[self._garage[vehicles]]
        toward = self._routes.destinations(start, FAST.trips(self._rng, len(vehicles)))
        self._fleet.set_out(vehicles, start, toward)
        returns = self._rng.random(len(vehicles)) < RETURNS
        self._timer[vehicles] = np.where(returns, self._moments(len(vehicles)) / 2, np.inf)
        self._doing[vehicles] = np.where(returns, OUT, DRIVING)

    def _turn_round(self, vehicles: NDArray[np.int64]) -> None:
        """Send vehicles back the way they came, which takes as long as the way there."""
        self._fleet.turn(vehicles, self._garage[vehicles])
        self._timer[vehicles] = np.inf
        self._doing[vehicles] = DRIVING

    def _moments(self, count: int) -> NDArray[np.float64]:
        return self._rng.uniform(self._interval, self._within - self._interval, count)


def round_seconds(routes: Routes, speed: NDArray[np.float64], within: float, interval: float) -> NDArray[np.float64]:
    """Return the average seconds that vehicles of these speeds take from one garage through the next.

    These are the way there, and at the garage the stays and the absences between them.
    """
    gates = np.repeat(routes.gates, 16)
    toward = routes.destinations(gates, FAST.trips(np.random.default_rng(0), len(gates)))
    way = routes.seconds[gates, toward].mean() / speed
    moment = within / 2
    long_stay = within + interval + LONG_STAYS * within
    stays = 1 / (1 - RETURNS)
    at_garage = stays * (SHORT * moment + (1 - SHORT) * long_stay) + (stays - 1) * moment
    rounds: NDArray[np.float64] = way + at_garage
    return rounds
