"""Counts, sums and averages of members, told whenever they change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from limen.changes.fold import in_order, with_column
from limen.changes.members import BEFORE, Steps, run_starts, steps_of, still_there
from limen.changes.rows import MICROS, VALUE, codes_of, folded_rows, numbers_of, table_of
from limen.kernels.sums import LIMBS, running_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from limen.model.columns import Columns

_Numbers = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A number for each group of members; a member counts with the value that its add had."""

    name: str  # count, sum or average
    by: tuple[str, ...]
    member: tuple[str, ...]
    value: str | int | None = None
    columns: Columns | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that tell members apart."""
        return tuple(dict.fromkeys((*self.by, *self.member)))

    def needs(self, names: Sequence[str]) -> list[str]:
        """Say which of the columns there are it looks at."""
        value = () if self.value is None else (self.value, "values")
        return [name for name in names if name in {*self.keys, "time", "kind", "sign", "reason", *value}]

    def rows(self, changes: Any) -> pa.Table:
        """Read changes."""
        table = table_of(changes)
        value = None if self.value is None else numbers_of(table, self.value, self.columns)
        return folded_rows(table, self.keys, value)

    def take(self, rows: pa.Table, carried: int) -> tuple[pa.Table, pa.Table]:
        """Fold rows."""
        steps = steps_of(rows, carried, self.keys)
        return self._told(rows, steps), still_there(rows, steps)

    def _told(self, rows: pa.Table, steps: Steps) -> pa.Table:
        """Say what the number is after each instant that changed it."""
        group = codes_of(rows, self.by)[steps.row]
        order = np.lexsort((steps.when, group))
        group, when, row = group[order], steps.when[order], steps.row[order]
        old, new = steps.old[order], steps.new[order]
        starts = run_starts(group, when)
        ends = np.append(starts[1:], order.size)[: starts.size] - 1  # of instants
        if self.name == "count":
            number = _counts(group, old, new)[ends]
            known = np.ones(number.size, np.bool_)
        else:
            value = np.append(rows[VALUE].to_numpy().astype(np.float64), np.nan)  # row -1 is nobody's
            number, known = self._numbers(group, value[old], value[new], ends)
        begins = np.isin(starts, run_starts(group))
        before = _one_before(number, begins, 0)
        known_before = _one_before(known, begins, self.name != "average")
        # Infinities of both signs have no sum, and nothing has happened while they have none.
        same = (number == before) | (np.isnan(number) & np.isnan(before))
        changed = ((known != known_before) | (known & ~same)) & (when[ends] != BEFORE)
        told = ends[changed]
        result = rows.select(list(self.by)).take(pa.array(row[told]))
        result = with_column(result, "time", pa.array(when[told]).cast(MICROS))
        result = with_column(result, self.name, pa.array(number[changed], mask=~known[changed]))
        return in_order(result, ("time", *self.by))

    def _numbers(
        self, group: _Numbers, old: _Numbers, new: _Numbers, ends: _Numbers
    ) -> tuple[_Numbers, npt.NDArray[np.bool_]]:
        """Return sums or averages, and whether there are any."""
        is_end = np.zeros(group.size, np.bool_)
        is_end[ends] = True
        sums, present = np.zeros(group.size), np.zeros(group.size, np.int64)
        running_sums(group, old, new, is_end, np.zeros(LIMBS, np.int64), sums, present)
        if self.name == "sum":
            return sums[ends], np.ones(ends.size, np.bool_)
        return sums[ends] / np.maximum(present[ends], 1), present[ends] > 0


def _counts(group: _Numbers, old: _Numbers, new: _Numbers) -> _Numbers:
    """Return the number of members of a group after each step."""
    total: _Numbers = np.cumsum((new >= 0).astype(np.int64) - (old >= 0))
    first = run_starts(group)
    base = np.append(0, total)[first]  # what groups before it left
    counts: _Numbers = total - np.repeat(base, np.diff(np.append(first, group.size)))
    return counts


def _one_before(array: _Numbers, begins: npt.NDArray[np.bool_], fill: float) -> _Numbers:
    """Return what was there an instant before, and at the beginning of a group what there always was."""
    shifted = np.empty_like(array)
    shifted[1:] = array[:-1]
    shifted[begins] = fill
    return shifted
