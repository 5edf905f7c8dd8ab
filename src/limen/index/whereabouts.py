"""Where streams are, for those who look for them and those who move with them, and the grid that is laid over them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from limen.index.frame import frame_of, outside
from limen.index.growing import grown
from limen.kernels.object_grid import ARRANGED, NOWHERE, SOMEWHERE, ObjectGrid

Floats = npt.NDArray[np.float64]
Slots = npt.NDArray[np.int32]

MANY_OUTSIDE = 8  # a grid is laid anew when one in so many rows is beyond it


class Whereabouts:
    """Streams on a grid.

    Parameters
    ----------
    position : float array (streams, axes)
        Where streams are; NaN for nowhere.
    known : float array (streams, axes)
        The same for those who move with a stream, also where nobody looks for it; it may be the same array.
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
        """Have room for so many streams; new ones are nowhere."""
        grid, shared = self.grid, self.known is self.position
        self.position = grown(self.position, streams, np.nan)
        self.known = self.position if shared else grown(self.known, streams, np.nan)
        axes = self.position.shape[1]
        self.grid = grid._replace(
            position=self.position,
            cell=grown(grid.cell, streams, NOWHERE),
            after=grown(grid.after, streams, -1),
            before=grown(grid.before, streams, -1),
            who=np.empty(streams, np.int32),
            here=np.empty((axes, streams)),
        )
        grid.state[ARRANGED] = 0  # the arrangement is lost

    def prepare_for(self, stream: Slots, points: Floats) -> bool:
        """Lay another grid if this one does not suit streams that are about to come to some points; tell whether."""
        if not self._needs_another(points):
            return False
        soon = self.position.copy()
        soon[stream] = points
        self._lay(soon)
        return True

    def _needs_another(self, points: Floats) -> bool:
        """Whether streams have become many more or few, or most of what moves is beyond the grid."""
        present = int(self.grid.state[SOMEWHERE]) + len(points)
        if not self._laid_for // 4 <= present <= 4 * self._laid_for + 64:
            return True
        return MANY_OUTSIDE * outside(self.grid.frame, points) > len(points) + 64 and present <= 8 * len(points)

    def _lay(self, expected: Floats) -> None:
        """Lay the grid over streams as they are expected to be."""
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
            who=np.empty(n, np.int32),
            here=np.empty((axes, n)),
        )

    @property
    def nbytes(self) -> int:
        """Bytes, but for positions that belong to others."""
        known = 0 if self.known is self.position else self.known.nbytes
        return known + sum(int(array.nbytes) for array in self.grid)
