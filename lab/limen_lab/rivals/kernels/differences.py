"""Compare what contains a stream now with what contained it before: border events without an index of borders.

The set of each stream is a list of `extents`. The order of a set means nothing, yet what an index finds for
neighbouring points often begins alike, and what begins alike need not be compared any further. The rest is compared by
marks: members of the old set are marked, those of the new one are looked up, and queries that are still marked were
left. Marks are a byte a query and are all zero between two rows.
"""

import numpy as np

from limen.kernels._jit import kernel
from limen_lab.rivals.kernels.extents import LENGTH, START, make_room


@kernel
def in_row_order(row):
    """Return whether pairs come in the order of their rows."""
    ordered = True
    for m in range(1, row.size):  # to the end in any case: so it is done many numbers at a time
        ordered &= row[m - 1] <= row[m]
    return ordered


@kernel
def end_of_row(pair_row, begin, row):
    """Find the first pair from `begin` on of a row after `row`; pairs are in the order of rows.

    Examples
    --------
    >>> end_of_row(np.array([3, 4, 4, 4, 7]), 1, 4), end_of_row(np.array([3, 4]), 1, 3)
    (4, 1)
    """
    step = 1
    left = begin
    while left < pair_row.size and pair_row[left] <= row:
        begin = left + 1
        left += step
        step *= 2
    right = min(left, pair_row.size)
    while begin < right:
        middle = (begin + right) >> 1
        if pair_row[middle] <= row:
            begin = middle + 1
        else:
            right = middle
    return begin


@kernel
def store(at, found, begin, end, extent, grade, free, pool):
    """Let list `at` be `found[begin:end]`; returns the pool."""
    length = end - begin
    extent[at, LENGTH] = 0  # what it held need not be moved along
    pool = make_room(at, length, extent, grade, free, pool)
    start, first = np.uint64(extent[at, START]), np.uint64(begin)
    for m in range(np.uint64(length)):
        pool[start + m] = found[first + m]
    extent[at, LENGTH] = length
    return pool


@kernel
def remember(stream, pair_row, pair_query, extent, grade, free, pool):
    """Let the set of `stream[i]` be the queries found for row i, for all i; returns the pool."""
    m = 0
    for i in range(stream.size):
        begin = m
        m = end_of_row(pair_row, begin, i)
        pool = store(stream[i], pair_query, begin, m, extent, grade, free, pool)
    return pool


@kernel
def compare(old_start, old_end, pool, new_start, new_end, found, mark, count, out):
    """Append the queries found in one set only to `out`, as ~query those of the old one; returns the new count.

    The sets are pool[old_start:old_end] and found[new_start:new_end]; `out` has room for both.
    """
    while old_start < old_end and new_start < new_end and pool[old_start] == found[new_start]:
        old_start += 1
        new_start += 1
    for m in range(old_start, old_end):
        mark[pool[m]] = 1
    # without branches: written always, kept when it counts
    for m in range(new_start, new_end):
        query = found[m]
        out[count] = query
        count += mark[query] == 0
        mark[query] = 0
    for m in range(old_start, old_end):
        query = pool[m]
        out[count] = ~query
        count += mark[query] != 0
        mark[query] = 0
    return count


@kernel
def changed_sets(
    slot, points, pair_row, pair_query, known, last, extent, grade, free, pool, mark, row, pair, out_row, out_query
):
    """Find which queries rows [row, …) enter and leave, as pairs (row, query), ~query for a leave; remember the sets.

    Parameters
    ----------
    slot, points : arrays (n,), (dimensions, n)
        The stream of each row, and its point. One with a NaN is passed over.
    pair_row, pair_query : int32 arrays
        What contains each point, in the order of rows.
    known, last : arrays (streams,), (dimensions, streams)
        Whether a stream has a set, and its last point.
    extent, grade, free, pool : arrays
        The sets by stream.
    mark : uint8 array (queries,)
    row, pair : int
        Where to go on.

    Returns
    -------
    (row, pair, count, pool)
        The first row not done and its first pair, the number of events, and the pool.
    """
    count = 0
    for i in range(row, slot.size):
        begin = pair
        end = end_of_row(pair_row, begin, i)
        stream = slot[i]
        complete = True
        for k in range(points.shape[0]):
            complete &= not np.isnan(points[k, i])
        if not complete:
            continue
        if known[stream]:
            start, length = extent[stream, START], extent[stream, LENGTH]
            if count + length + end - begin + 1 > out_query.size:
                return i, begin, count, pool
            first = count
            count = compare(start, start + length, pool, begin, end, pair_query, mark, count, out_query)
            for m in range(first, count):
                out_row[m] = i
        known[stream] = True
        for k in range(points.shape[0]):
            last[k, stream] = points[k, i]
        pool = store(stream, pair_query, begin, end, extent, grade, free, pool)
        pair = end
    return slot.size, pair, count, pool
