"""Answers kept up to date, instant by instant: who comes into the region of a query, and who goes out.

A line of entries says who was where and when. Entries of one time and phase are one instant: all of them are applied
together, and what is told is the difference between before and after. There are two ways to find it:

* from a query: who was in its region, and who is in it now. So for queries that moved themselves.
* from a stream that moved: which regions held it before, and which do now. So for all other queries; unless so many
  streams have moved that it is cheaper to ask the queries.

The nearest of a query are looked for anew when a stream moved that was or comes to be as near as the furthest of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limen.kernels._jit import kernel
from limen.kernels.around import DISC, NEAREST, distance, extent_of, inside, reach_along, reach_of
from limen.kernels.center_grid import OPEN, collect_open, level_of
from limen.kernels.center_grid import collect as collect_centers
from limen.kernels.center_grid import put_in as put_center
from limen.kernels.center_grid import take_out as take_center_out
from limen.kernels.nearest import is_nowhere, listed_somewhere, search
from limen.kernels.object_grid import (
    ARRANGED,
    GONE,
    PRESENT,
    SAME,
    SOMEWHERE,
    arrange,
    cell_of,
    collect,
    link,
    move_some,
)  # fmt: skip
from limen.kernels.sweeps import bounds_around, keep_nearest, limit_of_members, sweep_ranges
from limen.kernels.telling import tell, with_room

MANY_ASKED = 64  # queries, from which on streams are arranged for them …
STREAMS_A_QUERY = 8  # … unless there are more streams for each


class Line(NamedTuple):
    """What happens, in the order in which it happens.

    An entry's stream is gone; or present at a point; or barred: at a point, for those who move with it, but not for
    those who look for streams; or the same as before.
    """

    instant: npt.NDArray[np.int64]  # entries of one instant have the same number
    stream: npt.NDArray[np.int32]
    code: npt.NDArray[np.int8]
    row: npt.NDArray[np.int64]  # of the batch, -1 for none
    point: npt.NDArray[np.float64]  # (entries, dimensions)


class Listed(NamedTuple):
    """The streams that queries are about, of those that are not about all."""

    stream: npt.NDArray[np.int32]
    query: npt.NDArray[np.int32]
    after: npt.NDArray[np.int64]  # the next place with the same stream
    head: npt.NDArray[np.int64]  # by stream, the first place


class Names(NamedTuple):
    """The names of streams, which decide between those that are equally far away."""

    starts: npt.NDArray[np.int64]
    text: npt.NDArray[np.uint8]


class Scratch(NamedTuple):
    """Room to work in."""

    entry: npt.NDArray[np.int64]  # by stream: its entry in this instant, -1 for none
    row: npt.NDArray[np.int64]  # by stream: its last row in this batch, -1 for none
    met: npt.NDArray[np.int64]  # by stream: when it was last met among the nearest
    marked: npt.NDArray[np.int64]  # by query: when it was last marked
    clock: npt.NDArray[np.int64]  # (1,): counts instants, and then some
    found: npt.NDArray[np.int32]  # streams,
    found_here: npt.NDArray[np.float64]  # where they are,
    found_there: npt.NDArray[np.float64]  # and where they were or will be
    found_queries: npt.NDArray[np.int32]
    asked: npt.NDArray[np.int32]  # the queries that are asked in this instant
    old_center: npt.NDArray[np.float64]  # by place among them
    new_center: npt.NDArray[np.float64]
    old_point: npt.NDArray[np.float64]  # by entry of this instant
    kept: npt.NDArray[np.int32]
    kept_far: npt.NDArray[np.float64]
    extent: npt.NDArray[np.float64]
    columns: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]  # by cell
    singly: npt.NDArray[np.bool_]  # by place among the queries asked: whether it is not done yet


@kernel
def place(queries, centers, q, lonlat, scratch):
    """Put a query where points find it; those about some streams only are found by these."""
    if queries.listed_count[q] >= 0:
        return
    if np.isnan(queries.center[q, 0]):
        take_center_out(centers, q)
        return
    if queries.kind[q] == NEAREST and queries.member_count[q] < queries.wanted[q]:
        put_center(centers, q, OPEN, 0.0, 0.0)
        return
    extent_of(lonlat, queries, q, queries.center, q, scratch.extent)
    level = level_of(reach_along(scratch.extent, queries.center, q), lonlat)
    y = queries.center[q, 1] if queries.center.shape[1] > 1 else 0.0
    put_center(centers, q, level, queries.center[q, 0], y)


@kernel
def settle_places(queries, centers, asked, everyone, lonlat, scratch):
    """Put queries that were asked where points find them now; if that is everyone, not before someone looks."""
    if everyone:
        centers.stale[0] = 1
        return
    for at in range(asked):
        place(queries, centers, scratch.asked[at], lonlat, scratch)


@kernel
def freshen_places(queries, centers, lonlat, scratch):
    """Put all queries where points find them, if that was put off."""
    if centers.stale[0] == 1:
        centers.stale[0] = 0
        for q in range(queries.kind.size):
            if queries.kind[q] >= 0:
                place(queries, centers, q, lonlat, scratch)


@kernel
def candidates(queries, grid, listed, q, center, at, lonlat, scratch):
    """Find the streams that may be in the region of a query with its center in a row of an array."""
    if queries.listed_count[q] < 0:
        extent_of(lonlat, queries, q, center, at, scratch.extent)
        return collect(
            grid, scratch.extent, lonlat, scratch.columns, scratch.found, scratch.found_here, scratch.found_there
        )
    first = queries.listed_first[q]
    last = first + queries.listed_count[q]
    return listed_somewhere(grid, listed.stream, first, last, scratch.found, scratch.found_here)


@kernel
def take_nearest(
    found, q, first, wanted, member_count, limit, members, met, clock, kept, kept_far, entry, rows, out, count
):
    """Make those that were found the members of a query; tell who is new and who is gone."""
    before = member_count[q]
    clock[0] += 2
    now = clock[0]
    for at in range(found):
        met[kept[at]] = now
    out = with_room(out, count, before + found)
    for at in range(first, first + before):
        i = members[at]
        if met[i] == now:
            met[i] = now + 1
        else:
            count = tell(out, count, q, i, 0, entry, rows)
    for at in range(found):
        i = kept[at]
        if met[i] == now:
            count = tell(out, count, q, i, 1, entry, rows)
        members[first + at] = i
    clock[0] += 1
    member_count[q] = found
    limit[q] = kept_far[0] if found == wanted else np.inf
    return count, out


@kernel
def look_for_nearest(queries, grid, members, listed, names, q, entry, lonlat, scratch, out, count):
    """Find the nearest of a query anew, tell who came and who went, and keep them."""
    found = 0
    if not np.isnan(queries.center[q, 0]):
        found = search(grid, queries, q, members, listed, names, lonlat, scratch)
    return take_nearest(
        found, q, queries.member_first[q], queries.wanted[q], queries.member_count, queries.limit, members, scratch.met,
        scratch.clock, scratch.kept, scratch.kept_far, entry, scratch.row, out, count,
    )  # fmt: skip


@kernel
def sweep_nearest(queries, grid, members, names, asked, entry, scratch, out, count):
    """Find the nearest of many queries anew, of streams on the plane; mark those for which that has to be done singly.

    These are queries about some streams only, and those whose members of before do not tell how far to look.
    """
    kind, focal, center, limit = queries.kind, queries.focal, queries.center, queries.limit
    wanted, member_first, member_count = queries.wanted, queries.member_first, queries.member_count
    listed_count, asked_queries, met, clock = queries.listed_count, scratch.asked, scratch.met, scratch.clock
    kept, kept_far, rows, singly = scratch.kept, scratch.kept_far, scratch.row, scratch.singly
    position, frame, start, who, here = grid.position, grid.frame, grid.start, grid.who, grid.here
    starts, text = names.starts, names.text
    across = np.int64(frame[0, 2])
    for at in range(asked):
        q = asked_queries[at]
        singly[at] = kind[q] == NEAREST
        k = wanted[q]
        if kind[q] != NEAREST or listed_count[q] >= 0 or member_count[q] < k or np.isnan(center[q, 0]):
            continue
        x, y = center[q, 0], center[q, 1]
        bound = limit_of_members(x, y, focal[q], position, members, member_first[q], k)
        if bound == np.inf:
            continue
        reach = reach_of(bound)
        left, right, bottom, top = bounds_around(frame, x, y, reach, reach)
        found = keep_nearest(
            x, y, k, focal[q], bound, left, right, bottom, top, across, start, who, here, starts, text, kept_far, kept
        )  # fmt: skip
        count, out = take_nearest(
            found, q, member_first[q], k, member_count, limit, members, met, clock, kept, kept_far, entry, rows, out,
            count,
        )  # fmt: skip
        singly[at] = False
    return count, out


@kernel
def holds(lonlat, queries, q, points, i):
    """Tell whether the region of a query holds a point."""
    return inside(
        lonlat, queries.kind[q], queries.half[q, 0], queries.half[q, 1], queries.limit[q], queries.center, q, points, i
    )


@kernel
def ask(scratch, asked, q):
    """Mark a query to be asked, unless it is, and return how many are."""
    if scratch.marked[q] == scratch.clock[0]:
        return asked
    scratch.marked[q] = scratch.clock[0]
    scratch.asked[asked] = q
    return asked + 1


@kernel
def judge(queries, grid, line, q, entry, was_there, is_there, lonlat, scratch, asked, out, count):
    """See what the move of one stream means to one query that has not moved itself."""
    i = line.stream[entry]
    if scratch.marked[q] == scratch.clock[0] or queries.focal[q] == i:
        return asked, count
    if np.isnan(queries.center[q, 0]):
        return asked, count
    if queries.kind[q] == NEAREST:
        if queries.member_count[q] < queries.wanted[q]:
            near = was_there != is_there
        else:
            limit = queries.limit[q]
            near = was_there and distance(lonlat, queries.center, q, grid.position, i) <= limit
            near = near or (is_there and distance(lonlat, queries.center, q, line.point, entry) <= limit)
        return (ask(scratch, asked, q) if near else asked), count
    was_in = was_there and holds(lonlat, queries, q, grid.position, i)
    is_in = is_there and holds(lonlat, queries, q, line.point, entry)
    if was_in != is_in:
        count = tell(out, count, q, i, is_in, entry, scratch.row)
    return asked, count


@kernel
def ask_around(queries, grid, centers, listed, line, entry, lonlat, scratch, asked, out, count):
    """See what the move of one stream means to all queries that have not moved themselves."""
    i = line.stream[entry]
    was_there, is_there = not is_nowhere(grid, i), line.code[entry] == PRESENT
    if not was_there and not is_there:
        return asked, count, out
    axes = grid.position.shape[1]
    at = listed.head[i]
    while at >= 0:
        out = with_room(out, count, 1)
        asked, count = judge(
            queries, grid, line, listed.query[at], entry, was_there, is_there, lonlat, scratch, asked, out, count
        )
        at = listed.after[at]
    if was_there != is_there:
        for near in range(collect_open(centers, scratch.found_queries)):
            asked, count = judge(
                queries, grid, line, scratch.found_queries[near], entry, was_there, is_there, lonlat, scratch, asked,
                out, count,
            )  # fmt: skip
    # Those that held it before are found where it was, and told here if they no longer do; those that hold it now are
    # found where it is. A query that is found in both places tells in one of them only.
    if was_there:
        y = grid.position[i, 1] if axes > 1 else 0.0
        found = collect_centers(centers, grid.position[i, 0], y, axes, lonlat, scratch.found_queries)
        out = with_room(out, count, found)
        for near in range(found):
            q = scratch.found_queries[near]
            if queries.kind[q] == NEAREST or holds(lonlat, queries, q, grid.position, i):
                asked, count = judge(
                    queries, grid, line, q, entry, was_there, is_there, lonlat, scratch, asked, out, count
                )
    if is_there:
        y = line.point[entry, 1] if axes > 1 else 0.0
        found = collect_centers(centers, line.point[entry, 0], y, axes, lonlat, scratch.found_queries)
        out = with_room(out, count, found)
        for near in range(found):
            q = scratch.found_queries[near]
            if queries.kind[q] == NEAREST or not was_there or not holds(lonlat, queries, q, grid.position, i):
                asked, count = judge(
                    queries, grid, line, q, entry, was_there, is_there, lonlat, scratch, asked, out, count
                )
    return asked, count, out


@kernel
def where_to(point, code, entries, who, found, here, there):
    """Find out where some streams will be after the instant; NaN for nowhere."""
    for at in range(found):
        mine = entries[who[at]]
        for c in range(here.shape[1]):
            if mine < 0:
                there[at, c] = here[at, c]
            else:
                there[at, c] = point[mine, c] if code[mine] == PRESENT else np.nan


@kernel
def where_from(old_point, entries, first, who, found, here, there):
    """Find out where some streams were before the instant."""
    for at in range(found):
        mine = entries[who[at]]
        for c in range(here.shape[1]):
            there[at, c] = here[at, c] if mine < 0 else old_point[mine - first, c]


@kernel
def differing(
    lonlat, kind, half_x, half_y, limit, focal, q, center, c, other, o, who, here, there, found, adds, entry, rows, out,
    count,
):  # fmt: skip
    """Tell which streams are in a region here, and not in it there, where its center is another."""
    nowhere = np.isnan(other[o, 0])
    for at in range(found):
        i = who[at]
        if i == focal or not inside(lonlat, kind, half_x, half_y, limit, center, c, here, at):
            continue
        if nowhere or np.isnan(there[at, 0]) or not inside(lonlat, kind, half_x, half_y, limit, other, o, there, at):
            count = tell(out, count, q, i, adds, entry, rows)
    return count


@kernel
def ask_range(queries, grid, listed, line, at, comes, first, lonlat, scratch, out, count):
    """Ask a query who comes into its region, when all have moved, or who goes, when nobody has moved yet."""
    q, center, other = scratch.asked[at], queries.center, scratch.old_center if comes else scratch.new_center
    if np.isnan(center[q, 0]):
        return count, out
    who, here, there, entries = scratch.found, scratch.found_here, scratch.found_there, scratch.entry
    found = candidates(queries, grid, listed, q, center, q, lonlat, scratch)
    if queries.listed_count[q] >= 0 or grid.state[ARRANGED] == 0:
        if comes:
            where_from(scratch.old_point, entries, first, who, found, here, there)
        else:
            where_to(line.point, line.code, entries, who, found, here, there)
    out = with_room(out, count, found)
    count = differing(
        lonlat, queries.kind[q], queries.half[q, 0], queries.half[q, 1], queries.limit[q], queries.focal[q], q, center,
        q, other, at, who, here, there, found, comes, first, scratch.row, out, count,
    )  # fmt: skip
    return count, out


@kernel
def ask_ranges(queries, grid, listed, line, asked, swept, comes, other, first, lonlat, scratch, out, count):
    """Ask all queries that are asked about a region; at once as far as that is possible, if `swept`."""
    if swept:
        count, out = sweep_ranges(
            queries.kind, queries.half, queries.limit, queries.focal, queries.center, other, queries.listed_count,
            scratch.asked, asked, grid.frame, grid.start, grid.who, grid.here, grid.there, comes, first, scratch.row,
            out, count,
        )  # fmt: skip
    for at in range(asked):
        q = scratch.asked[at]
        if queries.kind[q] <= DISC and not (swept and queries.listed_count[q] < 0):
            count, out = ask_range(queries, grid, listed, line, at, comes, first, lonlat, scratch, out, count)
    return count, out


@kernel
def who_is_asked(
    queries, grid, centers, listed, around, line, first, last, count_queries, lonlat, scratch, out, count
):  # fmt: skip
    """Find the queries that have to be asked in an instant; tell what follows for the others."""
    asked = changed = 0
    for entry in range(first, last):
        i = line.stream[entry]
        if line.row[entry] >= 0:
            scratch.row[i] = line.row[entry]
        if line.code[entry] == SAME:
            continue
        changed += 1
        scratch.entry[i] = entry
        q = around[i]
        while q >= 0:
            asked = ask(scratch, asked, q)
            q = queries.next_around[q]
    if changed >= count_queries - asked:
        for q in range(queries.kind.size):
            if queries.kind[q] >= 0:
                asked = ask(scratch, asked, q)
        return asked, count, out
    freshen_places(queries, centers, lonlat, scratch)
    for entry in range(first, last):
        if line.code[entry] != SAME:
            asked, count, out = ask_around(
                queries, grid, centers, listed, line, entry, lonlat, scratch, asked, out, count
            )
    return asked, count, out


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
    for at in range(asked):
        counts[cell_of(frame, center, asked_queries[at]) + 1] += 1
    for cell in range(counts.size - 1):
        counts[cell + 1] += counts[cell]
    for at in range(asked):
        cell = cell_of(frame, center, asked_queries[at])
        by_cell[counts[cell]] = asked_queries[at]
        counts[cell] += 1
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
def play(queries, grid, centers, known, around, members, listed, names, line, count_queries, lonlat, scratch, out):
    """Play a line, and return the changes of answers that follow, rows as `tell` writes them, and how many there are.

    Parameters
    ----------
    queries, grid, centers
        The queries, the streams that they look for, and the queries by what they may contain.
    known : float64 array (streams, dimensions)
        Where streams are, for those who move with them.
    around, members : int32 arrays
        By stream, the first query that moves with it; the members of the nearest.
    count_queries : int
        How many there are.
    out : int64 array (n, 5)
        Room to begin with.
    """
    count = first = 0
    while first < line.stream.size:
        last = first + 1
        while last < line.stream.size and line.instant[last] == line.instant[first]:
            last += 1
        scratch.clock[0] += 1
        asked, count, out = who_is_asked(
            queries, grid, centers, listed, around, line, first, last, count_queries, lonlat, scratch, out, count
        )
        bulk = asked >= MANY_ASKED and STREAMS_A_QUERY * asked >= grid.state[SOMEWHERE]
        swept = bulk and not lonlat and grid.position.shape[1] == 2
        if bulk:
            in_order(queries, grid, asked, scratch)
        foresee_centers(queries, line, asked, scratch)
        if bulk:
            arrange(grid)
            present = grid.state[SOMEWHERE]
            where_to(line.point, line.code, scratch.entry, grid.who, present, grid.here, grid.there)
        else:
            link(grid)
            grid.state[ARRANGED] = 0
        count, out = ask_ranges(
            queries, grid, listed, line, asked, swept, False, scratch.new_center, first, lonlat, scratch, out, count
        )
        move_all(queries, grid, known, line, first, last, asked, scratch)
        if bulk:
            arrange(grid)
            entries = scratch.entry
            where_from(scratch.old_point, entries, first, grid.who, grid.state[SOMEWHERE], grid.here, grid.there)
        count, out = ask_ranges(
            queries, grid, listed, line, asked, swept, True, scratch.old_center, first, lonlat, scratch, out, count
        )
        if swept:
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
            if i != queries.focal[q] and holds(lonlat, queries, q, scratch.found_here, near):
                out[count, 0], out[count, 1] = at, i
                count += 1
    return count, out
