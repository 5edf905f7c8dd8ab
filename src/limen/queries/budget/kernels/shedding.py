"""Load shedding: evict when a shared buffer has outgrown its memory, and restore when there is room again.

*Objects*: those to which the fewest queries refer go, each when it reports next; what remains of them after one
`report_every` is swept out. *Areas*: regions with their cache areas shrink at once, to a share of their extent, and
grow back by and by, or at once when all that is missed would fit. Neither takes more from a query than its least
accuracy allows.
"""

import math

import numpy as np

from limen.kernels._jit import inner_kernel, kernel
from limen.kernels.heap import pop, push
from limen.queries.answer.kernels.affected import mark_affected
from limen.queries.answer.kernels.around import NEAREST
from limen.queries.budget.kernels import layout
from limen.queries.budget.kernels.accounting import (
    LEAST_SHARE,
    SMALLER,
    TARGET,
    accuracy,
    can_go,
    can_shrink,
    is_light,
    needed,
    smaller_share,
    used,
)
from limen.queries.budget.kernels.areas import interest
from limen.queries.budget.kernels.buffer_grid import first_query, next_query, query_at, take_out_of_cell
from limen.queries.budget.kernels.ghost_entries import (
    AFTERWARDS,
    evict,
    expire_ghosts,
    leaves_ghost,
    limit_ghosts,
    note_all,
    restore_ghosts,
)
from limen.queries.budget.kernels.refresh import (
    MOVED_ON,
    SHED_OFF,
    become,
    emit_object,
    is_focal,
    note,
    renew,
    renew_nearest,
)

NOT_NOW = -(2**62)
ROOMY = 0.8  # of the memory, below which areas grow back
LARGER = 1.05  # what areas are multiplied by when they grow back
DEVIATIONS = 2.0  # standard deviations by which less may be needed than is counted, while there is room to try


@inner_kernel
def least_references(tally, must_go):
    """Return the smallest number of references such that enough objects have fewer, or more than any has.

    Examples
    --------
    >>> import numpy as np
    >>> least_references(np.array([0, 7, 5, 3]), 3), least_references(np.array([0, 7, 5, 3]), 8)
    (2, 3)
    """
    fewer = 0
    for references in range(1, tally.size):
        fewer += tally[references]
        if fewer >= must_go:
            return references + 1
    return tally.size


@inner_kernel
def choose_references(buffer):
    """Choose how many references keep an object: the fewest with enough objects below; 1 when none can be evicted."""
    accounting, objects, queries = buffer.accounting, buffer.objects, buffer.queries
    spare = accounting.rule[layout.A_OBJECT] - accounting.rule[layout.A_GHOST]
    must_go = math.ceil((used(accounting) - TARGET * accounting.rule[layout.MEMORY]) / spare)
    free = accounting.tally.copy()
    strict = False
    for q in range(queries.size - 1):
        strict = strict or (queries[q]["kind"] >= 0 and queries[q]["least"] > 0.0)
    for o in range(objects.size):  # those that cannot go do not count
        if objects[o]["mode"] == layout.STORED and (is_focal(buffer, o) or (strict and not can_go(buffer, o))):
            free[min(objects[o]["references"], free.size - 1)] -= 1
    for references in range(1, free.size):
        if free[references] > 0:
            return least_references(free, must_go)
    return 1


@inner_kernel
def drop(buffer, o, entry, disturbed, now, out, count):
    """Turn a stored object into a ghost, or evict it, and emit its removal from answers."""
    queries = buffer.queries
    limit_ghosts(buffer, AFTERWARDS)
    stays = leaves_ghost(buffer, o)
    place = first_query(buffer, buffer.objects[o]["cell"])
    while place != -1:
        q = query_at(buffer, place)
        where = interest(buffer, q, o)
        if where != layout.OUT:
            note(buffer, q, o, where, -1)
            if queries[q]["kind"] == NEAREST:
                disturbed = mark_affected(queries["renewed"], now, buffer.scratch.disturbed, disturbed, q)
            elif where == layout.IN:
                out, count = emit_object(buffer, out, count, q, o, False, entry, SHED_OFF)
        place = next_query(buffer, place)
    become(buffer, o, layout.GHOST if stays else layout.PASSING)
    if stays:
        note_all(buffer, o, 1, AFTERWARDS)
    else:
        take_out_of_cell(buffer, o)
    buffer.accounting.counts[layout.SHED] += 1
    return disturbed, out, count


@inner_kernel
def sweep_out(buffer, least, entry, out, count):
    """Drop objects with fewer references until enough have gone, in the order of hashes: a restart keeps it."""
    accounting, objects, scratch = buffer.accounting, buffer.objects, buffer.scratch
    accounting.counts[layout.CLOCK] += 1
    now, disturbed, dropped = accounting.counts[layout.CLOCK], 0, 0
    names, heap, size = np.empty(objects.size, np.uint64), np.empty(objects.size, np.int32), 0
    for o in range(objects.size):
        if objects[o]["mode"] == layout.STORED and objects[o]["references"] < least:
            push(objects[o]["name"], o, size, names, heap)
            size += 1
    while size > 0 and not is_light(accounting):
        o = heap[0]
        pop(size, names, heap)
        size -= 1
        if can_go(buffer, o):
            disturbed, out, count = drop(buffer, o, entry, disturbed, now, out, count)
            scratch.loose[dropped] = o
            dropped += 1
    accounting.shedding[layout.SWEPT] += dropped
    for at in range(disturbed):  # a query that lost a member searches further, and evicts none
        _, out, count = renew_nearest(buffer, scratch.disturbed[at], now, dropped, entry, MOVED_ON, out, count)
    for at in range(dropped):  # those without a ghost
        evict(buffer, scratch.loose[at])
    return out, count


@inner_kernel
def shed_objects(buffer, time, entry, out, count):
    """Begin to shed objects, go on, or stop."""
    accounting = buffer.accounting
    shedding, rule = accounting.shedding, accounting.rule
    if shedding[layout.SINCE] == NOT_NOW:
        if used(accounting) <= rule[layout.MEMORY]:
            return out, count
        shedding[layout.SINCE], shedding[layout.CHANGED_AT] = time, NOT_NOW
    if is_light(accounting):
        shedding[layout.SINCE], shedding[layout.LEAST_REFERENCES], shedding[layout.FULL] = NOT_NOW, 1, 0
        return out, count
    ends = shedding[layout.SINCE] + rule[layout.REPORT_EVERY]
    overdue = time >= ends and shedding[layout.CHANGED_AT] < ends
    # It reads all objects, so it is done once a quarter.
    if time - shedding[layout.CHANGED_AT] < rule[layout.REPORT_EVERY] / 4.0 and not overdue:
        return out, count
    shedding[layout.CHANGED_AT] = time
    if needed(buffer, 0.0) <= rule[layout.MEMORY]:  # all that was dropped can come back
        shedding[layout.SINCE], shedding[layout.LEAST_REFERENCES], shedding[layout.FULL] = NOT_NOW, 1, 0
        return out, count
    shedding[layout.LEAST_REFERENCES] = choose_references(buffer)
    shedding[layout.LAST_LEAST] = max(shedding[layout.LEAST_REFERENCES], 2)
    if time - shedding[layout.SINCE] >= rule[layout.REPORT_EVERY] and used(accounting) > rule[layout.MEMORY]:
        out, count = sweep_out(buffer, shedding[layout.LEAST_REFERENCES], entry, out, count)
        shedding[layout.LEAST_REFERENCES] = choose_references(buffer)
    shedding[layout.FULL] = used(accounting) > rule[layout.MEMORY] and shedding[layout.LEAST_REFERENCES] == 1
    return out, count


@inner_kernel
def is_endless(queries, q):
    """Return whether a region has a side that is infinite in one direction only: it has no middle to shrink to."""
    if queries[q]["kind"] == layout.FIXED:
        for axis in range(queries["bounds"].shape[1]):
            low, high = queries["bounds"][q, axis, 0], queries["bounds"][q, axis, 1]
            if (low == -np.inf) != (high == np.inf):
                return True
    return False


@kernel
def set_shares(queries, some, share):
    """Set the shares of queries that are not evaluated yet; those with a least accuracy begin with their whole area."""
    for q in some:
        queries[q]["share"] = 1.0 if queries[q]["least"] > 0.0 or is_endless(queries, q) else share


@inner_kernel
def share_after(buffer, q, before, share):
    """Return the share that a query has when others come from one to another: more, if it cannot do with so little."""
    queries = buffer.queries
    own = queries[q]["share"]
    if is_endless(queries, q):
        return 1.0
    if queries[q]["least"] == 0.0:
        return share
    if share > before:
        return min(own * share / before, 1.0)
    smaller = max(smaller_share(queries, q), share)
    return smaller if smaller < own and can_shrink(buffer, q, smaller) else own


@inner_kernel
def resize(buffer, q, share, now, loose, entry, why, out, count):
    """Change the share of the area of a query, and refresh it."""
    buffer.queries[q]["share"] = share
    return renew(buffer, q, now, loose, entry, why, out, count)


@inner_kernel
def set_share(buffer, share, entry, why, out, count):
    """Set the share of areas, each at least as large as its accuracy requires; return how many queries changed."""
    accounting, queries, scratch = buffer.accounting, buffer.queries, buffer.scratch
    before, accounting.rule[layout.SHARE] = accounting.rule[layout.SHARE], share
    accounting.counts[layout.CLOCK] += 1
    now, loose, changed = accounting.counts[layout.CLOCK], 0, 0
    for q in range(queries.size - 1):
        if queries[q]["kind"] < 0:
            continue
        own = share_after(buffer, q, before, share)
        if own != queries[q]["share"]:
            changed += 1
            loose, out, count = resize(buffer, q, own, now, loose, entry, why, out, count)
    stored = accounting.counts[layout.OBJECTS]
    for at in range(loose):
        evict(buffer, scratch.loose[at])
    accounting.counts[layout.SHED] += stored - accounting.counts[layout.OBJECTS]
    return changed, out, count


@inner_kernel
def make_whole(buffer, entry, out, count):
    """Restore the whole area of queries that fell below their least accuracy."""
    queries = buffer.queries
    buffer.accounting.counts[layout.CLOCK] += 1
    now = buffer.accounting.counts[layout.CLOCK]
    for q in range(queries.size - 1):
        strict = queries[q]["kind"] >= 0 and queries[q]["least"] > 0.0 and queries[q]["share"] < 1.0
        if strict and accuracy(buffer, q, 0.0) < queries[q]["least"]:
            _, out, count = resize(buffer, q, 1.0, now, 0, entry, MOVED_ON, out, count)  # evicts none
    return out, count


@inner_kernel
def shed_areas(buffer, time, is_new, entry, out, count):
    """Shrink areas until what is stored fits, or let them grow back.

    They grow in a new quarter of `report_every`; and if they could not shrink, that is tried again in a new one.
    """
    accounting = buffer.accounting
    shedding, rule = accounting.shedding, accounting.rule
    if used(accounting) > rule[layout.MEMORY]:
        if shedding[layout.FULL] and not is_new:
            return out, count
        changed = 1
        while used(accounting) > rule[layout.MEMORY] and changed > 0:
            share = max(rule[layout.SHARE] * SMALLER, LEAST_SHARE)
            changed, out, count = set_share(buffer, share, entry, SHED_OFF, out, count)
        shedding[layout.CHANGED_AT] = time
        shedding[layout.SINCE] = time if shedding[layout.SINCE] == NOT_NOW else shedding[layout.SINCE]
        shedding[layout.FULL] = used(accounting) > rule[layout.MEMORY]
        return out, count
    shedding[layout.FULL] = 0
    share = rule[layout.SHARE]
    if share == 1.0 or not is_new:
        return out, count
    is_roomy = used(accounting) <= ROOMY * rule[layout.MEMORY]
    if needed(buffer, DEVIATIONS if is_roomy else 0.0) <= rule[layout.MEMORY]:
        # First to the share with full k for nearest queries; then the streams around them are known.
        if time - max(shedding[layout.CHANGED_AT], shedding[layout.HALVED_AT]) >= rule[layout.REPORT_EVERY]:
            share = 1.0 if share >= 0.5 else 0.5
    elif is_roomy:
        share = min(share * LARGER, 1.0)
    if share > rule[layout.SHARE]:
        shedding[layout.CHANGED_AT] = time
        _, out, count = set_share(buffer, share, entry, MOVED_ON, out, count)
        if share == 1.0:
            shedding[layout.SINCE] = NOT_NOW
    return out, count


@inner_kernel
def keep_to_budget(buffer, time, entry, out, count):
    """Enforce the memory budget at the end of an instant."""
    accounting = buffer.accounting
    areas = accounting.rule[layout.SHEDDING] == layout.SHED_AREAS
    quarter = int(time // max(accounting.rule[layout.REPORT_EVERY] / 4.0, 1.0))
    is_new = quarter != accounting.shedding[layout.QUARTER]  # work on all queries or objects is done once a quarter
    if is_new:
        accounting.shedding[layout.QUARTER] = quarter
        expire_ghosts(buffer, time)
        if areas and accounting.rule[layout.SHARE] < 1.0:
            out, count = make_whole(buffer, entry, out, count)
    if accounting.rule[layout.SHEDDING] > 0.0:
        limit_ghosts(buffer, AFTERWARDS)
        if is_new:
            restore_ghosts(buffer, time)
        if areas:
            out, count = shed_areas(buffer, time, is_new, entry, out, count)
        else:
            out, count = shed_objects(buffer, time, entry, out, count)
    accounting.shedding[layout.OVERDRAWN] += used(accounting) > accounting.rule[layout.MEMORY]
    return out, count
