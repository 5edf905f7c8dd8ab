"""Patterns played row by row: what each row completes, what it is kept for, and what is forgotten.

A row that may stand for a variable looks for candidates of the variables that may have come before. If every other
variable has some, alerts are sought. If a variable that must have come before has none, the row is of no use there.
Else it is kept until the time after which no other tuple can come to it: *loose*, by the variable that may come last;
or *tight*, by the first of those that have no candidate yet and must get one, and then those that it goes with are
given more time.
"""

from __future__ import annotations

from limen.kernels._jit import kernel
from limen.kernels.pattern_arrays import FREE, LEFT_OUT, NONE, USED
from limen.kernels.pattern_entries import add, candidates, expire
from limen.kernels.pattern_search import solve

NEVER = -(2**63)  # a time before all others
DONE, NO_ENTRIES, NO_CANDIDATES, NO_ALERTS = range(4)  # why a line of rows ends


@kernel
def gather(patterns, names, tuples, entries, indexed, lonlat, tight, search, cell, x, variable):
    """Find the candidates of all other variables of a pattern for a tuple in the place of one.

    Return how many there are, whether it is of use at all, and whether there are some of every variable. When there
    are more than there is room for, what is returned is how many at least.
    """
    pattern = patterns.pattern[variable]
    first, base = patterns.first[pattern], patterns.base[pattern]
    m = patterns.first[pattern + 1] - first
    i = variable - first
    complete = True
    for j in range(m):
        complete = complete and patterns.latest[base + j * m + i] >= 0
    count = 0
    # First those that must have come before: where one is missing, nothing else matters.
    for others in range(2):
        for j in range(m):
            pair, back = base + i * m + j, base + j * m + i
            past_only = patterns.latest[pair] < 0
            if j == i or past_only != (others == 0):
                continue
            search.start[j] = search.stop[j] = count
            if patterns.latest[back] < 0:
                continue  # it comes later
            # Where no alert is to be told, nor anyone to be given more time, it is enough to know that there are some.
            most = 2**62 if complete or tight else count + 1 if past_only else count
            count = candidates(
                patterns, names, tuples, entries, indexed, lonlat, x, pair, back, first + j, cell,
                search.entry, count, most,
            )  # fmt: skip
            search.stop[j] = count
            if search.start[j] == count:
                complete = False
                if past_only:
                    return count, False, False
    return count, True, complete


@kernel
def use_until(patterns, tight, search, time, variable):
    """Return until when a tuple of a time may wait for others in the place of a variable; NEVER for not at all."""
    pattern = patterns.pattern[variable]
    first, base = patterns.first[pattern], patterns.base[pattern]
    m = patterns.first[pattern + 1] - first
    i = variable - first
    last, first_missing = NEVER, 2**62
    for j in range(m):
        latest = patterns.latest[base + i * m + j]
        if j != i and latest >= 0:
            last = max(last, latest)
            if search.start[j] == search.stop[j]:
                first_missing = min(first_missing, latest)
    if last == NEVER:
        return NEVER
    if tight and first_missing < 2**62:
        return time + first_missing
    return time + last


@kernel
def renew(patterns, tuples, entries, search, variable, until):
    """Let all candidates be kept as long as the tuple that they go with, if they can be of use so long."""
    pattern = patterns.pattern[variable]
    first = patterns.first[pattern]
    for j in range(patterns.first[pattern + 1] - first):
        if first + j != variable:
            for at in range(search.start[j], search.stop[j]):
                e = search.entry[at]
                longest = tuples.time[entries.tuple[e]] + patterns.longest[first + j]
                entries.until[e] = max(entries.until[e], min(until, longest))


@kernel
def play(
    patterns, names, tuples, entries, indexed, lonlat, tight, slot, task_start, task, row, search, cell, found, count
):
    """Play rows, from `row` on, as long as there is room.

    Parameters
    ----------
    slot : int32 array (rows,)
        The tuple of each row, in canonical order.
    task_start, task : int64 array (rows + 1,), int32 array
        The variables that each row may stand for.
    found : int32 array (room, 14)
        Alerts: the row, the pattern, the tuples by variable. There are `count` of them.

    Returns
    -------
    row, count, why, needed
        The row that was not played; why, and how much room it needs, of candidates or of alerts.
    """
    state = entries.state
    while row < slot.size:
        x = slot[row]
        time = tuples.time[x]
        expire(tuples, entries, time)
        begin, end = task_start[row], task_start[row + 1]
        if state[FREE] + entries.tuple.size - state[USED] < end - begin:
            return row, count, NO_ENTRIES, end - begin
        told, left_out = count, 0
        for at in range(begin, end):
            variable = task[at]
            search.until[at - begin] = NEVER
            gathered, useful, complete = gather(
                patterns, names, tuples, entries, indexed, lonlat, tight, search, cell, x, variable
            )
            if gathered > search.entry.size:
                return row, count, NO_CANDIDATES, gathered
            if complete:
                pattern = patterns.pattern[variable]
                i = variable - patterns.first[pattern]
                search.chosen[i] = x
                before = told
                told, total = solve(
                    patterns, names, tuples, entries, lonlat, search, pattern, i, row, found, told,
                    patterns.most[pattern],
                )  # fmt: skip
                left_out += total - (told - before)
            if useful:
                search.until[at - begin] = use_until(patterns, tight, search, time, variable)
                if tight and search.until[at - begin] > NEVER:
                    renew(patterns, tuples, entries, search, variable, search.until[at - begin])
        if told > len(found):
            return row, count, NO_ALERTS, told
        count = told
        state[LEFT_OUT] += left_out
        for at in range(begin, end):
            if search.until[at - begin] > NEVER:
                add(patterns, tuples, entries, indexed, x, task[at], search.until[at - begin])
        row += 1
    return row, count, DONE, NONE
