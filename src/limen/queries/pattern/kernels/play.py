"""Process rows for patterns one by one: emit the alerts each completes, store it as a candidate, expire others.

A row that may stand for a variable looks for candidates of the variables that may have come before. If every other
variable has some, alerts are sought. If a variable that must have come before has none, the row is of no use there.
Else it is kept until the time after which no other tuple can come to it: *loose*, by the variable that may come last;
or *tight*, by the first of those that have no candidate yet and must get one, and then those that it goes with are
given more time.
"""

from limen.kernels._jit import borrowed, kernel
from limen.queries.pattern.kernels.entries import add, candidates, expire
from limen.queries.pattern.kernels.layout import BRIEF, BRIEF_TIME, ENTRIES, FREE, LEFT_OUT, NONE, USED
from limen.queries.pattern.kernels.search import solve

NEVER = -(2**63)  # a time before all others
DONE, NO_ENTRIES, NO_CANDIDATES, NO_ALERTS = range(4)  # why `play` stops


@kernel
def gather(
    own, variables, pairs, link, rows, place, linked, starts, text, record, head, near_head, found, start, stop,
    indexed, measure, tight, x, variable,
):  # fmt: skip
    """Find the candidates of all other variables of a pattern for a tuple assigned to one.

    Return how many there are, whether it is of use at all, and whether there are some of every variable. When there
    are more than there is room for, what is returned is how many at least.
    """
    pattern = variables[variable]["pattern"]
    first, base, m = own[pattern]["first"], own[pattern]["base"], own[pattern]["size"]
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
                pairs, link, rows, place, linked, starts, text, measure, record, head, near_head,
                variables[first + j]["side"], indexed, x, pair, first + j, found, count, most,
            )  # fmt: skip
            stop[j] = count
            if start[j] == count:
                complete = False
                if past_only:
                    return count, False, False
                if is_last:
                    return count, True, False  # it completes no alert and extends no entry's time
    return count, True, complete


@kernel
def use_until(pattern, variables, pairs, tight, start, stop, time, variable):
    """Return until when a tuple may wait for others as a candidate for a variable; NEVER for not at all."""
    own = pattern[variables[variable]["pattern"]]
    i = variable - own["first"]
    last, first_missing = NEVER, 2**62
    for j in range(own["size"]):
        latest = pairs[own["base"] + i * own["size"] + j]["latest"]
        if j != i and latest >= 0:
            last = max(last, latest)
            if start[j] == stop[j]:
                first_missing = min(first_missing, latest)
    if last == NEVER:
        return NEVER
    if tight and first_missing < 2**62:
        return time + first_missing
    return time + last


@kernel
def renew(pattern, variables, record, entry, start, stop, variable, until):
    """Extend the time of all candidates to that of their new tuple, as far as their variable allows."""
    own = pattern[variables[variable]["pattern"]]
    for j in range(own["size"]):
        if own["first"] + j != variable:
            longest = variables[own["first"] + j]["longest"]
            for at in range(start[j], stop[j]):
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
    own, variables, pairs, link = (
        borrowed(patterns.pattern), borrowed(patterns.variable), borrowed(patterns.pair), borrowed(patterns.link)
    )  # fmt: skip
    rows, place, linked = borrowed(tuples.record), borrowed(tuples.place), borrowed(tuples.link)
    starts, text = borrowed(names.starts), borrowed(names.text)
    record, head, near_head, free = (
        borrowed(entries.record), borrowed(entries.head), borrowed(entries.near_head), borrowed(entries.free)
    )  # fmt: skip
    due, due_entry, state = borrowed(entries.due), borrowed(entries.due_entry), borrowed(entries.state)
    entry, start = borrowed(search.entry), borrowed(search.start)
    stop, chosen = borrowed(search.stop), borrowed(search.chosen)
    ruled_out, tried, sequence, until = (
        borrowed(search.ruled_out), borrowed(search.at), borrowed(search.sequence), borrowed(search.until)
    )  # fmt: skip
    slot, task_start, task, found = borrowed(slot), borrowed(task_start), borrowed(task), borrowed(found)
    while row < slot.size:
        x = slot[row]
        time = rows[x]["time"]
        if (state[BRIEF] > 0 and state[BRIEF_TIME] < time) or (state[ENTRIES] > state[BRIEF] and due[0] < time):
            expire(rows, record, head, near_head, free, due, due_entry, state, time)
        begin, end = task_start[row], task_start[row + 1]
        if state[FREE] + record.size - state[USED] < end - begin:
            return row, count, NO_ENTRIES, end - begin
        alerts, left_out = count, 0
        for at in range(begin, end):
            variable = task[at]
            until[at - begin] = NEVER
            gathered, useful, complete = gather(
                own, variables, pairs, link, rows, place, linked, starts, text, record, head, near_head, entry, start,
                stop, indexed, measure, tight, x, variable,
            )  # fmt: skip
            if gathered > entry.size:
                return row, count, NO_CANDIDATES, gathered
            if complete:
                pattern = variables[variable]["pattern"]
                i = variable - own[pattern]["first"]
                chosen[i] = x
                before = alerts
                alerts, total = solve(
                    pairs, link, rows, place, linked, starts, text, record, entry, ruled_out, start, stop, tried,
                    sequence, chosen, measure, pattern, own[pattern]["base"], own[pattern]["size"], i, row, found,
                    alerts, own[pattern]["most"],
                )  # fmt: skip
                left_out += total - (alerts - before)
            if useful:
                until[at - begin] = use_until(own, variables, pairs, tight, start, stop, time, variable)
                if tight and until[at - begin] > NEVER:
                    renew(own, variables, record, entry, start, stop, variable, until[at - begin])
        if alerts > len(found):
            return row, count, NO_ALERTS, alerts
        count = alerts
        state[LEFT_OUT] += left_out
        for at in range(begin, end):
            if until[at - begin] > NEVER:
                add(
                    variables, rows, record, head, near_head, free, due, due_entry, state, indexed,
                    x, task[at], until[at - begin],
                )  # fmt: skip
        row += 1
    return row, count, DONE, NONE
