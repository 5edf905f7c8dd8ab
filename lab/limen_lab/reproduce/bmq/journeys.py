"""Streams on their way, batch by batch, as every method of an experiment is given them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limen.arrays import Floats, Slots


@dataclass(frozen=True)
class Journeys:
    """Batches in which a stream has at most one row.

    Attributes
    ----------
    slots : int32 arrays (n,)
        The stream of each row, in a random order, batch by batch.
    points : float arrays (dimensions, n)
        Where it is.
    streams : int
        How many there are in all.
    """

    slots: list[Slots]
    points: list[Floats]
    streams: int

    @classmethod
    def of(cls, values: Floats, seed: int = 1) -> Journeys:
        """Let each tick of values (ticks, streams, dimensions) be a batch."""
        rng = np.random.default_rng(seed)
        ticks, streams, _ = values.shape
        slots = [rng.permutation(streams).astype(np.int32) for _ in range(ticks)]
        points = [np.ascontiguousarray(at[slot].T) for at, slot in zip(values, slots, strict=True)]
        return cls(slots, points, streams)

    def first(self, batches: int) -> Journeys:
        """Leave later batches out."""
        return Journeys(self.slots[:batches], self.points[:batches], self.streams)

    def __len__(self) -> int:
        return len(self.slots)
