"""Put pairs (row, query) into row order."""

from limen.kernels._jit import kernel


@kernel
def row_order(row, counts, out):
    """Write a stable order of the pairs by row into `out`: a counting sort. `counts` (rows + 1,) comes in as zeros."""
    for m in range(row.size):
        counts[row[m] + 1] += 1
    for i in range(1, counts.size):
        counts[i] += counts[i - 1]
    for m in range(row.size):
        out[counts[row[m]]] = m
        counts[row[m]] += 1
