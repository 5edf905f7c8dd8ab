"""Account for the memory of a shared buffer, the objects that queries miss, and the objects that may be evicted.

A query that is *locked* can lose no more without falling below its least accuracy.
"""

import math

import numpy as np

from limen.kernels._jit import inner_kernel, kernel
from limen.queries.answer.kernels.around import NEAREST
from limen.queries.budget.kernels import layout
from limen.queries.budget.kernels.areas import interest, is_about, state_of, widen
from limen.queries.budget.kernels.buffer_grid import first_query, next_query, query_at
from limen.queries.budget.kernels.refresh import copy_query, count_all_chosen, is_focal, wanted_now

TARGET = 0.9  # of the memory, down to which is shed
SMALLER = 0.9  # what areas are multiplied by when they shrink
LEAST_SHARE = 0.01


@kernel
def taken_by_queries(accounting):
    """Return the bytes that queries take, by count."""
    count, rule = accounting.counts, accounting.rule
    lists = count[layout.CELL_ENTRIES] * rule[layout.AN_ENTRY] + count[layout.MEMBERS] * rule[layout.A_MEMBER]
    return count[layout.QUERIES] * rule[layout.A_QUERY] + count[layout.DETAILS] + lists


@kernel
def used(accounting):
    """Return the bytes in use, by count."""
    count, rule = accounting.counts, accounting.rule
    streams = count[layout.OBJECTS] * rule[layout.A_OBJECT] + count[layout.GHOSTS] * rule[layout.A_GHOST]
    return streams + taken_by_queries(accounting)


@kernel
def needed(buffer, deviations):
    """Estimate from ghosts the bytes that would be in use with all missed streams stored.

    Where they stand for many it is an estimate, from which `deviations` of its standard deviations are subtracted.
    """
    accounting = buffer.accounting
    halved, ghosts = accounting.shedding[layout.HALVED], accounting.counts[layout.GHOSTS]
    if halved > 0:
        chosen = count_all_chosen(buffer)
        ghosts = max(ghosts, (chosen << halved) - math.ceil(deviations * math.sqrt(chosen) * 2.0**halved))
    streams = (accounting.counts[layout.OBJECTS] + ghosts) * accounting.rule[layout.A_OBJECT]
    return streams + taken_by_queries(accounting)


@inner_kernel
def is_light(accounting):
    """Return whether enough has been shed."""
    return used(accounting) <= TARGET * accounting.rule[layout.MEMORY]


@inner_kernel
def has_room(buffer, o):
    """Return whether there is room for an object that is new, or a ghost until now."""
    rule = buffer.accounting.rule
    more = rule[layout.A_OBJECT] - (rule[layout.A_GHOST] if buffer.objects[o]["mode"] == layout.GHOST else 0.0)
    return used(buffer.accounting) + more <= rule[layout.MEMORY]


@inner_kernel
def usually_missed(buffer):
    """Return how many streams queries without a least accuracy miss on average, as estimated from ghosts."""
    queries, count, ghosts = buffer.queries, 0, 0
    for q in range(queries.size - 1):
        if queries[q]["kind"] >= 0 and queries[q]["least"] == 0.0:
            count += 1
            ghosts += queries[q]["shadows"]
    return ghosts * 2.0 ** buffer.accounting.shedding[layout.HALVED] / max(count, 1)


@inner_kernel
def missed(buffer, q, usual):
    """Return how many streams a query misses, as estimated from ghosts, and its like usually miss.

    Where one ghost stands for many, a small query that misses some may well have none, and would be taken for
    complete. So the estimate from its ghosts is shrunk towards the mean, the more so the fewer there are (a Poisson
    number of ghosts with a rate that is exponentially distributed among queries).
    """
    ghosts, halved = buffer.queries[q]["shadows"], buffer.accounting.shedding[layout.HALVED]
    if halved == 0 or usual == 0.0 or buffer.queries[q]["least"] > 0.0:
        return np.float64(ghosts)
    return (ghosts + 1.0) / (0.5**halved + 1.0 / usual)


@inner_kernel
def accuracy(buffer, q, usual):
    """Return the estimated accuracy of a query in percent: the stored part of the streams that are due.

    For nearest queries it includes the reduction of k, if shedding reduces it.
    """
    queries = buffer.queries
    due = queries[q]["stored"] + queries[q]["rim"] + missed(buffer, q, usual)
    percent = 100.0 * queries[q]["stored"] / due if due > 0.0 else 100.0
    if queries[q]["kind"] == NEAREST and queries[q]["limit"] < np.inf:
        percent *= wanted_now(queries, q) / queries[q]["wanted"]
    return percent


@inner_kernel
def would_lack(buffer, q, fewer):
    """Return whether a strict query would have less than its least accuracy with one more missed, and fewer stored."""
    queries = buffer.queries
    due = queries[q]["stored"] - fewer + queries[q]["shadows"] + 1
    return due > 0 and 100.0 * (queries[q]["stored"] - fewer) < queries[q]["least"] * due


@inner_kernel
def smaller_share(queries, q):
    """Return the share that a query has after another step: a strict nearest query keeps its k."""
    least = 0.5 if queries[q]["kind"] == NEAREST and queries[q]["least"] > 0.0 else LEAST_SHARE
    return max(queries[q]["share"] * SMALLER, min(least, queries[q]["share"]))


@inner_kernel
def can_shrink(buffer, q, share):
    """Return whether a strict query keeps its least accuracy with a smaller share: count the objects left."""
    queries, objects, cells = buffer.queries, buffer.objects, buffer.cells
    to, columns, left = queries.size - 1, int(cells.frame[0, 2]), 0
    copy_query(queries, q)
    queries[to]["share"] = share
    widen(buffer, to)
    for row in range(queries["cells"][q, 2], queries["cells"][q, 3] + 1):
        for cell in range(row * columns + queries["cells"][q, 0], row * columns + queries["cells"][q, 1] + 1):
            o = cells.head[cell]
            while o >= 0:
                if objects[o]["mode"] == layout.STORED and is_about(buffer, q, objects[o]["stream"]):
                    left += state_of(buffer, to, objects["point"], o) > layout.RIM
                o = objects[o]["after"]
    due = queries[q]["stored"] + queries[q]["rim"] + queries[q]["shadows"]
    return 100.0 * left >= queries[q]["least"] * due


@kernel
def assess(buffer, some, out):
    """Set for some queries (n, 5): objects, objects missed, accuracy in percent, the share left, locked.

    A locked query cannot lose another object, or more of its area, without falling below its least accuracy.
    """
    queries, rule, usual = buffer.queries, buffer.accounting.rule, usually_missed(buffer)
    for at in range(some.size):
        q = some[at]
        out[at, 0], out[at, 1] = queries[q]["stored"], queries[q]["rim"] + np.rint(missed(buffer, q, usual))
        out[at, 2], out[at, 3] = accuracy(buffer, q, usual), queries[q]["share"]
        locked = queries[q]["least"] > 0.0
        if rule[layout.SHEDDING] == layout.SHED_AREAS:
            locked = locked and not can_shrink(buffer, q, smaller_share(queries, q))
        else:
            locked = locked and queries[q]["stored"] > 0 and would_lack(buffer, q, 1)
        out[at, 4] = locked


@inner_kernel
def is_guarded(buffer, o, fewer):
    """Return whether a query that has an object in its region or cache area cannot do without it.

    `fewer` is 1 for an object that is counted among those stored, 0 for one that is not counted.
    """
    queries = buffer.queries
    place = first_query(buffer, buffer.objects[o]["cell"])
    while place != -1:
        q = query_at(buffer, place)
        if queries[q]["least"] > 0.0 and would_lack(buffer, q, fewer) and interest(buffer, q, o) != layout.OUT:
            return True
        place = next_query(buffer, place)
    return False


@inner_kernel
def can_go(buffer, o):
    """Return whether an object that is stored may be shed at all."""
    objects = buffer.objects
    if objects[o]["mode"] != layout.STORED or objects[o]["references"] == 0 or is_focal(buffer, o):
        return False
    return not is_guarded(buffer, o, 1)
