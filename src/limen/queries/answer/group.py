"""Groups of queries on the same columns and with the same condition, each in one index."""

from typing import Any, NamedTuple

import numpy as np

from limen.arrays import Floats, Ints, Mask, Slots
from limen.growable import grown
from limen.model.expressions.expression import Expression
from limen.model.nearest import Nearest
from limen.model.within import Within
from limen.queries.answer.centered_queries import COLUMNS, Centered, centered_of
from limen.queries.answer.kernels.layout import PositionTimeline
from limen.queries.answer.kernels.object_grid import BARRED, GONE, PRESENT, SAME
from limen.runtime.step import Expired, Step
from limen.runtime.stream_table import StreamTable


class AnswerKey(NamedTuple):
    """The traits that the queries of a group share."""

    columns: tuple[int, ...]
    condition: str | None
    alone: bool = False  # whether they are apart from others, since they need one instant after the other


class AnswerGroup:
    """Queries on the same columns and with the same condition, in an index of their own."""

    stored_as: type[Centered] = Centered
    stored_columns = COLUMNS

    def __init__(self, key: AnswerKey, index: Any) -> None:
        self.columns = np.array(key.columns, np.int64)
        self.condition = None if key.condition is None else Expression.parse(key.condition)
        self.index = index
        self.handle = np.empty(0, np.int32)  # by slot of the index

    def take(self, queries: list[Within | Nearest], handles: Slots, streams: StreamTable) -> Slots:
        """Add queries and return their slots."""
        return self.insert(self.columns_of(queries, streams), handles, streams)

    def columns_of(self, queries: list[Within | Nearest], streams: StreamTable) -> Any:
        """Return queries as columns of the index."""
        return centered_of(queries, streams, self.index.dimensions, lonlat=self.index.lonlat)

    def insert(self, queries: Any, handles: Slots, streams: StreamTable) -> Slots:
        """Add queries, as columns, and return their slots."""
        raise NotImplementedError

    def prepare(self, streams: StreamTable) -> None:
        """Load the positions of streams, unless they are loaded."""
        raise NotImplementedError

    def play(self, timeline: PositionTimeline, time: Ints, streams: StreamTable) -> Any:
        """Apply a timeline, each entry with its time, and return the changes of answers."""
        raise NotImplementedError

    def forget_streams(self) -> None:
        """Discard the positions of streams; `prepare` loads them again."""
        self.index.forget_streams()

    def positions(self, streams: StreamTable) -> tuple[Floats, Floats]:
        """Return the positions of all streams, and of those that satisfy the condition; NaN for others."""
        live = np.flatnonzero(streams.live).astype(np.int32)
        known = np.full((len(streams), len(self.columns)), np.nan)
        known[live] = streams.last[live][:, self.columns]
        known[np.isnan(known).any(axis=1)] = np.nan
        if self.condition is None:
            return known, known
        position = known.copy()
        position[live[~streams.held(self.condition, self.columns, live)]] = np.nan
        return known, position

    def put_handles(self, slots: Slots, handles: Slots) -> None:
        """Store the handle of the query in each slot."""
        self.handle = grown(self.handle, self.index.room, -1)
        self.handle[slots] = handles

    def timeline(self, step: Step, silent: Expired) -> tuple[PositionTimeline, Ints, Mask]:
        """Return the timeline of a step, the time of each entry, and which entries are expirations.

        `silent` are streams that expired between rows of the step, in addition to `step.expired`.
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
        return PositionTimeline(instant, stream, code, rows, np.ascontiguousarray(point)), time, over
