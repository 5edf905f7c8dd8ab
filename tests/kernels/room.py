"""Outputs with a fence on either side: a kernel that writes past one is caught, not merely unlucky."""

import numpy as np
import numpy.typing as npt

FENCE = 64  # cells on either side: more than any kernel writes ahead of a check for room
MARK = 85  # fits every type, also as a boolean when cast


class Room:
    """An array of `size` rows to hand to a kernel; around it lie cells that must not change."""

    def __init__(self, size: int, dtype: npt.DTypeLike = np.int32, width: int | None = None) -> None:
        rows = size + 2 * FENCE
        self._whole = np.full(rows if width is None else (rows, width), MARK, dtype)
        self.cells = self._whole[FENCE : FENCE + size]

    def assert_unharmed(self) -> None:
        """Check the fence."""
        mark = np.array(MARK).astype(self._whole.dtype)
        assert (self._whole[:FENCE] == mark).all(), "written in front of the output"
        assert (self._whole[FENCE + len(self.cells) :] == mark).all(), "written behind the output"


def assert_unharmed(*rooms: Room) -> None:
    for room in rooms:
        room.assert_unharmed()
