"""`limen bench pattern`: patterns over readings of buoys, for the three ways to keep tuples.

Rates are of the processor's time, of one core: where no other process uses it, that is the clock's.
"""

import gc
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import pyarrow as pa

from limen.engine import Engine
from limen.model.options import EXPIRIES
from limen.model.pattern import Pattern
from limen.simulate.buoy_patterns import PatternQueries
from limen.simulate.buoys import BUOY_COLUMNS, Buoys
from limen_lab.bench.pattern.spark import beside_a_join, through_spark
from limen_lab.bench.record import Record, seconds

BATCH = 1 << 16
PAPER = 15_000  # events a second, of the paper's fastest way with 100 queries


class PatternRates(NamedTuple):
    """Readings a second of the processor's time, and by the clock; and what was counted."""

    rate: float
    by_the_clock: float
    counters: dict[str, Any]


def fastest_of(*runs: PatternRates) -> PatternRates:
    """Return the best of some runs, since noise only ever adds."""
    return max(runs, key=lambda run: run.rate)


@dataclass(frozen=True)
class PatternWorkload:
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

    def run(self, expiry: str) -> PatternRates:
        """Play the readings once. What is compiled has been so by the tuning of patterns."""
        engine = Engine(BUOY_COLUMNS, queries=self.patterns, expiry=expiry)
        first, *others = self.batches
        engine.process(first)
        gc.collect()
        busy = time.process_time()
        taken = seconds(lambda: deque(map(engine.process, others), maxlen=0))  # events are dropped
        busy = time.process_time() - busy
        rows = sum(map(len, others))
        return PatternRates(rows / busy, rows / taken, engine.counters)

    @property
    def described(self) -> dict[str, Any]:
        """Everything needed to make it again."""
        queries = self.queries
        return {
            **self.buoys.described, "queries": queries.count, "verbosity": queries.verbosity,
            "variables": queries.variables, "pairs": queries.pairs, "days": queries.days, "distance": queries.distance,
        }  # fmt: skip


READINGS = Buoys(rows=900_000)
FEWER = Buoys(rows=300_000)  # for what takes long


@cache
def watched(buoys: Buoys, queries: PatternQueries) -> PatternWorkload:
    """Return readings and patterns, which are made once for all measures."""
    return PatternWorkload(buoys, queries)


def _record(name: str, on: PatternWorkload, wanted: float, turns: int) -> Iterator[Record | str]:
    yield "patterns are made and tuned"
    _ = on.patterns, on.batches
    runs: dict[str, PatternRates] = {}
    for turn in range(turns):  # by turns, so that a slow moment of the machine hits all alike
        for expiry in EXPIRIES:
            yield f"{expiry}, run {turn + 1} of {turns}"
            run = on.run(expiry)
            runs[expiry] = fastest_of(run, runs.get(expiry, run))
    counts = {expiry: each.counters for expiry, each in runs.items()}
    verbosity = counts["tight"]["events"].get("alert", 0) / counts["tight"]["rows"] / on.queries.count
    fastest = max(runs, key=lambda expiry: runs[expiry].rate)
    workload = {
        **on.described,
        "alerts a reading and query": round(verbosity, 4),
        "most stored": {expiry: each["most_stored"] for expiry, each in counts.items()},
        "readings a second by the clock": {expiry: round(each.by_the_clock) for expiry, each in runs.items()},
        "fastest": fastest,
    }
    others = {expiry: each.rate for expiry, each in runs.items() if expiry != fastest} | {"paper, 100 queries": PAPER}
    claim, rate = f"≥ {wanted:,.0f} readings a second", runs[fastest].rate
    yield Record(name, workload, "readings a second", rate, others, claim, rate >= wanted)


def many() -> Iterator[Record | str]:
    """A hundred patterns at 1 % verbosity each."""
    yield from _record("many patterns", watched(READINGS, PatternQueries(count=100)), 150_000, turns=2)


def few() -> Iterator[Record | str]:
    """Five patterns at 1 % verbosity each."""
    yield from _record("few patterns", watched(READINGS, PatternQueries(count=5)), 1_000_000, turns=5)


def length() -> Iterator[Record | str]:
    """Times of different lengths at one verbosity: throughput must not depend on them."""
    rates = {}
    for days in (1.0, 2.0, 4.0, 8.0):
        yield f"{days:g} days"
        on = watched(FEWER, PatternQueries(count=5, days=days))
        rates[days] = fastest_of(*(on.run("no-index") for _ in range(4))).rate
    others = {f"{days:g} days": rate for days, rate in rates.items() if days > 1}
    steady = min(rates.values()) >= 0.6 * max(rates.values())
    workload = watched(FEWER, PatternQueries(count=5)).described
    yield Record("length", workload, "readings a second", rates[1.0], others, "none below 0.6 × the best", steady)


def join() -> Iterator[Record | str]:
    """Five patterns beside self-joins of Spark SQL over all readings at once."""
    yield from beside_a_join(watched(FEWER, PatternQueries(count=5)), "no-index")


def spark() -> Iterator[Record | str]:
    """A hundred patterns, and five, through Spark."""
    for count in (5, 100):
        yield f"{count} patterns"
        yield from through_spark(watched(FEWER, PatternQueries(count=count)))


#: The measures by name, in the order in which they run.
MEASURES: dict[str, Callable[[], Iterator[Record | str]]] = {
    measure.__name__: measure for measure in (many, few, length, join, spark)
}
