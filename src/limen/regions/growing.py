"""Grow arrays by rows."""

import numpy as np

from limen.arrays import Array


def grow_rows(array: Array, rows: int, value: float) -> Array:
    """Return an array with so many rows, the new ones filled with a value."""
    out = np.full((rows, *array.shape[1:]), value, array.dtype)
    out[: len(array)] = array
    return out
