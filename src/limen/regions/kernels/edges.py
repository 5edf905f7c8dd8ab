"""Find where a value stands in a sorted list of edges, and what lies ahead of it.

An *edge list* holds, for one dimension, one entry a query. A row of `edge` has OWN, the bound at which a point moving
upwards comes into the query, and OTHER, the bound at which it leaves again. Entries are sorted by OWN. The same lists
serve moves downwards: there, coming back below OWN leaves the query.

A list is cut into segments, each sorted on its own and fenced by two sentinels, OWN = -inf in front and OWN = +inf
behind, so that a walk needs no test for the end. A position in a segment is the index of its last entry with OWN <=
x; the front sentinel is one, so there always is such an entry.

`far1`, `far2` and `far3` summarise OTHER: the largest of every 16, 256 and 4096 entries. A block whose largest OTHER
is no further than a point cannot hold a query that contains it.

In several dimensions a row also has the query's bounds in the next one, NEXT_LOWER and NEXT_UPPER. Nearly all that one
dimension finds fails there, and failing is cheap while the bounds lie beside each other.
"""

from limen.kernels._jit import inner_kernel

OWN, OTHER, NEXT_LOWER, NEXT_UPPER = 0, 1, 2, 3


@inner_kernel
def position(edge, x, first, last, hint):
    """Find the last entry of edge[first:last] with OWN <= x, galloping from `hint`.

    The first entry must be the front sentinel and the last one the rear. A hint outside the segment is moved into it.

    Examples
    --------
    >>> import numpy as np
    >>> position(np.array([[-np.inf], [1.0], [3.0], [3.0], [8.0], [np.inf]]), 3.0, 0, 6, 1)
    3
    """
    j = min(max(hint, first), last - 2)
    if edge[j, OWN] <= x:
        left = j
        step = 1
        right = left + 1
        while edge[right, OWN] <= x:
            left = right
            step *= 2
            right = min(left + step, last - 1)
    else:
        right = j
        step = 1
        left = right - 1
        while edge[left, OWN] > x:
            right = left
            step *= 2
            left = max(right - step, first)
    # here edge[left, OWN] <= x < edge[right, OWN]
    while right - left > 1:
        middle = (left + right) >> 1
        if edge[middle, OWN] <= x:
            left = middle
        else:
            right = middle
    return left


@inner_kernel
def scan(edge, query, far1, far2, far3, first, last, x, y, count, out_query):
    """Append the queries of entries [first, last) with OTHER > x, and y inside in the next dimension, to `out_query`.

    Blocks that cannot hold any are skipped. Returns the new count, or -1 when `out_query` might not have room, and
    how many entries and summaries were looked at.
    """
    j = first
    looked = 0
    while j < last:
        if j & 255 == 0:
            looked += 1
            if far2[j >> 8] <= x:
                if j & 4095 == 0 and far3[j >> 12] <= x:
                    j += 4096
                else:
                    j += 256
                continue
        stop = min((j | 15) + 1, last)
        looked += 1
        if far1[j >> 4] > x:
            if count + 16 > out_query.size:
                return -1, looked
            looked += stop - j
            # without branches: written always, kept when it counts
            if edge.shape[1] > 2:
                for m in range(j, stop):
                    out_query[count] = query[m]
                    count += (edge[m, OTHER] > x) & (edge[m, NEXT_LOWER] <= y) & (y < edge[m, NEXT_UPPER])
            else:
                for m in range(j, stop):
                    out_query[count] = query[m]
                    count += edge[m, OTHER] > x
        j = stop
    return count, looked
