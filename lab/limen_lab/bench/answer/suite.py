"""`limen bench answer`: answers kept up to date, beside finding them afresh for every batch, in the traffic of a city.

Times are CPU times of one core. Rivals answer once a batch, and so do we here, since a batch is one instant; but ours
distinguishes every instant of a batch, at the cost that `instants` measures.
"""

from collections.abc import Callable, Iterator
from functools import cache

from limen_lab.bench.answer.ours import AroundWay, BorderWay, EngineWay
from limen_lab.bench.answer.queries import ANYWHERE, MOVING, ON_ROADS, CityQueries
from limen_lab.bench.answer.reevaluation import KDTree, Reevaluation, STRTree, Way
from limen_lab.bench.answer.spark import spark
from limen_lab.bench.answer.tours import KeepsAnswers, Tour, agreed, through
from limen_lab.bench.answer.traffic import CityTraffic
from limen_lab.bench.answer.variants import grid, instants, shared
from limen_lab.bench.record import Record

NS, RATE = "ns an update (CPU)", "M updates/s (CPU)"
ALL_QUIET = 6  # turns of which the best counts, so that of a ratio both should have a quiet moment
PER_BATCH = "rivals answer once a batch, ours every instant"


@cache
def city() -> CityTraffic:
    """Make the traffic once for all measures."""
    return CityTraffic()


def index_of(queries: CityQueries) -> AroundWay | BorderWay:
    """Return the index that the engine keeps such queries in."""
    return AroundWay(queries) if queries.place == MOVING or queries.nearest else BorderWay(queries)


def best_ways(queries: CityQueries) -> dict[str, tuple[str, Way]]:
    """Find out which way of each rival is the fastest, re-evaluation and difference together; by library."""
    best = {}
    for library, ways in (("KD-tree", KDTree(queries).ways), ("STRtree", STRTree(queries).ways)):
        taken = {}
        for name, way in ways.items():
            tour = Tour(Reevaluation(queries, way), queries.traffic.batches)
            taken[name], _ = tour.step()  # warm: it has found the first answers
        if taken:
            fastest = min(taken, key=lambda name: taken[name])
            best[library] = fastest, ways[fastest]
    return best


def beside_rivals(bench: str, queries: CityQueries, bound: float) -> Iterator[Record]:
    """Measure the index and the engine beside re-evaluation, which must find the same changes."""
    batches, chosen = queries.traffic.batches, best_ways(queries)
    ways: dict[str, KeepsAnswers] = {"index": index_of(queries), "engine": EngineWay(queries)}
    for library, (_, way) in chosen.items():
        ways[library] = Reevaluation(queries, way)
        ways[f"{library}, without the difference"] = Reevaluation(queries, way, compared=False)
    changes = agreed(ways, batches)
    rates = {name: 1e3 / taken for name, taken in through(ways, batches, runs=ALL_QUIET).items()}
    index, engine = rates.pop("index"), rates.pop("engine")
    workload = {
        **queries.workload, "changes an update": changes, "rivals": {name: way for name, (way, _) in chosen.items()},
        "note": PER_BATCH,
    }  # fmt: skip
    better = max(rates[name] for name in chosen)
    claim = f"{bound:g} × the better rival"
    yield Record(bench, workload, RATE, index, rates, claim, index >= bound * better)
    yield Record(f"{bench}, engine", workload, RATE, engine, {"index alone": index, "better rival": better})


def stationary() -> Iterator[Record]:
    """50,000 ranges that stay where they are."""
    for place in (ANYWHERE, ON_ROADS):
        yield from beside_rivals("stationary", CityQueries(city(), place=place), 4)


def moving() -> Iterator[Record]:
    """50,000 ranges around streams that move."""
    yield from beside_rivals("moving", CityQueries(city(), place=MOVING), 3)


def nearest() -> Iterator[Record]:
    """The 10 nearest of 10,000 places, and of 10,000 streams."""
    for place in (ANYWHERE, ON_ROADS, MOVING):
        yield from beside_rivals("nearest", CityQueries(city(), 10_000, place, nearest=10), 1.5)


def growth() -> Iterator[Record]:
    """5,000 to 50,000 ranges, and those that move beside those that do not."""
    taken: dict[str, dict[str, float]] = {}
    for place in (ANYWHERE, ON_ROADS, MOVING):
        few, many = (CityQueries(city(), count, place) for count in (5_000, 50_000))
        ways: dict[str, KeepsAnswers] = {"few": index_of(few), "many": index_of(many)}
        ways |= {"few, engine": EngineWay(few), "many, engine": EngineWay(many)}
        taken[place] = through(ways, city().batches, runs=ALL_QUIET)
        changes = {f"changes an update, {queries.count:,}": _changes(queries) for queries in (few, many)}
        for suffix in ("", ", engine"):
            less, more = taken[place][f"few{suffix}"], taken[place][f"many{suffix}"]
            claim, reached = ("", None) if suffix else ("≤ 2 × 5,000 queries", more <= 2 * less)
            workload = {**many.workload, **changes}
            yield Record(f"growth{suffix}", workload, NS, more, {"5,000 queries": less}, claim, reached)
    for suffix in ("", ", engine"):
        others = {f"stationary, {place}": taken[place][f"many{suffix}"] for place in (ON_ROADS, ANYWHERE)}
        workload = CityQueries(city()).workload
        yield Record(f"moving beside stationary{suffix}", workload, NS, taken[MOVING][f"many{suffix}"], others)


def _changes(queries: CityQueries) -> float:
    return agreed({"index": index_of(queries)}, queries.traffic.batches[:2])


def _of_city(measure: Callable[[CityTraffic], Iterator[Record]]) -> Callable[[], Iterator[Record]]:
    def measured() -> Iterator[Record]:
        return measure(city())

    measured.__doc__ = measure.__doc__
    return measured


#: The measures by name, in the order in which they run.
MEASURES: dict[str, Callable[[], Iterator[Record]]] = {
    **{measure.__name__: measure for measure in (stationary, moving, nearest, growth)},
    **{measure.__name__: _of_city(measure) for measure in (shared, instants, grid, spark)},
}
