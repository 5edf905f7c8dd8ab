"""Fences and moves over them, for `limen bench geofence`, and the ways to find crossings that are measured."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from limen.arrays import Floats
from limen.kernels.earth import EARTH_RADIUS
from limen.regions.border_grid import BorderGrid
from limen.regions.boxes import BoxIndex
from limen.regions.shapes import Shapes
from limen.simulate import Traffic, city_roads
from limen.simulate.walk import spread
from limen_lab.bench.record import seconds
from limen_lab.workloads.zones import zone_rings

Index = BorderGrid | BoxIndex

XY = np.array([0, 1])
METRES_A_DEGREE = math.radians(1) * EARTH_RADIUS  # of latitude
LATITUDE = 40.7  # of New York


@dataclass(frozen=True)
class FenceWorkload:
    """Boxes evenly spread over a square, and streams that take short steps there.

    Attributes
    ----------
    fences, streams : int
    side, step : float
        Metres, about: of a fence, and of a step.
    apart : float
        One fence a square of this side.
    """

    fences: int = 1_000_000
    streams: int = 1_000_000
    side: float = 200.0
    step: float = 20.0
    apart: float = 100.0
    ticks: int = 4
    seed: int = 1

    @property
    def workload(self) -> dict[str, Any]:
        """Everything needed to make it again."""
        return {
            "fences": self.fences, "streams": self.streams, "side": f"{self.side:g} m", "step": f"{self.step:g} m",
            "square": f"{self.extent / 1000:.3g} km", "seed": self.seed,
        }  # fmt: skip

    @property
    def extent(self) -> float:
        """Metres of the square's side."""
        return self.apart * float(self.fences**0.5)

    @cached_property
    def boxes(self) -> Floats:
        """Their bounds (fences, 2, 2)."""
        rng = np.random.default_rng((self.seed, 0))
        lower = rng.uniform(0, self.extent, (self.fences, 2))
        return np.stack([lower, lower + self.side * rng.uniform(0.75, 1.25, (self.fences, 2))], axis=2)

    @cached_property
    def path(self) -> list[Floats]:
        """Where streams are, tick by tick, each (2, streams)."""
        rng = np.random.default_rng((self.seed, 1))
        at = rng.uniform(0, self.extent, (2, self.streams))
        return walk(rng, at, self.step, self.ticks)


def walk(rng: np.random.Generator, at: Floats, step: float, ticks: int) -> list[Floats]:
    """Take steps of a length in all directions."""
    path = [at]
    for _ in range(ticks):
        angle = rng.uniform(0, 2 * np.pi, at.shape[1])
        path.append(path[-1] + step * np.stack([np.cos(angle), np.sin(angle)]))
    return path


def through_index(index: Index, path: Sequence[Floats]) -> float:
    """Return the seconds an update takes; the first step, in which streams find their place, is not measured."""
    streams = path[0].shape[1]
    slot = np.arange(streams, dtype=np.int32)
    index.crossings(slot, path[0], path[1], XY, streams)
    moves = list(pairwise(path[1:]))

    def run() -> None:
        for before, after in moves:
            index.crossings(slot, before, after, XY, streams)

    return float(seconds(run) / (streams * len(moves)))


@dataclass(frozen=True)
class CityFences:
    """Squares around the middle of the papers' city, and its traffic."""

    fences: int = 5_000
    vehicles: int = 30_000
    reports: int = 5
    seed: int = 1

    @property
    def workload(self) -> dict[str, Any]:
        """Everything needed to make it again."""
        return {
            "roads": city_roads().name, "fences": self.fences, "side": "0.5–5 km", "city": "15 km",
            "vehicles": self.vehicles, "seconds between reports": 30, "seed": self.seed,
        }  # fmt: skip

    @cached_property
    def boxes(self) -> Floats:
        """Their bounds (fences, 2, 2)."""
        rng = np.random.default_rng((self.seed, 2))
        extent = city_roads().extent.tolist()
        middle = np.column_stack([spread(rng, (self.fences,), "normal", side) for side in extent])
        half = rng.uniform(250, 2500, (self.fences, 1))
        return np.stack([middle - half, middle + half], axis=2)

    @cached_property
    def path(self) -> list[Floats]:
        """The positions of vehicles by report; NaN between a vehicle and the one that replaces it."""
        traffic = Traffic(network=city_roads(), objects=self.vehicles, reports=self.reports, seed=self.seed)
        reports = list(traffic.seconds())
        path, before = [], np.empty(0, np.int64)
        for first in range(0, len(reports), traffic.interval):
            part = reports[first : first + traffic.interval]
            number = np.concatenate([each.number for each in part])
            at = np.stack([np.concatenate([each.x for each in part]), np.concatenate([each.y for each in part])])
            if len(before):
                at[:, number != before] = np.nan
            path.append(at)
            before = number
        return path


@dataclass(frozen=True)
class Zones:
    """Real polygons of many vertices in degrees, and streams that move within them."""

    streams: int = 200_000
    step: float = 50.0  # metres
    ticks: int = 4
    seed: int = 1

    @cached_property
    def named_rings(self) -> tuple[str, list[list[Floats]]]:
        """What they are called, and their rings."""
        return zone_rings()

    @cached_property
    def shapes(self) -> Shapes:
        """The zones."""
        return Shapes.polygons(self.named_rings[1])

    @property
    def workload(self) -> dict[str, Any]:
        """Everything needed to make it again."""
        return {
            "zones": self.named_rings[0], "polygons": len(self.shapes), "edges": len(self.shapes.edges),
            "streams": self.streams, "step": f"{self.step:g} m", "seed": self.seed,
        }  # fmt: skip

    @cached_property
    def path(self) -> list[Floats]:
        """Where streams are, tick by tick; they begin in a zone."""
        rng = np.random.default_rng((self.seed, 3))
        index = BorderGrid(lonlat=True)
        index.insert(self.shapes)
        lower, upper = self.shapes.bounds[:, :, 0].min(axis=0), self.shapes.bounds[:, :, 1].max(axis=0)
        at = rng.uniform(lower, upper, (6 * self.streams, 2)).T
        row, _ = index.containing(np.zeros(at.shape[1], np.int32), np.ascontiguousarray(at), XY).arrays()
        at = np.ascontiguousarray(at[:, np.unique(row)[: self.streams]])
        wide = np.array([[1 / np.cos(np.radians(LATITUDE))], [1.0]])
        steps = walk(rng, np.zeros_like(at), self.step / METRES_A_DEGREE, self.ticks)
        return [at + wide * step for step in steps]
