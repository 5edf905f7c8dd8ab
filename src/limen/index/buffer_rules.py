"""What a shared buffer keeps to: how streams report, and how much may be kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from limen.kernels.buffer_arrays import CELL_ENTRY, NO_SHEDDING

CELLS_A_SIDE = 64  # measured: `limen reproduce sole-18`


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a buffer.

    Attributes
    ----------
    max_speed : float
        How far a stream can come in a second.
    report_every, expire_after : int
        Microseconds.
    memory : float
        Bytes, by count; infinite for any.
    shedding : int
        NO_SHEDDING, SHED_AREAS or SHED_OBJECTS.
    object_bytes, shadow_bytes, query_bytes, entry_bytes, member_bytes : int
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
    shadow_bytes: int = 48
    query_bytes: int = 256
    entry_bytes: int = CELL_ENTRY.itemsize
    member_bytes: int = 4
    cells_a_side: int = CELLS_A_SIDE

    def as_row(self) -> npt.NDArray[np.float64]:
        """Return them in the order of `Books.rule`."""
        return np.array(
            [
                self.memory, self.object_bytes, self.shadow_bytes, self.query_bytes, self.entry_bytes,
                self.member_bytes, self.shedding, 1.0, self.max_speed / 1e6, self.report_every, self.expire_after,
            ]
        )  # fmt: skip
