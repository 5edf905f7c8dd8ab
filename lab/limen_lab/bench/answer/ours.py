"""Our ways to keep answers, step by step: the indexes alone, and the engine."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Floats, Slots
from limen.engine import Engine
from limen.queries.answer.centered_queries import Changes
from limen.queries.answer.kernels.layout import PositionTimeline
from limen.queries.answer.kernels.object_grid import PRESENT
from limen.queries.answer.moving_index import MovingIndex
from limen.regions.plane_boxes import PlaneBoxes
from limen.runtime.ids import Ids
from limen_lab.bench.answer.difference import Difference
from limen_lab.bench.answer.queries import CityQueries
from limen_lab.bench.answer.traffic import COLUMNS, Batch

XY = np.array([0, 1])


class AroundWay:
    """The index of queries around a center, from arrays to arrays.

    Parameters
    ----------
    queries : CityQueries
    instants : int
        Over how many instants the rows of a batch are spread.
    """

    def __init__(self, queries: CityQueries, instants: int = 1) -> None:
        self.queries, self.instants = queries, instants
        self.ids = Ids.of(queries.traffic.names)
        self.index = MovingIndex(2)
        self.index.insert(queries.centered(), queries.traffic.streams)

    def start(self, batch: Batch) -> None:
        """Take in where streams are."""
        position = np.empty_like(batch.point)
        position[batch.stream] = batch.point
        self.index.fill(position, position, self.ids)

    def prepare(self, batch: Batch) -> PositionTimeline:
        """Return a batch as it is taken."""
        n = len(batch.stream)
        instant = np.arange(n) * self.instants // n
        return PositionTimeline(instant, batch.stream, np.full(n, PRESENT, np.int8), np.arange(n), batch.point)

    def step(self, line: PositionTimeline) -> Changes:
        """Take a batch, and return how answers change."""
        return self.index.play(line, self.ids, self.queries.traffic.streams)

    def changes(self, found: Changes) -> Difference:
        """Return what a step found as pairs."""
        comes = found.adds
        return Difference((found.query[comes], found.stream[comes]), (found.query[~comes], found.stream[~comes]))


class BorderWay:
    """The index of borders that ranges are kept in while they do not move, from arrays to arrays."""

    def __init__(self, queries: CityQueries) -> None:
        self.index = PlaneBoxes()
        self.index.insert(queries.boxes)
        self._last = np.full((2, queries.traffic.streams), np.nan)

    def start(self, batch: Batch) -> None:
        """Take in where streams are."""
        self.step(self.prepare(batch))

    def prepare(self, batch: Batch) -> tuple[Slots, Floats]:
        """Return a batch as it is taken: a column after the other."""
        return batch.stream, np.ascontiguousarray(batch.point.T)

    def step(self, rows: tuple[Slots, Floats]) -> tuple[Slots, Slots]:
        """Take a batch, and return streams and the queries they come into, or, complemented, go out of."""
        stream, at = rows
        before = self._last[:, stream]
        self._last[:, stream] = at
        row, signed = self.index.crossings(stream, before, at, XY, self._last.shape[1]).arrays()
        first = np.flatnonzero(np.isnan(before).any(axis=0))
        if len(first):
            new, query = self.index.containing(stream[first], np.ascontiguousarray(at[:, first]), XY).arrays()
            row, signed = np.concatenate([row, first[new].astype(np.int32)]), np.concatenate([signed, query])
        return stream[row], signed

    def changes(self, found: tuple[Slots, Slots]) -> Difference:
        """Return what a step found as pairs."""
        stream, signed = found
        comes = signed >= 0
        return Difference((signed[comes], stream[comes]), (~signed[~comes], stream[~comes]))


class EngineWay:
    """The engine, from Arrow tables to tables of events."""

    def __init__(self, queries: CityQueries, instants: int = 1) -> None:
        self.traffic, self.instants = queries.traffic, instants
        self.engine = Engine(COLUMNS, queries=queries.queries())
        self._second = 0

    def start(self, batch: Batch) -> None:
        """Take in where streams are."""
        self.step(self.prepare(batch))

    def prepare(self, batch: Batch) -> pa.Table:
        """Return a batch as it is taken, a second after the last."""
        self._second += 1
        return self.traffic.table(batch, self._second, self.instants)

    def step(self, table: pa.Table) -> pa.Table:
        """Take a batch, and return events."""
        return self.engine.process(table)

    def changes(self, events: pa.Table) -> Difference:
        """Return what a step found as pairs."""
        query, stream = (_numbers(events[name]) for name in ("query_id", "stream_id"))
        comes = pc.equal(events["kind"], "add").to_numpy(zero_copy_only=False)
        return Difference((query[comes], stream[comes]), (query[~comes], stream[~comes]))


def _numbers(names: Any) -> Slots:
    """Return the numbers that names have after their first letter."""
    numbers: Slots = pc.cast(pc.utf8_slice_codeunits(names.cast(pa.string()), 1), pa.int32()).to_numpy()
    return numbers
