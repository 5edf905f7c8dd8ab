"""Several numbers of the same groups side by side, emitted together whenever one of them changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from limen.changes.aggregate import Aggregate, take_together
from limen.changes.change_rows import VALUE, folded_rows, table_of


@dataclass(frozen=True, slots=True)
class Several:
    """Counts, sums and averages of the same members in the same groups, each under a name of its own."""

    names: tuple[str, ...]
    parts: tuple[Aggregate, ...]

    @property
    def by(self) -> tuple[str, ...]:
        """The columns that make a group."""
        return self.parts[0].by

    def needs(self, names: Sequence[str]) -> list[str]:
        """Return the columns that it reads."""
        wanted = {name for part in self.parts for name in part.needs(names)}
        return [name for name in names if name in wanted]

    def rows(self, changes: Any) -> pa.Table:
        """Read changes."""
        table = table_of(changes)
        values: dict[str, pa.Array] = {}
        for number, part in enumerate(self.parts):
            values |= part.values(table, _value(number))
        return folded_rows(table, self.parts[0].keys, values)

    def take(self, rows: pa.Table, carried: int) -> tuple[pa.Table, pa.Table]:
        """Fold rows."""
        named = zip(self.names, self.parts, strict=True)
        return take_together({name: (part, _value(place)) for place, (name, part) in enumerate(named)}, rows, carried)


def _value(number: int) -> str:
    return f"{VALUE} {number}"
