"""Queries around a center that can be looked up together: on the same columns, with the same condition."""

import numpy as np

from limen.arrays import Ints, Slots
from limen.model.nearest import Nearest
from limen.model.within import Within
from limen.queries.answer.centered_queries import Centered, Changes
from limen.queries.answer.group import AnswerGroup, AnswerKey
from limen.queries.answer.kernels.around import BOX, DISC, NEAREST
from limen.queries.answer.kernels.arrays import Timeline
from limen.queries.answer.moving_index import MovingIndex
from limen.runtime.stream_table import StreamTable

ALL = -1  # streams, instead of a number of them


class MovingGroup(AnswerGroup):
    """Queries around a center on the same columns and with the same condition."""

    index: MovingIndex

    def __init__(self, key: AnswerKey, *, lonlat: bool) -> None:
        super().__init__(key, MovingIndex(len(key.columns), lonlat=lonlat))

    def take(self, queries: list[Within | Nearest], handles: Slots, streams: StreamTable) -> Slots:
        """Add queries and return their slots."""
        return self.insert(centered_of(queries, streams, self.index), handles, len(streams))

    def insert(self, queries: Centered, handles: Slots, streams: int) -> Slots:
        """Add queries and return their slots. There are so many streams now."""
        slots = self.index.insert(queries, streams)
        self.put_handles(slots, handles)
        return slots

    def prepare(self, streams: StreamTable) -> None:
        """Load the positions of streams that satisfy the condition of this group."""
        if not len(self.index):
            self.index.forget_streams()  # without queries they are not updated
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

    def play(self, timeline: Timeline, time: Ints, streams: StreamTable) -> Changes:  # noqa: ARG002
        """Apply a timeline and return the changes of answers."""
        return self.index.play(timeline, streams.ids, len(streams))

    def forget_streams(self) -> None:
        """Discard the positions of streams; `prepare` loads them from the stream table again."""
        self.index.forget_streams()


def centered_of(queries: list[Within | Nearest], streams: StreamTable, index: MovingIndex) -> Centered:
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
