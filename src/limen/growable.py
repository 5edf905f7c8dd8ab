"""Arrays that grow by rows."""

import numpy as np

from limen.arrays import Array


def grown(array: Array, rows: int, fill: float = 0) -> Array:
    """Return the array itself if it has so many rows, else one that has, and a quarter more than before at least.

    Examples
    --------
    >>> grown(np.array([1, 2]), 4, -1)
    array([ 1,  2, -1, -1])
    """
    have = len(array)
    return array if have >= rows else with_rows(array, max(rows, have * 5 // 4), fill)


def with_rows(array: Array, rows: int, fill: float = 0) -> Array:
    """Return a copy of the array with exactly so many rows, the new ones filled with a value."""
    have = min(len(array), rows)
    out = np.zeros((rows, *array.shape[1:]), array.dtype)
    out[:have] = array[:have]
    if fill:
        out[have:] = fill
    return out
