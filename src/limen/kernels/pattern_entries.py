"""Entries put into lists and taken out again, and found: by variable, and by variable and cell of its grid.

A list has the newest entries first, so that looking back in time ends where time is too early. Cells of all grids share
one table by their hash; entries of other cells that are met there are passed over.
"""

from __future__ import annotations

import math

from limen.kernels._jit import kernel
from limen.kernels.heap import pop, push
from limen.kernels.pattern_arrays import ENTRIES, FREE, MOST_ENTRIES, MOST_TUPLES, NONE, TUPLES, USED
from limen.kernels.pattern_pairs import may_stand_together

FARTHEST = 1 << 40  # cells from the middle; what lies beyond is in the last one
MOST_CELLS = 64  # that are looked into one by one


@kernel
def step_of(value, side):
    """Return the number of a cell along an axis.

    Examples
    --------
    >>> step_of(-0.5, 2.0), step_of(4.0, 2.0), step_of(1e300, 1.0) == FARTHEST
    (-1, 2, True)
    """
    return int(min(max(math.floor(value / side), -FARTHEST), FARTHEST))


@kernel
def bucket_of(variable, x, y, z, buckets):
    """Return where in a table of 2**k buckets a cell is."""
    return (variable * 40503 ^ x * 73856093 ^ y * 19349663 ^ z * 83492791) & (buckets - 1)


@kernel
def put_in(patterns, tuples, entries, indexed, e):
    """Put an entry at the beginning of its lists."""
    variable, x = entries.variable[e], entries.tuple[e]
    first = entries.head[variable]
    entries.before[e], entries.after[e] = NONE, first
    if first >= 0:
        entries.before[first] = e
    entries.head[variable] = e
    entries.bucket[e] = NONE
    side = patterns.side[variable]
    if indexed and side > 0.0:
        for axis in range(3):
            entries.cell[e, axis] = step_of(tuples.spot[x, axis], side)
        bucket = bucket_of(
            variable, entries.cell[e, 0], entries.cell[e, 1], entries.cell[e, 2], entries.near_head.size
        )  # fmt: skip
        first = entries.near_head[bucket]
        entries.near_before[e], entries.near_after[e] = NONE, first
        if first >= 0:
            entries.near_before[first] = e
        entries.near_head[bucket] = e
        entries.bucket[e] = bucket


@kernel
def take_out(entries, e):
    """Take an entry out of its lists."""
    before, after = entries.before[e], entries.after[e]
    if after >= 0:
        entries.before[after] = before
    if before >= 0:
        entries.after[before] = after
    else:
        entries.head[entries.variable[e]] = after
    bucket = entries.bucket[e]
    if bucket >= 0:
        before, after = entries.near_before[e], entries.near_after[e]
        if after >= 0:
            entries.near_before[after] = before
        if before >= 0:
            entries.near_after[before] = after
        else:
            entries.near_head[bucket] = after


@kernel
def add(patterns, tuples, entries, indexed, x, variable, until):
    """Keep a tuple in the place of a variable until a time. There must be room for another entry."""
    state = entries.state
    if state[FREE] > 0:
        state[FREE] -= 1
        e = entries.free[state[FREE]]
    else:
        e = state[USED]
        state[USED] += 1
    entries.tuple[e], entries.variable[e], entries.until[e] = x, variable, until
    put_in(patterns, tuples, entries, indexed, e)
    push(until, e, state[ENTRIES], entries.due, entries.due_entry)
    state[ENTRIES] += 1
    state[TUPLES] += tuples.uses[x] == 0
    tuples.uses[x] += 1
    state[MOST_ENTRIES] = max(state[MOST_ENTRIES], state[ENTRIES])
    state[MOST_TUPLES] = max(state[MOST_TUPLES], state[TUPLES])


@kernel
def expire(tuples, entries, time):
    """Forget the entries that are of no use at a time any more."""
    state = entries.state
    while state[ENTRIES] > 0 and entries.due[0] < time:
        e = entries.due_entry[0]
        pop(state[ENTRIES], entries.due, entries.due_entry)
        if entries.until[e] >= time:  # it was given more time
            push(entries.until[e], e, state[ENTRIES] - 1, entries.due, entries.due_entry)
            continue
        state[ENTRIES] -= 1
        take_out(entries, e)
        entries.free[state[FREE]] = e
        state[FREE] += 1
        x = entries.tuple[e]
        tuples.uses[x] -= 1
        state[TUPLES] -= tuples.uses[x] == 0


@kernel
def rebuild(patterns, tuples, entries, indexed, count):
    """Put the entries [0, count), the oldest first, into lists that are empty."""
    for e in range(count):
        put_in(patterns, tuples, entries, indexed, e)
        push(entries.until[e], e, e, entries.due, entries.due_entry)


@kernel
def walk(patterns, names, tuples, entries, lonlat, x, pair, back, variable, cell, e, found, count, most):
    """Go through a list from an entry on, and add those to `found` which may stand together with a tuple.

    Of a list of a bucket only those count that are of the variable and of a cell; `cell[0]` is `FARTHEST + 1` for a
    list of a variable. Return how many there are in `found` then, or how many there would be if there were room.
    """
    by_cell = cell[0] <= FARTHEST
    earliest, latest = tuples.time[x] - patterns.latest[back], tuples.time[x] + patterns.latest[pair]
    while e >= 0 and count < most:
        y = entries.tuple[e]
        if tuples.time[y] < earliest:
            break
        here = tuples.time[y] <= latest
        if by_cell and here:
            here = entries.variable[e] == variable
            for axis in range(3):
                here = here and entries.cell[e, axis] == cell[axis]
        if here and may_stand_together(patterns, names, tuples, lonlat, pair, back, x, y):
            if count < found.size:
                found[count] = e
            count += 1
        e = entries.near_after[e] if by_cell else entries.after[e]
    return count


@kernel
def candidates(patterns, names, tuples, entries, indexed, lonlat, x, pair, back, variable, cell, found, count, most):
    """Find the entries of a variable that may stand together with a tuple, until there are so many in `found`."""
    radius, side = patterns.radius[pair], patterns.side[variable]
    if indexed and radius < float("inf"):
        at_x, at_y, at_z = tuples.spot[x, 0], tuples.spot[x, 1], tuples.spot[x, 2]
        low_x, high_x = step_of(at_x - radius, side), step_of(at_x + radius, side)
        low_y, high_y = step_of(at_y - radius, side), step_of(at_y + radius, side)
        low_z, high_z = step_of(at_z - radius, side), step_of(at_z + radius, side)
        cells = float(high_x - low_x + 1) * float(high_y - low_y + 1) * float(high_z - low_z + 1)
        if cells <= MOST_CELLS:
            for cx in range(low_x, high_x + 1):
                for cy in range(low_y, high_y + 1):
                    for cz in range(low_z, high_z + 1):
                        cell[0], cell[1], cell[2] = cx, cy, cz
                        e = entries.near_head[bucket_of(variable, cx, cy, cz, entries.near_head.size)]
                        count = walk(
                            patterns, names, tuples, entries, lonlat, x, pair, back, variable, cell, e,
                            found, count, most,
                        )  # fmt: skip
            return count
    cell[0] = FARTHEST + 1
    return walk(
        patterns, names, tuples, entries, lonlat, x, pair, back, variable, cell, entries.head[variable],
        found, count, most,
    )  # fmt: skip
