"""Taxis in a city of zones: they drive from address to address, wait there, and report where they are.

There are no roads: a taxi takes two streets of a grid that is turned as Manhattan's is, over land and water. What
matters here are the borders of zones, crossed at the speed of a city, and the stays in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from limen.errors import InvalidInput
from limen.kernels.earth import EARTH_RADIUS
from limen.model.columns import Columns
from limen.simulate.kinds import KMH
from limen.simulate.tick_tables import FIRST_TICK, TICK, stream_names
from limen_lab.workloads.addresses import addresses

if TYPE_CHECKING:
    Floats = NDArray[np.float64]

TAXI_COLUMNS = Columns(id="taxi", time="time", values=("lon", "lat"), crs="lonlat")
TAXIS = 6  # beside a seed, separates the random sequence of taxis from others

GRID = np.radians(29.0)  # how far the streets of Manhattan are turned
SLOWEST, FASTEST = 12 * KMH, 36 * KMH
RIDE = 4_000.0  # metres that a ride is meant to take, on average; it becomes as many as the nearest choice has
WAIT = 240.0  # seconds, on average
_AN_ADDRESS = 32  # of each zone
_CHOICES = 96  # destinations that are looked at to find one about as far as wanted
_EARLIER = 3_600.0  # seconds before the first report in which taxis have set out


@dataclass(frozen=True, kw_only=True)
class Taxis:
    """Taxis that drive in a city of zones.

    Parameters
    ----------
    zones : sequence of lists of arrays
        The rings of each zone in degrees, as `zone_rings()` gives them. Trips begin and end in any zone equally often,
        so that there is more traffic where zones are small.
    taxis, reports : int
        How many taxis, and reports of each: one every interval.
    interval : int
        Seconds between two reports. Each taxi reports at a second of its own within it.
    noise : float
        Metres that a report is off in each direction, as the deviation of a normal distribution.
    seed : int
        The same seed gives the same taxis.

    Examples
    --------
    >>> from limen_lab.workloads.zones import generated_zones
    >>> fleet = Taxis(zones=generated_zones(across=3, vertices=5), taxis=20, reports=6)
    >>> [table.num_rows for table in fleet.tables(batch_seconds=30)]
    [60, 60]
    """

    zones: Sequence[Sequence[Floats]]
    taxis: int = 1_000
    reports: int = 720
    interval: int = 10
    noise: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("taxis", "reports", "interval"):
            if getattr(self, name) < 1:
                raise InvalidInput(where=name, expected="1 or more", got=getattr(self, name))
        if not 0 <= self.noise < np.inf:
            raise InvalidInput(where="noise", expected="metres, 0 or more", got=self.noise)

    def tables(self, batch_seconds: int = 60) -> Iterator[pa.Table]:
        """Yield tables of `batch_seconds` seconds each, rows in order of time, with `TAXI_COLUMNS`."""
        if batch_seconds < 1:
            raise InvalidInput(where="batch_seconds", expected="1 or more", got=batch_seconds)
        names = pa.array(stream_names("T", self.taxis), pa.string())
        for first in range(0, self.reports * self.interval, batch_seconds):
            taxi, second = self._turns(first, first + batch_seconds)
            lon, lat = self.places(taxi, second).T
            time = pa.array(FIRST_TICK + second * TICK).cast(pa.timestamp("us", "UTC"))
            yield pa.table({"taxi": names.take(pa.array(taxi)), "time": time, "lon": lon, "lat": lat})

    def places(self, taxi: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
        """Return the positions that taxis report at some seconds, as longitude and latitude, shape (rows, 2)."""
        times, points = self._trips
        # All taxis lie behind each other on one line of time, so that one look-up finds the way of each.
        apart = _EARLIER + times.max()
        line = (times + apart * np.arange(self.taxis)[:, None]).ravel()
        now = second + apart * taxi
        found = np.column_stack([np.interp(now, line, points[:, :, axis].ravel()) for axis in range(2)])
        if self.noise:
            found += self._errors[second // self.interval, taxi]
        return self._middle + found / self._metres

    @cached_property
    def _errors(self) -> Floats:
        """How far off each report is, in metres; drawn at once, so that it does not depend on batches."""
        rng = np.random.default_rng((self.seed, TAXIS, 2))
        return rng.normal(0, self.noise, (self.reports, self.taxis, 2))

    @cached_property
    def _middle(self) -> Floats:
        middle: Floats = np.concatenate([ring for rings in self.zones for ring in rings]).mean(axis=0)
        return middle

    @cached_property
    def _metres(self) -> Floats:
        """How many metres a degree of longitude and of latitude has; the city is taken as flat."""
        degree = np.radians(EARTH_RADIUS)
        return np.array([degree * np.cos(np.radians(self._middle[1])), degree])

    @cached_property
    def _trips(self) -> tuple[Floats, Floats]:
        """Where taxis turn, stop and set out, and when: times (taxis, points) and metres (taxis, points, 2)."""
        rng = np.random.default_rng((self.seed, TAXIS, 1))
        known = np.stack([addresses(rng, rings, _AN_ADDRESS) for rings in self.zones])
        known = (known.reshape(-1, 2) - self._middle) * self._metres
        street = np.array([np.sin(GRID), np.cos(GRID)])  # an avenue of Manhattan, from south to north
        at, time = known[rng.integers(len(known), size=self.taxis)], -rng.uniform(0, _EARLIER, self.taxis)
        times, points = [time], [at]
        while time.min() < self.reports * self.interval:
            choices = known[rng.integers(len(known), size=(self.taxis, _CHOICES))] - at[:, None]
            along = choices @ street
            metres = np.abs(along) + np.abs(choices @ (street[::-1] * (1, -1)))
            chosen = np.abs(metres - rng.exponential(RIDE, (self.taxis, 1))).argmin(axis=1)
            one = np.arange(self.taxis)
            way, along, metres = choices[one, chosen], along[one, chosen], metres[one, chosen]
            seconds = metres / rng.uniform(SLOWEST, FASTEST, self.taxis)
            share = np.divide(np.abs(along), metres, out=np.zeros(self.taxis), where=metres > 0)
            corner = at + along[:, None] * street
            arrival, at = time + seconds, at + way
            times += [time + share * seconds, arrival, arrival + rng.exponential(WAIT, self.taxis)]
            points += [corner, at, at]
            time = times[-1]
        return np.column_stack(times), np.stack(points, axis=1)

    def _turns(self, first: int, end: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the taxi and second of each report from `first` until before `end`, in order of time."""
        phase = np.arange(self.taxis) * self.interval // self.taxis
        report = np.arange(first // self.interval, min(-(-end // self.interval), self.reports))
        second = report[:, None] * self.interval + phase
        turn, taxi = np.nonzero((first <= second) & (second < end))
        order = np.argsort(second[turn, taxi], kind="stable")
        return taxi[order], second[turn, taxi][order]
