"""What instants do to groups: the steps of members, put together by group and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from limen.arrays import Array, Mask
from limen.changes.change_rows import MICROS, codes_of
from limen.changes.fold import in_order, with_column
from limen.changes.members import BEFORE, MemberSteps, run_starts

_Numbers = Array
_Flags = Mask


@dataclass(frozen=True, slots=True)
class Instants:
    """Steps in the order of groups and times.

    `group`, `when`, `row`, `old` and `new` are of one length, one of each step. `ends` are the last steps of instants,
    and `begins` marks the instants that are the first of their group.
    """

    group: _Numbers
    when: _Numbers
    row: _Numbers
    old: _Numbers
    new: _Numbers
    ends: _Numbers
    begins: _Flags

    @classmethod
    def of(cls, rows: pa.Table, steps: MemberSteps, by: Sequence[str]) -> Instants:
        """Put steps into order."""
        group = codes_of(rows, by)[steps.row]
        order = np.lexsort((steps.when, group))
        group, when = group[order], steps.when[order]
        starts = run_starts(group, when)
        ends = np.append(starts[1:], order.size)[: starts.size] - 1
        begins = np.isin(starts, run_starts(group))
        return cls(group, when, steps.row[order], steps.old[order], steps.new[order], ends, begins)

    def one_before(self, array: _Numbers, fill: float) -> _Numbers:
        """Return what was there an instant before, and at the beginning of a group what there always was."""
        shifted = np.empty_like(array)
        shifted[1:] = array[:-1]
        shifted[self.begins] = fill
        return shifted

    def told(
        self, rows: pa.Table, by: Sequence[str], numbers: Mapping[str, tuple[_Numbers, _Flags]], changed: _Flags
    ) -> pa.Table:
        """Make a table of the instants that changed something: their groups, times and numbers."""
        changed = changed & (self.when[self.ends] != BEFORE)
        told = self.ends[changed]
        result = rows.select(list(by)).take(pa.array(self.row[told]))
        result = with_column(result, "time", pa.array(self.when[told]).cast(MICROS))
        for name, (number, known) in numbers.items():
            result = with_column(result, name, pa.array(number[changed], mask=~known[changed]))
        return in_order(result, ("time", *by))
