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
    """Each stream in its own order of time: the state in the common stream table.

    Parameters
    ----------
    streams : StreamTable
        The common one.
    options : Options

    Attributes
    ----------
    streams : StreamTable
        The state of the streams on this timeline.
    """

    def __init__(self, streams: StreamTable, options: Options) -> None:
        self.streams = streams
        self._expire_after = -1 if options.expire_after is None else options.expire_after

    def at(self, time: int) -> int:
        """Return the time at which a change takes effect that is made at a time."""
        return time

    def silent(self, before: int) -> Expired:
        """Return the streams whose silence ran out before a time; `forget` them once their events are out."""
        return self.streams.due(self._expire_after, before)


class GlobalTimeline(Timeline):
    """All streams in one order of time.

    Attributes
    ----------
    clock : int
        How far the timeline has come: all before it is over.
    streams : StreamTable
        The common one, or a table of its own where the state of streams may differ.
    """

    def __init__(self, streams: StreamTable, options: Options) -> None:
        super().__init__(streams, options)
        self._common = streams
        self.clock = BEGINNING
        self._arrival = options.order == "arrival"
        # Rows are then processed while what falls due before them waits for others.
        self._runs_ahead = self._arrival and options.lateness > 0 and options.expire_after is not None

    @property
    def separate(self) -> bool:
        """Whether the timeline has a stream table of its own."""
        return self.streams is not self._common

    def make_room(self) -> None:
        """Grow with the common stream table."""
        if len(self.streams) < len(self._common):
            self.streams.resize(len(self._common))

    def at(self, time: int) -> int:
        """Return the time at which a change takes effect that is made at a time."""
        return max(time, self.clock)

    def late(self, rows: Rows) -> Mask:
        """Return which rows come too late for this timeline."""
        return rows.time < self.clock

    def begin(self, *, in_use: bool, late: bool = False) -> None:
        """Separate from the common stream table if needed; return to it while no query uses the timeline."""
        if not in_use:
            self.streams = self._common
        elif not self.separate and (self._runs_ahead or (late and self._arrival)):
            self.streams = self._common.copy()
            if self._expire_after >= 0:  # streams that expired before the timeline began are not known on it
                self.streams.forget(super().silent(self.clock))
        self.make_room()

    def step(self, step: Step, late: Mask) -> Step:
        """Return the step of rows on this timeline, given their step in the common table."""
        self.reach(int(step.rows.time[-1]))
        if not self.separate:
            return step
        self.make_room()
        seen = np.flatnonzero(~late)
        return self.streams.step(step.rows.take(seen), step.slot[seen], self._expire_after)

    def reach(self, time: int) -> None:
        """Advance to a time: all before it is over."""
        self.clock = max(self.clock, time)

    def silent(self, before: int) -> Expired:
        """Return the streams whose silence ran out before a time; `forget` them once their events are out."""
        return super().silent(max(before, self.clock) if self.separate else before)

    def dump(self, known: int) -> dict[str, Any]:
        """Return the state of so many streams, if it may differ, as named arrays, for `load`."""
        return self.streams.dump(np.arange(known, dtype=np.int32)) if self.separate else {}

    def load(self, clock: int, arrays: Sections) -> None:
        """Become the timeline that was dumped."""
        self.clock, self.streams = clock, self._common
        if arrays:
            own = self.streams = self._common.copy()
            # The one table may know rows with only some of their values, and the other none.
            own.memory = RowMemory(self._common.memory.columns, self._common.memory.types)
            own.memory.resize(len(self._common))
            own.load(np.arange(len(self._common.ids), dtype=np.int32), arrays)

    @property
    def nbytes(self) -> int:
        """Bytes held beside the common table."""
        return self.streams.nbytes if self.separate else 0
