"""What composing transitions costs: rates and memory in a city of garages, and the sub-operations one by one."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Slots
from limen.engine import Engine
from limen.model.query import Query
from limen.queries.transition.pending_crossings import Crossings, PendingCrossings, TransitionLimits
from limen.runtime.kernels.pair_state import DUE
from limen_lab.bench.record import side_by_side
from limen_lab.bench.transition import ALL_KINDS, COLUMNS, WITHIN, City
from limen_lab.bench.walks import cpu_seconds

NO_ENTRY = np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64)


@dataclass(frozen=True)
class Rates:
    """What the paper measured of its city (§6.4)."""

    reports: float = 33_300
    crossings: float = 21
    answered: float = 0.5

    @property
    def accesses(self) -> float:
        """Accesses a second: two to insert, one to probe, two more where something is found, two to delete."""
        return self.crossings * (2 + (1 + 2 * self.answered) + 2)


def rates_of(city: City) -> Rates:
    """Measure the same of ours; the first half minute, in which vehicles report for the first time, is left out."""
    lasted = len(city.tables) - city.workload.interval
    reports = sum(map(len, city.tables[city.workload.interval :])) / lasted
    engine = Engine(COLUMNS, queries=city.borders())
    crossings = sum(len(engine.process(table)) for table in city.tables) / lasted
    engine = Engine(COLUMNS, queries=city.transitions())
    events = pa.concat_tables([engine.process(table) for table in city.tables])
    had_time = events["started_at"].cast(pa.int64()).to_numpy() + WITHIN * 1_000_000 < (engine.watermark or 0)
    answered = pc.is_in(events["kind"], value_set=pa.array(["passed", "returned"])).to_numpy()
    return Rates(reports, crossings, float(answered[had_time].mean()) if had_time.any() else float("nan"))


def kept(city: City, within: float) -> int:
    """Return the most starts and deadlines that were held at a time."""
    # In order of time, so that a deadline that has passed ends its start.
    engine = Engine(COLUMNS, queries=city.transitions(within=within), order="event")
    starts, most = engine._shard.streams.pair_state["starts"], 0
    for table in city.tables:
        engine.process(table)
        most = max(most, len(starts) + int(starts._marks[DUE]))
    return most


def nanoseconds_a_report(city: City, runs: int) -> dict[str, float]:
    """Return what a report takes with border queries and with transitions, by turns."""
    queries = {"borders": city.borders(), "transitions": city.transitions()}
    takers: dict[str, Callable[[], float]] = {name: partial(_through, city, each) for name, each in queries.items()}
    return {name: 1e9 * taken for name, taken in side_by_side(runs, **takers).items()}


def _through(city: City, queries: list[Query]) -> float:
    """Return the CPU seconds that a report takes, once every vehicle has reported."""
    first = city.workload.interval
    engine = Engine(COLUMNS, queries=queries)
    for table in city.tables[:first]:
        engine.process(table)
    measured = city.tables[first:]
    return cpu_seconds(lambda: [engine.process(table) for table in measured]) / sum(map(len, measured))


def nanoseconds_an_operation(crossings: int, runs: int) -> dict[str, float]:
    """Return what inserting, probing and deleting take in our list of starts, each with so many crossings.

    "insert": a crossing where nothing waits for it. "answer": a crossing that finds one that waits, takes it out and
    waits in its place. "fall due": a start whose time is over.
    """
    streams = np.arange(crossings, dtype=np.int32)
    rng = np.random.default_rng(9)
    queries = rng.integers(0, 1_000, crossings).astype(np.int32)
    limits = TransitionLimits(np.full(1_000, WITHIN), np.full(1_000, ALL_KINDS, np.int8))

    def through() -> dict[str, float]:
        starts = PendingCrossings()
        enters, leaves = (_crossings(streams, each, when) for each, when in ((queries, 0), (~queries, 1)))
        return {
            "insert": cpu_seconds(lambda: starts.compose(enters, NO_ENTRY, limits, crossings)),
            "answer": cpu_seconds(lambda: starts.compose(leaves, NO_ENTRY, limits, crossings)),
            "fall due": cpu_seconds(lambda: starts.fall_due(10 * WITHIN, limits, keep=False)),
        }

    through()
    taken = [through() for _ in range(runs)]
    return {name: 1e9 * min(each[name] for each in taken) / crossings for name in taken[0]}


def _crossings(streams: Slots, queries: Slots, when: int) -> Crossings:
    rows = np.arange(len(streams), dtype=np.int32)
    return Crossings.by_rows(rows, queries, streams, np.full(len(streams), when, np.int64))
