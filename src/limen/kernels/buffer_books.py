"""What a shared buffer uses, what queries miss, and who can do without whom.

A query that is *locked* can lose no more without falling below its least accuracy.
"""

from __future__ import annotations

from limen.kernels._jit import kernel
from limen.kernels.buffer_arrays import (
    A_OBJECT,
    A_QUERY,
    A_SHADOW,
    DETAILS,
    HALVED,
    MEMORY,
    OBJECTS,
    OUT,
    QUERIES,
    SHADOW,
    SHADOWS,
    SHED_AREAS,
    SHEDDING,
    STORED,
)
from limen.kernels.buffer_cells import first_query, next_query, query_at
from limen.kernels.buffer_regions import interest
from limen.kernels.buffer_renewal import is_chosen, is_focal

TARGET = 0.9  # of the memory, down to which is shed
SMALLER = 0.9  # what areas are multiplied by when they shrink


@kernel
def used(books):
    """Return the bytes in use, by count."""
    count, rule = books.counts, books.rule
    streams = count[OBJECTS] * rule[A_OBJECT] + count[SHADOWS] * rule[A_SHADOW]
    return streams + count[QUERIES] * rule[A_QUERY] + count[DETAILS]


@kernel
def is_light(books):
    """Tell whether enough has been shed."""
    return used(books) <= TARGET * books.rule[MEMORY]


@kernel
def has_room(buffer, o):
    """Tell whether there is room for an object that is new, or a shadow until now."""
    rule = buffer.books.rule
    more = rule[A_OBJECT] - (rule[A_SHADOW] if buffer.objects["mode"][o] == SHADOW else 0.0)
    return used(buffer.books) + more <= rule[MEMORY]


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
def missed(buffer, q):
    """Return how many streams a query misses, as far as shadows tell."""
    each = 0 if buffer.queries["least"][q] > 0.0 else buffer.books.shedding[HALVED]
    return buffer.queries["shadows"][q] << each


@kernel
def accuracy(buffer, q):
    """Return the accuracy of a query in percent, as far as can be known: what is stored of what is due."""
    queries = buffer.queries
    due = queries["stored"][q] + missed(buffer, q)
    return 100.0 * queries["share"][q] * (queries["stored"][q] / due if due > 0 else 1.0)


@kernel
def would_lack(buffer, q, fewer):
    """Tell whether a query would have less than its least accuracy with one more that it misses, and fewer stored."""
    queries = buffer.queries
    due = queries["stored"][q] - fewer + missed(buffer, q) + 1
    return due > 0 and 100.0 * queries["share"][q] * (queries["stored"][q] - fewer) < queries["least"][q] * due


@kernel
def assess(buffer, some, out):
    """Set for some queries (n, 5): objects, shadows, accuracy in percent, the share left, and whether it is locked.

    A locked query cannot lose another object, or more of its area, without falling below its least accuracy.
    """
    queries, rule = buffer.queries, buffer.books.rule
    for at in range(some.size):
        q = some[at]
        out[at, 0], out[at, 1], out[at, 2] = queries["stored"][q], missed(buffer, q), accuracy(buffer, q)
        out[at, 3] = queries["share"][q]
        locked = queries["least"][q] > 0.0
        if rule[SHEDDING] == SHED_AREAS:
            locked = locked and 100.0 * queries["share"][q] * SMALLER < queries["least"][q]
        else:
            locked = locked and queries["stored"][q] > 0 and would_lack(buffer, q, 1)
        out[at, 4] = locked


@kernel
def is_guarded(buffer, o, fewer):
    """Tell whether a query that has an object in its region or cache area cannot do without it.

    `fewer` is 1 for an object that is counted among those stored, 0 for one that is not counted.
    """
    queries, cells = buffer.queries, buffer.cells
    place = first_query(cells, buffer.objects["cell"][o])
    while place != -1:
        q = query_at(cells, place)
        if queries["least"][q] > 0.0 and would_lack(buffer, q, fewer) and interest(buffer, q, o) != OUT:
            return True
        place = next_query(queries, cells, place)
    return False


@kernel
def can_go(buffer, o):
    """Tell whether an object that is stored may be shed at all."""
    objects = buffer.objects
    if objects["mode"][o] != STORED or objects["references"][o] == 0 or is_focal(buffer, o):
        return False
    return not is_guarded(buffer, o, 1)
