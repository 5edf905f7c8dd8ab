"""Counts, sums and averages of members, emitted whenever they change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Array, Mask
from limen.changes.change_rows import VALUE, folded_rows, numbers_of, table_of
from limen.changes.group_steps import Instants
from limen.changes.members import run_starts, steps_of, still_there
from limen.errors import InvalidInput
from limen.kernels.sums import LIMBS, running_sums
from limen.model.columns import Columns


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
        """The columns that identify a member."""
        return tuple(dict.fromkeys((*self.by, *self.member)))

    def needs(self, names: Sequence[str]) -> list[str]:
        """Return the columns that it reads."""
        value = () if self.value is None else (self.value, "values")
        return [name for name in names if name in {*self.keys, "time", "kind", "sign", "reason", *value}]

    def rows(self, changes: Any) -> pa.Table:
        """Read changes."""
        table = table_of(changes)
        return folded_rows(table, self.keys, self.values(table, VALUE))

    def values(self, table: pa.Table, name: str) -> dict[str, pa.Array]:
        """Return the column of what is added up, under a name; none for a count."""
        return {} if self.value is None else {name: numbers_of(table, self.value, self.columns)}

    def take(self, rows: pa.Table, carried: int) -> tuple[pa.Table, pa.Table]:
        """Fold rows."""
        return take_together({self.name: (self, VALUE)}, rows, carried)

    def numbers(self, instants: Instants, rows: pa.Table, value: str) -> tuple[Array, Mask]:
        """Return the number after each instant, and whether there is one, from the values of that name."""
        ends = instants.ends
        if self.name == "count":
            here = np.ones(len(rows), np.int64)
            return _whole_sums(instants, np.append(here, 0)), np.ones(ends.size, np.bool_)
        if self.name == "sum" and pa.types.is_integer(rows[value].type):
            numbers = pc.fill_null(rows[value], 0).to_numpy()
            return _whole_sums(instants, np.append(numbers, 0)), np.ones(ends.size, np.bool_)
        values = np.append(rows[value].to_numpy().astype(np.float64), np.nan)  # row -1 belongs to no member
        is_end = np.zeros(instants.group.size, np.bool_)
        is_end[ends] = True
        sums, present = np.zeros(is_end.size), np.zeros(is_end.size, np.int64)
        old, new = values[instants.old], values[instants.new]
        running_sums(instants.group, old, new, is_end, np.zeros(LIMBS, np.int64), sums, present)
        if self.name == "sum":
            return sums[ends], np.ones(ends.size, np.bool_)
        return sums[ends] / np.maximum(present[ends], 1), present[ends] > 0

    def changed(self, instants: Instants, number: Array, known: Mask) -> Mask:
        """Return which instants changed the number."""
        before = instants.one_before(number, 0)
        known_before = instants.one_before(known, self.name != "average")
        # Infinities of both signs sum to NaN; NaN after NaN is no change.
        same = (number == before) | (np.isnan(number) & np.isnan(before))
        found: Mask = (known != known_before) | (known & ~same)
        return found


def take_together(
    parts: Mapping[str, tuple[Aggregate, str]], rows: pa.Table, carried: int
) -> tuple[pa.Table, pa.Table]:
    """Fold rows into several numbers of the same groups; `parts` has each number and the column of its values."""
    first, _ = next(iter(parts.values()))
    steps = steps_of(rows, carried, first.keys)
    instants = Instants.of(rows, steps, first.by)
    numbers = {}
    changed = np.zeros(instants.ends.size, np.bool_)
    for name, (part, value) in parts.items():
        number, known = part.numbers(instants, rows, value)
        changed |= part.changed(instants, number, known)
        numbers[name] = number, known
    return instants.table(rows, first.by, numbers, changed), still_there(rows, steps)


def _whole_sums(instants: Instants, values: Array) -> Array:
    """Return the sum of a group's whole numbers after each instant, exactly. The last value is padding, and 0.

    Numbers are added in two halves of 32 bits, which overflow only after billions of additions.
    """
    first = run_starts(instants.group)
    lengths = np.diff(np.append(first, instants.group.size))
    halves = []
    for half in (values >> 32, values & 0xFFFFFFFF):
        total = np.cumsum(half[instants.new] - half[instants.old])
        base = np.append(0, total)[first]  # what groups before it left
        halves.append((total - np.repeat(base, lengths))[instants.ends])
    high, low = halves
    high = high + (low >> 32)
    if ((high < -(2**31)) | (high >= 2**31)).any():
        raise InvalidInput(
            where="changes: sum",
            expected="a sum that 64 bits hold",
            got="a larger one",
            hint="cast the column to double",
        )
    sums: Array = (high << 32) + (low & 0xFFFFFFFF)
    return sums
