"""What answers cost in other settings: one operator a query, many instants a batch, coarser and finer grids."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from limen.queries.answer import grid_frame as frame
from limen_lab.bench.answer.ours import AroundWay, BorderWay, EngineWay
from limen_lab.bench.answer.queries import MOVING, ON_ROADS, CityQueries
from limen_lab.bench.answer.tours import KeepsAnswers, Tour, through
from limen_lab.bench.answer.traffic import Batch, CityTraffic
from limen_lab.bench.record import Record

NS, RATE = "ns an update (CPU)", "M updates/s (CPU)"
PAPER_CELLS = (30, 100)  # a side: what the paper settles for, and where its response time is best


class One(CityQueries):
    """One of some queries, alone."""

    def __init__(self, queries: CityQueries, number: int) -> None:
        super().__init__(queries.traffic, 1, queries.place, queries.nearest)
        self.__dict__["_chosen"] = queries._chosen[number : number + 1]


def shared(traffic: CityTraffic) -> Iterator[Record]:
    """200 ranges in one index, and in one for each."""
    short = replace(traffic, seconds=3)
    for place, make in ((ON_ROADS, BorderWay), (MOVING, AroundWay)):
        queries = CityQueries(short, 200, place)
        together = through({"ours": make(queries)}, short.batches)["ours"]
        # One after the other: each knows all streams, and there is no room for all of them at once.
        apart = sum(1e9 * _warm_step(make(One(queries, number)), short) for number in range(queries.count))
        yield Record("shared", queries.workload, NS, together, {"an index a query": apart})


def _warm_step(way: KeepsAnswers, traffic: CityTraffic) -> float:
    """Return the CPU seconds an update of the second step."""
    tour = Tour(way, traffic.batches)
    tour.step()
    return tour.step()[0] / traffic.streams


def instants(traffic: CityTraffic) -> Iterator[Record]:
    """The rows of a batch in one instant, in a thousand, and each in its own."""
    short = replace(traffic, seconds=3)
    for queries in (
        CityQueries(short, place=ON_ROADS),
        CityQueries(short, place=MOVING),
        CityQueries(short, 10_000, MOVING, nearest=10),
    ):
        counts = (1, 1_000, short.streams)
        ways: dict[str, KeepsAnswers] = {}
        for count in counts:
            if queries.place == MOVING:
                ways[f"index {count}"] = AroundWay(queries, count)
            ways[f"engine {count}"] = EngineWay(queries, count)
        rates = {name: 1e3 / taken for name, taken in through(ways, short.batches, runs=1).items()}
        for part in ("index", "engine") if queries.place == MOVING else ("engine",):
            at_once = rates[f"{part} 1"]
            for count in counts[1:]:
                workload = {**queries.workload, "instants a batch": count}
                name = "instants" + ", engine" * (part == "engine")
                yield Record(name, workload, RATE, rates[f"{part} {count}"], {"one instant": at_once})


def grid(traffic: CityTraffic) -> Iterator[Record]:
    """Cells as they are chosen, and finer and coarser ones, among them the paper's."""
    short = replace(traffic, seconds=3)
    chosen = frame.POINTS_A_CELL
    sizes = {f"{points:g} points a cell": points for points in (0.25, 0.5, 1, 2, 4, 16) if points != chosen}
    sizes |= {f"{side} a side": short.streams / side**2 for side in PAPER_CELLS}
    for queries in (CityQueries(short, place=MOVING), CityQueries(short, 10_000, MOVING, nearest=10)):
        ways: dict[str, KeepsAnswers] = {"ours": AroundWay(queries)}
        ways |= {name: Gridded(queries, points) for name, points in sizes.items()}
        taken = through(ways, short.batches)
        ours = taken.pop("ours")
        yield Record("grid", {**queries.workload, "points a cell": chosen}, NS, ours, taken)


class Gridded(AroundWay):
    """The same with a grid of so many points a cell."""

    def __init__(self, queries: CityQueries, points: float) -> None:
        super().__init__(queries)
        self.points = points

    def start(self, batch: Batch) -> None:
        """Take in where streams are, and lay the grid."""
        with _points_a_cell(self.points):
            super().start(batch)


@contextmanager
def _points_a_cell(points: float) -> Iterator[None]:
    before = frame.POINTS_A_CELL
    frame.POINTS_A_CELL = points
    try:
        yield
    finally:
        frame.POINTS_A_CELL = before
