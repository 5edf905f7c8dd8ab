"""Ghost entries: the last position of streams that were shed, and limits to their number.

When they take too much of the memory, only every second stream has one, then every fourth, and so on, as a hash of its
id has it. Queries with a least accuracy count all that they miss.
"""

import numpy as np

from limen.kernels._jit import inner_kernel
from limen.queries.answer.kernels.around import NEAREST
from limen.queries.budget.kernels import layout
from limen.queries.budget.kernels.areas import interest
from limen.queries.budget.kernels.buffer_grid import first_query, next_query, query_at
from limen.queries.budget.kernels.refresh import become, count_all_chosen, is_chosen, is_focal, note, release

AFTERWARDS = -1  # in place of `now`, once an instant has ended
MOST_HALVED = 40
MOST_GHOSTS, FEW_GHOSTS = 0.2, 0.16  # of the memory: above, ghosts are halved; below, there may be so many


@inner_kernel
def is_counted_strictly(buffer, o):
    """Return whether an object is in the area of a query with a least accuracy, which counts all that it misses."""
    queries = buffer.queries
    place = first_query(buffer, buffer.objects[o]["cell"])
    while place != -1:
        q = query_at(buffer, place)
        if queries[q]["least"] > 0.0 and interest(buffer, q, o) != layout.OUT:
            return True
        place = next_query(buffer, place)
    return False


@inner_kernel
def leaves_ghost(buffer, o):
    """Return whether an object leaves a ghost when it is dropped."""
    return is_chosen(buffer, o, buffer.accounting.shedding[layout.HALVED]) or is_counted_strictly(buffer, o)


@inner_kernel
def has_counted(buffer, q, o, now):
    """Return whether a query has counted an object: nearest queries count the updates of `now` last."""
    return buffer.queries[q]["kind"] != NEAREST or buffer.scratch.touched[o] != now


@inner_kernel
def note_all(buffer, o, by, now):
    """Count an object, by 1, or count it no more, by -1, for all queries that it matters to in `now` or AFTERWARDS."""
    place = first_query(buffer, buffer.objects[o]["cell"])
    while place != -1:
        q = query_at(buffer, place)
        where = interest(buffer, q, o)
        if where != layout.OUT and has_counted(buffer, q, o, now):
            note(buffer, q, o, where, by)
        place = next_query(buffer, place)


@inner_kernel
def drop_ghost(buffer, o, now):
    """Remove a ghost, and subtract it from the counts of all queries."""
    note_all(buffer, o, -1, now)
    release(buffer, o)


@inner_kernel
def count_chosen(buffer, o, by, now):
    """Count a ghost, or count it no more, for queries that count only those chosen."""
    queries = buffer.queries
    place = first_query(buffer, buffer.objects[o]["cell"])
    while place != -1:
        q = query_at(buffer, place)
        if queries[q]["least"] == 0.0 and interest(buffer, q, o) != layout.OUT and has_counted(buffer, q, o, now):
            queries[q]["shadows"] += by
        place = next_query(buffer, place)


@inner_kernel
def halve_ghosts(buffer, now):
    """Choose every second ghost of those chosen, and forget the others; or go on with less for strict queries only.

    A ghost without references is of a stream that reports in this very instant, and has not been counted again yet.
    """
    accounting, objects = buffer.accounting, buffer.objects
    halved = accounting.shedding[layout.HALVED]
    for o in range(objects.size):
        if objects[o]["mode"] != layout.GHOST or objects[o]["references"] == 0 or not is_chosen(buffer, o, halved):
            continue
        if not is_chosen(buffer, o, halved + 1):
            if is_counted_strictly(buffer, o):
                count_chosen(buffer, o, -1, now)
            else:
                drop_ghost(buffer, o, now)
    accounting.shedding[layout.HALVED] += 1


@inner_kernel
def limit_ghosts(buffer, now):
    """Halve the number of ghosts if they take too much of the memory, in the midst of `now` or AFTERWARDS."""
    rule, ghosts = buffer.accounting.rule, buffer.accounting.counts[layout.GHOSTS]
    halved = buffer.accounting.shedding[layout.HALVED]
    are_too_many = ghosts * rule[layout.A_GHOST] > MOST_GHOSTS * rule[layout.MEMORY]
    if are_too_many and halved < MOST_HALVED and 1 << halved <= ghosts:
        halve_ghosts(buffer, now)


@inner_kernel
def restore_ghosts(buffer, time):
    """Allow more ghosts again if they take little of the memory, after one `report_every`."""
    accounting, objects, rule = buffer.accounting, buffer.objects, buffer.accounting.rule
    halved = accounting.shedding[layout.HALVED]
    if halved == 0 or time - accounting.shedding[layout.HALVED_AT] < rule[layout.REPORT_EVERY]:
        return
    chosen, fewer, one = count_all_chosen(buffer), halved, rule[layout.A_GHOST]
    room = FEW_GHOSTS * rule[layout.MEMORY] / one if one > 0.0 else np.inf
    while fewer > 0 and accounting.counts[layout.GHOSTS] + chosen * (2.0 ** (halved - fewer + 1) - 1.0) <= room:
        fewer -= 1
    if fewer == halved:
        return
    for o in range(objects.size):
        if objects[o]["mode"] == layout.GHOST and is_chosen(buffer, o, fewer) and not is_chosen(buffer, o, halved):
            count_chosen(buffer, o, 1, AFTERWARDS)
    accounting.shedding[layout.HALVED], accounting.shedding[layout.HALVED_AT] = fewer, time


@inner_kernel
def expire_ghosts(buffer, time):
    """Remove the ghosts of expired streams."""
    accounting, objects = buffer.accounting, buffer.objects
    for o in range(objects.size):
        if objects[o]["mode"] == layout.GHOST and objects[o]["seen"] + accounting.rule[layout.EXPIRE_AFTER] < time:
            drop_ghost(buffer, o, AFTERWARDS)


@inner_kernel
def leave_ghost(buffer, o):
    """Turn an unreferenced object into a ghost if it is in the rim of an area; else evict it."""
    limit_ghosts(buffer, AFTERWARDS)
    stays = leaves_ghost(buffer, o)
    note_all(buffer, o, -1, AFTERWARDS)
    if stays:
        become(buffer, o, layout.GHOST)
        note_all(buffer, o, 1, AFTERWARDS)
    if buffer.objects[o]["references"] == 0:
        release(buffer, o)


@inner_kernel
def evict(buffer, o):
    """Evict an object that has become insignificant; leave a ghost if it is in the rim of an area."""
    objects = buffer.objects
    if objects[o]["mode"] == layout.FREE or objects[o]["references"] > 0:
        return
    if is_focal(buffer, o) and objects[o]["mode"] == layout.STORED and not np.isnan(objects["point"][o, 0]):
        return
    buffer.accounting.counts[layout.INSIGNIFICANT] += objects[o]["mode"] == layout.STORED
    if objects[o]["mode"] == layout.STORED and objects[o]["cell"] >= 0 and buffer.accounting.rule[layout.SHARE] < 1.0:
        leave_ghost(buffer, o)
    else:
        release(buffer, o)
