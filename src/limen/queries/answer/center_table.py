"""Create and grow the hash table that finds queries by the position of their centers."""

import numpy as np

from limen.arrays import Floats
from limen.growable import with_rows
from limen.queries.answer.kernels.center_grid import HIGHEST, LOWEST, UNPLACED, CenterGrid
from limen.queries.answer.kernels.grid_insert import put_back


def empty_table(queries: int) -> CenterGrid:
    """Return an empty table with room for a number of queries."""
    return CenterGrid(
        level=np.full(queries, UNPLACED, np.int32),
        column=np.zeros(queries, np.int64),
        row=np.zeros(queries, np.int64),
        after=np.zeros(queries, np.int32),
        before=np.zeros(queries, np.int32),
        head=np.full(_size(queries), -1, np.int32),
        used=np.zeros(UNPLACED - LOWEST, np.int64),
        span=np.array([HIGHEST, LOWEST]),
        stale=np.zeros(1, np.int64),
    )


def enlarged_table(table: CenterGrid, queries: int, center: Floats) -> CenterGrid:
    """Return the table with room for more queries; `center` holds a row for each query."""
    table = table._replace(
        level=with_rows(table.level, queries, UNPLACED),
        column=with_rows(table.column, queries),
        row=with_rows(table.row, queries),
        after=with_rows(table.after, queries),
        before=with_rows(table.before, queries),
    )
    if _size(queries) <= len(table.head):
        return table
    placed = np.flatnonzero(table.level != UNPLACED)
    levels = table.level[placed].copy()
    table.level[:] = UNPLACED
    table.used[:] = 0
    table = table._replace(head=np.full(_size(queries), -1, np.int32))
    put_back(table, placed, levels, center)
    return table


def _size(queries: int) -> int:
    return 1 << max(2 * queries, 16).bit_length()
