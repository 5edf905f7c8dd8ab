"""Many queries asked at once, of streams on the plane that are arranged by cells: straight through the arrays.

What is found is what `instants` finds one by one for any query; here is no more than the usual case, without a detour.
"""

from __future__ import annotations

import numpy as np

from limen.kernels._jit import kernel
from limen.kernels.around import BOX, NEAREST, SPARE, reach_of
from limen.kernels.nearest import leave_nearest, take_nearest
from limen.kernels.object_grid import step_of
from limen.kernels.telling import tell, with_room


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
def mark_boxes(half_x, half_y, x, y, old_x, old_y, first, size, here_x, here_y, there_x, there_y, differs):
    """Tell of streams in some places what has become of them in a box that was around (old_x, old_y).

    1 for who is in it here and was not in it there, -1 for who was and is not. A NaN, for nowhere, is in no box. There
    are no short cuts, and no place could be a negative number, so that several are compared at once.
    """
    low_x, high_x, low_y, high_y = x - half_x, x + half_x, y - half_y, y + half_y
    west, east, south, north = old_x - half_x, old_x + half_x, old_y - half_y, old_y + half_y
    start = np.uint64(first)
    for step in range(size):
        at = start + np.uint64(step)
        is_in = (low_x <= here_x[at]) & (here_x[at] < high_x) & (low_y <= here_y[at]) & (here_y[at] < high_y)
        was_in = (west <= there_x[at]) & (there_x[at] < east) & (south <= there_y[at]) & (there_y[at] < north)
        differs[step] = np.int8(is_in) - np.int8(was_in)


@kernel
def mark_discs(limit, x, y, old_x, old_y, first, size, here_x, here_y, there_x, there_y, differs):
    """Tell the same of circles."""
    start = np.uint64(first)
    for step in range(size):
        at = start + np.uint64(step)
        dx, dy = here_x[at] - x, here_y[at] - y
        far_x, far_y = there_x[at] - old_x, there_y[at] - old_y
        is_in, was_in = dx * dx + dy * dy <= limit, far_x * far_x + far_y * far_y <= limit
        differs[step] = np.int8(is_in) - np.int8(was_in)


@kernel
def sweep_ranges(
    kind, half, limit, focal, center, old_center, listed_count, queries, asked, frame, reach, start, who, role, here,
    there, differs, entry, rows, out, count,
):  # fmt: skip
    """Ask queries about boxes and circles who has come into them and who has gone; streams are arranged by their moves.

    Whoever is in a query lies in the cells around it; whoever was, no further than the reach from where it was. Mostly
    these cells are the same, and else there are two looks.
    """
    across, here_x, here_y, there_x, there_y = np.int64(frame[0, 2]), here[0], here[1], there[0], there[1]
    for at in range(asked):
        q = queries[at]
        if kind[q] == NEAREST or listed_count[q] >= 0:
            continue
        x, y, old_x, old_y, box = center[q, 0], center[q, 1], old_center[at, 0], old_center[at, 1], kind[q] == BOX
        is_somewhere, was_somewhere = not np.isnan(x), not np.isnan(old_x)
        if not (is_somewhere or was_somewhere):
            continue
        around = reach_of(limit[q])
        half_x, half_y = half[q, 0] if box else around, half[q, 1] if box else around
        # Without a center there are no cells, which the bounds of a place that is not known are not.
        left, right, bottom, top = bounds_around(
            frame, x if is_somewhere else old_x, y if is_somewhere else old_y, half_x, half_y
        )
        west, east, south, north = left, right, bottom, top
        if was_somewhere:
            west, east, south, north = bounds_around(frame, old_x, old_y, half_x + reach, half_y + reach)
        together = west <= right and left <= east and south <= top and bottom <= north
        if together:
            left, right, bottom, top = min(left, west), max(right, east), min(bottom, south), max(top, north)
        for look in range(1 if together else 2):
            if look == 1:
                left, right, bottom, top = west, east, south, north
            for row in range(bottom, top + 1):
                first, last = start[row * across + left], start[row * across + right + 1]
                if count + last - first > len(out):
                    out = with_room(out, count, last - first)
                size = last - first
                if box:
                    mark_boxes(
                        half_x, half_y, x, y, old_x, old_y, first, size, here_x, here_y, there_x, there_y, differs
                    )
                else:
                    mark_discs(limit[q], x, y, old_x, old_y, first, size, here_x, here_y, there_x, there_y, differs)
                for step in range(size):
                    change = differs[step]
                    if change != 0 and change != -role[first + step] and who[first + step] != focal[q]:
                        count = tell(out, count, q, who[first + step], change > 0, entry, rows)
    return count, out


@kernel
def squares_of(x, y, first, size, here_x, here_y, square):
    """Compute the squares of the distances of streams in some places, several at once."""
    start = np.uint64(first)
    for step in range(size):
        at = start + np.uint64(step)
        dx, dy = here_x[at] - x, here_y[at] - y
        square[step] = dx * dx + dy * dy


@kernel
def within(x, y, focal, limit, left, right, bottom, top, across, start, who, here, square, kept_far, kept):
    """Keep all in some cells within a limit, in no order, and return how many there are."""
    count, here_x, here_y = 0, here[0], here[1]
    for row in range(bottom, top + 1):
        first, last = start[row * across + left], start[row * across + right + 1]
        squares_of(x, y, first, last - first, here_x, here_y, square)
        for step in range(last - first):
            if square[step] <= limit and who[first + step] != focal:
                kept_far[count], kept[count] = square[step], who[first + step]
                count += 1
    return count


@kernel
def bound_of(x, y, limit, first, k, members, position):
    """Return how far to look for the k nearest: as far as the members of before are now, but not much further.

    One of them may have gone far away, or be nowhere; then there are others.
    """
    furthest = 0.0
    for at in range(first, first + k):
        dx, dy = position[members[at], 0] - x, position[members[at], 1] - y
        square = dx * dx + dy * dy
        if not square <= 1.5 * limit:
            return 1.5 * limit
        furthest = max(furthest, square)
    return furthest


@kernel
def sweep_nearest(queries, grid, members, names, asked, entry, scratch, out, count):
    """Find the nearest of many queries anew, of streams on the plane; mark those for which that has to be done singly.

    These are queries about some streams only, and those whose members of before do not tell how far to look. The others
    look a little further than the furthest member was, and further and further until there are enough.
    """
    kind, focal, center, limit = queries.kind, queries.focal, queries.center, queries.limit
    wanted, member_first, member_count = queries.wanted, queries.member_first, queries.member_count
    listed_count, asked_queries, met, clock = queries.listed_count, scratch.asked, scratch.met, scratch.clock
    kept, kept_far, rows, singly, square = scratch.kept, scratch.kept_far, scratch.row, scratch.singly, scratch.square
    frame, start, who, here = grid.frame, grid.start, grid.who, grid.here
    starts, text = names.starts, names.text
    across = np.int64(frame[0, 2])
    rightmost, topmost = across - 1, np.int64(frame[1, 2]) - 1
    for at in range(asked):
        q = asked_queries[at]
        singly[at] = kind[q] == NEAREST
        k = wanted[q]
        told_by_members = member_count[q] == k and 0.0 < limit[q] < np.inf
        if kind[q] != NEAREST or listed_count[q] >= 0 or np.isnan(center[q, 0]) or not told_by_members:
            continue
        x, y, found, further, whole = center[q, 0], center[q, 1], 0, 2.0, False
        bound = bound_of(x, y, limit[q], member_first[q], k, members, grid.position)
        while found < k and not whole:
            reach = reach_of(bound)
            left, right, bottom, top = bounds_around(frame, x, y, reach, reach)
            whole = left == 0 and right == rightmost and bottom == 0 and top == topmost
            found = within(
                x, y, focal[q], np.inf if whole else bound, left, right, bottom, top, across, start, who, here, square,
                kept_far, kept,
            )  # fmt: skip
            bound *= further
            further *= 4.0
        found = leave_nearest(starts, text, k, found, kept_far, kept)
        count, out = take_nearest(
            found, q, member_first[q], k, member_count, limit, members, met, clock, kept, kept_far, entry, rows, out,
            count,
        )  # fmt: skip
        singly[at] = False
    return count, out
