"""A live city: vehicles that report every second, and queries of every family about them.

Most vehicles are on their way somewhere and get a new name with every trip; some go from garage to garage and keep
theirs. One of eight is a taxi.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from limen.errors import InvalidInput
from limen.model.border import Border
from limen.model.nearest import Nearest
from limen.model.pair import Pair
from limen.model.pattern import Pattern
from limen.model.query import Query
from limen.model.region import Box, Region
from limen.model.shape import Circle, Polygon
from limen.model.within import Within
from limen.simulate.garages import Garages
from limen.simulate.reports import Reports, vehicle_names
from limen.simulate.roads import RoadNetwork
from limen.simulate.shops import shop_sites

LIVE = 11  # added to a seed: separates the random sequence of a live city from others
TAXIS = 8  # one vehicle of so many
CUSTOMERS = ("Ann", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Ida", "Jon", "Kim", "Lea")
WITHIN = 60.0  # seconds: the garages' time limit
NARROW, WIDE = 50.0, 200.0  # metres from the middle of a fence to its border
_CROSSINGS = 6.0  # borders of garages that are crossed in a second, for ten thousand vehicles
_ENDLESS = 10_000_000  # seconds


@dataclass(frozen=True, kw_only=True)
class LiveCity:
    """Vehicles in a city, and queries about them.

    Examples
    --------
    >>> from limen.simulate.generated_roads import generated_roads
    >>> city = LiveCity(network=generated_roads(200, 230), vehicles=300, fences=9, garages=4)
    >>> from collections import Counter
    >>> dict(Counter(query.type for query in city.queries()))
    {'border': 9, 'transition': 4, 'nearest': 12, 'within': 2, 'pattern': 1}
    >>> table = table_at(next(city.seconds()), 1_800_000_000)
    >>> table.num_rows, table.column_names
    (300, ['vehicle', 'time', 'x', 'y', 'kind', 'speed'])
    """

    network: RoadNetwork
    vehicles: int = 10_000
    fences: int = 1_000
    garages: int = 60
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("vehicles", 100), ("fences", 1), ("garages", 2)):
            if getattr(self, name) < least:
                raise InvalidInput(where=name, expected=f"{least} or more", got=getattr(self, name))

    @cached_property
    def _traffic(self) -> Garages:
        return Garages(
            network=self.network,
            vehicles=self.vehicles,
            reports=_ENDLESS,
            interval=1,
            garages=self.garages,
            within=WITHIN,
            crossings=_CROSSINGS / 10_000,
            seed=self.seed,
        )

    def queries(self) -> list[Query]:
        """Return fences, garages, the taxis nearest to customers, the vehicles around two others, and a pattern."""
        queries: list[Query] = [*self._fences(), *self._traffic.queries()]
        places = shop_sites(self.network, len(CUSTOMERS), self.seed + 1).round().tolist()
        for name, place in zip(CUSTOMERS, places, strict=True):
            queries.append(Nearest(f"taxis for {name}", 3, center=place, where="kind = 'taxi'"))
        queries += [Within(f"around V{number}", focal=f"V{number}", radius=400) for number in (0, 1)]
        fast = "kind = 'car' AND speed > 55"
        racing = Pair("one", "other", after=(0, 2), distance=40, where="one.vehicle < other.vehicle")
        queries.append(Pattern("racing", {"one": fast, "other": fast}, [racing], report="first"))
        return queries

    def seconds(self) -> Iterator[Reports]:
        """Yield the reports of all vehicles, second by second, without end; `table_at` makes tables of them."""
        return self._traffic.seconds()

    def _fences(self) -> Iterator[Border]:
        """Draw fences: half of them crowded around the middle of the city, half anywhere on its roads."""
        rng = np.random.default_rng((self.seed, LIVE))
        crowded = shop_sites(self.network, -(-self.fences // 2), self.seed)
        anywhere = self.network.xy[rng.integers(0, len(self.network.xy), self.fences // 2)]
        middles = rng.permutation(np.concatenate([crowded, anywhere]))
        reach = rng.uniform(NARROW, WIDE, self.fences)
        for number, middle in enumerate(middles):
            yield Border(f"fence {number}", _region(rng, number, middle, float(reach[number])), initial="report")


def table_at(reports: Reports, second: int) -> pa.Table:
    """Make a table of the reports of a second since 1970, with `TRAFFIC_COLUMNS`."""
    taxi = reports.number % TAXIS == 0
    return pa.table(
        {
            "vehicle": vehicle_names(reports.number),
            "time": pa.array(np.full(len(taxi), second * 1_000_000)).cast(pa.timestamp("us", "UTC")),
            "x": reports.x,
            "y": reports.y,
            "kind": pa.array(["car", "taxi"]).take(pa.array(taxi.astype(np.int8))),
            "speed": reports.kmh.round(1),
        }
    )


def _region(rng: np.random.Generator, number: int, middle: NDArray[np.float64], reach: float) -> Region:
    """Make a box, a circle or a polygon with uneven sides."""
    if number % 3 == 0:
        half = reach * rng.uniform(0.6, 1.0, 2)
        return Box((middle - half).round(1).tolist(), (middle + half).round(1).tolist())
    if number % 3 == 1:
        return Circle(middle.round(1).tolist(), round(reach, 1))
    corners = int(rng.integers(5, 10))
    angle = 2 * np.pi * (np.arange(corners) + rng.uniform(-0.3, 0.3, corners)) / corners
    points = middle + reach * rng.uniform(0.6, 1.0, (corners, 1)) * np.column_stack([np.cos(angle), np.sin(angle)])
    return Polygon(points.round(1).tolist())
