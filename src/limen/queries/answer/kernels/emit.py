"""Append changes of answers to an array of columns that grows."""

import numpy as np

from limen.kernels._jit import inner_kernel


@inner_kernel
def with_columns(out, count, more):
    """Return the columns with room for more changes after the first `count`."""
    if count + more <= out.shape[1]:
        return out
    larger = np.empty((out.shape[0], max(2 * out.shape[1], count + more)), out.dtype)
    for column in range(out.shape[0]):
        for at in range(count):  # a slice would be compiled with a message about sizes, which takes a second
            larger[column, at] = out[column, at]
    return larger


@inner_kernel
def emit(out, count, q, i, adds, entry, row):
    """Append a change: query, stream, whether it is added, the entry that caused it, the row of the stream."""
    out[0, count] = q
    out[1, count] = i
    out[2, count] = adds
    out[3, count] = entry
    out[4, count] = row
    return count + 1
