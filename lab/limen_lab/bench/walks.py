"""Streams on their way over boxes, and the CPU time of border events there: by an index of borders, by DiffRMQ."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from limen.arrays import Floats, Slots
from limen.regions.contract import BorderIndex
from limen_lab.bench.prices import WARM
from limen_lab.rivals.diff import DiffRMQ


def cpu_seconds(action: Callable[[], Any]) -> float:
    """Return the CPU time of an action: what others do on the machine is not in it, though their use of caches is."""
    begin = time.process_time()
    action()
    return time.process_time() - begin


@dataclass
class Walks:
    """Batches in which every stream has one row, in a random order.

    Attributes
    ----------
    path : arrays (dimensions, streams)
        Where streams are, batch by batch; a stream at NaN is passed over.
    events : int
        What the last run found.
    """

    path: Sequence[Floats]
    events: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(1)
        self.streams = self.path[0].shape[1]
        self.orders = [rng.permutation(self.streams).astype(np.int32) for _ in self.path]
        self.rows = [np.ascontiguousarray(at[:, order]) for at, order in zip(self.path, self.orders, strict=True)]

    def first(self, streams: int) -> Walks:
        """Leave the others out."""
        return Walks([at[:, :streams] for at in self.path])

    def through_border(self, index: BorderIndex) -> float:
        """Return CPU seconds a tuple of an index of borders, the keeping of last positions included."""
        last, columns = np.full_like(self.path[0], np.nan), np.arange(len(self.path[0]))

        def step(order: Slots, rows: Floats) -> Any:
            before = last[:, order]
            known = ~np.isnan(rows).any(axis=0)
            last[:, order[known]] = rows[:, known]
            return index.crossings(order, before, rows, columns, self.streams)

        return self._timed(step)

    def through_difference(self, rival: DiffRMQ) -> float:
        """Return CPU seconds a tuple of DiffRMQ."""
        return self._timed(lambda order, rows: rival.crossings(order, rows, self.streams))

    def remembered_by(self, rival: DiffRMQ) -> None:
        """Let DiffRMQ see every stream once."""
        rival.crossings(self.orders[-1], self.rows[-1], self.streams)

    def _timed(self, step: Callable[[Slots, Floats], Any]) -> float:
        spent = 0.0
        self.events = 0
        for tick, (order, rows) in enumerate(zip(self.orders, self.rows, strict=True)):
            found: list[Any] = []
            taken = cpu_seconds(lambda: found.append(step(order, rows)))
            if tick >= WARM:
                spent += taken
                self.events += sum(len(row) for row, _ in found[0].chunks())
        return spent / (int(self.streams) * (len(self.path) - WARM))

    @property
    def nbytes_last(self) -> int:
        """Bytes of the last positions, which an index of borders leaves to the stream table."""
        return self.path[0].nbytes
