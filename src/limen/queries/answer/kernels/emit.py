"""Append changes of answers to an array of columns that grows."""

import numpy as np

from limen.kernels._jit import kernel


@kernel
def with_columns(out, count, more):
    """Return the columns with room for more changes after the first `count`."""
    if count + more <= out.shape[1]:
        return out
    larger = np.empty((out.shape[0], max(2 * out.shape[1], count + more)), out.dtype)
    for column in range(out.shape[0]):
        larger[column, :count] = out[column, :count]
    return larger


@kernel
def emit(out, count, q, i, adds, entry, row):
    """Append a change: query, stream, whether it is added, the entry that caused it, the row of the stream."""
    out[0, count] = q
    out[1, count] = i
    out[2, count] = adds
    out[3, count] = entry
    out[4, count] = row
    return count + 1
