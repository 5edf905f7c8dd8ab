"""All alerts that a tuple completes: forward checking.

Each variable has candidates that go with the new tuple. One after another takes a candidate, which rules out those of
the variables to come that do not go with it; where a variable has none left, the next candidate is tried. What a step
of the search ruled out comes back when the step is undone.
"""

from __future__ import annotations

from limen.kernels._jit import kernel
from limen.kernels.pattern_arrays import NONE
from limen.kernels.pattern_pairs import comes_before, may_stand_together


@kernel
def rule_out(patterns, names, tuples, entries, lonlat, search, base, m, steps, step):
    """Rule out what does not go with the tuple that a step has chosen; tell whether every variable has one left."""
    i = search.sequence[step]
    x = search.chosen[i]
    for later in range(step + 1, steps):
        j = search.sequence[later]
        left = 0
        for at in range(search.start[j], search.stop[j]):
            if search.ruled_out[at] == NONE:
                y = entries.tuple[search.entry[at]]
                if x == y or not may_stand_together(
                    patterns, names, tuples, lonlat, base + i * m + j, base + j * m + i, x, y
                ):
                    search.ruled_out[at] = step
                else:
                    left += 1
        if left == 0:
            return False
    return True


@kernel
def undo(search, steps, step):
    """Let candidates that a step ruled out come back."""
    for later in range(step + 1, steps):
        j = search.sequence[later]
        for at in range(search.start[j], search.stop[j]):
            if search.ruled_out[at] == step:
                search.ruled_out[at] = NONE


@kernel
def in_canonical_order(names, tuples, entries, search, start, stop):
    """Put candidates into canonical order, by sorting in ever smaller steps."""
    gap = 1
    while 3 * gap < stop - start:
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(start + gap, stop):
            e = search.entry[at]
            to = at
            while to - gap >= start and comes_before(
                names, tuples, entries.tuple[e], entries.tuple[search.entry[to - gap]]
            ):
                search.entry[to] = search.entry[to - gap]
                to -= gap
            search.entry[to] = e
        gap //= 3


@kernel
def smallest_first(search, steps):
    """Let the variables with few candidates choose first."""
    for step in range(1, steps):
        j = search.sequence[step]
        size = search.stop[j] - search.start[j]
        to = step
        while to > 0 and search.stop[search.sequence[to - 1]] - search.start[search.sequence[to - 1]] > size:
            search.sequence[to] = search.sequence[to - 1]
            to -= 1
        search.sequence[to] = j


@kernel
def tell(search, row, pattern, m, found, count):
    """Write an alert: the row that completes it, the pattern, and the tuple of each variable."""
    found[count, 0], found[count, 1] = row, pattern
    for j in range(m):
        found[count, 2 + j] = search.chosen[j]


@kernel
def solve(patterns, names, tuples, entries, lonlat, search, pattern, i, row, found, count, most):
    """Find the alerts with the tuple `search.chosen[i]` for variable i, in `most` cases only the smallest; -1 for all.

    Return how many there are in `found`, or would be if there were room, and how many there are altogether.
    """
    first, base = patterns.first[pattern], patterns.base[pattern]
    m = patterns.first[pattern + 1] - first
    steps = 0
    for j in range(m):
        if j != i:
            search.sequence[steps] = j
            steps += 1
            if most >= 0:
                in_canonical_order(names, tuples, entries, search, search.start[j], search.stop[j])
            for at in range(search.start[j], search.stop[j]):
                search.ruled_out[at] = NONE
    if most < 0:
        smallest_first(search, steps)
    wanted = count + most
    total = 0
    if steps == 0:
        if count < len(found):
            tell(search, row, pattern, m, found, count)
        return count + 1, 1
    step = 0
    search.at[0] = search.start[search.sequence[0]]
    while step >= 0:
        j = search.sequence[step]
        at = search.at[step]
        while at < search.stop[j] and search.ruled_out[at] != NONE:
            at += 1
        if at == search.stop[j]:
            step -= 1
            if step >= 0:
                undo(search, steps, step)
            continue
        search.at[step] = at + 1
        search.chosen[j] = entries.tuple[search.entry[at]]
        if step == steps - 1:
            total += 1
            if most < 0 or count < wanted:
                if count < len(found):
                    tell(search, row, pattern, m, found, count)
                count += 1
        elif rule_out(patterns, names, tuples, entries, lonlat, search, base, m, steps, step):
            step += 1
            search.at[step] = search.start[search.sequence[step]]
        else:
            undo(search, steps, step)
    return count, total
