"""Rules of a shared buffer: how often streams report, and how much memory there is."""

from dataclasses import dataclass

import numpy as np

from limen.arrays import Floats
from limen.queries.budget.kernels.layout import CELL_ENTRY, NO_SHEDDING

CELLS_A_SIDE = 64  # measured: `limen reproduce sole-18`


@dataclass(frozen=True, slots=True)
class BudgetRules:
    """Rules of a shared buffer.

    Attributes
    ----------
    max_speed : float
        The largest distance a stream can move in a second.
    report_every, expire_after : int
        Microseconds.
    memory : float
        Bytes, by count; infinite for any.
    shedding : int
        NO_SHEDDING, SHED_AREAS or SHED_OBJECTS.
    object_bytes, ghost_bytes, query_bytes, entry_bytes, member_bytes : int
        What one of them counts for: entries let a query be found from a cell, members are those of the nearest.
    cells_a_side : int
        How fine the grid is.
    """

    max_speed: float
    report_every: int
    expire_after: int
    memory: float = np.inf
    shedding: int = NO_SHEDDING
    object_bytes: int = 96
    ghost_bytes: int = 48
    query_bytes: int = 256
    entry_bytes: int = CELL_ENTRY.itemsize
    member_bytes: int = 4
    cells_a_side: int = CELLS_A_SIDE

    def as_row(self) -> Floats:
        """Return the rules in the order of `Accounting.rule`."""
        return np.array(
            [
                self.memory, self.object_bytes, self.ghost_bytes, self.query_bytes, self.entry_bytes,
                self.member_bytes, self.shedding, 1.0, self.max_speed / 1e6, self.report_every, self.expire_after,
            ]
        )  # fmt: skip
