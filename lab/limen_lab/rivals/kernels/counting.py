"""Count, row by row, the columns in which each query contains the row: the second phase of vci-vcr §2.1."""

from limen.kernels._jit import kernel


@kernel
def counted(begin, slot, needed, first, hits, out_row, out_slot):
    """List the pairs (row, slot) of rows [first, …) that were found in as many columns as the slot needs.

    What column k found for row i is slot[begin[k, i]:begin[k, i + 1]], each slot once. `hits`, by slot as `needed`, is
    to count in: zeros that come back as zeros. Returns the first row not done and the number of pairs.

    Examples
    --------
    >>> import numpy as np
    >>> out = np.zeros((2, 4), np.int32)
    >>> begin, slot = np.array([[0, 2], [2, 3]]), np.array([5, 3, 3], np.int32)
    >>> counted(begin, slot, np.full(6, 2, np.int16), 0, np.zeros(6, np.int16), out[0], out[1]), out[1]
    ((1, 1), array([3, 0, 0, 0], dtype=int32))
    """
    count = 0
    columns, rows = begin.shape[0], begin.shape[1] - 1
    for i in range(first, rows):
        before = count
        room = True
        for k in range(columns):
            for m in range(begin[k, i], begin[k, i + 1]):
                s = slot[m]
                hits[s] += 1
                if hits[s] == needed[s]:
                    if count == out_slot.size:
                        room = False
                        break
                    out_row[count] = i
                    out_slot[count] = s
                    count += 1
            if not room:
                break
        for k in range(columns):
            for m in range(begin[k, i], begin[k, i + 1]):
                hits[slot[m]] = 0
        if not room:
            return i, before
    return rows, count
