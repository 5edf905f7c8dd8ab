"""Find the queries that a move enters and leaves.

The lists of the paper's region segments (+DQSet and -DQSet) are laid out flat as edge lists (see `edges`), two a
dimension: one along the axis and one along the mirrored axis. For a move let `high` be its upper end on that axis.
Entries passed, with OWN in (low, high], whose OTHER is beyond `high` belong to queries that contain the upper end and
not the lower: moving up enters them, moving down leaves them. Queries jumped over as a whole fail the second test in
the list. What changes at the far bounds of queries is found in the mirrored list by the same rule.

A short move walks from where the stream stood, its *hint*: a guess that is verified, so that nothing has to be
repaired when the list changes. A long move skips blocks, so its cost follows what it finds and not how far it goes.

Results are pairs (row, query); a query left is written as ~query.

References
----------
BMQ-Processor, sections 4.1, 4.3 and 5.3.
"""

from limen.kernels._jit import kernel
from limen.regions.kernels.edges import NEXT_LOWER, NEXT_UPPER, OTHER, OWN, position, scan

WALK = 24  # entries walked before a move counts as long; more would be examined in vain, fewer gallop too often


@kernel
def crossed(
    slot,
    before,
    after,
    next_before,
    next_after,
    mirrored,
    edge,
    query,
    far1,
    far2,
    far3,
    segment_of,
    segments,
    hints,
    row,
    out_row,
    out_query,
):
    """Find the queries whose side changes in one dimension for rows [row, …), in one edge list.

    Parameters
    ----------
    slot, before, after : arrays (n,)
        The stream of each row, its value before and after. A NaN on either side means no move.
    next_before, next_after : arrays (n,)
        Its values in the next dimension, when there are several.
    mirrored : bool
        Whether the list is along the mirrored axis; the values are then negated.
    edge, query, far1, far2, far3 : arrays
        The edge list.
    segment_of : int32 array, or empty
        Segment of each slot, -1 for none. Empty: all slots share the only segment.
    segments : int64 array (segments + 1,)
        First entry of each segment.
    hints : int32 array (slots,)
        Where each slot stood in the list; updated.
    row : int
        The row to start at.
    out_row, out_query : int32 arrays
        Results.

    Returns
    -------
    (row, count, looked)
        The first row not done (n when all are: otherwise there was no more room), the number of results, and how many
        entries were looked at.
    """
    count = 0
    looked = 0
    room = out_query.size - WALK
    several = edge.shape[1] > 2
    y = 0.0
    first = 0
    last = edge.shape[0]
    for i in range(row, slot.size):
        p = before[i]
        v = after[i]
        if not (p < v or p > v):
            continue
        if mirrored:
            p = -p
            v = -v
        s = slot[i]
        if segment_of.size:
            g = segment_of[s] if s < segment_of.size else -1
            if g < 0:
                continue
            first = segments[g]
            last = segments[g + 1]
        if count > room:
            return i, count, looked
        j = hints[s]
        if j < first or j > last - 2 or edge[j, OWN] > p or edge[j + 1, OWN] <= p:
            j = position(edge, p, first, last, j)
        begin = count
        walked = 0
        if v > p:
            if several:
                y = next_after[i]
                while edge[j + 1, OWN] <= v and walked < WALK:
                    j += 1
                    walked += 1
                    out_query[count] = j  # the few that stay are looked up below
                    count += (edge[j, OTHER] > v) & (edge[j, NEXT_LOWER] <= y) & (y < edge[j, NEXT_UPPER])
                for m in range(begin, count):
                    out_query[m] = query[out_query[m]]
            else:
                while edge[j + 1, OWN] <= v and walked < WALK:
                    j += 1
                    walked += 1
                    out_query[count] = query[j]
                    out_row[count] = i
                    count += edge[j, OTHER] > v
            if walked == WALK:
                j0 = j + 1
                j = position(edge, v, first, last, j)
                count, more = scan(edge, query, far1, far2, far3, j0, j + 1, v, y, count, out_query)
                looked += more
                if count < 0:
                    return i, begin, looked
        else:
            if several:
                y = next_before[i]
                while edge[j, OWN] > v and walked < WALK:
                    out_query[count] = j
                    count += (edge[j, OTHER] > p) & (edge[j, NEXT_LOWER] <= y) & (y < edge[j, NEXT_UPPER])
                    j -= 1
                    walked += 1
                for m in range(begin, count):
                    out_query[m] = ~query[out_query[m]]
            else:
                while edge[j, OWN] > v and walked < WALK:
                    out_query[count] = ~query[j]
                    out_row[count] = i
                    count += edge[j, OTHER] > p
                    j -= 1
                    walked += 1
            if walked == WALK:
                j1 = j + 1
                j = position(edge, v, first, last, j)
                walk_end = count
                count, more = scan(edge, query, far1, far2, far3, j + 1, j1, p, y, count, out_query)
                looked += more
                if count < 0:
                    return i, begin, looked
                for m in range(walk_end, count):
                    out_query[m] = ~out_query[m]
        if several or walked == WALK:  # otherwise they are written already
            for m in range(begin, count):
                out_row[m] = i
        looked += walked
        hints[s] = j
    return slot.size, count, looked


@kernel
def confirmed(k, columns, before, after, boxes, alive, count, row, query):
    """Keep, of the pairs found in dimension k, those that change sides in the whole box, and first in k; in place.

    To enter, the new position must be inside in all other dimensions; and the side must not have changed in a
    dimension before k, or the query would be found there too. To leave is the same with the positions exchanged. The
    test stops at the first dimension that fails.

    Parameters
    ----------
    k : int
        The dimension in which the pairs were found.
    columns : int array (d,)
        Row of `before` and `after` that holds each dimension.
    before, after : float arrays (columns, n)
    boxes : float array (slots, d, 2)
        Lower and upper bounds of queries.
    alive : bool array (slots,)
        False for queries that are deregistered but still listed.
    count : int
        Number of pairs.
    row, query : int32 arrays
        The pairs; query is ~query for a leave.
    """
    kept = 0
    for m in range(count):
        q = query[m]
        entering = q >= 0
        if not entering:
            q = ~q
        if not alive[q]:
            continue
        i = row[m]
        inside = True
        for other in range(columns.size):
            if other == k:
                continue
            lower = boxes[q, other, 0]
            upper = boxes[q, other, 1]
            was = before[columns[other], i]
            now = after[columns[other], i]
            # a NaN is never inside, and a row with one anywhere is not a move
            if (entering or other < k) and not lower <= now < upper:
                inside = False
                break
            if (other < k or not entering) and not lower <= was < upper:
                inside = False
                break
            if was != was or now != now:
                inside = False
                break
        if inside:
            row[kept] = row[m]
            query[kept] = query[m]
            kept += 1
    return kept
