"""Streams that move over fences, through `engine.process`, for `limen bench geofence`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa

from limen.arrays import Floats, Ints
from limen.engine import Engine
from limen.model import Border, Columns, Polygon
from limen.model.event import SCHEMA
from limen.model.query import Query
from limen.simulate import as_borders
from limen_lab.bench.fence_workloads import FenceWorkload, Zones
from limen_lab.bench.record import seconds

SECOND = 1_000_000  # microseconds
WARM = 2  # ticks before measuring, as for indexes: a place for each stream, and a first move


class FencedStreams:
    """An engine, and ticks in each of which every stream takes a step, in a random order.

    Parameters
    ----------
    columns : Columns
        An id, a time, and x and y.
    queries : list of queries
    path : sequence of float arrays (2, streams)
        Where streams are, tick by tick.
    """

    def __init__(self, columns: Columns, queries: Sequence[Query], path: Sequence[Floats]) -> None:
        self.columns = columns
        self.engine = Engine(columns, queries=queries)
        self.path = path
        self.ticks = 0  # that the engine has seen
        self.updates = self.events = 0  # measured

    @classmethod
    def of_boxes(cls, fences: FenceWorkload) -> FencedStreams:
        """Take boxes on the plane."""
        columns = Columns(id="vehicle", time="time", values=("x", "y"))
        return cls(columns, as_borders(fences.boxes[:, :, 0], fences.boxes[:, :, 1], prefix="fence "), fences.path)

    @classmethod
    def of_zones(cls, zones: Zones) -> FencedStreams:
        """Take polygons in degrees."""
        columns = Columns(id="vehicle", time="time", values=("lon", "lat"), crs="lonlat")
        rings = enumerate(zones.named_rings[1])
        queries = [Border(f"zone {number}", Polygon(shell, holes)) for number, (shell, *holes) in rings]
        return cls(columns, queries, zones.path)

    @property
    def streams(self) -> int:
        """How many there are."""
        return int(self.path[0].shape[1])

    @cached_property
    def _orders(self) -> list[Ints]:
        rng = np.random.default_rng(1)
        return [rng.permutation(self.streams) for _ in self.path]

    @cached_property
    def _ids(self) -> list[pa.Array]:
        names = pa.array([f"vehicle {number}" for number in range(self.streams)])
        return [names.take(pa.array(order)) for order in self._orders]

    def _table(self, tick: int) -> pa.Table:
        """Make the batch of a tick, later than all that the engine has seen."""
        time = np.full(self.streams, self.ticks * SECOND)
        at = self.path[tick][:, self._orders[tick]]
        columns = [self._ids[tick], pa.array(time, SCHEMA.field("time").type), *map(pa.array, at)]
        return pa.table(columns, [self.columns.id, self.columns.time, *self.columns.values])

    def through_engine(self, rows: int | None = None) -> float:
        """Return the seconds an update takes, in batches of so many rows, by default of all streams."""
        taken = 0.0
        for tick in range(len(self.path)):
            table = self._table(tick)
            batches = [table.slice(first, rows) for first in range(0, self.streams, rows or self.streams)]
            known = self._known_events()
            spent = seconds(lambda: [self.engine.process(batch) for batch in batches])
            self.ticks += 1
            if tick >= WARM:
                taken += spent
                self.updates += self.streams
                self.events += self._known_events() - known
        return taken / (self.streams * (len(self.path) - WARM))

    def _known_events(self) -> int:
        return sum(self.engine.counters["events"].values())

    @property
    def events_an_update(self) -> float:
        """How many there were where it was measured."""
        return round(self.events / self.updates, 3)
