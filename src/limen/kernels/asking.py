"""Who has to be asked in an instant: queries that move themselves, and those whose nearest may have become others.

For a query that does not move, what a stream's move means is seen from the stream: which regions held it before, and
which do now.
"""

from __future__ import annotations

import numpy as np

from limen.kernels._jit import kernel
from limen.kernels.around import NEAREST, distance, inside
from limen.kernels.center_grid import collect, collect_open, is_seen_alike
from limen.kernels.object_grid import PRESENT, SAME
from limen.kernels.placing import freshen_places
from limen.kernels.telling import tell, with_columns

QUERIES_A_STREAM = 4  # that can be asked while one stream looks around
ANYWHERE, WHERE_IT_WAS, WHERE_IT_IS = 0, 1, 2  # where queries were found that a stream's move may concern


@kernel
def ask(marked, now, queries, asked, q):
    """Mark a query to be asked, unless it is, and return how many are."""
    if marked[q] == now:
        return asked
    marked[q] = now
    queries[asked] = q
    return asked + 1


@kernel
def judge(
    found, some, where, kind, half, limit, focal, center, member_count, wanted, marked, now, queries, asked, lonlat,
    position, i, was_there, point, entry, is_there, rows, out, count,
):  # fmt: skip
    """See what the move of a stream means to some queries that have not moved themselves.

    Of a range that is found both where the stream was and where it is, each place tells its part: that it goes, that
    it comes. The nearest are to be asked if the stream was, or is, as near as the furthest of them.
    """
    for at in range(found):
        q = some[at]
        if marked[q] == now or focal[q] == i or np.isnan(center[q, 0]):
            continue
        if kind[q] == NEAREST:
            if member_count[q] < wanted[q]:
                near = was_there != is_there
            else:
                near = was_there and distance(lonlat, center, q, position, i) <= limit[q]
                near = near or (is_there and distance(lonlat, center, q, point, entry) <= limit[q])
            if near:
                asked = ask(marked, now, queries, asked, q)
            continue
        half_x, half_y = half[q, 0], half[q, 1]
        was_in = was_there and inside(lonlat, kind[q], half_x, half_y, limit[q], center, q, position, i)
        if where != ANYWHERE and was_in != (where == WHERE_IT_WAS):
            continue
        is_in = is_there and inside(lonlat, kind[q], half_x, half_y, limit[q], center, q, point, entry)
        if was_in != is_in:
            count = tell(out, count, q, i, is_in, entry, rows[i])
    return asked, count


@kernel
def listed_for(head, after, query, i, found):
    """Find the queries that are about a stream by name, and return how many there are."""
    count, at = 0, head[i]
    while at >= 0:
        found[count] = query[at]
        count += 1
        at = after[at]
    return count


@kernel
def ask_around(queries, grid, centers, listed, line, first, last, asked, lonlat, scratch, out, count):
    """See what the moves of streams mean to all queries that have not moved themselves."""
    kind, half, limit, focal, center = queries.kind, queries.half, queries.limit, queries.focal, queries.center
    member_count, wanted, marked, now = queries.member_count, queries.wanted, scratch.marked, scratch.clock[0]
    asked_queries, some, rows = scratch.asked, scratch.found_queries, scratch.row
    position, point, code, stream = grid.position, line.point, line.code, line.stream
    for entry in range(first, last):
        i = stream[entry]
        was_there, is_there = not np.isnan(position[i, 0]), code[entry] == PRESENT
        if code[entry] == SAME or not (was_there or is_there):
            continue
        x, y, new_x, new_y = position[i, 0], position[i, 1], point[entry, 0], point[entry, 1]
        alike = was_there and is_there and is_seen_alike(centers, x, y, new_x, new_y, lonlat)
        for look in range(4):
            where = ANYWHERE
            if look == 0:
                found = listed_for(listed.head, listed.after, listed.query, i, some)
            elif look == 1:
                found = collect_open(centers, some) if was_there != is_there else 0
            elif look == 2:
                found = collect(centers, x, y, lonlat, some) if was_there else 0
                where = ANYWHERE if alike else WHERE_IT_WAS
            else:
                found = collect(centers, new_x, new_y, lonlat, some) if is_there and not alike else 0
                where = WHERE_IT_IS
            out = with_columns(out, count, found)
            asked, count = judge(
                found, some, where, kind, half, limit, focal, center, member_count, wanted, marked, now,
                asked_queries, asked, lonlat, position, i, was_there, point, entry, is_there, rows, out, count,
            )  # fmt: skip
    return asked, count, out


@kernel
def ask_everyone(kind, asked_queries):
    """Ask all queries there are, and return how many."""
    asked = 0
    for q in range(kind.size):
        if kind[q] >= 0:
            asked_queries[asked] = q
            asked += 1
    return asked


@kernel
def who_is_asked(
    queries, grid, centers, listed, around, line, first, last, count_queries, lonlat, scratch, out, count
):  # fmt: skip
    """Find the queries that have to be asked in an instant; tell what follows for the others."""
    asked = changed = 0
    marked, now, asked_queries = scratch.marked, scratch.clock[0], scratch.asked
    entries, rows, next_around = scratch.entry, scratch.row, queries.next_around
    stream, code, row = line.stream, line.code, line.row
    for entry in range(first, last):
        i = stream[entry]
        if row[entry] >= 0:
            rows[i] = row[entry]
        if code[entry] != SAME:
            changed += 1
            entries[i] = entry
    # Where so many have moved that it is cheaper to ask everyone, it need not be found out who moves with them.
    if QUERIES_A_STREAM * changed >= count_queries:
        return ask_everyone(queries.kind, asked_queries), count, out
    for entry in range(first, last):
        if code[entry] != SAME:
            q = around[stream[entry]]
            while q >= 0:
                asked = ask(marked, now, asked_queries, asked, q)
                q = next_around[q]
    if QUERIES_A_STREAM * changed >= count_queries - asked:
        return ask_everyone(queries.kind, asked_queries), count, out
    freshen_places(queries, centers, lonlat, scratch)
    return ask_around(queries, grid, centers, listed, line, first, last, asked, lonlat, scratch, out, count)
