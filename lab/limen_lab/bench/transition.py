"""`limen bench transition`: what transitions cost beside the borders they are composed of, on the garages' workload."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Ints, Slots
from limen.engine import Engine
from limen.model.border import Border
from limen.model.columns import Columns
from limen.model.query import Query
from limen.model.transition import TRANSITIONS, Transition
from limen.queries.transition.pending_crossings import Crossings, PendingCrossings, TransitionLimits
from limen.runtime.kernels.pair_state import DUE
from limen.simulate import Garages, city_roads
from limen_lab.bench.record import Record, seconds, side_by_side

if TYPE_CHECKING:
    Batches = list[tuple[Slots, Slots, Ints]]

COLUMNS = Columns(id="vehicle", time="time", values=("x", "y"))
PAPER = {"reports a second": 33_300, "border events a second": 21, "answered": 0.5, "accesses a second": 126}
WITHIN = 180  # seconds
WARM = 30  # seconds of reports that are not measured: streams are new then
ALL_KINDS = 0b1111


@dataclass(frozen=True)
class City:
    """The garages' city as tables, a second each: as many reports a second as the paper has."""

    vehicles: int = 1_000_000
    reports: int = 13
    garages: int = 1_000
    seed: int = 1

    @cached_property
    def workload(self) -> Garages:
        """What moves, and the garages."""
        return Garages(
            network=city_roads(), vehicles=self.vehicles, reports=self.reports, garages=self.garages, seed=self.seed
        )

    @cached_property
    def tables(self) -> list[pa.Table]:
        """The reports."""
        return [table.select(["vehicle", "time", "x", "y"]) for table in self.workload.tables()]

    @property
    def described(self) -> dict[str, Any]:
        """Everything needed to make it again."""
        return {
            "roads": self.workload.network.name,
            "vehicles": self.vehicles,
            "garages": self.garages,
            "within": f"{WITHIN} s",
            "seconds": len(self.tables) - WARM,
            "seed": self.seed,
        }

    def borders(self) -> list[Query]:
        """Return a border query for each garage."""
        return [Border(query.id, query.region) for query in self.workload.queries()]

    def transitions(self, kinds: tuple[str, ...] = TRANSITIONS, within: float = WITHIN) -> list[Query]:
        """Return a transition query for each garage."""
        suffix = "" if kinds == TRANSITIONS else f" {kinds[0]}"
        return [
            Transition(f"{query.id}{suffix}", query.region, within, kinds) for query in self.workload.queries()
        ]  # fmt: skip

    def through(self, queries: list[Query]) -> float:
        """Return the seconds a report takes."""
        engine = Engine(COLUMNS, queries=queries)
        for table in self.tables[:WARM]:
            engine.process(table)
        measured = self.tables[WARM:]
        taken = seconds(lambda: [engine.process(table) for table in measured])
        return taken / sum(map(len, measured))


CITY = City()


def cost() -> Iterator[Record]:
    """Transitions, beside borders on the same regions."""
    borders, transitions = CITY.borders(), CITY.transitions()
    best = side_by_side(
        4, transitions=lambda: CITY.through(transitions), borders=lambda: CITY.through(borders)
    )  # fmt: skip
    ours, others = 1e9 * best["transitions"], {"borders": 1e9 * best["borders"]}
    reached = ours <= 1.2 * others["borders"]
    yield Record("transitions", CITY.described, "ns a report", ours, others, "≤ 1.2 × borders", reached)


def rates() -> Iterator[Record]:
    """What reaches the composition, beside what the paper measured."""
    lasted = len(CITY.tables) - WARM
    rows = sum(map(len, CITY.tables[WARM:])) / lasted
    rate, share = _border_events() / lasted, _share_answered()
    # The paper's cost: an event is put into and taken out of a list and a table, and a match is taken out of both.
    accesses = rate * (2 + (1 + 2 * share) + 2)
    figures = dict(zip(PAPER, (rows, rate, share, accesses), strict=True))
    for name, value in figures.items():
        near = 0.75 <= value / PAPER[name] <= 1.25
        yield Record(name, CITY.described, "", value, {"paper": PAPER[name]}, "within 25 % of the paper's", near)


def _border_events() -> int:
    """Count border events. While streams report for the first time there are none."""
    engine = Engine(COLUMNS, queries=CITY.borders())
    return sum(len(engine.process(table)) for table in CITY.tables)


def _share_answered() -> float:
    """Return the share of border events that the opposite one answers in time, of those that had time for it."""
    engine = Engine(COLUMNS, queries=CITY.transitions())
    events = pa.concat_tables([engine.process(table) for table in CITY.tables])
    had_time = events["started_at"].cast(pa.int64()).to_numpy() + WITHIN * 1_000_000 < engine.watermark
    answered = pc.is_in(events["kind"], value_set=pa.array(["passed", "returned"])).to_numpy()
    return float(answered[had_time].mean())


def memory() -> Iterator[Record]:
    """Starts and deadlines that are kept, beside the paper's 2·t·λ."""
    rate = _border_events() / (len(CITY.tables) - WARM)
    for within in (60, 120, 180, 300):
        # In order of time, so that a deadline that has passed ends its start, as on Spark.
        engine = Engine(COLUMNS, queries=CITY.transitions(within=within), order="event")
        starts = engine._shard.streams.pair_state["starts"]
        most, size = 0, 0
        for table in CITY.tables:
            engine.process(table)
            kept = len(starts) + int(starts._marks[DUE])
            if kept > most:
                most, size = kept, starts.nbytes - starts._chain.nbytes
        bound = 2 * within * rate
        workload = {**CITY.described, "within": f"{within} s", "bytes": size, "bytes a start": round(2 * size / most)}
        claim, reached = "≤ 2·t·λ + 10 %", most <= 1.1 * bound  # λ is an average; some minutes are busier
        yield Record("kept", workload, "starts and deadlines", most, {"2·t·λ": bound}, claim, reached)


def shared() -> Iterator[Record]:
    """One operator for all four kinds, beside four, one for each."""
    whole, parts = CITY.transitions(), [CITY.transitions((kind,)) for kind in TRANSITIONS]
    separate = [query for part in parts for query in part]
    best = side_by_side(3, one=lambda: CITY.through(whole), four=lambda: CITY.through(separate))
    yield _ratio("one for all kinds, in all", CITY.described, "ns a report", 1e9 * best["one"], 1e9 * best["four"])
    crossings = _many_crossings()
    workload = {"crossings": sum(len(query) for _, query, _ in crossings), "streams": 100_000, "queries": 1_000}
    best = side_by_side(5, one=lambda: _composed(crossings, [ALL_KINDS])[0],
                        four=lambda: _composed(crossings, [1, 2, 4, 8])[0])  # fmt: skip
    count = workload["crossings"]
    times = 1e9 * best["one"] / count, 1e9 * best["four"] / count
    yield _ratio("one for all kinds, composition", workload, "ns a crossing", *times)
    sizes = _composed(crossings, [ALL_KINDS])[1], _composed(crossings, [1, 2, 4, 8])[1]
    yield _ratio("one for all kinds, memory", workload, "bytes", *sizes)


def _ratio(name: str, workload: dict[str, Any], unit: str, one: float, four: float) -> Record:
    return Record(name, workload, unit, one, {"four": four}, "less than four of them", one < four)


def _many_crossings() -> Batches:
    """Make crossings in batches (stream, query, time), as many as a far larger city has."""
    rng = np.random.default_rng(3)
    inside = np.zeros((100_000, 4), np.bool_)
    batches = []
    for second in range(60):
        stream = rng.choice(100_000, 10_000, replace=False).astype(np.int32)
        own = rng.integers(0, 4, len(stream))
        leaves = inside[stream, own]
        inside[stream, own] = ~leaves
        query = ((stream * 7 + own * 131) % 1_000).astype(np.int32)
        batches.append((stream, np.where(leaves, ~query, query), np.full(len(stream), second, np.int64)))
    return batches


def _composed(crossings: Batches, wanted: list[int]) -> tuple[float, int]:
    """Compose crossings in one or several operators; return the seconds and the bytes it took."""
    operators = [
        (PendingCrossings(), TransitionLimits(np.full(1_000, 15), np.full(1_000, bits, np.int8))) for bits in wanted
    ]
    no_streams = np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64)
    last_time = np.zeros(100_000, np.int64)

    def run() -> None:
        for stream, query, time in crossings:
            row, on_time = np.arange(len(stream), dtype=np.int32), np.zeros(len(stream), np.bool_)
            crossed = Crossings.by_rows(row, query, stream, time)
            last_time[stream] = time
            for starts, limits in operators:
                starts.compose(crossed, no_streams, limits, len(last_time))
                starts.pass_by(stream, on_time, last_time, limits)
                starts.fall_due(int(time[0]), limits, keep=False)

    taken = seconds(run)
    return taken, sum(starts.nbytes for starts, _ in operators)


#: The measures by name, in the order in which they run.
MEASURES: dict[str, Callable[[], Iterator[Record]]] = {
    measure.__name__: measure for measure in (cost, rates, memory, shared)
}
