"""Queries around a center that can be looked up together: on the same columns, with the same condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from limen.index.around import AroundIndex
from limen.index.centered import Centered
from limen.kernels.around import BOX, DISC, NEAREST
from limen.model.nearest import Nearest
from limen.operators.answer_group import AnswerGroup

if TYPE_CHECKING:
    from limen.index.centered import Changes
    from limen.kernels.answer_arrays import Line
    from limen.model.within import Within
    from limen.operators.answer_group import Key
    from limen.operators.streams import StreamTable

Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]

ALL = -1  # streams, instead of a number of them


class AroundGroup(AnswerGroup):
    """Queries around a center on the same columns and with the same condition."""

    index: AroundIndex

    def __init__(self, key: Key, *, lonlat: bool) -> None:
        super().__init__(key, AroundIndex(len(key.columns), lonlat=lonlat))

    def take(self, queries: list[Within | Nearest], handles: Slots, streams: StreamTable) -> Slots:
        """Add queries and return their slots."""
        return self.insert(centered_of(queries, streams, self.index), handles, len(streams))

    def insert(self, queries: Centered, handles: Slots, streams: int) -> Slots:
        """Add queries and return their slots. There are so many streams now."""
        slots = self.index.insert(queries, streams)
        self.put_handles(slots, handles)
        return slots

    def prepare(self, streams: StreamTable) -> None:
        """Take in where streams are, as the queries of this group know them."""
        if not len(self.index):
            self.index.forget_streams()  # nobody keeps them up to date
        if self.index.ready or not len(self.index):
            return
        live = np.flatnonzero(streams.live).astype(np.int32)
        known = np.full((len(streams), len(self.columns)), np.nan)
        known[live] = streams.last[live][:, self.columns]
        known[np.isnan(known).any(axis=1)] = np.nan
        position = known
        if self.condition is not None:
            position = known.copy()
            position[live[~streams.held(self.condition, self.columns, live)]] = np.nan
        self.index.fill(position, known, streams.ids)

    def play(self, line: Line, time: Ints, streams: StreamTable) -> Changes:  # noqa: ARG002
        """Play a line of entries and return how answers change."""
        return self.index.play(line, streams.ids, len(streams))

    def forget_streams(self) -> None:
        """Forget where streams are; it is found in the stream table when it is needed."""
        self.index.forget_streams()


def centered_of(queries: list[Within | Nearest], streams: StreamTable, index: AroundIndex) -> Centered:
    """Return queries as the index takes them."""
    n, dimensions = len(queries), index.dimensions
    kind = np.full(n, DISC, np.int8)
    center, half = np.full((n, dimensions), np.nan), np.zeros((n, 2))
    limit, wanted = np.full(n, np.inf), np.zeros(n, np.int64)
    moving = [number for number, query in enumerate(queries) if query.focal is not None]
    focal = np.full(n, -1, np.int32)
    focal[moving] = streams.slots([query.focal for query in queries if query.focal is not None])
    for number, query in enumerate(queries):
        if isinstance(query, Nearest):
            kind[number], wanted[number] = NEAREST, query.k
            if query.center is not None:
                center[number] = query.center
        elif query.radius is not None:
            limit[number] = query.radius if index.lonlat else query.radius * query.radius
        else:
            kind[number] = BOX
            half[number] = (query.width or 0.0) / 2, (query.height or 0.0) / 2
    if index.lonlat:  # as positions have it
        center[:, 0] = np.where(center[:, 0] >= 180, center[:, 0] - 360, center[:, 0])
    counts = np.array([ALL if query.streams is None else len(query.streams) for query in queries], np.int64)
    listed = streams.slots([each for query in queries for each in query.streams or ()])
    return Centered(kind, focal, center, half, limit, wanted, listed, counts)
