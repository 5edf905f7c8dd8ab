"""Maintain answers instant by instant: emit the streams that enter and leave the region of each query.

The entries of a timeline are position updates of streams. Entries of one time and phase are one instant: they are
applied together, and the difference between before and after is emitted. There are two ways to find it:

* from a query: the streams that were in its region, and the streams in it now. Used for queries that moved.
* from a stream that moved: the regions that contained it before, and the regions that do now. Used for all other
  queries, unless so many streams moved that evaluating the queries is cheaper.

Consecutive instants with many moves are applied at once: see `independent_runs`. Changes then are
not in order of time.

The members of a nearest query are searched again when a stream moved that was, or is now, as near as its furthest
member.
"""

import numpy as np

from limen.kernels._jit import inner_kernel, kernel
from limen.queries.answer.kernels.affected import find_affected
from limen.queries.answer.kernels.around import NEAREST, inside
from limen.queries.answer.kernels.emit import with_columns
from limen.queries.answer.kernels.gathering import all_in_order, gather, in_order
from limen.queries.answer.kernels.grid_insert import place, update_places
from limen.queries.answer.kernels.independent_runs import (
    count_moving,
    end_of_run,
    forget_rows,
    remember_rows,
    sweep_run,
)
from limen.queries.answer.kernels.moving_streams import arrange_moves, usual_reach
from limen.queries.answer.kernels.nearest import look_for_nearest
from limen.queries.answer.kernels.object_grid import ARRANGED, GONE, SAME, SOMEWHERE, arrange, link, move_some
from limen.queries.answer.kernels.ranges import candidates, evaluate_ranges
from limen.queries.answer.kernels.sweeps import sweep_instant, sweep_nearest

MANY_AFFECTED = 64  # queries, from which on streams are arranged for them …
STREAMS_A_QUERY = 32  # … unless there are more streams for each


@inner_kernel
def move_queries(queries, affected, scratch):
    """Update the centers of queries; store the old centers."""
    for at in range(affected):
        q = scratch.affected[at]
        for c in range(queries.center.shape[1]):
            scratch.old_center[at, c] = queries.center[q, c]
            queries.center[q, c] = scratch.new_center[at, c]


@inner_kernel
def move_streams(grid, known, timeline, first, last, scratch):
    """Update the positions of streams; store the old positions."""
    position, old_point = grid.position, scratch.old_point
    stream, code, point = timeline.stream, timeline.code, timeline.point
    for entry in range(first, last):
        for c in range(point.shape[1]):
            old_point[entry - first, c] = position[stream[entry], c]
    move_some(grid, stream, point, code, first, last)
    for entry in range(first, last):
        if code[entry] != SAME:
            for c in range(point.shape[1]):
                known[stream[entry], c] = np.nan if code[entry] == GONE else point[entry, c]


@inner_kernel
def foresee_centers(queries, timeline, affected, scratch):
    """Compute the new centers of the affected queries."""
    for at in range(affected):
        q = scratch.affected[at]
        focal = queries.focal[q]
        entry = scratch.entry[focal] if focal >= 0 else -1
        for c in range(timeline.point.shape[1]):
            if entry < 0:
                scratch.new_center[at, c] = queries.center[q, c]
            elif timeline.code[entry] == GONE:
                scratch.new_center[at, c] = np.nan
            else:
                scratch.new_center[at, c] = timeline.point[entry, c]


@inner_kernel
def is_much(affected, grid):
    """Return whether enough queries are affected to sort the streams by cell first."""
    return affected >= MANY_AFFECTED and STREAMS_A_QUERY * affected >= grid.state[SOMEWHERE]


@inner_kernel
def finish(queries, centers, timeline, first, last, affected, count_queries, is_run, lonlat, scratch):
    """Update what finds queries and entries, after an instant."""
    update_places(queries, centers, affected, affected == count_queries, lonlat, scratch)
    if is_run:
        forget_rows(timeline, first, last, scratch)
    for entry in range(first, last):
        scratch.entry[timeline.stream[entry]] = -1


@kernel
def sweep_ranges(
    queries, grid, centers, known, timeline, first, last, affected, count_queries, is_run, lonlat, scratch, out, count
):  # fmt: skip
    """Move streams and queries, and evaluate many boxes and circles on the plane at once."""
    move_streams(grid, known, timeline, first, last, scratch)
    reach = usual_reach(grid.frame, grid.position, scratch.entry, scratch.old_point, first)
    arrange_moves(grid, scratch.entry, scratch.row, scratch.old_point, first, reach, scratch.moves)
    if affected == count_queries:
        all_in_order(queries, grid, affected, scratch)
    else:
        in_order(queries, grid, affected, scratch)
    gather(queries, known, affected, scratch)
    if is_run:
        count, out = sweep_run(grid, affected, reach, timeline, scratch, out, count)
    else:
        count, out = sweep_instant(grid, affected, reach, first, scratch, out, count)
    finish(queries, centers, timeline, first, last, affected, count_queries, is_run, lonlat, scratch)
    return count, out


@kernel
def sweep_all(
    queries, grid, centers, known, members, listed, names, timeline, first, last, affected, count_queries, count_ranges,
    lonlat, scratch, out, count,
):  # fmt: skip
    """Move streams and queries of any kind, and evaluate many queries with streams sorted by cell."""
    in_order(queries, grid, affected, scratch)
    foresee_centers(queries, timeline, affected, scratch)
    if count_ranges > 0:
        arrange(grid)
        count, out = evaluate_ranges(
            queries, grid, listed, timeline, affected, False, first, lonlat, scratch, out, count
        )
    move_queries(queries, affected, scratch)
    move_streams(grid, known, timeline, first, last, scratch)
    arrange(grid)
    if count_ranges > 0:
        count, out = evaluate_ranges(
            queries, grid, listed, timeline, affected, True, first, lonlat, scratch, out, count
        )
    on_a_plane = not lonlat and grid.position.shape[1] == 2
    if on_a_plane and count_queries > count_ranges:
        count, out = sweep_nearest(queries, grid, members, names, affected, first, scratch, out, count)
    for at in range(affected):
        q = scratch.affected[at]
        if queries.kind[q] == NEAREST and (scratch.singly[at] or not on_a_plane):
            count, out = look_for_nearest(queries, grid, members, listed, names, q, first, lonlat, scratch, out, count)
    finish(queries, centers, timeline, first, last, affected, count_queries, False, lonlat, scratch)
    return count, out


@inner_kernel
def play_instant(
    queries, grid, known, members, listed, names, timeline, first, last, affected, count_ranges, lonlat, scratch, out,
    count,
):  # fmt: skip
    """Move streams and queries of any kind, and evaluate the affected queries one by one."""
    link(grid)
    grid.state[ARRANGED] = 0
    foresee_centers(queries, timeline, affected, scratch)
    if count_ranges > 0:
        count, out = evaluate_ranges(
            queries, grid, listed, timeline, affected, False, first, lonlat, scratch, out, count
        )
    move_queries(queries, affected, scratch)
    move_streams(grid, known, timeline, first, last, scratch)
    if count_ranges > 0:
        count, out = evaluate_ranges(
            queries, grid, listed, timeline, affected, True, first, lonlat, scratch, out, count
        )
    for at in range(affected):
        q = scratch.affected[at]
        if queries.kind[q] == NEAREST:
            count, out = look_for_nearest(queries, grid, members, listed, names, q, first, lonlat, scratch, out, count)
    return count, out


@kernel
def play(
    queries, grid, centers, known, around, members, listed, names, timeline, plain, count_queries, count_ranges, lonlat,
    scratch, first, tried, count, out,
):  # fmt: skip
    """Apply a timeline from an entry on, to its end or to an instant that `sweep_ranges` or `sweep_all` must apply.

    Those are for instants that affect many queries. They are kernels of their own, so that users with few queries do
    not wait until they are compiled.

    Parameters
    ----------
    queries, grid, centers
        The queries, the streams that they look for, and the queries by what they may contain.
    known : float64 array (streams, dimensions)
        Positions of streams for the queries that move with them.
    around, members : int32 arrays
        By stream, the first query that moves with it; the members of the nearest.
    plain : bool
        Whether all queries are boxes and circles on the plane, about all streams.
    count_queries, count_ranges : int
        How many there are, and how many of them are boxes and circles.
    first, tried : int
        The entry to begin with; up to which entry a run of instants was looked for.
    count, out : int, int32 array (5, n)
        How many changes there are, and room for more to begin with.

    Returns
    -------
    first, last, tried, affected, is_run, count, out
        The instant to sweep: its entries, the number of affected queries, and whether it is a run of instants.
        The end of the timeline, twice, if there is none.
    """
    while first < timeline.stream.size:
        last, is_run = first + 1, False
        while last < timeline.stream.size and timeline.instant[last] == timeline.instant[first]:
            last += 1
        if plain and first >= tried:
            tried = end_of_run(timeline, first, scratch)
            moving = count_moving(timeline, first, tried, around, queries.next_around) if tried > last else 0
            is_run = is_much(moving, grid)
            last = tried if is_run else last
        scratch.clock[0] += 1
        if is_run:
            remember_rows(timeline, first, last, scratch)
        affected, count, out = find_affected(
            queries, grid, centers, listed, around, timeline, first, last, count_queries, lonlat, scratch, out, count
        )
        if is_much(affected, grid):
            return first, last, tried, affected, is_run, count, out
        count, out = play_instant(
            queries, grid, known, members, listed, names, timeline, first, last, affected, count_ranges, lonlat,
            scratch, out, count,
        )  # fmt: skip
        finish(queries, centers, timeline, first, last, affected, count_queries, is_run, lonlat, scratch)
        first = last
    for entry in range(timeline.stream.size):
        scratch.row[timeline.stream[entry]] = -1
    return first, first, tried, 0, False, count, out


@kernel
def initialize(queries, grid, centers, known, members, listed, names, some, lonlat, scratch, out):
    """Initialize new queries, their centers, cells and nearest members, without emitting changes."""
    if grid.state[ARRANGED] == 0:
        link(grid)
    for at in range(some.size):
        q = some[at]
        if queries.focal[q] >= 0:
            for c in range(known.shape[1]):
                queries.center[q, c] = known[queries.focal[q], c]
        if queries.kind[q] == NEAREST:
            queries.member_count[q] = 0
            _, out = look_for_nearest(queries, grid, members, listed, names, q, 0, lonlat, scratch, out, 0)
        place(queries, centers, q, lonlat, scratch)


@kernel
def answers_of(queries, grid, members, listed, some, lonlat, scratch, out):
    """Find the answers of some queries: columns of a query's place among them and a stream, and how many there are."""
    count = 0
    kind, half, limit, center = queries.kind, queries.half, queries.limit, queries.center
    if grid.state[ARRANGED] == 0:
        link(grid)
    for at in range(some.size):
        q = some[at]
        if np.isnan(queries.center[q, 0]):
            continue
        if queries.kind[q] == NEAREST:
            out = with_columns(out, count, queries.member_count[q])
            for place_of in range(queries.member_first[q], queries.member_first[q] + queries.member_count[q]):
                out[0, count], out[1, count] = at, members[place_of]
                count += 1
            continue
        found = candidates(queries, grid, listed, q, lonlat, scratch)
        out = with_columns(out, count, found)
        for near in range(found):
            i = scratch.found[near]
            if i != queries.focal[q] and inside(
                lonlat, kind[q], half[q, 0], half[q, 1], limit[q], center, q, scratch.found_here, near
            ):
                out[0, count], out[1, count] = at, i
                count += 1
    return count, out
