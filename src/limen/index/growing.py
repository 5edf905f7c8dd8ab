"""Arrays that grow, and room for coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def grown(array: npt.NDArray[Any], rows: int, value: float) -> npt.NDArray[Any]:
    """Return an array with so many rows, the new ones filled with a value."""
    out = np.full((rows, *array.shape[1:]), value, array.dtype)
    out[: len(array)] = array
    return out


def by_column(points: int, axes: int) -> npt.NDArray[np.float64]:
    """Return room for points, all their first coordinates before all second ones, so that several are compared at once.

    For two at least: to the compiler, the coordinates of a single point are an array of another kind.
    """
    return np.empty((max(points, 2), axes), order="F")
