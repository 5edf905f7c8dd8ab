"""Answers kept up to date, instant by instant: who comes into the region of a query, and who goes out.

A line of entries says who was where and when. Entries of one time and phase are one instant: all of them are applied
together, and what is told is the difference between before and after. There are two ways to find it:

* from a query: who was in its region, and who is in it now. So for queries that moved themselves.
* from a stream that moved: which regions held it before, and which do now. So for all other queries; unless so many
  streams have moved that it is cheaper to ask the queries.

Where many instants follow each other and much moves in them, they are played at once: see `passages`. Changes then do
not come in the order of time.

The nearest of a query are looked for anew when a stream moved that was or comes to be as near as the furthest of them.
"""

from __future__ import annotations

import numpy as np

from limen.kernels._jit import kernel
from limen.kernels.around import NEAREST, inside
from limen.kernels.asking import who_is_asked
from limen.kernels.mustering import all_in_order, in_order, muster
from limen.kernels.nearest import look_for_nearest
from limen.kernels.object_grid import ARRANGED, GONE, SAME, SOMEWHERE, arrange, link, move_some
from limen.kernels.passages import count_moving, end_of_passage, forget_rows, remember_rows, sweep_passage
from limen.kernels.passing_streams import arrange_moves, usual_reach
from limen.kernels.placing import place, settle_places
from limen.kernels.ranges import ask_ranges, candidates
from limen.kernels.sweeps import sweep_instant, sweep_nearest
from limen.kernels.telling import with_columns

MANY_ASKED = 64  # queries, from which on streams are arranged for them …
STREAMS_A_QUERY = 32  # … unless there are more streams for each


@kernel
def move_queries(queries, asked, scratch):
    """Give queries their new centers; keep what they were."""
    for at in range(asked):
        q = scratch.asked[at]
        for c in range(queries.center.shape[1]):
            scratch.old_center[at, c] = queries.center[q, c]
            queries.center[q, c] = scratch.new_center[at, c]


@kernel
def move_streams(grid, known, line, first, last, scratch):
    """Give streams their new positions; keep what they were."""
    position, old_point, stream, code, point = grid.position, scratch.old_point, line.stream, line.code, line.point
    for entry in range(first, last):
        for c in range(point.shape[1]):
            old_point[entry - first, c] = position[stream[entry], c]
    move_some(grid, stream, point, code, first, last)
    for entry in range(first, last):
        if code[entry] != SAME:
            for c in range(point.shape[1]):
                known[stream[entry], c] = np.nan if code[entry] == GONE else point[entry, c]


@kernel
def foresee_centers(queries, line, asked, scratch):
    """Find out where the queries that are asked will have their centers."""
    for at in range(asked):
        q = scratch.asked[at]
        focal = queries.focal[q]
        entry = scratch.entry[focal] if focal >= 0 else -1
        for c in range(line.point.shape[1]):
            if entry < 0:
                scratch.new_center[at, c] = queries.center[q, c]
            elif line.code[entry] == GONE:
                scratch.new_center[at, c] = np.nan
            else:
                scratch.new_center[at, c] = line.point[entry, c]


@kernel
def is_much(asked, grid):
    """Tell whether so many queries are asked that it pays to arrange streams for them."""
    return asked >= MANY_ASKED and STREAMS_A_QUERY * asked >= grid.state[SOMEWHERE]


@kernel
def sweep_ranges(queries, grid, known, line, first, last, asked, everyone, passage, scratch, out, count):
    """Move streams and queries, boxes and circles on the plane, and ask many of these at once."""
    move_streams(grid, known, line, first, last, scratch)
    reach = usual_reach(grid.frame, grid.position, scratch.entry, scratch.old_point, first)
    arrange_moves(grid, scratch.entry, scratch.row, scratch.old_point, first, reach, scratch.moves)
    if everyone:
        all_in_order(queries, grid, asked, scratch)
    else:
        in_order(queries, grid, asked, scratch)
    muster(queries, known, asked, scratch)
    if passage:
        return sweep_passage(
            grid.frame, grid.start, scratch.muster, scratch.moves, asked, reach, line, scratch, out, count
        )
    return sweep_instant(
        grid.frame, grid.start, scratch.muster, scratch.moves, asked, reach, first, scratch, out, count
    )


@kernel
def play_instant(
    queries, grid, known, members, listed, names, line, first, last, asked, count_queries, count_ranges, lonlat,
    scratch, out, count,
):  # fmt: skip
    """Move streams and queries of any kind, and ask queries who goes and who comes."""
    bulk = is_much(asked, grid)
    swept = bulk and not lonlat and grid.position.shape[1] == 2
    if bulk:
        in_order(queries, grid, asked, scratch)
    else:
        link(grid)
        grid.state[ARRANGED] = 0
    foresee_centers(queries, line, asked, scratch)
    if count_ranges > 0:
        if bulk:
            arrange(grid)
        count, out = ask_ranges(queries, grid, listed, line, asked, False, first, lonlat, scratch, out, count)
    move_queries(queries, asked, scratch)
    move_streams(grid, known, line, first, last, scratch)
    if bulk:
        arrange(grid)
    if count_ranges > 0:
        count, out = ask_ranges(queries, grid, listed, line, asked, True, first, lonlat, scratch, out, count)
    if swept and count_queries > count_ranges:
        count, out = sweep_nearest(queries, grid, members, names, asked, first, scratch, out, count)
    for at in range(asked):
        q = scratch.asked[at]
        if queries.kind[q] == NEAREST and (scratch.singly[at] or not swept):
            count, out = look_for_nearest(queries, grid, members, listed, names, q, first, lonlat, scratch, out, count)
    return count, out


@kernel
def play(
    queries, grid, centers, known, around, members, listed, names, line, count_queries, count_ranges, lonlat, scratch,
    out,
):  # fmt: skip
    """Play a line; return how many changes of answers follow, and these, columns as `tell` writes them.

    Parameters
    ----------
    queries, grid, centers
        The queries, the streams that they look for, and the queries by what they may contain.
    known : float64 array (streams, dimensions)
        Where streams are, for those who move with them.
    around, members : int32 arrays
        By stream, the first query that moves with it; the members of the nearest.
    count_queries, count_ranges : int
        How many there are, and how many of them are boxes and circles.
    out : int32 array (5, n)
        Room to begin with.
    """
    count = first = tried = 0
    # Who are nearest can only be told one instant after the other, and so can what is asked of some streams only.
    plain = count_queries == count_ranges and listed.stream.size == 0 and not lonlat and grid.position.shape[1] == 2
    while first < line.stream.size:
        last, passage = first + 1, False
        while last < line.stream.size and line.instant[last] == line.instant[first]:
            last += 1
        if plain and first >= tried:
            tried = end_of_passage(line, first, scratch.met, scratch.clock)
            moving = count_moving(line, first, tried, around, queries.next_around) if tried > last else 0
            passage = is_much(moving, grid)
            last = tried if passage else last
        scratch.clock[0] += 1
        if passage:
            remember_rows(line, first, last, scratch)
        asked, count, out = who_is_asked(
            queries, grid, centers, listed, around, line, first, last, count_queries, lonlat, scratch, out, count
        )
        if plain and is_much(asked, grid):
            count, out = sweep_ranges(
                queries, grid, known, line, first, last, asked, asked == count_queries, passage, scratch, out, count
            )  # fmt: skip
        else:
            count, out = play_instant(
                queries, grid, known, members, listed, names, line, first, last, asked, count_queries, count_ranges,
                lonlat, scratch, out, count,
            )  # fmt: skip
        settle_places(queries, centers, asked, asked == count_queries, lonlat, scratch)
        if passage:
            forget_rows(line, first, last, scratch)
        for entry in range(first, last):
            scratch.entry[line.stream[entry]] = -1
        first = last
    for entry in range(line.stream.size):
        scratch.row[line.stream[entry]] = -1
    return count, out


@kernel
def settle(queries, grid, centers, known, members, listed, names, some, lonlat, scratch, out):
    """Give queries, which have just come, their centers and their places, and find their nearest, silently."""
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
        found = candidates(queries, grid, listed, q, queries.center, q, lonlat, scratch)
        out = with_columns(out, count, found)
        for near in range(found):
            i = scratch.found[near]
            if i != queries.focal[q] and inside(
                lonlat, kind[q], half[q, 0], half[q, 1], limit[q], center, q, scratch.found_here, near
            ):
                out[0, count], out[1, count] = at, i
                count += 1
    return count, out
