"""Arrays that grow."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def grown(array: npt.NDArray[Any], rows: int, value: float) -> npt.NDArray[Any]:
    """Return an array with so many rows, the new ones filled with a value."""
    out = np.full((rows, *array.shape[1:]), value, array.dtype)
    out[: len(array)] = array
    return out
