"""The order of time in which operators see rows.

By arrival, a row may come behind others that have been processed. To a query on single streams that is a row like any
other (`Timeline`). To a query on many streams it is too late, since the result at that time has been emitted
(`GlobalTimeline`). Such operators may therefore know streams otherwise than the rest: from the moment on when that can
be so, they have a stream table of their own.
"""

from typing import Any

import numpy as np

from limen.arrays import Mask
from limen.checkpoint.codec import Sections
from limen.model.options import Options
from limen.runtime.row_memory import RowMemory
from limen.runtime.rows import Rows
from limen.runtime.step import Expired, Step
from limen.runtime.stream_table import StreamTable

BEGINNING = -(2**63)


class Timeline:
    """Each stream in its own order of time: what the common stream table has.

    Parameters
    ----------
    streams : StreamTable
        The common one.
    options : Options
    """

    def __init__(self, streams: StreamTable, options: Options) -> None:
        self._common = streams
        self._expire_after = -1 if options.expire_after is None else options.expire_after

    @property
    def streams(self) -> StreamTable:
        """The stream table of this timeline."""
        return self._common

    def at(self, time: int) -> int:
        """Return the time at which a change takes effect that is made at a time."""
        return time

    def step(self, step: Step, late: Mask) -> Step:  # noqa: ARG002
        """Return the step that rows are on this timeline; `step` is theirs in the common table."""
        return step

    def silent(self, before: int) -> Expired:
        """Return the streams that expired before a time; `forget` them once their events are emitted."""
        return self._common.due(self._expire_after, before)


class GlobalTimeline(Timeline):
    """All streams in one order of time.

    Attributes
    ----------
    clock : int
        How far the timeline has come: all before it is over.
    own : StreamTable, optional
        What is known of streams, where that may differ from the common table.
    """

    def __init__(self, streams: StreamTable, options: Options) -> None:
        super().__init__(streams, options)
        self.clock = BEGINNING
        self.own: StreamTable | None = None
        self._arrival = options.order == "arrival"
        # Rows are then processed while what falls due before them waits for others.
        self._runs_ahead = self._arrival and options.lateness > 0 and options.expire_after is not None

    @property
    def streams(self) -> StreamTable:
        """The stream table of this timeline."""
        return self._common if self.own is None else self.own

    def make_room(self) -> None:
        """Grow with the common stream table."""
        if self.own is not None and len(self.own) < len(self._common):
            self.own.resize(len(self._common))

    def at(self, time: int) -> int:
        """Return the time at which a change takes effect that is made at a time."""
        return max(time, self.clock)

    def late(self, rows: Rows) -> Mask:
        """Return which rows come too late for this timeline."""
        return rows.time < self.clock

    def begin(self, *, in_use: bool, late: bool = False) -> None:
        """Use a separate stream table where it must differ; share the common one while no query needs the timeline."""
        if not in_use:
            self.own = None
        elif self.own is None and (self._runs_ahead or (late and self._arrival)):
            self.own = self._common.copy()
            if self._expire_after >= 0:  # streams that expired before the timeline began are not known on it
                self.own.forget(self.own.due(self._expire_after, self.clock))
        self.make_room()

    def step(self, step: Step, late: Mask) -> Step:
        """Return the step that rows are on this timeline; `step` is theirs in the common table."""
        self.reach(int(step.rows.time[-1]))
        if self.own is None:
            return step
        self.make_room()
        seen = np.flatnonzero(~late)
        return self.streams.step(step.rows.take(seen), step.slot[seen], self._expire_after)

    def reach(self, time: int) -> None:
        """Advance to a time: all before it is over."""
        self.clock = max(self.clock, time)

    def silent(self, before: int) -> Expired:
        """Return the streams that expired before a time; `forget` them once their events are emitted."""
        return super().silent(before) if self.own is None else self.own.due(self._expire_after, max(before, self.clock))

    def dump(self, known: int) -> dict[str, Any]:
        """Return what is known of so many streams, if that may differ, as named arrays, for `load`."""
        return {} if self.own is None else self.own.dump(np.arange(known, dtype=np.int32))

    def load(self, clock: int, arrays: Sections) -> None:
        """Become the timeline that was dumped."""
        self.clock = clock
        self.own = self._common.copy() if arrays else None
        if self.own is not None:
            # The one table may know rows with only some of their values, and the other none.
            self.own.memory = RowMemory(self._common.memory.columns, self._common.memory.types)
            self.own.memory.resize(len(self._common))
            self.own.load(np.arange(len(self._common.ids), dtype=np.int32), arrays)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return 0 if self.own is None else self.own.nbytes
