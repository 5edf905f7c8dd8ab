"""Find the boxes that moves pass through from outside to outside, in any number of dimensions.

A straight way meets a box when it does so in every two dimensions: each dimension lets it be inside for an interval of
time, and intervals that meet two by two have a time in common. So the exact test on the plane serves all of them.
"""

from limen.kernels._jit import inner_kernel, kernel
from limen.regions.kernels.edges import OTHER, OWN, position
from limen.regions.kernels.segments import meets_box


@inner_kernel
def is_in_box(q, points, columns, boxes, i):
    """Return whether point i of (value columns, n) is in a box."""
    for k in range(columns.size):
        x = points[columns[k], i]
        if x < boxes[q, k, 0] or x >= boxes[q, k, 1]:
            return False
    return True


@inner_kernel
def way_meets(q, before, after, columns, boxes, i):
    """Return whether way i meets a box that contains neither of its ends."""
    for k in range(columns.size):
        x0, x1 = before[columns[k], i], after[columns[k], i]
        if max(x0, x1) < boxes[q, k, 0] or min(x0, x1) >= boxes[q, k, 1]:
            return False
    if is_in_box(q, before, columns, boxes, i) or is_in_box(q, after, columns, boxes, i):
        return False
    for k in range(1, columns.size):
        x0, x1 = before[columns[k], i], after[columns[k], i]
        for j in range(k):
            y0, y1 = before[columns[j], i], after[columns[j], i]
            here = boxes[q, k, 0] <= x0 < boxes[q, k, 1] and boxes[q, j, 0] <= y0 < boxes[q, j, 1]
            there = boxes[q, k, 0] <= x1 < boxes[q, k, 1] and boxes[q, j, 0] <= y1 < boxes[q, j, 1]
            if not (here or there) and not meets_box(
                boxes[q, k, 0], boxes[q, k, 1], boxes[q, j, 0], boxes[q, j, 1], x0, y0, x1, y1
            ):
                return False
    return True


@kernel
def passed_boxes(
    slot, before, after, columns, edge, query, far1, segment_of, segments, boxes, alive, row, out_row, out_query
):
    """List the pairs (row, query) of moves [row, …) that pass through the query's box.

    Arrays are those of `containing`, ends of moves are (columns, n); one with a NaN passes through nothing. Candidates
    are the boxes that the way's extent in the first dimension meets: those that begin at or below its lower end and
    reach beyond, and those that begin within. Returns the first row not done and the number of pairs.
    """
    count = 0
    first = 0
    last = edge.shape[0]
    for i in range(row, slot.size):
        known = True
        for k in range(columns.size):
            if before[columns[k], i] != before[columns[k], i] or after[columns[k], i] != after[columns[k], i]:
                known = False
        if not known:
            continue
        if segment_of.size:
            s = slot[i]
            g = segment_of[s] if s < segment_of.size else -1
            if g < 0:
                continue
            first = segments[g]
            last = segments[g + 1]
        low = min(before[columns[0], i], after[columns[0], i])
        high = max(before[columns[0], i], after[columns[0], i])
        begin = count
        # In one dimension, what contains the lower end contains an end of the way.
        several = columns.size > 1
        j = first + 1 if several else position(edge, low, first, last, first) + 1
        while j < last - 1 and edge[j, OWN] <= high:
            if j & 15 == 0 and far1[j >> 4] <= low:
                j += 16
                continue
            if edge[j, OTHER] > low and alive[query[j]] and way_meets(query[j], before, after, columns, boxes, i):
                if count == out_query.size:
                    return i, begin
                out_row[count] = i
                out_query[count] = query[j]
                count += 1
            j += 1
    return slot.size, count
