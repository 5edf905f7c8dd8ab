"""The price workload of the border benchmarks, as arrays for kernels and as tables for the engine."""

from dataclasses import asdict, dataclass
from functools import cached_property
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from limen.arrays import Floats, Slots
from limen.engine import Engine
from limen.model.event import SCHEMA
from limen.regions.boxes import BoxIndex
from limen.runtime.kernels.streams import NEVER, step
from limen.simulate import PRICE_COLUMNS, as_borders, price_queries, price_values, symbols
from limen.simulate.bounds import Widths
from limen_lab.bench.border_baselines import SegmentWalk
from limen_lab.bench.record import seconds

_COLUMN = np.zeros(1, np.int64)
WARM = 2  # ticks before measuring: the first gives each stream a position, the second a place in the index


class Measured(NamedTuple):
    """Seconds a tuple, in all and in the index alone; events found, entries looked at."""

    in_all: float
    in_index: float
    events: int
    looked: int


@dataclass(frozen=True)
class Prices:
    """Streams that each move once a tick, in a random order, and queries on all of them."""

    queries: int = 100_000
    width: float = 0.001
    fluctuation: float = 0.0001
    streams: int = 100_000
    widths: Widths = "constant"
    ticks: int = 7

    @property
    def workload(self) -> dict[str, Any]:
        """What identifies it in a record."""
        return {**asdict(self), "domain": 1_000_000, "order of streams": "random"}

    @cached_property
    def values(self) -> Floats:
        """Prices (ticks, streams)."""
        return price_values(streams=self.streams, tuples=self.ticks, fluctuation=self.fluctuation)

    @cached_property
    def orders(self) -> list[Slots]:
        """The order of streams in each tick."""
        rng = np.random.default_rng(1)
        return [rng.permutation(self.streams).astype(np.int32) for _ in range(self.ticks)]

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper bounds of the queries."""
        return price_queries(n=self.queries, width=self.width, widths=self.widths)

    @cached_property
    def tables(self) -> list[pa.Table]:
        """The ticks as batches."""
        names = np.array(symbols(self.streams))
        return [
            pa.table(
                {
                    "symbol": pa.array(names[order]),
                    "time": pa.array(np.full(self.streams, 1_000_000 * tick), SCHEMA.field("time").type),
                    "price": self.values[tick][order],
                }
            )
            for tick, order in enumerate(self.orders)
        ]

    def engine(self) -> Engine:
        """Make an engine with the queries."""
        return Engine(PRICE_COLUMNS, queries=as_borders(*self.bounds))

    def index(self) -> BoxIndex:
        """Make an index of the queries."""
        index = BoxIndex(1)
        index.insert(np.stack(self.bounds, axis=1)[:, None, :].copy())
        return index

    def through_engine(self, engine: Engine | None = None) -> float:
        """Return seconds a tuple of `Engine.process`, once every stream has moved."""
        engine = engine or self.engine()
        for table in self.tables[:WARM]:
            engine.process(table)
        return sum(seconds(lambda: engine.process(table)) for table in self.tables[WARM:]) / self._tuples

    def through_kernels(self) -> Measured:
        """Measure the bare kernels that every tuple passes: the step of the stream table, and the crossings."""
        index = self.index()
        last_time, last = np.full(self.streams, NEVER), np.full((self.streams, 1), np.nan)
        live, late = np.zeros(self.streams, np.bool_), np.empty(self.streams, np.bool_)
        before, after = np.empty((1, self.streams)), np.empty((1, self.streams))
        nothing = np.empty(0, np.int64)
        stepping, crossing, events = 0.0, 0.0, 0
        for tick, order in enumerate(self.orders):
            values, time = self.values[tick][order][None].copy(), np.full(self.streams, tick)
            if tick == WARM:
                stepping, crossing, events, index.looked = 0.0, 0.0, 0, 0
            begin = perf_counter()
            step(
                order, time, values, last_time, last, live, nothing, -1, before, after, late,
                nothing, nothing, np.empty((1, 0)),
            )  # fmt: skip
            middle = perf_counter()
            found = index.crossings(order, before, after, _COLUMN, self.streams)
            crossing += perf_counter() - middle
            stepping += middle - begin
            events += sum(len(row) for row, _ in found.chunks())
        return Measured((stepping + crossing) / self._tuples, crossing / self._tuples, events, index.looked)

    def through_walk(self) -> Measured:
        """Measure the plain segment walk, which is given the previous values of streams."""
        rival = SegmentWalk(*self.bounds, self.values[0])
        spent, events, looked = 0.0, 0, 0
        for tick, order in enumerate(self.orders[1:], start=1):
            before, after = self.values[tick - 1][order], self.values[tick][order]
            if tick == WARM:
                spent, events, looked = 0.0, 0, 0
            begin = perf_counter()
            found, seen = rival.process(order, before, after)
            spent += perf_counter() - begin
            events, looked = events + found, looked + seen
        return Measured(spent / self._tuples, spent / self._tuples, events, looked)

    @property
    def _tuples(self) -> int:
        return self.streams * (self.ticks - WARM)
