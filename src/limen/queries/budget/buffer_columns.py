"""Create and grow the arrays of a shared buffer."""

from typing import Any

import numpy as np

from limen.arrays import Array, Floats
from limen.queries.budget.kernels.layout import CELL_ENTRY, LINE_ENTRY, BufferCells, BufferScratch

#: What fields of new records have, if not zeros.
_BEGIN = {
    "kind": -1, "focal": -1, "listed_count": -1, "share": 1.0, "after": -1, "before": -1, "cell": -1, "around": -1,
    "object": -1, "row": -1,
}  # fmt: skip


def records_of(rows: int, kind: np.dtype[Any]) -> Array:
    """Return so many records that are not in use."""
    records = np.zeros(rows, kind)
    for name in _BEGIN.keys() & (kind.names or ()):
        records[name] = _BEGIN[name]
    return records


def with_rows(records: Array, rows: int) -> Array:
    """Return an array with more records."""
    larger = records_of(rows, records.dtype)
    larger[: len(records)] = records
    return larger


def scratch_of(queries: int, objects: int, entries: int) -> BufferScratch:
    """Return the work arrays."""
    return BufferScratch(
        disturbed=np.empty(queries, np.int32),
        moved=np.empty(queries, np.int32),
        entries=np.empty(entries + 1, LINE_ENTRY),
        loose=np.empty(objects, np.int32),
        touched=np.zeros(objects, np.int64),
        met=np.zeros(objects, np.int64),
        loosened=np.zeros(objects, np.int64),
        extent=np.zeros(4),
        kept=np.empty(max(objects, 1), np.int32),
        kept_far=np.empty(max(objects, 1)),
    )


def cells_in(frame: Floats, entries: int) -> BufferCells:
    """Return an empty grid with room for so many entries of queries in cells."""
    cells = int(frame[0, 2] * frame[1, 2])
    free = np.zeros(entries, CELL_ENTRY)
    free["after"] = np.arange(1, entries + 1)
    return BufferCells(
        frame=frame,
        head=np.full(cells, -1, np.int32),
        query_head=np.full(cells + 1, -1, np.int32),
        entries=free,
        vacant=np.array([0, entries]),
    )


def frame_over(low: Floats, high: Floats, cells_a_side: int) -> Floats:
    """Return the frame (2, 3) of a grid over a rectangle, with so many cells along each side."""
    frame = np.array([[0.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    for axis in range(2):
        width = float(high[axis] - low[axis])
        if width > 1e-100:
            frame[axis] = low[axis], cells_a_side / width, cells_a_side
    return frame
