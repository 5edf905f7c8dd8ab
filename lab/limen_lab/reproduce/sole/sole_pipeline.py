"""A query plan with INSIDE below or above another operator: how many tuples go through it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Floats, Ints, Mask
from limen.engine import Engine
from limen.model.columns import Columns
from limen.model.region import Box
from limen.model.within import Within
from limen.simulate import Traffic, city_roads
from limen.simulate.kinds import FAST, KMH
from limen.simulate.reports import vehicle_names
from limen.simulate.tick_tables import FIRST_TICK, TICK
from limen_lab.reproduce.figure import Axis, Panel, Point, Scale, at_scale
from limen_lab.reproduce.sole.sole_buffer import USUAL_CACHE
from limen_lab.reproduce.sole.sole_traffic import INTERVAL, MILE, SIDE

COLUMNS = Columns(id="vehicle", time="time", values=("x", "y"))
SELECTIVITIES = (2, 4, 8, 16, 32, 64)  # percent of the objects that are in the region
EVERY = 20  # of so many objects one is a truck: 5 %
STAYS, MOVES = "stationary query", "moving query"
PANELS = {"a": STAYS, "b": MOVES}
LIFE = (
    "The paper does not say for how long its objects live and its queries run, and both decide: an answer that is "
    "built anew is a tuple for each of its objects, and so is each departure, arrival and border crossing of an "
    "object in the region."
)


def at(scale: Scale) -> tuple[int, int]:
    """Return how many objects there are, and for how many intervals."""
    return at_scale(scale, full=(22_000, 10), quick=(5_500, 10), tiny=(800, 5))


def selectivities(scale: Scale) -> tuple[int, ...]:
    """Return which there are."""
    return at_scale(scale, full=SELECTIVITIES, quick=SELECTIVITIES, tiny=(2, 16, 64))


@dataclass(frozen=True)
class Traced:
    """Reports of objects that set out, travel and end, as arrays in order of time."""

    second: Ints
    number: Ints
    point: Floats  # (n, 2), miles

    @property
    def focal(self) -> int:
        """Return an object that is there from the first interval to the last."""
        first = self.number[self.second < INTERVAL]
        last = self.number[self.second >= self.second.max() + 1 - INTERVAL]
        return int(np.intersect1d(first, last)[0])

    def table(self, chosen: Mask) -> pa.Table:
        """Return some of the rows as the engine takes them."""
        time = pa.array(FIRST_TICK + self.second[chosen] * TICK).cast(pa.timestamp("us", "UTC"))
        x, y = self.point[chosen].T
        return pa.table({"vehicle": vehicle_names(self.number[chosen]), "time": time, "x": x, "y": y})


@cache
def traced(objects: int, intervals: int) -> Traced:
    """Return the reports of some traffic, in miles."""
    traffic = Traffic(network=city_roads(side=SIDE * MILE), objects=objects, reports=intervals, interval=INTERVAL)
    seconds = list(traffic.seconds())
    return Traced(
        np.concatenate([np.full(len(each.number), each.second) for each in seconds]),
        np.concatenate([each.number for each in seconds]),
        np.concatenate([np.column_stack([each.x, each.y]) for each in seconds]) / MILE,
    )


def query_of(trace: Traced, kind: str, percent: float) -> Within:
    """Return a square that has about so many percent of the objects in it, in the middle or around a stream."""
    begin = trace.second < INTERVAL
    points = trace.point[begin]
    center = np.median(points, axis=0) if kind == STAYS else points[trace.number[begin] == trace.focal][0]
    half = float(np.quantile(np.abs(points - center).max(axis=1), percent / 100))
    if kind == STAYS:
        return Within("area", Box(tuple(center - half), tuple(center + half)))
    return Within("area", focal=f"V{trace.focal}", width=2 * half, height=2 * half)


def inside(trace: Traced, query: Within, chosen: Mask) -> pa.Table:
    """Return the changes of an answer when the engine is given some of the rows, an interval at a time."""
    speed = FAST.maximum * KMH / MILE
    engine = Engine(
        COLUMNS, [query], max_speed=speed, report_every=INTERVAL, cache=USUAL_CACHE, cache_model="paper",
    )  # fmt: skip
    events = [
        engine.process(trace.table(chosen & (trace.second // INTERVAL == interval)))
        for interval in range(int(trace.second.max()) // INTERVAL + 1)
    ]
    return pa.concat_tables(events)


class TupleCounts(NamedTuple):
    """How many there are."""

    reports: int
    of_trucks: int  # reports
    changes: int  # that INSIDE makes of all reports


@cache
def tuples(objects: int, intervals: int, kind: str, percent: float) -> TupleCounts:
    """Count tuples; INSIDE above and below the selection come to the same changes of trucks."""
    trace = traced(objects, intervals)
    query = query_of(trace, kind, percent)
    trucks = trace.number % EVERY == 0
    below = inside(trace, query, np.ones(len(trucks), np.bool_))
    needed = trucks | ((trace.number == trace.focal) if kind == MOVES else False)
    above = inside(trace, query, needed)
    named = vehicle_names(np.unique(trace.number[trucks]))
    assert _selected(below, named) == _selected(above, named), "both plans must come to the same answer"
    return TupleCounts(len(trucks), int(trucks.sum()), below.num_rows)


def _selected(events: pa.Table, named: pa.Array) -> list[tuple[Any, ...]]:
    """Return the changes of some streams, sorted."""
    chosen = events.filter(pc.is_in(events["stream_id"], named)).select(["time", "stream_id", "kind"])
    return sorted(zip(*chosen.to_pydict().values(), strict=True))


def plans(scale: Scale, above: str, below: str, taken: Callable[[TupleCounts], int]) -> Iterator[Point]:
    """Yield the tuples of both plans by selectivity; `taken` are those that the other operator takes below INSIDE."""
    for letter, kind in PANELS.items():
        for percent in selectivities(scale):
            found = tuples(*at(scale), kind, percent)
            yield Point(letter, above, percent, taken(found))
            yield Point(letter, below, percent, found.changes)


def panels(other: str) -> tuple[Panel, ...]:
    """Return the panels of a figure: queries that stay, and queries that move, beside another operator."""
    x, y = Axis("objects inside", "%", log=True), Axis("tuples", log=True)
    return tuple(Panel(letter, f"{kind.capitalize()}, {other}", x, y) for letter, kind in PANELS.items())


def setting(what: str) -> dict[Scale, str]:
    """Say what is run, by scale."""
    return {
        scale: f"{at(scale)[0]:,} objects that set out, travel and end, on roads in 28 by 28 miles, for {at(scale)[1]} "
        f"intervals of {INTERVAL} s, 2 to {max(SELECTIVITIES)} % of them inside; {what}"
        for scale in ("full", "quick", "tiny")
    }
