"""`limen bench pattern`: patterns over readings of buoys, for the three ways to keep tuples."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from limen.bench.pattern_queries import PatternQueries
from limen.bench.pattern_spark import beside_a_join, through_spark
from limen.bench.record import Record, seconds, side_by_side
from limen.engine import Engine
from limen.model.options import EXPIRIES
from limen.workloads.buoys import BUOY_COLUMNS, Buoys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from limen.model.pattern import Pattern

BATCH = 1 << 16
PAPER = 15_000  # events a second, of the paper's fastest way with 100 queries


@dataclass(frozen=True)
class Watched:
    """Readings, and patterns over them."""

    buoys: Buoys
    queries: PatternQueries

    @cached_property
    def patterns(self) -> list[Pattern]:
        """The patterns, tuned on the readings."""
        return self.queries.patterns(self.buoys.table)

    @cached_property
    def batches(self) -> list[pa.Table]:
        """The readings; the first batch is not measured, since streams are new in it."""
        return list(self.buoys.batches(min(BATCH, max(1, self.buoys.rows // 4))))

    def run(self, expiry: str) -> tuple[float, dict[str, Any]]:
        """Return readings a second, and what was counted."""
        engine = Engine(BUOY_COLUMNS, queries=self.patterns, expiry=expiry)
        first, *others = self.batches
        engine.process(first)
        taken = seconds(lambda: deque(map(engine.process, others), maxlen=0))  # what is told is not kept
        return sum(map(len, others)) / taken, engine.counters

    @property
    def described(self) -> dict[str, Any]:
        """Everything needed to make it again."""
        asked = self.queries
        return {
            **self.buoys.described, "queries": asked.count, "verbosity": asked.verbosity, "variables": asked.variables,
            "pairs": asked.pairs, "days": asked.days, "distance": asked.distance,
        }  # fmt: skip


READINGS = Buoys(rows=900_000)


def _rates(watched: Watched, runs: int) -> dict[str, float]:
    """Return readings a second by strategy, taken by turns."""
    best = side_by_side(runs, **{expiry: lambda expiry=expiry: 1 / watched.run(expiry)[0] for expiry in EXPIRIES})
    return {expiry: 1 / taken for expiry, taken in best.items()}


def _record(name: str, watched: Watched, wanted: float, runs: int) -> Record:
    rates = _rates(watched, runs)
    counts = {expiry: watched.run(expiry)[1] for expiry in EXPIRIES}
    told = counts["tight"]["events"].get("alert", 0) / counts["tight"]["rows"] / watched.queries.count
    fastest = max(rates, key=lambda expiry: rates[expiry])
    workload = {
        **watched.described,
        "alerts a reading and query": round(told, 4),
        "most stored": {expiry: each["most_stored"] for expiry, each in counts.items()},
        "fastest": fastest,
    }
    others = {expiry: rate for expiry, rate in rates.items() if expiry != fastest} | {"paper, 100 queries": PAPER}
    claim = f"≥ {wanted:,.0f} readings a second"
    return Record(name, workload, "readings a second", rates[fastest], others, claim, rates[fastest] >= wanted)


def many() -> Iterator[Record]:
    """A hundred patterns at 1 % verbosity each."""
    yield _record("many patterns", Watched(READINGS, PatternQueries(count=100)), 150_000, runs=2)


def few() -> Iterator[Record]:
    """Five patterns at 1 % verbosity each."""
    yield _record("few patterns", Watched(READINGS, PatternQueries(count=5)), 1_000_000, runs=3)


def length() -> Iterator[Record]:
    """Times of different lengths at one verbosity: throughput must not depend on them."""
    rates = {}
    for days in (1.0, 2.0, 4.0, 8.0):
        watched = Watched(replace(READINGS, rows=300_000), PatternQueries(count=5, days=days))
        rates[days] = max(watched.run("no-index")[0] for _ in range(3))
    others = {f"{days:g} days": rate for days, rate in rates.items() if days > 1}
    steady = min(rates.values()) >= 0.6 * max(rates.values())
    workload = Watched(replace(READINGS, rows=300_000), PatternQueries(count=5)).described
    yield Record("length", workload, "readings a second", rates[1.0], others, "none below 0.6 × the best", steady)


def join() -> Iterator[Record]:
    """Five patterns beside self-joins of Spark SQL over all readings at once."""
    yield from beside_a_join(Watched(READINGS, PatternQueries(count=5)), "no-index")


def spark() -> Iterator[Record]:
    """A hundred patterns, and five, through Spark."""
    for count in (100, 5):
        yield from through_spark(Watched(READINGS, PatternQueries(count=count)))


#: The measures by name, in the order in which they run.
MEASURES: dict[str, Callable[[], Iterator[Record]]] = {
    measure.__name__: measure for measure in (many, few, length, join, spark)
}
