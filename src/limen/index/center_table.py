"""The table in which queries are found by where their centers are: made, and given room as queries come."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from limen.index.growing import grown
from limen.kernels.center_grid import HIGHEST, LOWEST, UNPLACED, CenterGrid
from limen.kernels.placing import put_back


def empty_table(queries: int) -> CenterGrid:
    """Return a table for so many queries, none of which is in it."""
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


def enlarged_table(table: CenterGrid, queries: int, center: npt.NDArray[np.float64]) -> CenterGrid:
    """Return the table with room for so many queries, whose centers are rows of an array."""
    table = table._replace(
        level=grown(table.level, queries, UNPLACED),
        column=grown(table.column, queries, 0),
        row=grown(table.row, queries, 0),
        after=grown(table.after, queries, 0),
        before=grown(table.before, queries, 0),
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
