"""Process rows for patterns one by one: emit the alerts each completes, store it as a candidate, expire others.

A row that may stand for a variable looks for candidates of the variables that may have come before. If every other
variable has some, alerts are sought. If a variable that must have come before has none, the row is of no use there.
Else it is kept until the time after which no other tuple can come to it: *loose*, by the variable that may come last;
or *tight*, by the first of those that have no candidate yet and must get one, and then those that it goes with are
given more time.
"""

from limen.kernels._jit import inner_kernel, kernel
from limen.queries.pattern.kernels.entries import add, candidates, expire
from limen.queries.pattern.kernels.layout import FREE, LEFT_OUT, NONE, USED
from limen.queries.pattern.kernels.search import solve

NEVER = -(2**63)  # a time before all others
DONE, NO_ENTRIES, NO_CANDIDATES, NO_ALERTS = range(4)  # why `play` stops


@inner_kernel
def gather(patterns, tuples, names, entries, search, indexed, measure, tight, x, variable):
    """Find the candidates of all other variables of a pattern for a tuple assigned to one.

    Return how many there are, whether it is of use at all, and whether there are some of every variable. When there
    are more than there is room for, what is returned is how many at least.
    """
    own, pairs = patterns.pattern[patterns.variable[variable]["pattern"]], patterns.pair
    start, stop = search.start, search.stop
    first, base, m = own["first"], own["base"], own["size"]
    i = variable - first
    complete, is_last = True, True
    for j in range(m):
        start[j] = stop[j] = 0
        complete = complete and pairs[base + i * m + j]["earliest"] <= 0
        is_last = is_last and pairs[base + i * m + j]["latest"] <= 0
    count = 0
    # First those that must have come before: where one is missing, nothing else matters. Later variables first, which
    # mostly are the nearer ones in time.
    for others in range(2):
        for j in range(m - 1, -1, -1):
            pair = base + i * m + j
            past_only = pairs[pair]["latest"] < 0
            if j == i or past_only != (others == 0):
                continue
            start[j] = stop[j] = count
            if pairs[pair]["earliest"] > 0:
                continue  # it comes later
            # If no alert is to be emitted and no entry to be renewed, it is enough to know that candidates exist.
            most = 2**62 if complete or tight else count + 1 if past_only else count
            count = candidates(
                patterns, tuples, names, entries, search, indexed, measure, x, pair, first + j, count, most
            )
            stop[j] = count
            if start[j] == count:
                complete = False
                if past_only:
                    return count, False, False
                if is_last:
                    return count, True, False  # it completes no alert and extends no entry's time
    return count, True, complete


@inner_kernel
def use_until(patterns, search, tight, time, variable):
    """Return until when a tuple may wait for others as a candidate for a variable; NEVER for not at all."""
    own = patterns.pattern[patterns.variable[variable]["pattern"]]
    i = variable - own["first"]
    last, first_missing = NEVER, 2**62
    for j in range(own["size"]):
        latest = patterns.pair[own["base"] + i * own["size"] + j]["latest"]
        if j != i and latest >= 0:
            last = max(last, latest)
            if search.start[j] == search.stop[j]:
                first_missing = min(first_missing, latest)
    if last == NEVER:
        return NEVER
    if tight and first_missing < 2**62:
        return time + first_missing
    return time + last


@inner_kernel
def renew(patterns, entries, search, variable, until):
    """Extend the time of all candidates to that of their new tuple, as far as their variable allows."""
    variables, record, entry = patterns.variable, entries.record, search.entry
    own = patterns.pattern[variables[variable]["pattern"]]
    for j in range(own["size"]):
        if own["first"] + j != variable:
            longest = variables[own["first"] + j]["longest"]
            for at in range(search.start[j], search.stop[j]):
                e = entry[at]
                last = min(until, record[e]["time"] + longest)
                record[e]["until"] = max(record[e]["until"], last)


@kernel
def play(patterns, names, tuples, entries, indexed, measure, tight, slot, task_start, task, row, search, found, count):
    """Process rows, from `row` on, until an array is full.

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
    state, until = entries.state, search.until
    while row < slot.size:
        x = slot[row]
        time = tuples.record[x]["time"]
        expire(tuples, entries, time)
        begin, end = task_start[row], task_start[row + 1]
        if state[FREE] + entries.record.size - state[USED] < end - begin:
            return row, count, NO_ENTRIES, end - begin
        alerts, left_out = count, 0
        for at in range(begin, end):
            variable = task[at]
            until[at - begin] = NEVER
            gathered, useful, complete = gather(
                patterns, tuples, names, entries, search, indexed, measure, tight, x, variable
            )
            if gathered > search.entry.size:
                return row, count, NO_CANDIDATES, gathered
            if complete:
                pattern = patterns.variable[variable]["pattern"]
                i = variable - patterns.pattern[pattern]["first"]
                search.chosen[i] = x
                before = alerts
                alerts, total = solve(
                    patterns, tuples, names, entries, search, measure, pattern, i, row, found, alerts
                )  # fmt: skip
                left_out += total - (alerts - before)
            if useful:
                until[at - begin] = use_until(patterns, search, tight, time, variable)
                if tight and until[at - begin] > NEVER:
                    renew(patterns, entries, search, variable, until[at - begin])
        if alerts > len(found):
            return row, count, NO_ALERTS, alerts
        count = alerts
        state[LEFT_OUT] += left_out
        for at in range(begin, end):
            if until[at - begin] > NEVER:
                add(patterns, tuples, entries, indexed, x, task[at], until[at - begin])
        row += 1
    return row, count, DONE, NONE
