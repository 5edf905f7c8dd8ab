"""Changes of answers as they are told: rows of an array that grows."""

from __future__ import annotations

import numpy as np

from limen.kernels._jit import kernel


@kernel
def with_room(out, count, more):
    """Return an array with room for more rows after those that are there."""
    if count + more <= len(out):
        return out
    larger = np.empty((max(2 * len(out), count + more), out.shape[1]), out.dtype)
    larger[:count] = out[:count]
    return larger


@kernel
def tell(out, count, q, i, adds, entry, rows):
    """Write a change: query, stream, whether it comes or goes, the entry that it follows from, the stream's row."""
    out[count, 0] = q
    out[count, 1] = i
    out[count, 2] = adds
    out[count, 3] = entry
    out[count, 4] = rows[i]
    return count + 1
