"""Sweep many queries over streams on the plane, sorted by cell.

The results equal those of `instants`, which evaluates any query one by one; a sweep handles the common case only.
"""

import numpy as np

from limen.kernels._jit import inlined_kernel, inner_kernel
from limen.queries.answer.kernels.around import BOX, NEAREST, SPARE, reach_of
from limen.queries.answer.kernels.emit import emit, with_columns
from limen.queries.answer.kernels.gathering import IS, WAS
from limen.queries.answer.kernels.moving_streams import COMES, GOES
from limen.queries.answer.kernels.nearest import leave_nearest, take_nearest
from limen.queries.answer.kernels.object_grid import step_of
from limen.queries.answer.kernels.quantized import HERE, THERE, bound_region, join_bounds, pick_cells, quantized_scale


@inlined_kernel
def bounds_around(frame, x, y, reach_x, reach_y):
    """Return the cells around a place, as left, right, bottom and top."""
    reach_x += SPARE * (abs(x) + reach_x)
    reach_y += SPARE * (abs(y) + reach_y)
    return (
        step_of(frame, 0, x - reach_x),
        step_of(frame, 0, x + reach_x),
        step_of(frame, 1, y - reach_y),
        step_of(frame, 1, y + reach_y),
    )


@inlined_kernel
def pick_around(
    frame, scale_x, scale_y, kind, region, at, reach, joined, start, here_x, here_y, there_x, there_y, bounds, bits,
    places, picked,
):  # fmt: skip
    """Find the places of streams that may enter or leave a moving box or circle; return how many.

    Streams in the region are in the cells around it; streams that were in it are within the reach of the old region.
    If the two ranges of cells do not overlap, both are searched. With `joined`, streams that are now in the old
    region, or were in the new region, are found as well.
    """
    x, y, old_x, old_y = region[at, IS], region[at, IS + 1], region[at, WAS], region[at, WAS + 1]
    half_x, half_y, limit = region[at, 4], region[at, 5], region[at, 6]
    is_somewhere, was_somewhere = not np.isnan(x), not np.isnan(old_x)
    if not (is_somewhere or was_somewhere):
        return 0
    across, further = np.int64(frame[0, 2]), reach if joined else 0.0
    out_x, out_y = half_x, half_y
    if kind != BOX:
        out_x = out_y = reach_of(limit)
    # Without a center there are no cells, which the bounds of a place that is not known are not.
    left, right, bottom, top = bounds_around(
        frame, x if is_somewhere else old_x, y if is_somewhere else old_y, out_x + further, out_y + further
    )
    west, east, south, north = left, right, bottom, top
    if was_somewhere:
        west, east, south, north = bounds_around(frame, old_x, old_y, out_x + reach, out_y + reach)
    bound_region(bounds, frame[0, 0], scale_x, frame[1, 0], scale_y, kind, half_x, half_y, limit, x, y, old_x, old_y)
    if joined:
        join_bounds(bounds)
    found, together = 0, west <= right and left <= east and south <= top and bottom <= north
    if together:
        west, east, south, north = min(left, west), max(right, east), min(bottom, south), max(top, north)
    else:
        found = pick_cells(
            start, across, left, right, bottom, top, bounds, here_x, here_y, there_x, there_y, bits, places, picked,
            found,
        )  # fmt: skip
    return pick_cells(
        start, across, west, east, south, north, bounds, here_x, here_y, there_x, there_y, bits, places, picked,
        found,
    )  # fmt: skip


@inner_kernel
def is_within(kind, low_x, high_x, low_y, high_y, x, y, limit, at_x, at_y):
    """Return whether a place, NaN for nowhere, is in a box with such bounds, or in a circle around a center."""
    if kind == BOX:
        return (low_x <= at_x) & (at_x < high_x) & (low_y <= at_y) & (at_y < high_y)
    dx, dy = at_x - x, at_y - y
    return dx * dx + dy * dy <= limit


@inner_kernel
def sweep_instant(grid, affected, reach, entry, scratch, out, count):
    """Emit the streams that entered and left boxes and circles in an instant."""
    frame, start, moves = grid.frame, grid.start, scratch.moves
    scale_x, scale_y = quantized_scale(frame, 0), quantized_scale(frame, 1)
    batch_slots, region = scratch.query_batch.slots_at, scratch.query_batch.where
    slots_at, where, quantized = moves.slots_at, moves.where, moves.quantized
    bounds, bits, places, picked = scratch.bounds, scratch.bits, scratch.places, scratch.picked
    here_x, here_y = quantized[HERE], quantized[HERE + 1]
    there_x, there_y = quantized[THERE], quantized[THERE + 1]
    for at in range(affected):
        q, kind, focal = batch_slots[at, 0], batch_slots[at, 1], batch_slots[at, 2]
        found = pick_around(
            frame, scale_x, scale_y, kind, region, at, reach, False, start, here_x, here_y, there_x, there_y, bounds,
            bits, places, picked,
        )  # fmt: skip
        if count + found > out.shape[1]:
            out = with_columns(out, count, found)
        x, y, old_x, old_y = region[at, IS], region[at, IS + 1], region[at, WAS], region[at, WAS + 1]
        half_x, half_y, limit = region[at, 4], region[at, 5], region[at, 6]
        low_x, high_x, low_y, high_y = x - half_x, x + half_x, y - half_y, y + half_y
        west, east, south, north = old_x - half_x, old_x + half_x, old_y - half_y, old_y + half_y
        for step in range(found):
            place = picked[step]
            is_in = is_within(kind, low_x, high_x, low_y, high_y, x, y, limit, where[place, 0], where[place, 1])
            was_in = is_within(kind, west, east, south, north, old_x, old_y, limit, where[place, 2], where[place, 3])
            if is_in != was_in and slots_at[place, 2] != (GOES if is_in else COMES) and slots_at[place, 0] != focal:
                count = emit(out, count, q, slots_at[place, 0], is_in, entry, slots_at[place, 1])
    return count, out


@inlined_kernel
def squares_of(x, y, first, size, here_x, here_y, square):
    """Compute the squares of the distances of streams in some places, several at once."""
    start = np.uint64(first)
    for step in range(size):
        at = start + np.uint64(step)
        dx, dy = here_x[at] - x, here_y[at] - y
        square[step] = dx * dx + dy * dy


@inlined_kernel
def within(
    x, y, focal, limit, left, right, bottom, top, across, start, slots_at, here_x, here_y, square, kept_far, kept
):
    """Keep the streams in some cells within a limit, in any order, and return their number."""
    count = 0
    for row in range(bottom, top + 1):
        first, last = start[row * across + left], start[row * across + right + 1]
        squares_of(x, y, first, last - first, here_x, here_y, square)
        for step in range(last - first):
            if square[step] <= limit and slots_at[first + step] != focal:
                kept_far[count], kept[count] = square[step], slots_at[first + step]
                count += 1
    return count


@inlined_kernel
def bound_of(x, y, limit, first, k, members, position):
    """Return the limit of a search for the k nearest: the furthest previous member, at most 1.5 limits.

    A previous member may have moved far away or have no position; then other streams are nearer.
    """
    furthest = 0.0
    for at in range(first, first + k):
        dx, dy = position[members[at], 0] - x, position[members[at], 1] - y
        square = dx * dx + dy * dy
        if not square <= 1.5 * limit:
            return 1.5 * limit
        furthest = max(furthest, square)
    return furthest


@inner_kernel
def sweep_nearest(queries, grid, members, names, affected, entry, scratch, out, count):
    """Search the nearest streams of many queries on the plane; mark the queries that must be searched one by one.

    These are queries about listed streams, and queries without enough members to bound the search. For the others the
    search begins at the distance of the furthest member, and widens until there are enough.
    """
    kind, focal, center, limit = queries.kind, queries.focal, queries.center, queries.limit
    wanted, member_first, member_count = queries.wanted, queries.member_first, queries.member_count
    listed_count, affected_queries, singly = queries.listed_count, scratch.affected, scratch.singly
    kept, kept_far, square = scratch.kept, scratch.kept_far, scratch.square
    frame, start, slots_at = grid.frame, grid.start, grid.slots_at
    here_x, here_y, position = grid.here[0], grid.here[1], grid.position
    across = np.int64(frame[0, 2])
    rightmost, topmost = across - 1, np.int64(frame[1, 2]) - 1
    for at in range(affected):
        q = affected_queries[at]
        singly[at] = kind[q] == NEAREST
        k = wanted[q]
        known_from_members = member_count[q] == k and 0.0 < limit[q] < np.inf
        if kind[q] != NEAREST or listed_count[q] >= 0 or np.isnan(center[q, 0]) or not known_from_members:
            continue
        x, y, found, further, whole = center[q, 0], center[q, 1], 0, 2.0, False
        bound = bound_of(x, y, limit[q], member_first[q], k, members, position)
        while found < k and not whole:
            reach = reach_of(bound)
            left, right, bottom, top = bounds_around(frame, x, y, reach, reach)
            whole = left == 0 and right == rightmost and bottom == 0 and top == topmost
            found = within(
                x, y, focal[q], np.inf if whole else bound, left, right, bottom, top, across, start, slots_at, here_x,
                here_y, square, kept_far, kept,
            )  # fmt: skip
            bound *= further
            further *= 4.0
        found = leave_nearest(names, k, found, kept_far, kept)
        count, out = take_nearest(queries, members, q, found, entry, scratch, out, count)
        singly[at] = False
    return count, out
