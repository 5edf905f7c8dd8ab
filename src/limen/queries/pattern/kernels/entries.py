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


@kernel
def step_of(value, side):
    """Return the number of a cell along an axis.

    Examples
    --------
    >>> step_of(-0.5, 2.0), step_of(4.0, 2.0), step_of(1e300, 1.0) == FARTHEST
    (-1, 2, True)
    """
    # Cut off before it is made whole: what is compiled has no whole numbers as large as floats.
    return math.floor(min(max(value / side, -float(FARTHEST)), float(FARTHEST)))


@kernel
def bucket_of(variable, x, y, z, buckets):
    """Return where in a table of 2**k buckets a cell is."""
    return (int(variable) * 40503 ^ x * 73856093 ^ y * 19349663 ^ z * 83492791) & (buckets - 1)


@kernel
def put_in(variables, tuples, record, head, near_head, indexed, e):
    """Insert an entry at the front of its lists."""
    variable, x = record[e]["variable"], record[e]["tuple"]
    record[e]["time"] = tuples[x]["time"]
    record[e]["x"], record[e]["y"], record[e]["z"] = tuples[x]["x"], tuples[x]["y"], tuples[x]["z"]
    first = head[variable]
    record[e]["before"] = layout.NONE
    record[e]["after"] = first
    if first >= 0:
        record[first]["before"] = e
    head[variable] = e
    record[e]["bucket"] = layout.NONE
    side = variables[variable]["side"]
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


@kernel
def take_out(record, head, near_head, e):
    """Remove an entry from its lists."""
    before, after = record[e]["before"], record[e]["after"]
    if after >= 0:
        record[after]["before"] = before
    if before >= 0:
        record[before]["after"] = after
    else:
        head[record[e]["variable"]] = after
    bucket = record[e]["bucket"]
    if bucket >= 0:
        before, after = record[e]["near_before"], record[e]["near_after"]
        if after >= 0:
            record[after]["near_before"] = before
        if before >= 0:
            record[before]["near_after"] = after
        else:
            near_head[bucket] = after


@kernel
def add(variables, tuples, record, head, near_head, free, due, due_entry, state, indexed, x, variable, until):
    """Store a tuple as a candidate for a variable until a time. There must be room for another entry."""
    if state[layout.FREE] > 0:
        state[layout.FREE] -= 1
        e = free[state[layout.FREE]]
    else:
        e = state[layout.USED]
        state[layout.USED] += 1
    record[e]["tuple"] = x
    record[e]["variable"] = variable
    record[e]["until"] = until
    put_in(variables, tuples, record, head, near_head, indexed, e)
    if until == tuples[x]["time"]:
        # Only what is of the same time can come to it, as to most tuples: too brief for a heap.
        state[layout.BRIEF] += 1
        state[layout.BRIEF_TIME] = until
        due_entry[due_entry.size - state[layout.BRIEF]] = e
    else:
        push(until, e, state[layout.ENTRIES] - state[layout.BRIEF], due, due_entry)
    state[layout.ENTRIES] += 1
    if tuples[x]["uses"] == 0:
        state[layout.TUPLES] += 1
    tuples[x]["uses"] += 1
    state[layout.MOST_ENTRIES] = max(state[layout.MOST_ENTRIES], state[layout.ENTRIES])
    state[layout.MOST_TUPLES] = max(state[layout.MOST_TUPLES], state[layout.TUPLES])


@kernel
def forget(tuples, record, head, near_head, free, state, e):
    """Delete an entry."""
    state[layout.ENTRIES] -= 1
    take_out(record, head, near_head, e)
    free[state[layout.FREE]] = e
    state[layout.FREE] += 1
    x = record[e]["tuple"]
    tuples[x]["uses"] -= 1
    if tuples[x]["uses"] == 0:
        state[layout.TUPLES] -= 1


@kernel
def expire(tuples, record, head, near_head, free, due, due_entry, state, time):
    """Delete the entries that expired before a time; entries that were extended stay."""
    while state[layout.BRIEF] > 0 and state[layout.BRIEF_TIME] < time:
        e = due_entry[due_entry.size - state[layout.BRIEF]]
        state[layout.BRIEF] -= 1
        if record[e]["until"] >= time:
            push(record[e]["until"], e, state[layout.ENTRIES] - state[layout.BRIEF] - 1, due, due_entry)
        else:
            forget(tuples, record, head, near_head, free, state, e)
    while state[layout.ENTRIES] > state[layout.BRIEF] and due[0] < time:
        e = due_entry[0]
        pop(state[layout.ENTRIES] - state[layout.BRIEF], due, due_entry)
        if record[e]["until"] >= time:
            push(record[e]["until"], e, state[layout.ENTRIES] - state[layout.BRIEF] - 1, due, due_entry)
        else:
            forget(tuples, record, head, near_head, free, state, e)


@kernel
def rebuild(variables, tuples, record, head, near_head, due, due_entry, indexed, count):
    """Insert the entries [0, count), the oldest first, into empty lists."""
    for e in range(count):
        put_in(variables, tuples, record, head, near_head, indexed, e)
        push(record[e]["until"], e, e, due, due_entry)


@inner_kernel
def take_candidate(
    pairs, link, tuples, place, linked, starts, text, measure, record, x, pair, e, found, count,
    at_x, at_y, at_z, reach, sure,
):  # fmt: skip
    """Add an entry whose time fits to `found` if it may stand together with a tuple; return the new count."""
    dx, dy, dz = record[e]["x"] - at_x, record[e]["y"] - at_y, record[e]["z"] - at_z
    square = dx * dx + dy * dy + dz * dz
    if square < sure or (
        square <= reach
        and may_stand_together(pairs, link, tuples, place, linked, starts, text, measure, pair, x, record[e]["tuple"])
    ):
        if count < found.size:
            found[count] = e
        count += 1
    return count


@kernel
def walk(pairs, link, tuples, place, linked, starts, text, measure, record, x, pair, e, found, count, most):
    """Add the entries of a variable that may stand together with a tuple to `found`.

    Return how many there are in `found` then, or how many there would be if there were room.
    """
    earliest, latest = tuples[x]["time"] + pairs[pair]["earliest"], tuples[x]["time"] + pairs[pair]["latest"]
    at_x, at_y, at_z, reach = tuples[x]["x"], tuples[x]["y"], tuples[x]["z"], pairs[pair]["reach"]
    sure = -1.0 if measure == layout.OF_COLUMNS else pairs[pair]["sure"]
    while e >= 0 and count < most:
        if record[e]["time"] < earliest:
            break
        if record[e]["time"] <= latest:
            count = take_candidate(
                pairs, link, tuples, place, linked, starts, text, measure, record, x, pair, e, found, count,
                at_x, at_y, at_z, reach, sure,
            )  # fmt: skip
        e = record[e]["after"]
    return count


@kernel
def walk_cell(
    pairs, link, tuples, place, linked, starts, text, measure, record, x, pair, e, found, count, most,
    variable, cx, cy, cz,
):  # fmt: skip
    """Add the entries of a variable and a cell that may stand together with a tuple to `found`."""
    earliest, latest = tuples[x]["time"] + pairs[pair]["earliest"], tuples[x]["time"] + pairs[pair]["latest"]
    at_x, at_y, at_z, reach = tuples[x]["x"], tuples[x]["y"], tuples[x]["z"], pairs[pair]["reach"]
    sure = -1.0 if measure == layout.OF_COLUMNS else pairs[pair]["sure"]
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
            count = take_candidate(
                pairs, link, tuples, place, linked, starts, text, measure, record, x, pair, e, found, count,
                at_x, at_y, at_z, reach, sure,
            )  # fmt: skip
        e = record[e]["near_after"]
    return count


@kernel
def candidates(
    pairs, link, tuples, place, linked, starts, text, measure, record, head, near_head, side, indexed, x, pair,
    variable, found, count, most,
):  # fmt: skip
    """Find the entries of a variable that may stand together with a tuple, until `found` has `most`."""
    first = head[variable]
    if first < 0 or record[first]["time"] < tuples[x]["time"] + pairs[pair]["earliest"]:
        return count  # all are too early
    if indexed and pairs[pair]["reach"] < float("inf"):
        radius = math.sqrt(pairs[pair]["reach"]) * WIDER
        low_x, high_x = step_of(tuples[x]["x"] - radius, side), step_of(tuples[x]["x"] + radius, side)
        low_y, high_y = step_of(tuples[x]["y"] - radius, side), step_of(tuples[x]["y"] + radius, side)
        low_z, high_z = step_of(tuples[x]["z"] - radius, side), step_of(tuples[x]["z"] + radius, side)
        cells = float(high_x - low_x + 1) * float(high_y - low_y + 1) * float(high_z - low_z + 1)
        if cells <= MOST_CELLS:
            for cx in range(low_x, high_x + 1):
                for cy in range(low_y, high_y + 1):
                    for cz in range(low_z, high_z + 1):
                        e = near_head[bucket_of(variable, cx, cy, cz, near_head.size)]
                        if e >= 0:
                            count = walk_cell(
                                pairs, link, tuples, place, linked, starts, text, measure, record, x, pair, e,
                                found, count, most, variable, cx, cy, cz,
                            )  # fmt: skip
            return count
    return walk(pairs, link, tuples, place, linked, starts, text, measure, record, x, pair, first, found, count, most)
