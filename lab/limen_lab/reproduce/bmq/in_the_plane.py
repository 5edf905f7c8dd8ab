"""What the figures of two dimensions share: road traffic, squares around the middle of a city, and the methods."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np

from limen.arrays import Floats
from limen.regions.border_grid import BorderGrid
from limen.regions.plane_boxes import PlaneBoxes
from limen.simulate import Traffic, city_roads
from limen.simulate.walk import spread
from limen_lab.reproduce.bmq.border_methods import Borders, Differences, Method
from limen_lab.reproduce.bmq.comparison import Contender, compared
from limen_lab.reproduce.bmq.journeys import Journeys
from limen_lab.reproduce.figure import Axis, Curve, Panel, Point, Scale, at_scale
from limen_lab.rivals.ces import CES
from limen_lab.rivals.segment_lists import SegmentLists

Kind = Literal["fast", "slow"]
KINDS: tuple[Kind, Kind] = ("fast", "slow")

PAPERS = "BMQ-Processor"
BY_CES = "DiffRMQ (CES)"
OURS = "Limen's choice"
GRID = "border grid (Limen)"
METHODS = (Curve(PAPERS), Curve(BY_CES), Curve(OURS, ours=True), Curve(GRID, ours=True))
CURVES = tuple(Curve(f"{method.name}, {kind}", ours=method.ours) for method in METHODS for kind in KINDS)

QUERY_COUNTS: dict[Scale, tuple[int, ...]] = {
    "full": tuple(range(500, 5_001, 500)),
    "quick": (500, 2_000, 5_000),
    "tiny": (100, 250, 500),
}
WIDTHS: dict[Scale, tuple[float, ...]] = {  # km
    "full": tuple(0.5 * step for step in range(1, 11)),
    "quick": (0.5, 2.0, 5.0),
    "tiny": (0.5, 2.0, 5.0),
}


@dataclass(frozen=True, slots=True)
class PaperCity:
    """Objects on roads, and square regions of `width` km.

    Attributes
    ----------
    positions : int
        How often each object reports where it is, every 30 seconds.
    runs : int
        Of which the best counts.
    """

    queries: int = 5_000
    width: float = 5.0
    objects: int = 1_000
    positions: int = 100
    runs: int = 3

    @property
    def boxes(self) -> Floats:
        """Bounds (queries, 2, 2) in metres; middles are spread normally around that of the city."""
        rng = np.random.default_rng((1, 2))
        middle = np.column_stack(
            [spread(rng, (self.queries,), "normal", side) for side in city_roads().extent.tolist()]
        )
        half = 500 * self.width
        return np.stack([middle - half, middle + half], axis=2)

    def contenders(self, kind: Kind) -> dict[str, Contender]:
        """Return the methods, ready to be run on the journeys of a kind of objects."""
        journeys = traffic(kind, self.objects, self.positions)
        boxes, streams = self.boxes, journeys.streams
        makers: dict[str, Callable[[], Method]] = {
            PAPERS: lambda: SegmentLists(boxes, streams),
            BY_CES: lambda: Differences(CES(), boxes, streams),
            OURS: lambda: Borders(PlaneBoxes(), boxes, streams),
            GRID: lambda: Borders(BorderGrid(), boxes, streams),
        }
        return {f"{name}, {kind}": Contender(make, journeys) for name, make in makers.items()}

    def points(self, x: float) -> Iterator[Point]:
        """Measure efficiency for panel a and time for panel b, of fast objects and of slow ones."""
        for kind in KINDS:
            for name, measured in compared(self.contenders(kind), self.runs).items():
                yield Point("a", name, x, measured.efficiency)
                yield Point("b", name, x, measured.microseconds)


@cache
def traffic(kind: Kind, objects: int, positions: int) -> Journeys:
    """Let objects drive. An object that arrives is replaced by another, which is another stream.

    A batch has all reports of 30 seconds.
    """
    reports = list(Traffic(network=city_roads(), objects=objects, reports=positions, kind=kind, seed=1).seconds())
    seconds = len(reports) // positions
    slots, points = [], []
    rng = np.random.default_rng(1)
    for first in range(0, len(reports), seconds):
        part = reports[first : first + seconds]
        order = rng.permutation(objects)
        slots.append(np.concatenate([each.number for each in part])[order].astype(np.int32))
        x, y = (np.concatenate([getattr(each, axis) for each in part])[order] for axis in "xy")
        points.append(np.stack([x, y]))
    return Journeys(slots, points, int(max(slot.max() for slot in slots)) + 1)


def papers_city(scale: Scale) -> PaperCity:
    """Return the paper's workload; smaller scales have fewer positions, the smallest fewer objects and queries too."""
    return at_scale(
        scale,
        full=PaperCity(),
        quick=PaperCity(positions=30, runs=2),
        tiny=PaperCity(queries=500, objects=100, positions=8, runs=1),
    )


def by_queries(scale: Scale) -> Iterator[tuple[float, PaperCity]]:
    """Go through numbers of queries."""
    return ((float(count), replace(papers_city(scale), queries=count)) for count in QUERY_COUNTS[scale])


def by_width(scale: Scale) -> Iterator[tuple[float, PaperCity]]:
    """Go through widths in km."""
    return ((width, replace(papers_city(scale), width=width)) for width in WIDTHS[scale])


def panels(x: Axis, what: str) -> tuple[Panel, Panel]:
    """Return the two panels that figures on processing have."""
    return (
        Panel("a", f"Processing efficiency by {what}", x, Axis("processing efficiency", "%")),
        Panel("b", f"Processing time by {what}", x, Axis("CPU time a tuple", "µs", log=True)),
    )


def setting(fixed: str) -> dict[Scale, str]:
    """Say what the workload is, at each scale."""
    city = (
        "squares whose middles are spread normally, 15 km of Oldenburg's roads (generated ones where the map is absent)"
    )
    objects = "fast (20 km/h on average, 60 at most) or slow (4.3 and 12)"
    return {
        "full": f"{fixed}; {city}; 1,000 objects × 100 positions, one each 30 s, {objects}; an object that arrives is "
        "replaced by another, a stream of its own; CPU time, by turns, best of 3",
        "quick": f"{fixed}; {city}; 1,000 objects × 30 positions, {objects}; CPU time, by turns, best of 2",
        "tiny": f"{fixed}, with 500 queries at most; {city}; 100 objects × 8 positions, {objects}; one run",
    }
