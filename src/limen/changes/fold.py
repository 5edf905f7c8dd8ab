"""What a fold is: rows carried along and new changes in, a result and rows to carry out.

A fold is a frozen value without state, so the same one works on a whole table, table after table, and in Spark's
workers.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from limen.errors import InvalidInput


class Fold(Protocol):
    """Rows carried along and new changes in, a result and rows to carry out."""

    @property
    def by(self) -> tuple[str, ...]:
        """The columns by which rows are grouped."""

    def needs(self, names: Sequence[str]) -> list[str]:
        """Return the columns that it reads."""

    def rows(self, changes: Any) -> pa.Table:
        """Read changes."""

    def take(self, rows: pa.Table, carried: int) -> tuple[pa.Table, pa.Table]:
        """Fold rows, of which so many at the beginning are carried along; return the result and what to carry."""


def take(fold: Fold, carried: pa.Table | None, changes: Any) -> tuple[pa.Table, pa.Table]:
    """Fold changes behind those that are carried along."""
    return go_on(fold, carried, fold.rows(changes))


def go_on(fold: Fold, carried: pa.Table | None, rows: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Fold rows behind those that are carried along."""
    if carried is None:
        return fold.take(rows, 0)
    if set(rows.schema.names) != set(carried.schema.names):
        expected, got = (", ".join(name for name in each.schema.names if name[0] != "#") for each in (carried, rows))
        raise InvalidInput(where="changes", expected=f"columns as before: {expected}", got=got)
    together = pa.concat_tables([carried, rows.select(carried.schema.names)], promote_options="permissive")
    return fold.take(together, len(carried))


def with_column(table: pa.Table, name: str, column: pa.Array | pa.ChunkedArray) -> pa.Table:
    """Append a column, also to a table that has none, and so no rows either."""
    return table.append_column(name, column) if table.num_columns else pa.table({name: column})


def in_order(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Sort a result by some columns."""
    # Arrow sorts no booleans.
    keys = {name: table[name].cast(pa.int8()) if pa.types.is_boolean(table[name].type) else table[name]
            for name in names}  # fmt: skip
    if not keys or not len(table):
        return table
    return table.take(pc.sort_indices(pa.table(keys), sort_keys=[(name, "ascending") for name in keys]))
