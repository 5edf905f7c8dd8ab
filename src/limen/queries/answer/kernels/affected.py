"""Find the queries that an instant affects: queries that move, and nearest queries with members that may change.

Queries that do not move are looked up from each stream that moved: the regions that contained it before the move, and
the regions that contain it now.
"""

import numpy as np

from limen.kernels._jit import inner_kernel
from limen.queries.answer.kernels.around import NEAREST, distance, inside
from limen.queries.answer.kernels.center_grid import collect, collect_open, is_seen_alike
from limen.queries.answer.kernels.emit import emit, with_columns
from limen.queries.answer.kernels.grid_insert import freshen_places
from limen.queries.answer.kernels.object_grid import PRESENT, SAME

QUERIES_A_STREAM = 4  # evaluated in the time of one look-up from a stream
ANYWHERE, WHERE_IT_WAS, WHERE_IT_IS = 0, 1, 2  # where queries were found that a stream's move may concern


@inner_kernel
def mark_affected(marked, now, queries, affected, q):
    """Mark a query as affected, once, and return the number of affected queries."""
    if marked[q] == now:
        return affected
    marked[q] = now
    queries[affected] = q
    return affected + 1


@inner_kernel
def probe_queries(queries, grid, timeline, entry, found, where, affected, lonlat, scratch, out, count):
    """Evaluate the move of a stream for the queries found, as far as they have not moved.

    A range found both at the old and at the new position emits the removal at the old one and the addition at the new
    one. A nearest query is affected if the stream was, or is, as near as its furthest member.
    """
    kind, half, limit, focal, center = queries.kind, queries.half, queries.limit, queries.focal, queries.center
    marked, now, position, point = scratch.marked, scratch.clock[0], grid.position, timeline.point
    i = timeline.stream[entry]
    was_there, is_there = not np.isnan(position[i, 0]), timeline.code[entry] == PRESENT
    for at in range(found):
        q = scratch.found_queries[at]
        if marked[q] == now or focal[q] == i or np.isnan(center[q, 0]):
            continue
        if kind[q] == NEAREST:
            if queries.member_count[q] < queries.wanted[q]:
                near = was_there != is_there
            else:
                near = was_there and distance(lonlat, center, q, position, i) <= limit[q]
                near = near or (is_there and distance(lonlat, center, q, point, entry) <= limit[q])
            if near:
                affected = mark_affected(marked, now, scratch.affected, affected, q)
            continue
        half_x, half_y = half[q, 0], half[q, 1]
        was_in = was_there and inside(lonlat, kind[q], half_x, half_y, limit[q], center, q, position, i)
        if where != ANYWHERE and was_in != (where == WHERE_IT_WAS):
            continue
        is_in = is_there and inside(lonlat, kind[q], half_x, half_y, limit[q], center, q, point, entry)
        if was_in != is_in:
            count = emit(out, count, q, i, is_in, entry, scratch.row[i])
    return affected, count


@inner_kernel
def listed_for(listed, i, found):
    """Find the queries that list a stream, and return their number."""
    count, at = 0, listed.head[i]
    while at >= 0:
        found[count] = listed.query[at]
        count += 1
        at = listed.after[at]
    return count


@inner_kernel
def probe_moves(queries, grid, centers, listed, timeline, first, last, affected, lonlat, scratch, out, count):
    """Evaluate the moves of streams for all queries that have not moved."""
    some, position, point, code = scratch.found_queries, grid.position, timeline.point, timeline.code
    for entry in range(first, last):
        i = timeline.stream[entry]
        was_there, is_there = not np.isnan(position[i, 0]), code[entry] == PRESENT
        if code[entry] == SAME or not (was_there or is_there):
            continue
        x, y, new_x, new_y = position[i, 0], position[i, 1], point[entry, 0], point[entry, 1]
        alike = was_there and is_there and is_seen_alike(centers, x, y, new_x, new_y, lonlat)
        for look in range(4):
            where = ANYWHERE
            if look == 0:
                found = listed_for(listed, i, some)
            elif look == 1:
                found = collect_open(centers, some) if was_there != is_there else 0
            elif look == 2:
                found = collect(centers, x, y, lonlat, some) if was_there else 0
                where = ANYWHERE if alike else WHERE_IT_WAS
            else:
                found = collect(centers, new_x, new_y, lonlat, some) if is_there and not alike else 0
                where = WHERE_IT_IS
            out = with_columns(out, count, found)
            affected, count = probe_queries(
                queries, grid, timeline, entry, found, where, affected, lonlat, scratch, out, count
            )
    return affected, count, out


@inner_kernel
def mark_all(kind, affected_queries):
    """Mark all queries as affected, and return how many there are."""
    affected = 0
    for q in range(kind.size):
        if kind[q] >= 0:
            affected_queries[affected] = q
            affected += 1
    return affected


@inner_kernel
def find_affected(
    queries, grid, centers, listed, around, timeline, first, last, count_queries, lonlat, scratch, out, count
):  # fmt: skip
    """Find the queries that must be evaluated in an instant; emit the changes of all other queries."""
    affected = changed = 0
    marked, now, affected_queries = scratch.marked, scratch.clock[0], scratch.affected
    entries, rows, next_around = scratch.entry, scratch.row, queries.next_around
    stream, code, row = timeline.stream, timeline.code, timeline.row
    for entry in range(first, last):
        i = stream[entry]
        if row[entry] >= 0:
            rows[i] = row[entry]
        if code[entry] != SAME:
            changed += 1
            entries[i] = entry
    # If so many streams moved that evaluating all queries is cheaper, skip the look-up of moving queries.
    if QUERIES_A_STREAM * changed >= count_queries:
        return mark_all(queries.kind, affected_queries), count, out
    for entry in range(first, last):
        if code[entry] != SAME:
            q = around[stream[entry]]
            while q >= 0:
                affected = mark_affected(marked, now, affected_queries, affected, q)
                q = next_around[q]
    if QUERIES_A_STREAM * changed >= count_queries - affected:
        return mark_all(queries.kind, affected_queries), count, out
    freshen_places(queries, centers, lonlat, scratch)
    return probe_moves(queries, grid, centers, listed, timeline, first, last, affected, lonlat, scratch, out, count)
