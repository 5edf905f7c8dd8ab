"""Shadows: what stays behind of streams that were shed, and how many of them are kept.

When they take too much of the memory, only every second stream has one, then every fourth, and so on, as a hash of its
id has it. Queries with a least accuracy count all that they miss.
"""

from __future__ import annotations

import numpy as np

from limen.kernels._jit import kernel
from limen.kernels.around import NEAREST
from limen.kernels.buffer_arrays import (
    A_SHADOW,
    EXPIRE_AFTER,
    FREE,
    HALVED,
    HALVED_AT,
    INSIGNIFICANT,
    MEMORY,
    OUT,
    REPORT_EVERY,
    SHADOW,
    SHADOWS,
    SHARE,
    STORED,
)
from limen.kernels.buffer_cells import first_query, next_query, query_at
from limen.kernels.buffer_regions import interest
from limen.kernels.buffer_renewal import become, count_all_chosen, is_chosen, is_focal, note, release

AFTERWARDS = -1  # instead of an instant that has not come to its end
MOST_HALVED = 40
MOST_SHADOWS, FEW_SHADOWS = 0.2, 0.16  # of the memory: above, shadows are halved; below, there may be so many


@kernel
def is_counted_strictly(buffer, o):
    """Tell whether an object is in the area of a query with a least accuracy, which counts all that it misses."""
    queries, cells = buffer.queries, buffer.cells
    place = first_query(cells, buffer.objects["cell"][o])
    while place != -1:
        q = query_at(cells, place)
        if queries["least"][q] > 0.0 and interest(buffer, q, o) != OUT:
            return True
        place = next_query(queries, cells, place)
    return False


@kernel
def casts_shadow(buffer, o):
    """Tell whether an object leaves a shadow when it is dropped."""
    return is_chosen(buffer, o, buffer.books.shedding[HALVED]) or is_counted_strictly(buffer, o)


@kernel
def has_counted(buffer, q, o, now):
    """Tell whether a query has counted an object of its area: the nearest are the last to count who reports `now`."""
    return buffer.queries["kind"][q] != NEAREST or buffer.desk.touched[o] != now


@kernel
def forget_shadow(buffer, o, now):
    """Take a shadow out of the counts of all queries, and forget it."""
    cells = buffer.cells
    place = first_query(cells, buffer.objects["cell"][o])
    while place != -1:
        q = query_at(cells, place)
        where = interest(buffer, q, o)
        if where != OUT and has_counted(buffer, q, o, now):
            note(buffer, q, o, where, -1)
        place = next_query(buffer.queries, cells, place)
    release(buffer, o)


@kernel
def are_too_many(books):
    """Tell whether shadows take too much of the memory."""
    return books.counts[SHADOWS] * books.rule[A_SHADOW] > MOST_SHADOWS * books.rule[MEMORY]


@kernel
def count_chosen(buffer, o, by, now):
    """Count a shadow, or count it no more, for queries that count only those chosen."""
    cells, queries = buffer.cells, buffer.queries
    place = first_query(cells, buffer.objects["cell"][o])
    while place != -1:
        q = query_at(cells, place)
        if queries["least"][q] == 0.0 and interest(buffer, q, o) != OUT and has_counted(buffer, q, o, now):
            queries["shadows"][q] += by
        place = next_query(queries, cells, place)


@kernel
def halve_shadows(buffer, now):
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
                count_chosen(buffer, o, -1, now)
            else:
                forget_shadow(buffer, o, now)
    books.shedding[HALVED] += 1


@kernel
def keep_shadows_few(buffer, now):
    """Halve the number of shadows if they take too much of the memory, in the midst of `now` or AFTERWARDS."""
    halved = buffer.books.shedding[HALVED]
    if are_too_many(buffer.books) and halved < MOST_HALVED and 1 << halved <= buffer.books.counts[SHADOWS]:
        halve_shadows(buffer, now)


@kernel
def let_shadows_be(buffer, time):
    """Let there be more shadows if they take little of the memory, once all that report have theirs."""
    books, objects = buffer.books, buffer.objects
    halved = books.shedding[HALVED]
    if halved == 0 or time - books.shedding[HALVED_AT] < books.rule[REPORT_EVERY]:
        return
    chosen, fewer = count_all_chosen(buffer), halved
    room = FEW_SHADOWS * books.rule[MEMORY] / books.rule[A_SHADOW] if books.rule[A_SHADOW] > 0.0 else np.inf
    while fewer > 0 and books.counts[SHADOWS] + chosen * (2.0 ** (halved - fewer + 1) - 1.0) <= room:
        fewer -= 1
    if fewer == halved:
        return
    for o in range(objects.size):
        if objects["mode"][o] == SHADOW and is_chosen(buffer, o, fewer) and not is_chosen(buffer, o, halved):
            count_chosen(buffer, o, 1, AFTERWARDS)
    books.shedding[HALVED], books.shedding[HALVED_AT] = fewer, time


@kernel
def forget_shadows(buffer, time):
    """Forget the shadows of streams that have been silent for too long."""
    books, objects = buffer.books, buffer.objects
    for o in range(objects.size):
        if objects["mode"][o] == SHADOW and objects["seen"][o] + books.rule[EXPIRE_AFTER] < time:
            forget_shadow(buffer, o, AFTERWARDS)


@kernel
def leave_shadow(buffer, o):
    """Make a shadow of an object that nobody wants, if it is in the rim of an area; else forget it."""
    objects, cells = buffer.objects, buffer.cells
    keep_shadows_few(buffer, AFTERWARDS)
    stays = casts_shadow(buffer, o)
    for turn in range(2 if stays else 1):
        place = first_query(cells, objects["cell"][o])
        while place != -1:
            q = query_at(cells, place)
            where = interest(buffer, q, o)
            if where != OUT:
                note(buffer, q, o, where, -1 if turn == 0 else 1)
            place = next_query(buffer.queries, cells, place)
        if turn == 0 and stays:
            become(buffer, o, SHADOW)
    if objects["references"][o] == 0:
        release(buffer, o)


@kernel
def let_go(buffer, o):
    """Forget an object if it has become insignificant; but for its shadow, if it is in the rim of an area."""
    objects = buffer.objects
    if objects["mode"][o] == FREE or objects["references"][o] > 0:
        return
    if is_focal(buffer, o) and objects["mode"][o] == STORED and not np.isnan(objects["point"][o, 0]):
        return
    buffer.books.counts[INSIGNIFICANT] += objects["mode"][o] == STORED
    if objects["mode"][o] == STORED and objects["cell"][o] >= 0 and buffer.books.rule[SHARE] < 1.0:
        leave_shadow(buffer, o)
    else:
        release(buffer, o)
