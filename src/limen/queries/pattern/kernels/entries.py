"""Insert, remove and find entries: by variable, and by variable and cell of its grid.

A list has the newest entries first, so that looking back in time ends where time is too early. Cells of all grids share
one table by their hash; entries of other cells that are met there are passed over.
"""

import math

from limen.kernels._jit import inner_kernel, kernel
from limen.kernels.heap import pop, push
from limen.queries.pattern.kernels import layout
from limen.queries.pattern.kernels.pair_tests import may_stand_together

FARTHEST = 1 << 40  # cells from the middle; what lies beyond is in the last one
WIDER = 1 + 1e-15  # than the root of a square, which is rounded
MOST_CELLS = 64  # that are looked into one by one


@inner_kernel
def step_of(value, side):
    """Return the number of a cell along an axis.

    Examples
    --------
    >>> step_of(-0.5, 2.0), step_of(4.0, 2.0), step_of(1e300, 1.0) == FARTHEST
    (-1, 2, True)
    """
    # Cut off before it is made whole: what is compiled has no whole numbers as large as floats.
    return math.floor(min(max(value / side, -float(FARTHEST)), float(FARTHEST)))


@inner_kernel
def bucket_of(variable, x, y, z, buckets):
    """Return where in a table of 2**k buckets a cell is."""
    return (int(variable) * 40503 ^ x * 73856093 ^ y * 19349663 ^ z * 83492791) & (buckets - 1)


@inner_kernel
def put_in(patterns, tuples, entries, indexed, e):
    """Insert an entry at the front of its lists."""
    record, head, near_head = entries.record, entries.head, entries.near_head
    variable, new = record[e]["variable"], tuples.record[record[e]["tuple"]]
    record[e]["time"] = new["time"]
    record[e]["x"], record[e]["y"], record[e]["z"] = new["x"], new["y"], new["z"]
    first = head[variable]
    record[e]["before"] = layout.NONE
    record[e]["after"] = first
    if first >= 0:
        record[first]["before"] = e
    head[variable] = e
    record[e]["bucket"] = layout.NONE
    side = patterns.variable[variable]["side"]
    if indexed and side > 0.0:
        record[e]["cell_x"] = step_of(record[e]["x"], side)
        record[e]["cell_y"] = step_of(record[e]["y"], side)
        record[e]["cell_z"] = step_of(record[e]["z"], side)
        bucket = bucket_of(
            variable, record[e]["cell_x"], record[e]["cell_y"], record[e]["cell_z"], near_head.size
        )  # fmt: skip
        first = near_head[bucket]
        record[e]["near_before"] = layout.NONE
        record[e]["near_after"] = first
        if first >= 0:
            record[first]["near_before"] = e
        near_head[bucket] = e
        record[e]["bucket"] = bucket


@inner_kernel
def take_out(entries, e):
    """Remove an entry from its lists."""
    record = entries.record
    before, after = record[e]["before"], record[e]["after"]
    if after >= 0:
        record[after]["before"] = before
    if before >= 0:
        record[before]["after"] = after
    else:
        entries.head[record[e]["variable"]] = after
    bucket = record[e]["bucket"]
    if bucket >= 0:
        before, after = record[e]["near_before"], record[e]["near_after"]
        if after >= 0:
            record[after]["near_before"] = before
        if before >= 0:
            record[before]["near_after"] = after
        else:
            entries.near_head[bucket] = after


@inner_kernel
def add(patterns, tuples, entries, indexed, x, variable, until):
    """Store a tuple as a candidate for a variable until a time. There must be room for another entry."""
    record, due_entry, state, new = entries.record, entries.due_entry, entries.state, tuples.record[x]
    if state[layout.FREE] > 0:
        state[layout.FREE] -= 1
        e = entries.free[state[layout.FREE]]
    else:
        e = state[layout.USED]
        state[layout.USED] += 1
    record[e]["tuple"] = x
    record[e]["variable"] = variable
    record[e]["until"] = until
    put_in(patterns, tuples, entries, indexed, e)
    if until == new["time"]:
        # Only what is of the same time can come to it, as to most tuples: too brief for a heap.
        state[layout.BRIEF] += 1
        state[layout.BRIEF_TIME] = until
        due_entry[due_entry.size - state[layout.BRIEF]] = e
    else:
        push(until, e, state[layout.ENTRIES] - state[layout.BRIEF], entries.due, due_entry)
    state[layout.ENTRIES] += 1
    if new["uses"] == 0:
        state[layout.TUPLES] += 1
    new["uses"] += 1
    state[layout.MOST_ENTRIES] = max(state[layout.MOST_ENTRIES], state[layout.ENTRIES])
    state[layout.MOST_TUPLES] = max(state[layout.MOST_TUPLES], state[layout.TUPLES])


@inner_kernel
def forget(tuples, entries, e):
    """Delete an entry."""
    state, old = entries.state, tuples.record[entries.record[e]["tuple"]]
    state[layout.ENTRIES] -= 1
    take_out(entries, e)
    entries.free[state[layout.FREE]] = e
    state[layout.FREE] += 1
    old["uses"] -= 1
    if old["uses"] == 0:
        state[layout.TUPLES] -= 1


@kernel
def expire(tuples, entries, time):
    """Delete the entries that expired before a time; entries that were extended stay."""
    record, due, due_entry, state = entries.record, entries.due, entries.due_entry, entries.state
    while state[layout.BRIEF] > 0 and state[layout.BRIEF_TIME] < time:
        e = due_entry[due_entry.size - state[layout.BRIEF]]
        state[layout.BRIEF] -= 1
        if record[e]["until"] >= time:
            push(record[e]["until"], e, state[layout.ENTRIES] - state[layout.BRIEF] - 1, due, due_entry)
        else:
            forget(tuples, entries, e)
    while state[layout.ENTRIES] > state[layout.BRIEF] and due[0] < time:
        e = due_entry[0]
        pop(state[layout.ENTRIES] - state[layout.BRIEF], due, due_entry)
        if record[e]["until"] >= time:
            push(record[e]["until"], e, state[layout.ENTRIES] - state[layout.BRIEF] - 1, due, due_entry)
        else:
            forget(tuples, entries, e)


@kernel
def rebuild(patterns, tuples, entries, indexed, count):
    """Insert the entries [0, count), the oldest first, into empty lists."""
    for e in range(count):
        put_in(patterns, tuples, entries, indexed, e)
        push(entries.record[e]["until"], e, e, entries.due, entries.due_entry)


@inner_kernel
def take_candidate(patterns, tuples, names, entries, search, measure, x, pair, e, count):
    """Add an entry whose time fits to those found if it may stand together with a tuple; return the new count."""
    limits, new, candidate, found = patterns.pair[pair], tuples.record[x], entries.record[e], search.entry
    dx, dy, dz = candidate["x"] - new["x"], candidate["y"] - new["y"], candidate["z"] - new["z"]
    square = dx * dx + dy * dy + dz * dz
    if (measure != layout.OF_COLUMNS and square < limits["sure"]) or (
        square <= limits["reach"] and may_stand_together(patterns, tuples, names, measure, pair, x, candidate["tuple"])
    ):
        if count < found.size:
            found[count] = e
        count += 1
    return count


@inner_kernel
def walk(patterns, tuples, names, entries, search, measure, x, pair, e, count, most):
    """Add the entries of a variable that may stand together with a tuple to those found.

    Return how many are found then, or how many there would be if there were room.
    """
    record, limits, time = entries.record, patterns.pair[pair], tuples.record[x]["time"]
    earliest, latest = time + limits["earliest"], time + limits["latest"]
    while e >= 0 and count < most:
        if record[e]["time"] < earliest:
            break
        if record[e]["time"] <= latest:
            count = take_candidate(patterns, tuples, names, entries, search, measure, x, pair, e, count)
        e = record[e]["after"]
    return count


@inner_kernel
def walk_cell(patterns, tuples, names, entries, search, measure, x, pair, e, count, most, variable, cx, cy, cz):
    """Add the entries of a variable and a cell that may stand together with a tuple to those found."""
    record, limits, time = entries.record, patterns.pair[pair], tuples.record[x]["time"]
    earliest, latest = time + limits["earliest"], time + limits["latest"]
    while e >= 0 and count < most:
        if record[e]["time"] < earliest:
            break
        if (
            record[e]["time"] <= latest
            and record[e]["variable"] == variable
            and record[e]["cell_x"] == cx
            and record[e]["cell_y"] == cy
            and record[e]["cell_z"] == cz
        ):
            count = take_candidate(patterns, tuples, names, entries, search, measure, x, pair, e, count)
        e = record[e]["near_after"]
    return count


@inner_kernel
def candidates(patterns, tuples, names, entries, search, indexed, measure, x, pair, variable, count, most):
    """Find the entries of a variable that may stand together with a tuple, until there are `most`."""
    limits, new, near_head, first = patterns.pair[pair], tuples.record[x], entries.near_head, entries.head[variable]
    if first < 0 or entries.record[first]["time"] < new["time"] + limits["earliest"]:
        return count  # all are too early
    if indexed and limits["reach"] < float("inf"):
        side, radius = patterns.variable[variable]["side"], math.sqrt(limits["reach"]) * WIDER
        low_x, high_x = step_of(new["x"] - radius, side), step_of(new["x"] + radius, side)
        low_y, high_y = step_of(new["y"] - radius, side), step_of(new["y"] + radius, side)
        low_z, high_z = step_of(new["z"] - radius, side), step_of(new["z"] + radius, side)
        cells = float(high_x - low_x + 1) * float(high_y - low_y + 1) * float(high_z - low_z + 1)
        if cells <= MOST_CELLS:
            for cx in range(low_x, high_x + 1):
                for cy in range(low_y, high_y + 1):
                    for cz in range(low_z, high_z + 1):
                        e = near_head[bucket_of(variable, cx, cy, cz, near_head.size)]
                        if e >= 0:
                            count = walk_cell(
                                patterns, tuples, names, entries, search, measure, x, pair, e, count, most, variable,
                                cx, cy, cz,
                            )  # fmt: skip
            return count
    return walk(patterns, tuples, names, entries, search, measure, x, pair, first, count, most)
