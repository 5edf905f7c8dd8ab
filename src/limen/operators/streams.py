"""The stream table: what is known of each stream, shared by all queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from limen.index.ids import Ids
from limen.kernels.streams import NEVER, first_rows, has_ties, previous_rows, step
from limen.operators.memory import RowMemory
from limen.state.codec import array_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from limen.model.columns import Columns
    from limen.model.expression import Expression
    from limen.operators.rows import Rows
    from limen.state.codec import Sections

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


@dataclass(slots=True)
class Expired:
    """Streams found silent for too long: who, when, what was known; and before which row, -1 for none."""

    slot: Slots
    time: Ints
    values: Floats
    row: Ints

    def __len__(self) -> int:
        return len(self.slot)


@dataclass(frozen=True, slots=True)
class View:
    """Points of streams, and whether conditions hold for them."""

    slot: Slots
    points: Floats  # (value columns, n)
    _holds: Callable[[Expression, Ints | None], Mask]

    def holds(self, expression: Expression, rows: Ints | None = None) -> Mask:
        """Tell for which rows a condition is true; for some rows only, given by position, it costs only those."""
        return self._holds(expression, rows)

    def only(self, rows: Ints) -> View:
        """Return some of them, by position."""
        return View(
            self.slot[rows],
            self.points[:, rows],
            lambda expression, some: self._holds(expression, rows if some is None else rows[some]),
        )


@dataclass(slots=True)
class Step:
    """Rows taken into the stream table, each with what its stream knew before and after."""

    streams: StreamTable
    rows: Rows
    slot: Slots
    before: Floats
    after: Floats
    late: Mask
    expired: Expired
    _masks: dict[str, Mask] = field(default_factory=dict)
    _previous: dict[tuple[int, ...], Ints] = field(default_factory=dict)
    _known_before: Floats | None = None

    def now(self) -> View:
        """Return the streams as they are after each row."""
        return View(self.slot, self.after, self.holds)

    def then(self, columns: Ints) -> View:
        """Return the streams as a query on these columns knew them before each row."""
        return View(self.slot, self.before, lambda expression, rows: self.held(expression, columns, rows))

    def then_expired(self, columns: Ints) -> View:
        """Return the streams that expired before a row of theirs, as they were."""
        before = self.expired.row

        def held(expression: Expression, some: Ints | None) -> Mask:
            return self.held(expression, columns, before if some is None else before[some])

        return View(self.expired.slot, self.expired.values, held)

    def seen(self, columns: Ints) -> Mask:
        """Tell which rows a query on these columns does not skip."""
        known = ~np.isnan(self.after[columns]).any(axis=0)
        return known & ~np.isnan(self.rows.values[columns]).all(axis=0) & ~self.late

    def holds(self, expression: Expression, rows: Ints | None = None) -> Mask:
        """Tell for which rows a condition is true, all or some."""
        known = self._masks.get(expression.canonical)
        if known is None:
            known = expression.mask(self._columns(expression, rows))
            if rows is not None:
                return known
            self._masks[expression.canonical] = known
        return known if rows is None else known[rows]

    def held(self, expression: Expression, columns: Ints, rows: Ints | None = None) -> Mask:
        """Tell for which rows a condition was true in the row before that a query on these columns saw."""
        previous, slot = self._previous_rows(columns), self.slot
        if rows is not None:
            previous, slot = previous[rows], slot[rows]
        within = previous >= 0
        mask = np.empty(len(previous), np.bool_)
        mask[within] = (
            self.holds(expression)[previous[within]] if rows is None else self.holds(expression, previous[within])
        )
        known = self.known_before()[~within if rows is None else rows[~within]]
        mask[~within] = self.streams.held(expression, columns, slot[~within], known)
        return mask

    def known_before(self) -> Floats:
        """Return for each row what its stream knew before the whole step, (n, value columns)."""
        if self._known_before is None:
            first = np.empty(len(self.slot), np.int64)
            first_rows(self.slot, self.late, np.full(len(self.streams), -1, np.int64), first)
            before = self.before.T.copy()
            before[self.expired.row] = self.expired.values.T
            self._known_before = before[first]
        return self._known_before

    def _columns(self, expression: Expression, rows: Ints | None) -> dict[str, pa.Array]:
        columns = self.streams.memory.columns
        named = {}
        for name in expression.names or columns.values[:1]:
            if name in columns.values:
                own = self.rows.values[columns.values.index(name)]
                named[name] = pa.array(own if rows is None else own[rows])
            else:
                attribute = self.rows.attributes[columns.attributes.index(name)]
                named[name] = attribute if rows is None else attribute.take(pa.array(rows))
        return named

    def _previous_rows(self, columns: Ints) -> Ints:
        key = tuple(columns.tolist())
        if key not in self._previous:
            self._previous[key] = np.empty(len(self.slot), np.int64)
            previous_rows(self.slot, self.seen(columns), np.full(len(self.streams), -1, np.int64), self._previous[key])
        return self._previous[key]


class StreamTable:
    """Last time, last known values and last row of each stream, by slot.

    A stream that expires is forgotten: its values become unknown and it is no longer *live*, but its last time stays
    behind as the moment before it expired, so that rows from before are late.
    """

    def __init__(self, columns: Columns, types: dict[str, pa.DataType]) -> None:
        self.ids = Ids()
        self.last_time = np.empty(0, np.int64)
        self.last = np.empty((0, len(columns.values)))
        self.live = np.empty(0, np.bool_)
        self.memory = RowMemory(columns, types)
        self.forgotten = 0  # streams forgotten, at the most, whose slot is still taken
        self.touched: list[Slots] | None = None  # streams that were updated, where someone keeps track
        self.renumbered = 0  # how often slots were given anew
        self._unseen = np.empty(0, np.int64)  # scratch of has_ties
        self._oldest = 2**63 - 1  # no live stream's last time is before this

    def __len__(self) -> int:
        return len(self.last_time)

    def slots(self, ids: pa.Array | list[str]) -> Slots:
        """Map stream ids to slots, new ones for new streams."""
        slots = self.ids.slots(ids)
        if len(self.ids) > len(self):
            self.resize(max(len(self.ids), len(self) * 5 // 4))
        return slots

    def resize(self, slots: int) -> None:
        """Make room for so many streams."""
        new = slots - len(self)
        self.last_time = np.concatenate([self.last_time, np.full(new, NEVER)])
        self.last = np.concatenate([self.last, np.full((new, self.last.shape[1]), np.nan)])
        self.live = np.concatenate([self.live, np.zeros(new, np.bool_)])
        self._unseen = np.full(slots, NEVER)
        self.memory.resize(slots)

    def put(self, last_time: Ints, last: Floats, live: Mask) -> None:
        """Set what is known of all streams."""
        self.last_time, self.last, self.live = last_time, last, live
        self._oldest = int(last_time[live].min()) if live.any() else 2**63 - 1

    def part(self, slots: Slots) -> dict[str, npt.NDArray[Any] | pa.Array]:
        """Return all that is known of some streams as named arrays, for `put_part`."""
        own = {"last_time": self.last_time[slots], "last": self.last[slots], "live": self.live[slots]}
        return own | self.memory.part(slots)

    def put_part(self, slots: Slots, part: Sections) -> None:
        """Set what is known of some streams."""
        self.last_time[slots] = array_of(part, "last_time", np.int64)
        self.last[slots] = array_of(part, "last", np.float64, (-1, self.last.shape[1]))
        self.live[slots] = array_of(part, "live", np.bool_)
        self.memory.put_part(slots, part)
        self._oldest = -(2**63)  # found when someone asks

    def choose(self, slots: Slots) -> None:
        """Keep some streams only, renumbered in this order."""
        self.ids = Ids.of(self.ids.take(slots))
        self.put(self.last_time[slots], self.last[slots], self.live[slots])
        self._unseen = self._unseen[: len(slots)]
        self.forgotten = 0
        self.renumbered += 1
        self.memory.choose(slots)

    def has_ties(self, slot: Slots, time: Ints) -> bool:
        """Tell whether a stream has two rows of one time; times must be sorted."""
        return bool(has_ties(slot, time, self._unseen))

    def step(self, rows: Rows, slot: Slots, expire_after: int) -> Step:
        """Take rows in, in their order. `remember` must follow when all who look back have done so."""
        n, width = len(rows), self.last.shape[1]
        before, after = np.empty((width, n)), np.empty((width, n))
        late = np.empty(n, np.bool_)
        room = n if expire_after >= 0 else 0
        row, time, values = np.empty(room, np.int64), np.empty(room, np.int64), np.empty((width, room))
        count = step(
            slot, rows.time, rows.values, self.last_time, self.last, self.live, expire_after, before, after, late,
            row, time, values,
        )  # fmt: skip
        if self.touched is not None:
            self.touched.append(slot)
        if n:
            self._oldest = min(self._oldest, int(rows.time.min()))
        expired = Expired(slot[row[:count]], time[:count], values[:, :count], row[:count])
        return Step(self, rows, slot, before, after, late, expired)

    def remember(self, taken: Step) -> None:
        """Keep of each stream's last row what queries may want to look back at."""
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
        """Tell for which streams a condition was true in the last row that a query on these columns saw.

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
        """Find the streams whose silence ran out before a time. When all have been told, `forget` them."""
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
        if self.touched is not None:
            self.touched.append(expired.slot)
        self.put(self.last_time, self.last, self.live)

    @property
    def nbytes(self) -> int:
        """Bytes held for streams, ids aside."""
        table = self.last_time.nbytes + self.last.nbytes + self.live.nbytes + self._unseen.nbytes
        return table + self.memory.nbytes
