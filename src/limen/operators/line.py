"""The one time line of families whose queries look at many streams at once.

By arrival, a row may come behind others that have been processed. To a query on single streams that is a row like any
other; to an answer it comes too late, for what was true then has been told. Such families therefore may know streams
otherwise than the rest: from when on that can be so, they have a stream table of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from limen.operators.memory import RowMemory

if TYPE_CHECKING:
    from limen.model.options import Options
    from limen.operators.rows import Rows
    from limen.operators.step import Expired, Step
    from limen.operators.streams import StreamTable
    from limen.state.codec import Sections

Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.int32]

BEGINNING = -(2**63)


class TimeLine:
    """How far the line has come, and what is known of streams on it.

    Attributes
    ----------
    clock : int
        How far the line has come: what was before is over.
    own : StreamTable, optional
        What is known of streams, where that may differ from what others know.
    """

    def __init__(self, options: Options) -> None:
        self.clock = BEGINNING
        self.own: StreamTable | None = None
        self._arrival = options.order == "arrival"
        # Rows are then played while what falls due before them waits for others.
        self._ahead = self._arrival and options.lateness > 0 and options.expire_after is not None
        self._expire_after = -1 if options.expire_after is None else options.expire_after

    def behind(self, rows: Rows) -> Mask:
        """Tell which rows come too late for the line."""
        return rows.time < self.clock

    def begin(self, streams: StreamTable, *, in_use: bool, behind: bool = False) -> None:
        """Part from the common stream table if that is needed, or come back to it if nobody uses the line."""
        if not in_use:
            self.own = None
        elif self.own is None and (self._ahead or (behind and self._arrival)):
            self.own = streams.copy()
            if self._expire_after >= 0:  # who fell silent before the line began is not known on it
                self.own.forget(self.own.due(self._expire_after, self.clock))

    def step(self, step: Step, rows: Rows, slot: Slots, behind: Mask) -> Step:
        """Return the step that a batch is on this line; `step` is the one that it is for others."""
        self.reach(int(rows.time[-1]))
        if self.own is None:
            return step
        seen = np.flatnonzero(~behind)
        return self.streams(step.streams).step(rows.take(seen), slot[seen], self._expire_after)

    def reach(self, time: int) -> None:
        """Come to a time: all before it is over."""
        self.clock = max(self.clock, time)

    def streams(self, common: StreamTable) -> StreamTable:
        """Return what is known of streams on this line."""
        if self.own is None:
            return common
        if len(self.own) < len(common):
            self.own.resize(len(common))
        return self.own

    def silent(self, before: int) -> Expired | None:
        """Find the streams of its own table whose silence ran out; they are to be forgotten when all have been told."""
        if self.own is None or self._expire_after < 0:
            return None
        return self.own.due(self._expire_after, max(before, self.clock))

    def part(self, known: int) -> dict[str, Any]:
        """Return what is known of so many streams on the line, if that may differ, as named arrays, for `load`."""
        return {} if self.own is None else self.own.part(np.arange(known, dtype=np.int32))

    def load(self, clock: int, part: Sections, common: StreamTable) -> None:
        """Become the line of which `part` was written."""
        self.clock = clock
        self.own = common.copy() if part else None
        if self.own is not None:
            # The one table may know rows with only some of their values, and the other none.
            self.own.memory = RowMemory(common.memory.columns, common.memory.types)
            self.own.memory.resize(len(common))
            self.own.put_part(np.arange(len(common.ids), dtype=np.int32), part)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return 0 if self.own is None else self.own.nbytes
