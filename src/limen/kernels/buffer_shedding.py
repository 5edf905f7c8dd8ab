"""Shedding: what goes when a shared buffer has outgrown its memory, and what comes back when there is room again.

*Objects*: those to which the fewest queries refer go, each when it reports next; what remains of them after one
`report_every` is swept out. *Areas*: regions with their cache areas shrink at once, to a share of their extent, and
grow back by and by. Neither takes more from a query than its least accuracy allows.
"""

from __future__ import annotations

import math

import numpy as np

from limen.kernels._jit import kernel
from limen.kernels.around import NEAREST
from limen.kernels.buffer_arrays import (
    A_OBJECT,
    A_SHADOW,
    CHANGED_AT,
    CLOCK,
    EXPIRE_AFTER,
    FIXED,
    FULL,
    HALVED,
    IN,
    LAST_LEAST,
    LEAST_REFERENCES,
    MEMORY,
    OBJECTS,
    OUT,
    OVERDRAWN,
    PASSING,
    QUARTER,
    REPORT_EVERY,
    SHADOW,
    SHADOWS,
    SHARE,
    SHED,
    SHED_AREAS,
    SHEDDING,
    SINCE,
    STORED,
    SWEPT,
)
from limen.kernels.buffer_books import SMALLER, TARGET, can_go, casts_shadow, is_counted_strictly, is_light, used
from limen.kernels.buffer_cells import first_query, next_query, query_at, take_out_of_cell
from limen.kernels.buffer_regions import interest
from limen.kernels.buffer_renewal import (
    MOVED_ON,
    SHED_OFF,
    become,
    is_chosen,
    is_focal,
    let_go,
    note,
    release,
    renew_nearest,
    renew_range,
    tell,
)

NOT_NOW = -(2**62)
ROOMY = 0.8  # of the memory, below which areas grow back
LARGER = 1.05  # what areas are multiplied by when they grow back
LEAST_SHARE = 0.01
MOST_HALVED = 40
MOST_SHADOWS, FEW_SHADOWS = 0.2, 0.05  # of the memory: above, shadows are halved; below, there may be twice as many


@kernel
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


@kernel
def choose_references(buffer):
    """Decide how many references keep an object: the fewest that leave enough to go; none when nothing can go."""
    books, objects, queries = buffer.books, buffer.objects, buffer.queries
    spare = books.rule[A_OBJECT] - books.rule[A_SHADOW]
    must_go = math.ceil((used(books) - TARGET * books.rule[MEMORY]) / spare)
    free = books.tally.copy()
    strict = False
    for q in range(queries.size - 1):
        strict = strict or (queries["kind"][q] >= 0 and queries["least"][q] > 0.0)
    for o in range(objects.size):  # those that cannot go do not count
        if objects["mode"][o] == STORED and (is_focal(buffer, o) or (strict and not can_go(buffer, o))):
            free[min(objects["references"][o], free.size - 1)] -= 1
    if free[1:].sum() == 0:
        return 1
    return least_references(free, must_go)


@kernel
def drop(buffer, o, entry, disturbed, now, out, count):
    """Make a shadow of an object that is stored, or forget it, and tell who loses it."""
    queries, cells, desk = buffer.queries, buffer.cells, buffer.desk
    keep_shadows_few(buffer)
    stays = casts_shadow(buffer, o)
    for turn in range(2 if stays else 1):
        place = first_query(cells, buffer.objects["cell"][o])
        while place != -1:
            q = query_at(cells, place)
            where = interest(buffer, q, o)
            if where != OUT:
                note(buffer, q, o, -1 if turn == 0 else 1)
                if turn == 0 and queries["kind"][q] == NEAREST and queries["renewed"][q] != now:
                    queries["renewed"][q] = now
                    desk.disturbed[disturbed] = q
                    disturbed += 1
                elif turn == 0 and where == IN:
                    out, count = tell(buffer, out, count, q, o, False, entry, SHED_OFF)
            place = next_query(queries, cells, place)
        if turn == 0:
            become(buffer, o, SHADOW if stays else PASSING)
    if not stays:
        take_out_of_cell(buffer.objects, cells, o)
    buffer.books.counts[SHED] += 1
    return disturbed, out, count


@kernel
def sweep_out(buffer, least, entry, out, count):
    """Drop objects with fewer references until enough have gone, in the order of hashes: a restart keeps it."""
    books, objects, desk = buffer.books, buffer.objects, buffer.desk
    books.counts[CLOCK] += 1
    now, disturbed, dropped = books.counts[CLOCK], 0, 0
    for o in np.argsort(objects["name"].copy()):
        if is_light(books):
            break
        if objects["references"][o] < least and can_go(buffer, o):
            disturbed, out, count = drop(buffer, o, entry, disturbed, now, out, count)
            desk.loose[dropped] = o
            dropped += 1
    books.shedding[SWEPT] += dropped
    for at in range(disturbed):  # who has lost one looks further, and lets go of nobody
        _, out, count = renew_nearest(buffer, desk.disturbed[at], now, dropped, entry, MOVED_ON, out, count)
    for at in range(dropped):  # those without a shadow
        let_go(buffer, desk.loose[at])
    return out, count


@kernel
def shed_objects(buffer, time, entry, out, count):
    """Begin to shed objects, go on, or stop."""
    books = buffer.books
    shedding, rule = books.shedding, books.rule
    if shedding[SINCE] == NOT_NOW:
        if used(books) <= rule[MEMORY]:
            return out, count
        shedding[SINCE], shedding[CHANGED_AT] = time, NOT_NOW
    if is_light(books):
        shedding[SINCE], shedding[LEAST_REFERENCES], shedding[FULL] = NOT_NOW, 1, 0
        return out, count
    ends = shedding[SINCE] + rule[REPORT_EVERY]
    overdue = time >= ends and shedding[CHANGED_AT] < ends
    if time - shedding[CHANGED_AT] < rule[REPORT_EVERY] / 4.0 and not overdue:  # it costs a look at all objects
        return out, count
    shedding[CHANGED_AT] = time
    shedding[LEAST_REFERENCES] = choose_references(buffer)
    shedding[LAST_LEAST] = max(shedding[LEAST_REFERENCES], 2)
    if time - shedding[SINCE] >= rule[REPORT_EVERY] and used(books) > rule[MEMORY]:
        out, count = sweep_out(buffer, shedding[LEAST_REFERENCES], entry, out, count)
        shedding[LEAST_REFERENCES] = choose_references(buffer)
    shedding[FULL] = used(books) > rule[MEMORY] and shedding[LEAST_REFERENCES] == 1
    return out, count


@kernel
def share_of(queries, q, share):
    """Return the share of its area that a query has: as much as its accuracy demands, and all of an infinite one."""
    if queries["kind"][q] == FIXED:
        for axis in range(queries["bounds"].shape[1]):
            low, high = queries["bounds"][q, axis, 0], queries["bounds"][q, axis, 1]
            if (low == -np.inf) != (high == np.inf):
                return 1.0
    return min(max(share, queries["least"][q] / 100.0), 1.0)


@kernel
def set_shares(queries, some, share):
    """Set the shares of queries that have not looked around yet."""
    for q in some:
        queries["share"][q] = share_of(queries, q, share)


@kernel
def set_share(buffer, share, entry, why, out, count):
    """Leave queries a share of their areas, each as much at least as its accuracy demands; return who could change."""
    books, queries, desk = buffer.books, buffer.queries, buffer.desk
    books.rule[SHARE] = share
    books.counts[CLOCK] += 1
    now, loose, changed = books.counts[CLOCK], 0, 0
    for q in range(queries.size - 1):
        own = share_of(queries, q, share)
        if queries["kind"][q] < 0 or own == queries["share"][q]:
            continue
        queries["share"][q] = own
        changed += 1
        if queries["kind"][q] == NEAREST:
            loose, out, count = renew_nearest(buffer, q, now, loose, entry, why, out, count)
        else:
            loose, out, count = renew_range(buffer, q, now, loose, entry, why, out, count)
    before = books.counts[OBJECTS]
    for at in range(loose):
        let_go(buffer, desk.loose[at])
    books.counts[SHED] += before - books.counts[OBJECTS]
    return changed, out, count


@kernel
def shed_areas(buffer, time, entry, out, count):
    """Shrink areas until what is stored fits, or let them grow back."""
    books = buffer.books
    shedding, rule = books.shedding, books.rule
    if used(books) > rule[MEMORY]:
        changed = 1
        while used(books) > rule[MEMORY] and changed > 0 and rule[SHARE] > LEAST_SHARE:
            share = max(rule[SHARE] * SMALLER, LEAST_SHARE)
            changed, out, count = set_share(buffer, share, entry, SHED_OFF, out, count)
        shedding[CHANGED_AT] = time
        shedding[SINCE] = time if shedding[SINCE] == NOT_NOW else shedding[SINCE]
        shedding[FULL] = used(books) > rule[MEMORY]
        return out, count
    shedding[FULL] = 0
    roomy = rule[SHARE] < 1.0 and used(books) <= ROOMY * rule[MEMORY]
    if roomy and time - shedding[CHANGED_AT] >= rule[REPORT_EVERY] / 4.0:
        shedding[CHANGED_AT] = time
        share = min(rule[SHARE] * LARGER, 1.0)
        _, out, count = set_share(buffer, share, entry, MOVED_ON, out, count)
        if rule[SHARE] == 1.0:
            shedding[SINCE] = NOT_NOW
    return out, count


@kernel
def forget_shadow(buffer, o):
    """Take a shadow out of the counts of all queries, and forget it."""
    cells = buffer.cells
    place = first_query(cells, buffer.objects["cell"][o])
    while place != -1:
        q = query_at(cells, place)
        if interest(buffer, q, o) != OUT:
            note(buffer, q, o, -1)
        place = next_query(buffer.queries, cells, place)
    release(buffer, o)


@kernel
def are_too_many(books):
    """Tell whether shadows take too much of the memory."""
    return books.counts[SHADOWS] * books.rule[A_SHADOW] > MOST_SHADOWS * books.rule[MEMORY]


@kernel
def count_chosen(buffer, o, by):
    """Count a shadow, or count it no more, for queries that count only those chosen."""
    cells, queries = buffer.cells, buffer.queries
    place = first_query(cells, buffer.objects["cell"][o])
    while place != -1:
        q = query_at(cells, place)
        if queries["least"][q] == 0.0 and interest(buffer, q, o) != OUT:
            queries["shadows"][q] += by
        place = next_query(queries, cells, place)


@kernel
def halve_shadows(buffer):
    """Choose every second shadow of those chosen, and forget the others; or go on with less for strict queries only.

    A shadow without references is of a stream that reports in this very instant, and has not been counted again yet.
    """
    books, objects = buffer.books, buffer.objects
    halved = books.shedding[HALVED]
    for o in range(objects.size):
        if objects["mode"][o] != SHADOW or objects["references"][o] == 0 or not is_chosen(buffer, o, halved):
            continue
        if not is_chosen(buffer, o, halved + 1):
            if is_counted_strictly(buffer, o):
                count_chosen(buffer, o, -1)
            else:
                forget_shadow(buffer, o)
    books.shedding[HALVED] += 1


@kernel
def keep_shadows_few(buffer):
    """Halve the number of shadows if they take too much of the memory."""
    if are_too_many(buffer.books) and buffer.books.shedding[HALVED] < MOST_HALVED:
        halve_shadows(buffer)


@kernel
def let_shadows_be(buffer):
    """Let there be twice as many shadows if they take little of the memory."""
    books, objects = buffer.books, buffer.objects
    halved = books.shedding[HALVED]
    if halved == 0 or books.counts[SHADOWS] * books.rule[A_SHADOW] >= FEW_SHADOWS * books.rule[MEMORY]:
        return
    for o in range(objects.size):
        if objects["mode"][o] == SHADOW and is_chosen(buffer, o, halved - 1) and not is_chosen(buffer, o, halved):
            count_chosen(buffer, o, 1)
    books.shedding[HALVED] -= 1


@kernel
def forget_shadows(buffer, time):
    """Forget the shadows of streams that have been silent for too long, four times in each `report_every`."""
    books, objects = buffer.books, buffer.objects
    quarter = int(time // max(books.rule[REPORT_EVERY] / 4.0, 1.0))
    if quarter == books.shedding[QUARTER]:
        return
    books.shedding[QUARTER] = quarter
    for o in range(objects.size):
        if objects["mode"][o] == SHADOW and objects["seen"][o] + books.rule[EXPIRE_AFTER] < time:
            forget_shadow(buffer, o)


@kernel
def keep_to_budget(buffer, time, entry, out, count):
    """See at the end of an instant to it that the buffer does not outgrow its memory."""
    books = buffer.books
    forget_shadows(buffer, time)
    if books.rule[SHEDDING] == SHED_AREAS:
        out, count = shed_areas(buffer, time, entry, out, count)
    elif books.rule[SHEDDING] > 0.0:
        keep_shadows_few(buffer)
        let_shadows_be(buffer)
        out, count = shed_objects(buffer, time, entry, out, count)
    books.shedding[OVERDRAWN] += used(books) > books.rule[MEMORY]
    return out, count
