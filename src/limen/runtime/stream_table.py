"""The stream table: the state of each stream, shared by all queries."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

import numpy as np
import pyarrow as pa

from limen.arrays import Array, Floats, Ints, Mask, Slots
from limen.checkpoint.codec import Sections, array_of
from limen.growable import larger_size, with_rows
from limen.model.columns import Columns
from limen.model.expressions.expression import Expression
from limen.runtime.ids import Ids
from limen.runtime.kernels.streams import NEVER, has_ties, step
from limen.runtime.pair_state import PairState
from limen.runtime.row_memory import RowMemory
from limen.runtime.rows import Rows
from limen.runtime.step import Expired, Step, View


class StreamTable:
    """Last time, last known values and last row of each stream, by slot.

    A stream that expires is forgotten: its values become unknown and it is no longer *live*, but its last time stays
    behind as the moment before it expired, so that rows from before are late.
    """

    def __init__(
        self, columns: Columns, types: dict[str, pa.DataType], pair_state: Callable[[], dict[str, PairState]]
    ) -> None:
        self.ids = Ids()
        self.last_time = np.empty(0, np.int64)
        self.last = np.empty((0, len(columns.values)))
        self.live = np.empty(0, np.bool_)
        self.memory = RowMemory(columns, types)
        self.pair_state = pair_state()  # what operators store for a query and a stream together, by name
        self._new_pair_state = pair_state
        self.late_before = np.empty(0, np.int64)  # by slot, once a deadline has passed that rows might come behind
        self.forgotten = 0  # streams forgotten, at the most, whose slot is still taken
        self.touched: list[Slots] | None = None  # streams that were updated, if updates are tracked
        self.renumbered = 0  # how often slots were given anew
        self._unseen = np.empty(0, np.int64)  # scratch of has_ties
        self._oldest = 2**63 - 1  # no live stream's last time is before this

    def __len__(self) -> int:
        return len(self.last_time)

    def copy(self) -> StreamTable:
        """Return a table that knows the same, of streams with the same ids and slots."""
        new = copy(self)
        new.last_time, new.last, new.live = self.last_time.copy(), self.last.copy(), self.live.copy()
        new.memory, new.pair_state = self.memory.copy(), self._new_pair_state()
        new.late_before, new._unseen = np.empty(0, np.int64), self._unseen.copy()  # noqa: SLF001  # it is another self
        new.touched = None
        return new

    def slots(self, ids: pa.Array | list[str]) -> Slots:
        """Map stream ids to slots, new ones for new streams."""
        slots = self.ids.slots(ids)
        if len(self.ids) > len(self):
            self.resize(larger_size(len(self), len(self.ids)))
        return slots

    def resize(self, slots: int) -> None:
        """Make room for so many streams."""
        if slots == len(self):
            return
        self.last_time, self.live = with_rows(self.last_time, slots, NEVER), with_rows(self.live, slots)
        self.last = with_rows(self.last, slots, np.nan)
        self._unseen = np.full(slots, NEVER)
        if len(self.late_before):
            self.late_before = with_rows(self.late_before, slots, NEVER)
        self.memory.resize(slots)

    def put(self, last_time: Ints, last: Floats, live: Mask) -> None:
        """Set what is known of all streams."""
        self.last_time, self.last, self.live = last_time, last, live
        self._oldest = int(last_time[live].min()) if live.any() else 2**63 - 1

    def dump(self, slots: Slots) -> dict[str, Array | pa.Array]:
        """Return all that is known of some streams as named arrays, for `load`."""
        own = {"last_time": self.last_time[slots], "last": self.last[slots], "live": self.live[slots]}
        if len(self.late_before):
            own["late_before"] = self.late_before[slots]
        return own | self.memory.dump(slots) | self.dump_pair_state(slots)

    def load(self, slots: Slots, part: Sections) -> None:
        """Set what is known of some streams."""
        self.last_time[slots] = array_of(part, "last_time", np.int64)
        self.last[slots] = array_of(part, "last", np.float64, (-1, self.last.shape[1]))
        self.live[slots] = array_of(part, "live", np.bool_)
        if "late_before" in part:
            self.keep_late(slots, array_of(part, "late_before", np.int64))
        self.load_pair_state(slots, part)
        self.memory.load(slots, part)
        self._oldest = -(2**63)  # the next `due` computes it

    def dump_pair_state(self, slots: Slots) -> dict[str, Array]:
        """Return what is remembered of some streams as named arrays, for `load_pair_state`."""
        parts = {word: each.dump(slots) for word, each in self.pair_state.items()}
        return {f"{word}/{name}": column for word, part in parts.items() for name, column in part.items()}

    def load_pair_state(self, slots: Slots, part: Sections) -> None:
        """Set what is remembered of some streams: nothing of what the part does not have."""
        for word, each in self.pair_state.items():
            kinds = each.PART.items() if f"{word}/query" in part else ()
            each.load(slots, {name: array_of(part, f"{word}/{name}", kind) for name, kind in kinds})

    def keep_late(self, slots: Slots, before: Ints) -> None:
        """Treat rows of streams before these times as late."""
        if not len(self.late_before):
            self.late_before = np.full(len(self), NEVER)
        np.maximum.at(self.late_before, slots, before)

    def touch(self, slots: Slots) -> None:
        """Note that what is known of streams has changed."""
        if self.touched is not None and len(slots):
            self.touched.append(slots)

    def choose(self, slots: Slots) -> None:
        """Keep some streams only, renumbered in this order."""
        number = np.full(len(self.ids), -1, np.int32)
        number[slots] = np.arange(len(slots))
        for each in self.pair_state.values():
            each.renumber(streams=number)
        self.late_before = self.late_before[slots] if len(self.late_before) else self.late_before
        self.ids = Ids.of(self.ids.take(slots))
        self.put(self.last_time[slots], self.last[slots], self.live[slots])
        self._unseen = self._unseen[: len(slots)]
        self.forgotten = 0
        self.renumbered += 1
        self.memory.choose(slots)

    def has_ties(self, slot: Slots, time: Ints) -> bool:
        """Return whether a stream has two rows of one time; times must be sorted."""
        return bool(has_ties(slot, time, self._unseen))

    def step(self, rows: Rows, slot: Slots, expire_after: int) -> Step:
        """Take rows in, in their order. Call `remember` once all operators have read the previous rows."""
        n, width = len(rows), self.last.shape[1]
        before, after = np.empty((width, n)), np.empty((width, n))
        late = np.empty(n, np.bool_)
        room = n if expire_after >= 0 else 0
        row, time, values = np.empty(room, np.int64), np.empty(room, np.int64), np.empty((width, room))
        count = step(
            slot, rows.time, rows.values, self.last_time, self.last, self.live, self.late_before, expire_after,
            before, after, late, row, time, values,
        )  # fmt: skip
        self.touch(slot)
        if n:
            self._oldest = min(self._oldest, int(rows.time.min()))
        expired = Expired(slot[row[:count]], time[:count], values[:, :count], row[:count])
        return Step(self, rows, slot, before, after, late, expired, expire_after)

    def remember(self, taken: Step) -> None:
        """Remember the parts of each stream's last row that queries may read later."""
        memory = self.memory
        if not memory.columns.attributes and len(taken.after) == 1:
            return
        on_time = np.flatnonzero(~taken.late) if taken.late.any() else slice(None)
        positions = None if isinstance(on_time, slice) else pa.array(on_time)
        memory.remember(
            taken.slot[on_time],
            taken.rows.time[on_time],
            taken.rows.values[:, on_time],
            tuple(column if positions is None else column.take(positions) for column in taken.rows.attributes),
            lambda: self._known_before(taken),
        )

    def _known_before(self, taken: Step) -> Floats:
        """Return the last values of all streams as they were before a step."""
        values = self.last.copy()
        on_time = ~taken.late
        values[taken.slot[on_time]] = taken.known_before()[on_time]
        return values

    def held(self, expression: Expression, columns: Ints, slots: Slots, known: Floats | None = None) -> Mask:
        """Return for which streams a condition was true in the last row that a query on these columns saw.

        `known` (n, value columns) are the values known at that time, by default those known now.
        """
        names = expression.names or self.memory.columns.values[:1]
        return expression.mask(self.memory.table(slots, columns, self.last[slots] if known is None else known, names))

    def view(self, slots: Slots, columns: Ints) -> View:
        """Return streams as a query on these columns knows them now."""
        points = np.ascontiguousarray(self.last[slots].T)
        return View(
            slots,
            points,
            lambda expression, rows: self.held(expression, columns, slots if rows is None else slots[rows]),
        )

    def due(self, expire_after: int, before: int) -> Expired:
        """Find the streams that expired before a time. Once their events are emitted, `forget` them."""
        if self._oldest + expire_after >= before:
            ended = np.empty(0, np.int32)
        else:
            ended = np.flatnonzero(self.live & (self.last_time < before - expire_after)).astype(np.int32)
            self.put(self.last_time, self.last, self.live)  # finds the oldest anew, so that this is not done every time
        return Expired(ended, self.last_time[ended] + expire_after, self.last[ended].T.copy(), np.full(len(ended), -1))

    def forget(self, expired: Expired) -> None:
        """Forget streams. What stays is that rows from before they expired are late."""
        self.last_time[expired.slot] = np.maximum(expired.time - 1, self.last_time[expired.slot])
        self.last[expired.slot] = np.nan
        self.live[expired.slot] = False
        self.forgotten += len(expired)
        self.touch(expired.slot)
        self.put(self.last_time, self.last, self.live)

    def evict(self, slots: Slots) -> None:
        """Evict streams that no query needs. The time of their last row stays."""
        self.last[slots] = np.nan
        self.live[slots] = False
        self.forgotten += len(slots)
        self.touch(slots)

    @property
    def nbytes(self) -> int:
        """Bytes held for streams, ids aside."""
        table = self.last_time.nbytes + self.last.nbytes + self.live.nbytes + self._unseen.nbytes
        return (
            table + self.late_before.nbytes + self.memory.nbytes + sum(each.nbytes for each in self.pair_state.values())
        )
