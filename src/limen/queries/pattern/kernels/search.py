"""Find all alerts that a tuple completes, by forward checking.

Each variable has candidates that go with the new tuple. One after another takes a candidate, which rules out those of
the variables to come that do not go with it; where a variable has none left, the next candidate is tried. What a step
of the search ruled out comes back when the step is undone.
"""

from limen.kernels._jit import kernel
from limen.queries.pattern.kernels.layout import NONE, OF_COLUMNS
from limen.queries.pattern.kernels.pair_tests import comes_before, may_stand_together

COUNTED = 10_000  # alerts beyond those that are wanted, from which on they are not counted any more


@kernel
def rule_out(
    pairs, link, tuples, place, linked, starts, text, measure, record,
    entry, ruled_out, first, last, sequence, chosen, base, m, steps, step,
):  # fmt: skip
    """Rule out candidates that conflict with the tuple of a step; return whether every variable has one left."""
    i = sequence[step]
    x = chosen[i]
    at_x, at_y, at_z = tuples[x]["x"], tuples[x]["y"], tuples[x]["z"]
    for later in range(step + 1, steps):
        j = sequence[later]
        left = 0
        pair = base + i * m + j
        earliest, latest = tuples[x]["time"] + pairs[pair]["earliest"], tuples[x]["time"] + pairs[pair]["latest"]
        reach, sure = pairs[pair]["reach"], -1.0 if measure == OF_COLUMNS else pairs[pair]["sure"]
        for at in range(first[j], last[j]):
            if ruled_out[at] == NONE:
                e = entry[at]
                y, time = record[e]["tuple"], record[e]["time"]
                dx, dy, dz = record[e]["x"] - at_x, record[e]["y"] - at_y, record[e]["z"] - at_z
                square = dx * dx + dy * dy + dz * dz
                if (
                    x != y
                    and earliest <= time <= latest
                    and square <= reach
                    and (
                        square < sure
                        or may_stand_together(pairs, link, tuples, place, linked, starts, text, measure, pair, x, y)
                    )
                ):
                    left += 1
                else:
                    ruled_out[at] = step
        if left == 0:
            return False
    return True


@kernel
def undo(ruled_out, first, last, sequence, steps, step):
    """Restore the candidates that a step ruled out."""
    for later in range(step + 1, steps):
        j = sequence[later]
        for at in range(first[j], last[j]):
            if ruled_out[at] == step:
                ruled_out[at] = NONE


@kernel
def in_canonical_order(starts, text, tuples, record, entry, start, stop):
    """Sort candidates into canonical order, with Shellsort."""
    gap = 1
    while 3 * gap < stop - start:
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(start + gap, stop):
            e = entry[at]
            to = at
            while to - gap >= start and comes_before(
                starts, text, tuples, record[e]["tuple"], record[entry[to - gap]]["tuple"]
            ):
                entry[to] = entry[to - gap]
                to -= gap
            entry[to] = e
        gap //= 3


@kernel
def smallest_first(first, last, sequence, steps):
    """Order variables so that those with few candidates are assigned first."""
    for step in range(1, steps):
        j = sequence[step]
        size = last[j] - first[j]
        to = step
        while to > 0 and last[sequence[to - 1]] - first[sequence[to - 1]] > size:
            sequence[to] = sequence[to - 1]
            to -= 1
        sequence[to] = j


@kernel
def left(ruled_out, at, last):
    """Count the candidates from a place on that are not ruled out."""
    count = 0
    while at < last:
        count += ruled_out[at] == NONE
        at += 1
    return count


@kernel
def write_alert(chosen, row, pattern, m, found, count):
    """Write an alert: the row that completes it, the pattern, and the tuple of each variable."""
    found[count, 0], found[count, 1] = row, pattern
    for j in range(m):
        found[count, 2 + j] = chosen[j]


@kernel
def solve(
    pairs, link, rows, place, linked, starts, text, record, entry, ruled_out, first, last, tried, sequence, chosen,
    measure, pattern, base, m, i, row, found, count, most,
):  # fmt: skip
    """Find the alerts with the tuple `chosen[i]` for variable i: the `most` smallest, or with -1 all of them.

    Return how many there are in `found`, or would be if there were room, and how many there are altogether. A
    caller that wants few does not wait for a full count: the search ends when there are `COUNTED` more.
    """
    steps = 0
    for j in range(m):
        if j != i:
            sequence[steps] = j
            steps += 1
            if most >= 0:
                in_canonical_order(starts, text, rows, record, entry, first[j], last[j])
            for at in range(first[j], last[j]):
                ruled_out[at] = NONE
    if most < 0:
        smallest_first(first, last, sequence, steps)
    wanted = count + most
    total = 0
    if steps == 0:
        if count < len(found):
            write_alert(chosen, row, pattern, m, found, count)
        return count + 1, 1
    step = 0
    tried[0] = first[sequence[0]]
    while step >= 0 and (most < 0 or total < most + COUNTED):
        j = sequence[step]
        at = tried[step]
        while at < last[j] and ruled_out[at] != NONE:
            at += 1
        if at == last[j]:
            step -= 1
            if step >= 0:
                undo(ruled_out, first, last, sequence, steps, step)
            continue
        tried[step] = at + 1
        chosen[j] = record[entry[at]]["tuple"]
        if step == steps - 1:
            if most < 0 or count < wanted:
                if count < len(found):
                    write_alert(chosen, row, pattern, m, found, count)
                count += 1
                total += 1
            else:
                total += left(ruled_out, at, last[j])
                tried[step] = last[j]
        elif rule_out(
            pairs, link, rows, place, linked, starts, text, measure, record,
            entry, ruled_out, first, last, sequence, chosen, base, m, steps, step,
        ):  # fmt: skip
            step += 1
            tried[step] = first[sequence[step]]
        else:
            undo(ruled_out, first, last, sequence, steps, step)
    return count, min(total, most + COUNTED) if most >= 0 else total
