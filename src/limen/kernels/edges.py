"""Where does a value stand in a sorted list of edges, and what lies ahead of it?

An *edge list* holds, for one dimension, one entry a query: `own`, the bound at which a point moving upwards comes into the
query, and `other`, the bound at which it leaves again. Entries are sorted by `own`. The same lists serve moves downwards:
there, coming back below `own` leaves the query.

A list is cut into segments, each sorted on its own and fenced by two sentinels, own = -inf in front and own = +inf behind,
so that a walk needs no test for the end. A position in a segment is the index of its last entry with own <= x; the front
sentinel is one, so there always is such an entry.

`far1`, `far2` and `far3` summarise `other`: the largest of every 16, 256 and 4096 entries. A block whose largest `other` is
no further than a point cannot hold a query that contains it.

In several dimensions an entry also carries the query's bounds in the next one, `next_lower` and `next_upper`. Nearly all that
one dimension finds fails there, and failing is cheap while the bounds lie beside each other. In one dimension they are empty.
"""

from __future__ import annotations

from limen.kernels._jit import kernel


@kernel
def position(own, x, first, last, hint):
    """Find the last entry of own[first:last] that is <= x, galloping from `hint`.

    own[first] must be the front sentinel and own[last - 1] the rear one. A hint outside the segment is moved into it.

    Examples
    --------
    >>> import numpy as np
    >>> position(np.array([-np.inf, 1.0, 3.0, 3.0, 8.0, np.inf]), 3.0, 0, 6, 1)
    3
    """
    j = min(max(hint, first), last - 2)
    if own[j] <= x:
        left = j
        step = 1
        right = left + 1
        while own[right] <= x:
            left = right
            step *= 2
            right = min(left + step, last - 1)
    else:
        right = j
        step = 1
        left = right - 1
        while own[left] > x:
            right = left
            step *= 2
            left = max(right - step, first)
    # own[left] <= x < own[right]
    while right - left > 1:
        middle = (left + right) >> 1
        if own[middle] <= x:
            left = middle
        else:
            right = middle
    return left


@kernel
def scan(other, query, next_lower, next_upper, far1, far2, far3, first, last, x, y, count, out_query):
    """Append the queries of entries [first, last) with other > x, and y inside in the next dimension, to `out_query`.

    Blocks that cannot hold any are skipped. Returns the new count, or -1 when `out_query` might not have room, and how many
    entries and summaries were looked at.
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
            if next_lower.size:
                for m in range(j, stop):
                    # one branch on three tests: nearly always false together, hard to foresee one by one
                    if (other[m] > x) & (next_lower[m] <= y) & (y < next_upper[m]):
                        out_query[count] = query[m]
                        count += 1
            else:
                for m in range(j, stop):
                    # no branch at all: written always, kept when it counts
                    out_query[count] = query[m]
                    count += other[m] > x
        j = stop
    return count, looked
