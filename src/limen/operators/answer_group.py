"""Queries with answers that can be looked up together: on the same columns, with the same condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from limen.kernels.answer_arrays import Line
from limen.kernels.object_grid import BARRED, GONE, PRESENT, SAME
from limen.model.expression import Expression

if TYPE_CHECKING:
    from limen.model.nearest import Nearest
    from limen.model.within import Within
    from limen.operators.step import Expired, Step
    from limen.operators.streams import StreamTable

Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]


class Key(NamedTuple):
    """What the queries of a group have in common."""

    columns: tuple[int, ...]
    condition: str | None
    alone: bool = False  # whether they are apart from others, since they need one instant after the other


class AnswerGroup:
    """Queries on the same columns and with the same condition, in an index of their own."""

    def __init__(self, key: Key, index: Any) -> None:
        self.columns = np.array(key.columns, np.int64)
        self.condition = None if key.condition is None else Expression.parse(key.condition)
        self.index = index
        self.handle = np.empty(0, np.int32)  # by slot of the index

    def take(self, queries: list[Within | Nearest], handles: Slots, streams: StreamTable) -> Slots:
        """Add queries and return their slots."""
        raise NotImplementedError

    def prepare(self, streams: StreamTable) -> None:
        """Take in where streams are, if that is not known."""
        raise NotImplementedError

    def play(self, line: Line, time: Ints, streams: StreamTable) -> Any:
        """Play a line of entries, each with its time, and return how answers change."""
        raise NotImplementedError

    def forget_streams(self) -> None:
        """Forget where streams are."""
        raise NotImplementedError

    def put_handles(self, slots: Slots, handles: Slots) -> None:
        """Note whose slots they are."""
        room = self.index.room
        if room > len(self.handle):
            self.handle = np.concatenate([self.handle, np.full(room - len(self.handle), -1, np.int32)])
        self.handle[slots] = handles

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
