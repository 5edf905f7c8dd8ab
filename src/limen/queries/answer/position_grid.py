"""Positions of streams in a grid, for queries that search for streams and queries that move with them."""

import numpy as np

from limen.arrays import Floats, Slots
from limen.growable import with_rows
from limen.queries.answer.grid_frame import frame_of, outside
from limen.queries.answer.kernels.object_grid import ARRANGED, NOWHERE, SOMEWHERE, ObjectGrid

MANY_OUTSIDE = 8  # a grid is laid anew when one in so many rows is beyond it


class PositionGrid:
    """Grid of the positions of streams.

    Parameters
    ----------
    position : float array (streams, axes)
        Where streams are; NaN for nowhere.
    known : float array (streams, axes)
        The positions for queries that move with a stream, also where the condition excludes it from answers; it may be
        the same array.
    """

    def __init__(self, position: Floats, known: Floats) -> None:
        self.position, self.known = position, known
        self.grid: ObjectGrid
        self._laid_for = 0
        self._lay(position)

    def __len__(self) -> int:
        return len(self.position)

    @property
    def cells(self) -> int:
        """How many cells the grid has."""
        return len(self.grid.head)

    def grow(self, streams: int) -> None:
        """Allocate rows for streams; new streams have no position."""
        grid, shared = self.grid, self.known is self.position
        self.position = with_rows(self.position, streams, np.nan)
        self.known = self.position if shared else with_rows(self.known, streams, np.nan)
        axes = self.position.shape[1]
        self.grid = grid._replace(
            position=self.position,
            cell=with_rows(grid.cell, streams, NOWHERE),
            after=with_rows(grid.after, streams, -1),
            before=with_rows(grid.before, streams, -1),
            slots_at=np.empty(streams, np.int32),
            here=np.empty((axes, streams)),
        )
        grid.state[ARRANGED] = 0  # the arrangement is lost

    def prepare_for(self, stream: Slots, points: Floats) -> bool:
        """Rebuild the grid if it does not suit the positions that streams are about to take; return whether it was."""
        if not self._needs_another(points):
            return False
        soon = self.position.copy()
        soon[stream] = points
        self._lay(soon)
        return True

    def _needs_another(self, points: Floats) -> bool:
        """Whether the number of streams has changed much, or most moving streams are beyond the grid."""
        present = int(self.grid.state[SOMEWHERE]) + len(points)
        if not self._laid_for // 4 <= present <= 4 * self._laid_for + 64:
            return True
        return MANY_OUTSIDE * outside(self.grid.frame, points) > len(points) + 64 and present <= 8 * len(points)

    def _lay(self, expected: Floats) -> None:
        """Build the grid for the expected positions of streams."""
        expected = expected[~np.isnan(expected[:, 0])]
        self._laid_for = max(len(expected), 16)
        frame = frame_of(expected)
        cells = int(frame[0, 2] * frame[1, 2])
        n, axes = self.position.shape
        self.grid = ObjectGrid(
            position=self.position,
            frame=frame,
            state=np.array([np.count_nonzero(~np.isnan(self.position[:, 0])), 0, 0]),
            cell=np.empty(n, np.int64),
            after=np.empty(n, np.int32),
            before=np.empty(n, np.int32),
            head=np.empty(cells, np.int32),
            start=np.empty(cells + 1, np.int64),
            slots_at=np.empty(n, np.int32),
            here=np.empty((axes, n)),
        )

    @property
    def nbytes(self) -> int:
        """Bytes held, without positions that another object holds."""
        known = 0 if self.known is self.position else self.known.nbytes
        return known + sum(int(array.nbytes) for array in self.grid)
