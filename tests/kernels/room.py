"""Outputs with a fence on either side: a kernel that writes past one is caught, not merely unlucky."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from limen.arrays import Array

FENCE = 64  # cells on either side: more than any kernel writes ahead of a check for room
MARK = 85  # fits every type, also as a boolean when cast


class Room:
    """An array of `size` rows to hand to a kernel; around it lie cells that must not change."""

    columns: Array

    def __init__(self, size: int, dtype: npt.DTypeLike = np.int32, width: int | None = None) -> None:
        rows = size + 2 * FENCE
        self._whole = np.full(rows if width is None else (rows, width), MARK, dtype)
        self.cells = self._whole[FENCE : FENCE + size]

    @classmethod
    def of_columns(cls, width: int, size: int, dtype: npt.DTypeLike = np.int32) -> Room:
        """Return room for `width` columns of `size`, one behind the other: past the last of them is the fence."""
        room = cls(width * size, dtype)
        room.columns = room.cells.reshape(width, size)
        return room

    def assert_unharmed(self) -> None:
        """Check the fence."""
        mark = np.array(MARK).astype(self._whole.dtype)
        assert (self._whole[:FENCE] == mark).all(), "written in front of the output"
        assert (self._whole[FENCE + len(self.cells) :] == mark).all(), "written behind the output"


def assert_unharmed(*rooms: Room) -> None:
    for room in rooms:
        room.assert_unharmed()
