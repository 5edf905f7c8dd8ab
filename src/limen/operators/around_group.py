"""Queries around a center that can be looked up together: on the same columns, with the same condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from limen.index.around import AroundIndex
from limen.index.centered import Centered
from limen.kernels.answer_arrays import Line
from limen.kernels.around import BOX, DISC, NEAREST
from limen.kernels.object_grid import BARRED, GONE, PRESENT, SAME
from limen.model.expression import Expression
from limen.model.nearest import Nearest

if TYPE_CHECKING:
    from limen.model.within import Within
    from limen.operators.step import Expired, Step
    from limen.operators.streams import StreamTable

Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]

ALL = -1  # streams, instead of a number of them


class Key(NamedTuple):
    """What the queries of a group have in common."""

    columns: tuple[int, ...]
    condition: str | None


class AroundGroup:
    """Queries on the same columns and with the same condition."""

    def __init__(self, key: Key, *, lonlat: bool) -> None:
        self.columns = np.array(key.columns, np.int64)
        self.condition = None if key.condition is None else Expression.parse(key.condition)
        self.index = AroundIndex(len(key.columns), lonlat=lonlat)
        self.handle = np.empty(0, np.int32)  # by slot of the index

    def insert(self, queries: Centered, handles: Slots, streams: int) -> Slots:
        """Add queries and return their slots. There are so many streams now."""
        slots = self.index.insert(queries, streams)
        self.put_handles(slots, handles)
        return slots

    def put_handles(self, slots: Slots, handles: Slots) -> None:
        """Note whose slots they are."""
        room = self.index.room
        if room > len(self.handle):
            self.handle = np.concatenate([self.handle, np.full(room - len(self.handle), -1, np.int32)])
        self.handle[slots] = handles

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

    def line(self, step: Step, silent: Expired) -> tuple[Line, Ints, npt.NDArray[np.bool_]]:
        """Return what happens in a step, the time of each entry, and which entries are silences that ran out.

        `silent` are streams whose silence ran out while others spoke, beside those of which the step tells.
        """
        rows = np.flatnonzero(~step.late)
        point = step.after[self.columns][:, rows].T
        code = np.full(len(rows), PRESENT, np.int8)
        if self.condition is not None:
            code[~step.holds(self.condition)[rows]] = BARRED
        code[~step.seen(self.columns)[rows]] = SAME
        stream, time = step.slot[rows], step.rows.time[rows]
        ended = len(step.expired) + len(silent)
        over = np.zeros(len(rows) + ended, np.bool_)
        if ended:
            over[len(rows) :] = True
            gone = np.full((ended, len(self.columns)), np.nan)
            stream = np.concatenate([stream, step.expired.slot, silent.slot])
            time = np.concatenate([time, step.expired.time, silent.time])
            code = np.concatenate([code, np.full(ended, GONE, np.int8)])
            rows = np.concatenate([rows, np.full(ended, -1)])
            order = np.lexsort((over, time))
            stream, time, code = stream[order], time[order], code[order]
            rows, over, point = rows[order], over[order], np.concatenate([point, gone])[order]
        instant = np.zeros(len(time), np.int64)
        np.cumsum((time[1:] != time[:-1]) | (over[1:] != over[:-1]), out=instant[1:])
        return Line(instant, stream, code, rows, np.ascontiguousarray(point)), time, over


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
