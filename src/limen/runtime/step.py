"""A step: rows applied to the stream table, each with the state of its stream before and after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from limen.arrays import Floats, Ints, Mask, Slots
from limen.model.event import MICROS
from limen.model.expressions.expression import Expression, load
from limen.runtime.kernels.streams import first_rows, previous_rows
from limen.runtime.rows import Rows

if TYPE_CHECKING:
    from limen.runtime.stream_table import StreamTable


COMPARE = {
    "=": np.equal, "<>": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip


@dataclass(slots=True)
class Expired:
    """Streams that expired: their slots, times and last values, and the row before which each expired, -1 for none."""

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
        """Return for which rows a condition is true. With `rows`, positions, only those rows are evaluated."""
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
    """Rows applied to the stream table, each with the state of its stream before and after."""

    streams: StreamTable
    rows: Rows
    slot: Slots
    before: Floats
    after: Floats
    late: Mask
    expired: Expired
    expire_after: int  # -1 for never
    _masks: dict[str, Mask] = field(default_factory=dict)
    _loaded: dict[str, pa.Array] = field(default_factory=dict)
    _previous: dict[tuple[int, ...], Ints] = field(default_factory=dict)
    _known_before: Floats | None = None

    def silent(self) -> Expired:
        """Return the streams that expired before the last row, beside those that sent rows again."""
        on_time = self.rows.time[~self.late]
        before = int(on_time[-1]) if len(on_time) and self.expire_after >= 0 else -(2**63)
        return self.streams.due(max(self.expire_after, 0), before)

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
        """Return which rows a query on these columns does not skip."""
        known = ~np.isnan(self.after[columns]).any(axis=0)
        return known & ~np.isnan(self.rows.values[columns]).all(axis=0) & ~self.late

    def holds(self, expression: Expression, rows: Ints | None = None) -> Mask:
        """Return for which rows a condition is true, all or some."""
        known = self._masks.get(expression.canonical)
        if known is None:
            if rows is not None:
                return expression.mask(self._columns(expression, rows))
            known = self._within_bounds(expression)
            if known is None:
                ready = {name: self._ready(name) for name in expression.names}
                known = expression.mask_of_loaded(ready, len(self.slot))
            self._masks[expression.canonical] = known
        return known if rows is None else known[rows]

    def held(self, expression: Expression, columns: Ints, rows: Ints | None = None) -> Mask:
        """Return for which rows a condition was true in the previous row that a query on these columns saw."""
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

    def known_at(self, slots: Slots, times: Ints) -> Floats:
        """Return what streams knew at times, (value columns, n); by then none of them may have been forgotten."""
        values = self.streams.last[slots].T.copy()  # of streams without a row in this step
        concerned = np.zeros(len(self.streams), np.bool_)
        concerned[slots] = True
        rows = np.flatnonzero(concerned[self.slot] & ~self.late)
        # Rows by stream and then by position, which is their order of time: one search finds the last row up to a time.
        beyond = len(self.slot) + 1
        keys = np.sort(self.slot[rows].astype(np.int64) * beyond + rows)
        stream = slots.astype(np.int64) * beyond
        first, end = np.searchsorted(keys, stream), np.searchsorted(keys, stream + beyond)
        until = np.searchsorted(keys, stream + np.searchsorted(self.rows.time, times, side="right"))
        has_row, before = until > first, (until == first) & (end > first)
        values[:, has_row] = self.after[:, keys[until[has_row] - 1] % beyond]
        if before.any():
            values[:, before] = self.known_before()[keys[first[before]] % beyond].T
        return values

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

    def _within_bounds(self, expression: Expression) -> Mask | None:
        """Evaluate comparisons with numbers, ten times as fast as other conditions; None for other conditions."""
        values = self.streams.memory.columns.values
        bounds = expression.bounds()
        if bounds is None or not set(expression.names) <= set(values):
            return None
        mask = np.ones(len(self.slot), np.bool_)
        for name, operator, number in bounds:
            own = self.rows.values[values.index(name)]
            mask &= COMPARE[operator](own, number)
            if operator == "<>":
                mask &= own == own  # noqa: PLR0124  # a NaN is missing, and differs from nothing
        return mask

    def _ready(self, name: str) -> pa.Array:
        """Return a column, made ready for conditions once for all of them."""
        if name not in self._loaded:
            self._loaded[name] = load(self.column(name))
        return self._loaded[name]

    def column(self, name: str) -> pa.Array:
        """Return a column of the rows by its name: their own values, attributes, ids or times."""
        columns = self.streams.memory.columns
        if name in columns.values:
            return pa.array(self.rows.values[columns.values.index(name)])
        if name in columns.attributes:
            return self.rows.attributes[columns.attributes.index(name)]
        return self.rows.ids if name == columns.id else pa.array(self.rows.time).cast(MICROS)

    def _previous_rows(self, columns: Ints) -> Ints:
        key = tuple(columns.tolist())
        if key not in self._previous:
            self._previous[key] = np.empty(len(self.slot), np.int64)
            previous_rows(self.slot, self.seen(columns), np.full(len(self.streams), -1, np.int64), self._previous[key])
        return self._previous[key]
