"""The paper's own walk from segment to segment, the rival that `crossings` is measured against.

One sorted list holds the lower and upper bounds of all queries. A stream's pointer is the first bound above its
value. Entries carry the query's other bound, so that queries which a move jumps over cancel without a set: the walk
is as good as it gets without skipping.

References
----------
BMQ-Processor, section 4.3.
"""

from limen.kernels._jit import kernel


@kernel
def walked(slot, before, after, bounds, other, query, starts, pointer, row, out_row, out_query):
    """Find the queries that rows [row, …) enter and leave, walking every bound between two values.

    Parameters
    ----------
    slot, before, after : arrays (n,)
        The stream of each row, its value before and after.
    bounds, other, query, starts : arrays (2 q,)
        The sorted bounds, the other bound of the same query, the query, and whether it is the lower one.
    pointer : int32 array (slots,)
        Where each stream stands; updated.
    row, out_row, out_query
        As in `crossings.crossed`.

    Returns
    -------
    (row, count, looked)
        As in `crossings.crossed`.
    """
    count = 0
    looked = 0
    for i in range(row, slot.size):
        begin = count
        s = slot[i]
        j = pointer[s]
        p = before[i]
        v = after[i]
        if v > p:
            while j < bounds.size and bounds[j] <= v:
                if other[j] > v if starts[j] else other[j] <= p:
                    if count == out_query.size:
                        return i, begin, looked
                    out_query[count] = query[j] if starts[j] else ~query[j]
                    out_row[count] = i
                    count += 1
                j += 1
        else:
            while j > 0 and bounds[j - 1] > v:
                j -= 1
                if other[j] > p if starts[j] else other[j] <= v:
                    if count == out_query.size:
                        return i, begin, looked
                    out_query[count] = ~query[j] if starts[j] else query[j]
                    out_row[count] = i
                    count += 1
        looked += abs(j - pointer[s])  # here, since a row that is begun again for want of room counts once
        pointer[s] = j
    return slot.size, count, looked
