"""The effect of each instant on each group: the steps of members, grouped by group and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from limen.arrays import Array, Mask
from limen.changes.change_rows import codes_of
from limen.changes.fold import in_order, with_column
from limen.changes.members import BEFORE, MemberSteps, run_starts
from limen.model.event import MICROS


@dataclass(frozen=True, slots=True)
class Instants:
    """Steps in the order of groups and times.

    `group`, `when`, `row`, `old` and `new` are of one length, one of each step. `ends` are the last steps of instants,
    and `begins` marks the instants that are the first of their group.
    """

    group: Array
    when: Array
    row: Array
    old: Array
    new: Array
    ends: Array
    begins: Mask

    @classmethod
    def of(cls, rows: pa.Table, steps: MemberSteps, by: Sequence[str]) -> Instants:
        """Sort steps by group and time."""
        group = codes_of(rows, by)[steps.row]
        order = np.lexsort((steps.when, group))
        group, when = group[order], steps.when[order]
        starts = run_starts(group, when)
        ends = np.append(starts[1:], order.size)[: starts.size] - 1
        begins = np.isin(starts, run_starts(group))
        return cls(group, when, steps.row[order], steps.old[order], steps.new[order], ends, begins)

    def one_before(self, array: Array, fill: float) -> Array:
        """Shift an array by one instant within each group; the first instant of a group gets `fill`."""
        shifted = np.empty_like(array)
        shifted[1:] = array[:-1]
        shifted[self.begins] = fill
        return shifted

    def table(
        self, rows: pa.Table, by: Sequence[str], numbers: Mapping[str, tuple[Array, Mask]], changed: Mask
    ) -> pa.Table:
        """Make a table of the instants that changed something: their groups, times and numbers."""
        changed = changed & (self.when[self.ends] != BEFORE)
        emitted = self.ends[changed]
        result = rows.select(list(by)).take(pa.array(self.row[emitted]))
        result = with_column(result, "time", pa.array(self.when[emitted]).cast(MICROS))
        for name, (number, known) in numbers.items():
            result = with_column(result, name, pa.array(number[changed], mask=~known[changed]))
        return in_order(result, ("time", *by))
