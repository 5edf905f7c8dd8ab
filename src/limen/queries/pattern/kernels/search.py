"""Find all alerts that a tuple completes, by forward checking.

Each variable has candidates that go with the new tuple. One after another takes a candidate, which rules out those of
the variables to come that do not go with it; where a variable has none left, the next candidate is tried. What a step
of the search ruled out comes back when the step is undone.
"""

from limen.kernels._jit import inner_kernel
from limen.queries.pattern.kernels.layout import NONE, OF_COLUMNS
from limen.queries.pattern.kernels.pair_tests import comes_before, may_stand_together

COUNTED = 10_000  # alerts beyond those that are wanted, from which on they are not counted any more


@inner_kernel
def rule_out(patterns, tuples, names, entries, search, measure, base, m, steps, step):
    """Rule out candidates that conflict with the tuple of a step; return whether every variable has one left."""
    pairs, record, entry, ruled_out, sequence = (
        patterns.pair, entries.record, search.entry, search.ruled_out, search.sequence
    )  # fmt: skip
    i = sequence[step]
    x = search.chosen[i]
    new = tuples.record[x]
    at_x, at_y, at_z = new["x"], new["y"], new["z"]
    for later in range(step + 1, steps):
        j = sequence[later]
        left = 0
        pair = base + i * m + j
        earliest, latest = new["time"] + pairs[pair]["earliest"], new["time"] + pairs[pair]["latest"]
        reach, sure = pairs[pair]["reach"], -1.0 if measure == OF_COLUMNS else pairs[pair]["sure"]
        for at in range(search.start[j], search.stop[j]):
            if ruled_out[at] == NONE:
                e = entry[at]
                y, time = record[e]["tuple"], record[e]["time"]
                dx, dy, dz = record[e]["x"] - at_x, record[e]["y"] - at_y, record[e]["z"] - at_z
                square = dx * dx + dy * dy + dz * dz
                if (
                    x != y
                    and earliest <= time <= latest
                    and square <= reach
                    and (square < sure or may_stand_together(patterns, tuples, names, measure, pair, x, y))
                ):
                    left += 1
                else:
                    ruled_out[at] = step
        if left == 0:
            return False
    return True


@inner_kernel
def undo(search, steps, step):
    """Restore the candidates that a step ruled out."""
    ruled_out = search.ruled_out
    for later in range(step + 1, steps):
        j = search.sequence[later]
        for at in range(search.start[j], search.stop[j]):
            if ruled_out[at] == step:
                ruled_out[at] = NONE


@inner_kernel
def in_canonical_order(tuples, names, entries, search, j):
    """Sort the candidates of a variable into canonical order, with Shellsort."""
    record, entry, start, stop = entries.record, search.entry, search.start[j], search.stop[j]
    gap = 1
    while 3 * gap < stop - start:
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(start + gap, stop):
            e = entry[at]
            to = at
            while to - gap >= start and comes_before(
                tuples, names, record[e]["tuple"], record[entry[to - gap]]["tuple"]
            ):
                entry[to] = entry[to - gap]
                to -= gap
            entry[to] = e
        gap //= 3


@inner_kernel
def smallest_first(search, steps):
    """Order variables so that those with few candidates are assigned first."""
    first, last, sequence = search.start, search.stop, search.sequence
    for step in range(1, steps):
        j = sequence[step]
        size = last[j] - first[j]
        to = step
        while to > 0 and last[sequence[to - 1]] - first[sequence[to - 1]] > size:
            sequence[to] = sequence[to - 1]
            to -= 1
        sequence[to] = j


@inner_kernel
def left(ruled_out, at, last):
    """Count the candidates from a place on that are not ruled out."""
    count = 0
    while at < last:
        count += ruled_out[at] == NONE
        at += 1
    return count


@inner_kernel
def write_alert(chosen, row, pattern, m, found, count):
    """Write an alert: the row that completes it, the pattern, and the tuple of each variable."""
    found[count, 0], found[count, 1] = row, pattern
    for j in range(m):
        found[count, 2 + j] = chosen[j]


@inner_kernel
def solve(patterns, tuples, names, entries, search, measure, pattern, i, row, found, count):
    """Find the alerts with the tuple `chosen[i]` for variable i: all of them, or the smallest if there is a limit.

    Return how many there are in `found`, or would be if there were room, and how many there are altogether. If few
    are wanted, it does not count all: the search ends when there are `COUNTED` more.
    """
    own = patterns.pattern[pattern]
    base, m, most = own["base"], own["size"], own["most"]
    record, entry, ruled_out, chosen = entries.record, search.entry, search.ruled_out, search.chosen
    first, last, tried, sequence = search.start, search.stop, search.at, search.sequence
    steps = 0
    for j in range(m):
        if j != i:
            sequence[steps] = j
            steps += 1
            if most >= 0:
                in_canonical_order(tuples, names, entries, search, j)
            for at in range(first[j], last[j]):
                ruled_out[at] = NONE
    if most < 0:
        smallest_first(search, steps)
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
                undo(search, steps, step)
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
        elif rule_out(patterns, tuples, names, entries, search, measure, base, m, steps, step):
            step += 1
            tried[step] = first[sequence[step]]
        else:
            undo(search, steps, step)
    return count, min(total, most + COUNTED) if most >= 0 else total
