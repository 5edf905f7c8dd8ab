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
from limen.kernels.nearest import look_for_nearest
from limen.kernels.object_grid import ARRANGED, GONE, SAME, SOMEWHERE, arrange, cell_of, link, move_some
from limen.kernels.passages import count_moving, end_of_passage, forget_rows, remember_rows, sweep_passage
from limen.kernels.passing_streams import arrange_moves, usual_reach
from limen.kernels.placing import place, settle_places
from limen.kernels.ranges import ask_ranges, candidates
from limen.kernels.sweeps import sweep_nearest, sweep_ranges
from limen.kernels.telling import with_room

MANY_ASKED = 64  # queries, from which on streams are arranged for them …
STREAMS_A_QUERY = 32  # … unless there are more streams for each


@kernel
def move_all(queries, grid, known, line, first, last, asked, scratch):
    """Give streams their new positions, and queries their new centers; keep what they were."""
    for at in range(asked):
        q = scratch.asked[at]
        for c in range(line.point.shape[1]):
            scratch.old_center[at, c] = queries.center[q, c]
            queries.center[q, c] = scratch.new_center[at, c]
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
def in_order(queries, grid, asked, scratch):
    """Sort the queries that are asked by the cells of their centers, so that neighbours are asked after each other."""
    counts, by_cell, asked_queries = scratch.counts, scratch.found_queries, scratch.asked
    frame, center = grid.frame, queries.center
    counts[:] = 0
    cells = scratch.cells
    for at in range(asked):
        cells[at] = cell_of(frame, center, asked_queries[at])
        counts[cells[at] + 1] += 1
    for cell in range(counts.size - 1):
        counts[cell + 1] += counts[cell]
    for at in range(asked):
        by_cell[counts[cells[at]]] = asked_queries[at]
        counts[cells[at]] += 1
    asked_queries[:asked] = by_cell[:asked]


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
def sweep_moves(queries, grid, asked, first, scratch, out, count):
    """Ask queries about boxes and circles on the plane at once, all but those about some streams only."""
    reach = usual_reach(grid.frame, grid.position, scratch.entry, scratch.old_point, first)
    arrange_moves(grid, scratch.entry, scratch.old_point, first, reach, scratch.role)
    return sweep_ranges(
        queries.kind, queries.half, queries.limit, queries.focal, queries.center, scratch.old_center,
        queries.listed_count, scratch.asked, asked, grid.frame, reach, grid.start, grid.who, scratch.role, grid.here,
        grid.there, scratch.differs, first, scratch.row, out, count,
    )  # fmt: skip


@kernel
def is_much(asked, grid):
    """Tell whether so many queries are asked that it pays to arrange streams for them."""
    return asked >= MANY_ASKED and STREAMS_A_QUERY * asked >= grid.state[SOMEWHERE]


@kernel
def play_passage(
    queries, grid, centers, known, around, listed, line, first, last, count_queries, scratch, out, count
):  # fmt: skip
    """Play many instants at once, in which no stream speaks twice, for boxes and circles on the plane."""
    scratch.clock[0] += 1
    remember_rows(line, first, last, scratch)
    asked, count, out = who_is_asked(
        queries, grid, centers, listed, around, line, first, last, count_queries, False, scratch, out, count
    )
    in_order(queries, grid, asked, scratch)
    foresee_centers(queries, line, asked, scratch)
    move_all(queries, grid, known, line, first, last, asked, scratch)
    reach = usual_reach(grid.frame, grid.position, scratch.entry, scratch.old_point, first)
    arrange_moves(grid, scratch.entry, scratch.old_point, first, reach, scratch.role)
    count, out = sweep_passage(queries, grid, asked, reach, line, scratch, out, count)
    settle_places(queries, centers, asked, asked == count_queries, False, scratch)
    forget_rows(line, first, last, scratch)
    for entry in range(first, last):
        scratch.entry[line.stream[entry]] = -1
    return count, out


@kernel
def play(
    queries, grid, centers, known, around, members, listed, names, line, count_queries, count_ranges, lonlat, scratch,
    out,
):  # fmt: skip
    """Play a line, and return the changes of answers that follow, rows as `tell` writes them, and how many there are.

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
    out : int32 array (n, 5)
        Room to begin with.
    """
    count = first = tried = 0
    # Who are nearest can only be told one instant after the other, and so can what is asked of some streams only.
    by_passages = count_queries == count_ranges and listed.stream.size == 0 and not lonlat
    by_passages = by_passages and grid.position.shape[1] == 2
    while first < line.stream.size:
        if by_passages and first >= tried:
            tried = end_of_passage(line, first, scratch.met, scratch.clock)
            moving = count_moving(line, first, tried, around, queries.next_around)
            if line.instant[first] != line.instant[tried - 1] and is_much(moving, grid):
                count, out = play_passage(
                    queries,
                    grid,
                    centers,
                    known,
                    around,
                    listed,
                    line,
                    first,
                    tried,
                    count_queries,
                    scratch,
                    out,
                    count,
                )
                first = tried
                continue
        last = first + 1
        while last < line.stream.size and line.instant[last] == line.instant[first]:
            last += 1
        scratch.clock[0] += 1
        asked, count, out = who_is_asked(
            queries, grid, centers, listed, around, line, first, last, count_queries, lonlat, scratch, out, count
        )
        bulk = is_much(asked, grid)
        swept = bulk and not lonlat and grid.position.shape[1] == 2
        if bulk:
            in_order(queries, grid, asked, scratch)
        foresee_centers(queries, line, asked, scratch)
        if not bulk:
            link(grid)
            grid.state[ARRANGED] = 0
        elif not swept and count_ranges > 0:
            arrange(grid)
        if count_ranges > 0:
            count, out = ask_ranges(
                queries, grid, listed, line, asked, swept, False, first, lonlat, scratch, out, count
            )  # fmt: skip
        move_all(queries, grid, known, line, first, last, asked, scratch)
        if swept and count_ranges > 0:
            count, out = sweep_moves(queries, grid, asked, first, scratch, out, count)
        if bulk and (count_queries > count_ranges or not swept):
            arrange(grid)
        if count_ranges > 0:
            count, out = ask_ranges(queries, grid, listed, line, asked, swept, True, first, lonlat, scratch, out, count)
        if swept and count_queries > count_ranges:
            count, out = sweep_nearest(queries, grid, members, names, asked, first, scratch, out, count)
        for at in range(asked):
            q = scratch.asked[at]
            if queries.kind[q] == NEAREST and (scratch.singly[at] or not swept):
                count, out = look_for_nearest(
                    queries, grid, members, listed, names, q, first, lonlat, scratch, out, count
                )
        settle_places(queries, centers, asked, asked == count_queries, lonlat, scratch)
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
    """Find the answers of some queries: rows of a query's place among them and a stream, and how many there are."""
    count = 0
    kind, half, limit, center = queries.kind, queries.half, queries.limit, queries.center
    if grid.state[ARRANGED] == 0:
        link(grid)
    for at in range(some.size):
        q = some[at]
        if np.isnan(queries.center[q, 0]):
            continue
        if queries.kind[q] == NEAREST:
            out = with_room(out, count, queries.member_count[q])
            for place_of in range(queries.member_first[q], queries.member_first[q] + queries.member_count[q]):
                out[count, 0], out[count, 1] = at, members[place_of]
                count += 1
            continue
        found = candidates(queries, grid, listed, q, queries.center, q, lonlat, scratch)
        out = with_room(out, count, found)
        for near in range(found):
            i = scratch.found[near]
            if i != queries.focal[q] and inside(
                lonlat, kind[q], half[q, 0], half[q, 1], limit[q], center, q, scratch.found_here, near
            ):
                out[count, 0], out[count, 1] = at, i
                count += 1
    return count, out
