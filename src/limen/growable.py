"""Arrays that grow by rows."""

import numpy as np

from limen.arrays import Array


def grown(array: Array, rows: int, fill: float = 0) -> Array:
    """Return the array itself if it has so many rows, else a copy of `larger_size` rows.

    Examples
    --------
    >>> grown(np.array([1, 2]), 4, -1)
    array([ 1,  2, -1, -1])
    """
    have = len(array)
    return array if have >= rows else with_rows(array, larger_size(have, rows), fill)


def larger_size(have: int, rows: int) -> int:
    """Return the rows to allocate for so many: a quarter more than before at least."""
    return max(rows, have * 5 // 4)


def with_rows(array: Array, rows: int, fill: float = 0) -> Array:
    """Return a copy of the array with exactly so many rows, the new ones filled with a value."""
    have = min(len(array), rows)
    out = np.zeros((rows, *array.shape[1:]), array.dtype)
    out[:have] = array[:have]
    if fill:
        out[have:] = fill
    return out
