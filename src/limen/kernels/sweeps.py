"""Many queries asked at once, of streams on the plane that are arranged by cells: straight through the arrays.

What is found is what `instants` finds one by one for any query; here is no more than the usual case, without a detour.
"""

from __future__ import annotations

import numpy as np

from limen.kernels._jit import kernel
from limen.kernels.around import BOX, NEAREST, reach_of
from limen.kernels.nearest import keep, take_nearest
from limen.kernels.object_grid import step_of
from limen.kernels.telling import tell, with_room

SPARE = 1e-12  # of a length, to look around generously


@kernel
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


@kernel
def mark_boxes(half_x, half_y, x, y, other_x, other_y, first, last, here, there, differs):
    """Tell of streams in some places whether they are in the box around (x, y) here, and not in the other's there.

    A NaN, for nowhere, is in no box. There are no short cuts, so that several are compared at once.
    """
    low_x, high_x, low_y, high_y = x - half_x, x + half_x, y - half_y, y + half_y
    west, east, south, north = other_x - half_x, other_x + half_x, other_y - half_y, other_y + half_y
    for at in range(first, last):
        is_in = (low_x <= here[at, 0]) & (here[at, 0] < high_x) & (low_y <= here[at, 1]) & (here[at, 1] < high_y)
        was_in = (west <= there[at, 0]) & (there[at, 0] < east) & (south <= there[at, 1]) & (there[at, 1] < north)
        differs[at - first] = is_in & (not was_in)


@kernel
def mark_discs(limit, x, y, other_x, other_y, first, last, here, there, differs):
    """Tell the same of circles."""
    for at in range(first, last):
        dx, dy = here[at, 0] - x, here[at, 1] - y
        far_x, far_y = there[at, 0] - other_x, there[at, 1] - other_y
        is_in, was_in = dx * dx + dy * dy <= limit, far_x * far_x + far_y * far_y <= limit
        differs[at - first] = is_in & (not was_in)


@kernel
def sweep_ranges(
    kind, half, limit, focal, center, other, listed_count, queries, asked, frame, start, who, here, there, differs,
    adds, entry, rows, out, count,
):  # fmt: skip
    """Ask queries about boxes and circles who is in them here and was not, or will not be, there."""
    across = np.int64(frame[0, 2])
    for at in range(asked):
        q = queries[at]
        if kind[q] == NEAREST or listed_count[q] >= 0 or np.isnan(center[q, 0]):
            continue
        x, y, box = center[q, 0], center[q, 1], kind[q] == BOX
        reach = reach_of(limit[q])
        left, right, bottom, top = bounds_around(
            frame, x, y, half[q, 0] if box else reach, half[q, 1] if box else reach
        )  # fmt: skip
        for row in range(bottom, top + 1):
            first, last = start[row * across + left], start[row * across + right + 1]
            if count + last - first > len(out):
                out = with_room(out, count, last - first)
            if box:
                mark_boxes(half[q, 0], half[q, 1], x, y, other[at, 0], other[at, 1], first, last, here, there, differs)
            else:
                mark_discs(limit[q], x, y, other[at, 0], other[at, 1], first, last, here, there, differs)
            for place in range(first, last):
                if differs[place - first] and who[place] != focal[q]:
                    count = tell(out, count, q, who[place], adds, entry, rows)
    return count, out


@kernel
def keep_nearest(
    x, y, k, focal, limit, left, right, bottom, top, across, start, who, here, starts, text, kept_far, kept
):  # fmt: skip
    """Keep the k nearest in some cells within a limit, and return how many there are."""
    count = 0
    for row in range(bottom, top + 1):
        for at in range(start[row * across + left], start[row * across + right + 1]):
            dx, dy = here[at, 0] - x, here[at, 1] - y
            square = dx * dx + dy * dy
            if square <= limit and who[at] != focal and (count < k or square <= kept_far[0]):
                count = keep(starts, text, square, who[at], k, count, kept_far, kept)
    return count


@kernel
def sweep_nearest(queries, grid, members, names, asked, entry, scratch, out, count):
    """Find the nearest of many queries anew, of streams on the plane; mark those for which that has to be done singly.

    These are queries about some streams only, and those whose members of before do not tell how far to look. The others
    look a little further than the furthest member was, and further and further until there are enough.
    """
    kind, focal, center, limit = queries.kind, queries.focal, queries.center, queries.limit
    wanted, member_first, member_count = queries.wanted, queries.member_first, queries.member_count
    listed_count, asked_queries, met, clock = queries.listed_count, scratch.asked, scratch.met, scratch.clock
    kept, kept_far, rows, singly = scratch.kept, scratch.kept_far, scratch.row, scratch.singly
    frame, start, who, here = grid.frame, grid.start, grid.who, grid.here
    starts, text = names.starts, names.text
    across = np.int64(frame[0, 2])
    rightmost, topmost = across - 1, np.int64(frame[1, 2]) - 1
    for at in range(asked):
        q = asked_queries[at]
        singly[at] = kind[q] == NEAREST
        k, bound = wanted[q], 1.5 * limit[q]
        told_by_members = member_count[q] == k and 0.0 < bound < np.inf
        if kind[q] != NEAREST or listed_count[q] >= 0 or np.isnan(center[q, 0]) or not told_by_members:
            continue
        x, y, found, further, whole = center[q, 0], center[q, 1], 0, 4.0, False
        while found < k and not whole:
            reach = reach_of(bound)
            left, right, bottom, top = bounds_around(frame, x, y, reach, reach)
            whole = left == 0 and right == rightmost and bottom == 0 and top == topmost
            found = keep_nearest(
                x, y, k, focal[q], np.inf if whole else bound, left, right, bottom, top, across, start, who, here,
                starts, text, kept_far, kept,
            )  # fmt: skip
            bound *= further
            further *= 4.0
        count, out = take_nearest(
            found, q, member_first[q], k, member_count, limit, members, met, clock, kept, kept_far, entry, rows, out,
            count,
        )  # fmt: skip
        singly[at] = False
    return count, out
