"""Vehicles on the roads of a city, each heard of once a second, for `limen bench answer`."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from limen.arrays import Floats, Slots
from limen.model.columns import Columns
from limen.model.event import SCHEMA
from limen.simulate import RoadNetwork, Traffic, city_roads

COLUMNS = Columns(id="vehicle", time="time", values=("x", "y"))
SECOND = 1_000_000  # microseconds


class Batch(NamedTuple):
    """What is heard in a second: every stream once, in a random order, as arrays (streams,) and (streams, 2)."""

    stream: Slots
    point: Floats


@dataclass(frozen=True)
class CityTraffic:
    """Streams on roads, with a batch a second.

    A stream that arrives sets out again from elsewhere under the same id, so the set of streams is constant.

    Attributes
    ----------
    streams, seconds : int
    """

    streams: int = 100_000
    seconds: int = 4
    seed: int = 1

    @cached_property
    def roads(self) -> RoadNetwork:
        """The city."""
        return city_roads()

    @property
    def extent(self) -> Floats:
        """Metres along its two sides."""
        return self.roads.extent

    @property
    def workload(self) -> dict[str, Any]:
        """Everything needed to make it again."""
        return {"roads": self.roads.name, "streams": self.streams, "rows a batch": self.streams, "seed": self.seed}

    @cached_property
    def path(self) -> list[Floats]:
        """Where streams are, second by second, each (streams, 2)."""
        traffic = Traffic(network=self.roads, objects=self.streams, reports=self.seconds, interval=1, seed=self.seed)
        return [np.column_stack([each.x, each.y]) for each in traffic.seconds()]

    @cached_property
    def batches(self) -> list[Batch]:
        """The same as it arrives."""
        rng = np.random.default_rng((self.seed, 1))
        orders = [rng.permutation(self.streams).astype(np.int32) for _ in self.path]
        return [Batch(order, at[order]) for order, at in zip(orders, self.path, strict=True)]

    @cached_property
    def names(self) -> pa.Array:
        """What streams are called."""
        return pa.array([f"V{number}" for number in range(self.streams)])

    def table(self, batch: Batch, second: float, instants: int = 1) -> pa.Table:
        """Return a batch as the engine takes it, spread over so many instants of a second."""
        spread = np.arange(self.streams) * instants // self.streams
        time = (round(second * SECOND) + spread * (SECOND // instants)).astype(np.int64)
        x, y = batch.point.T
        columns = [self.names.take(pa.array(batch.stream)), pa.array(time, SCHEMA.field("time").type), x, y]
        return pa.table(columns, [COLUMNS.id, COLUMNS.time, *COLUMNS.values])
