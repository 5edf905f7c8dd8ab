"""The distinct values among changes: emitted when one first appears and when its last row is removed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from limen.changes.change_rows import SIGN, codes_of, folded_rows
from limen.changes.fold import in_order, with_column
from limen.changes.members import BEFORE, at, label, run_starts, when_of
from limen.errors import InvalidInput
from limen.model.event import MICROS


@dataclass(frozen=True, slots=True)
class Distinct:
    """The different values of some columns, as changes again."""

    by: tuple[str, ...]

    def needs(self, names: Sequence[str]) -> list[str]:
        """Return the columns that it reads."""
        return [name for name in names if name in {*self.by, "time", "kind", "sign"}]

    def rows(self, changes: Any) -> pa.Table:
        """Read changes."""
        return folded_rows(changes, self.by)

    def take(self, rows: pa.Table, carried: int) -> tuple[pa.Table, pa.Table]:
        """Fold rows. What is carried has, in place of its sign, how often the value is there."""
        code, when = codes_of(rows, self.by), when_of(rows, carried)
        order = np.lexsort((when, code))
        starts = run_starts(code[order], when[order])
        row, when = order[starts], when[order][starts]
        net = np.add.reduceat(rows[SIGN].to_numpy()[order], starts) if starts.size else np.zeros(0, np.int64)
        first = run_starts(code[row])
        total = np.cumsum(net)
        after = total - np.repeat(np.append(0, total)[first], np.diff(np.append(first, row.size)))
        if (after < 0).any():
            wrong = np.flatnonzero(after < 0)
            earliest = wrong[np.argmin(when[wrong])]
            raise InvalidInput(
                where=f"changes: {label(rows, int(row[earliest]), self.by)}",
                expected="an add, or +1, before a remove, or -1",
                got=f"one remove too many {at(when[earliest])}",
                hint="give all changes from the first on, or table after table to changes.Running",
            )
        emitted = ((after == 0) != (after == net)) & (when != BEFORE)
        result = rows.select(list(self.by)).take(pa.array(row[emitted]))
        result = with_column(result, "time", pa.array(when[emitted]).cast(MICROS))
        result = with_column(result, "sign", pa.array(np.where(after == 0, -1, 1)[emitted], pa.int64()))
        last = np.append(first[1:], row.size)[: first.size] - 1
        kept = last[after[last] > 0]
        carry = rows.take(pa.array(row[kept]))
        carry = carry.set_column(carry.schema.get_field_index(SIGN), SIGN, pa.array(after[kept], pa.int64()))
        return in_order(result, ("time", *self.by)), carry
