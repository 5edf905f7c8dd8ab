"""Many instants at once: a passage of the line in which no stream speaks twice.

Where every report has a time of its own, an instant is one row, and to ask around for each row alone means to look at
the same streams and queries again and again. In a passage each stream moves once at most, and so does each query: what
a query and a stream have to do with each other changes twice at most, when the one moves and when the other does. All
that is known from four looks: where the stream was and is, at the place where the region was and is.
"""

from __future__ import annotations

import numpy as np

from limen.kernels._jit import kernel
from limen.kernels.around import BOX, reach_of
from limen.kernels.object_grid import SAME
from limen.kernels.passing_streams import COMES, GOES
from limen.kernels.sweeps import bounds_around
from limen.kernels.telling import with_room


@kernel
def end_of_passage(line, first, met, clock):
    """Return where the passage ends that begins with an entry: before the instant in which a stream speaks again."""
    stream, instant = line.stream, line.instant
    clock[0] += 1
    begin = first
    for at in range(first, stream.size):
        if instant[at] != instant[begin]:
            begin = at
        if met[stream[at]] == clock[0]:
            return begin
        met[stream[at]] = clock[0]
    return stream.size


@kernel
def count_moving(line, first, last, around, next_around):
    """Count the queries that move in a passage."""
    count = 0
    for entry in range(first, last):
        if line.code[entry] != SAME:
            q = around[line.stream[entry]]
            while q >= 0:
                count += 1
                q = next_around[q]
    return count


@kernel
def remember_rows(line, first, last, scratch):
    """Note of the streams of a passage when they speak, and which row was their last until then."""
    for entry in range(first, last):
        i = line.stream[entry]
        scratch.said[i] = entry
        scratch.earlier_row[i] = scratch.row[i]


@kernel
def forget_rows(line, first, last, scratch):
    """End a passage."""
    for entry in range(first, last):
        scratch.said[line.stream[entry]] = -1


@kernel
def differing_boxes(half_x, half_y, x, y, old_x, old_y, first, size, here_x, here_y, there_x, there_y, differs):
    """Mark the streams in some places that are in the box in some of the four looks and not in others.

    As in `sweeps.mark_boxes` there are no short cuts, so that several are compared at once.
    """
    low_x, high_x, low_y, high_y = x - half_x, x + half_x, y - half_y, y + half_y
    west, east, south, north = old_x - half_x, old_x + half_x, old_y - half_y, old_y + half_y
    start = np.uint64(first)
    for step in range(size):
        at = start + np.uint64(step)
        is_in = (low_x <= here_x[at]) & (here_x[at] < high_x) & (low_y <= here_y[at]) & (here_y[at] < high_y)
        was_in = (west <= there_x[at]) & (there_x[at] < east) & (south <= there_y[at]) & (there_y[at] < north)
        came = (west <= here_x[at]) & (here_x[at] < east) & (south <= here_y[at]) & (here_y[at] < north)
        stayed = (low_x <= there_x[at]) & (there_x[at] < high_x) & (low_y <= there_y[at]) & (there_y[at] < high_y)
        differs[step] = np.int8(is_in | was_in | came | stayed) - np.int8(is_in & was_in & came & stayed)


@kernel
def differing_discs(limit, x, y, old_x, old_y, first, size, here_x, here_y, there_x, there_y, differs):
    """Mark the same of a circle."""
    start = np.uint64(first)
    for step in range(size):
        at = start + np.uint64(step)
        dx, dy, far_x, far_y = here_x[at] - x, here_y[at] - y, there_x[at] - old_x, there_y[at] - old_y
        is_in, was_in = dx * dx + dy * dy <= limit, far_x * far_x + far_y * far_y <= limit
        dx, dy, far_x, far_y = here_x[at] - old_x, here_y[at] - old_y, there_x[at] - x, there_y[at] - y
        came, stayed = dx * dx + dy * dy <= limit, far_x * far_x + far_y * far_y <= limit
        differs[step] = np.int8(is_in | was_in | came | stayed) - np.int8(is_in & was_in & came & stayed)


@kernel
def is_within(box, half_x, half_y, limit, x, y, at_x, at_y):
    """Tell whether a place is in a region around another; NaN for nowhere."""
    if box:
        return x - half_x <= at_x < x + half_x and y - half_y <= at_y < y + half_y
    dx, dy = at_x - x, at_y - y
    return dx * dx + dy * dy <= limit


@kernel
def tell(out, count, q, i, adds, entry, instant, said, row, earlier_row):
    """Write a change that follows from an entry, with the row that was then the stream's last."""
    early = said[i] >= 0 and instant[said[i]] > instant[entry]
    out[count, 0] = q
    out[count, 1] = i
    out[count, 2] = adds
    out[count, 3] = entry
    out[count, 4] = earlier_row[i] if early else row[i]
    return count + 1


@kernel
def tell_in_order(
    out, count, q, i, own, focal, instant, role, was_in, came, stayed, is_in, said, row, earlier_row
):  # fmt: skip
    """Tell what becomes of a query and a stream, of which one or both move: `own` and `focal` are the entries.

    Of a stream that lies in two places, since it has gone far, what happens where it was is told there, and what
    happens where it is, here. Its own move takes it from the one to the other: where it goes, or comes.
    """
    if own < 0 or focal < 0 or instant[own] == instant[focal]:
        if was_in != is_in and role != (GOES if is_in else COMES):
            count = tell(out, count, q, i, is_in, own if own >= 0 else focal, instant, said, row, earlier_row)
        return count
    if instant[own] < instant[focal]:
        if was_in != came and role != (GOES if came else COMES):
            count = tell(out, count, q, i, came, own, instant, said, row, earlier_row)
        if came != is_in and role != GOES:
            count = tell(out, count, q, i, is_in, focal, instant, said, row, earlier_row)
        return count
    if was_in != stayed and role != COMES:
        count = tell(out, count, q, i, stayed, focal, instant, said, row, earlier_row)
    if stayed != is_in and role != (GOES if is_in else COMES):
        count = tell(out, count, q, i, is_in, own, instant, said, row, earlier_row)
    return count


@kernel
def sweep_passage(queries, grid, asked, reach, line, scratch, out, count):
    """Ask boxes and circles on the plane what a passage has changed; streams are arranged by their moves."""
    kind, half, limit, focal, center = queries.kind, queries.half, queries.limit, queries.focal, queries.center
    frame, start, who, role, differs = grid.frame, grid.start, grid.who, scratch.role, scratch.differs
    here_x, here_y, there_x, there_y = grid.here[0], grid.here[1], grid.there[0], grid.there[1]
    entries, instant, across = scratch.entry, line.instant, np.int64(frame[0, 2])
    said, last_row, earlier_row = scratch.said, scratch.row, scratch.earlier_row
    for at in range(asked):
        q = scratch.asked[at]
        x, y, old_x, old_y = center[q, 0], center[q, 1], scratch.old_center[at, 0], scratch.old_center[at, 1]
        is_somewhere, was_somewhere, box = not np.isnan(x), not np.isnan(old_x), kind[q] == BOX
        if not (is_somewhere or was_somewhere):
            continue
        around = reach_of(limit[q])
        half_x, half_y = half[q, 0] if box else around, half[q, 1] if box else around
        # A stream lies where it is: if it was in the region at either place, no further than the reach from it.
        left, right, bottom, top = bounds_around(
            frame, x if is_somewhere else old_x, y if is_somewhere else old_y, half_x + reach, half_y + reach
        )
        west, east, south, north = left, right, bottom, top
        if was_somewhere:
            west, east, south, north = bounds_around(frame, old_x, old_y, half_x + reach, half_y + reach)
        together = west <= right and left <= east and south <= top and bottom <= north
        if together:
            left, right, bottom, top = min(left, west), max(right, east), min(bottom, south), max(top, north)
        mine = entries[focal[q]] if focal[q] >= 0 else -1
        for look in range(1 if together else 2):
            if look == 1:
                left, right, bottom, top = west, east, south, north
            for row in range(bottom, top + 1):
                first = start[row * across + left]
                size = start[row * across + right + 1] - first
                if count + 2 * size > len(out):
                    out = with_room(out, count, 2 * size)
                if box:
                    differing_boxes(
                        half_x, half_y, x, y, old_x, old_y, first, size, here_x, here_y, there_x, there_y, differs
                    )
                else:
                    differing_discs(
                        limit[q], x, y, old_x, old_y, first, size, here_x, here_y, there_x, there_y, differs
                    )
                for step in range(size):
                    place = first + step
                    if differs[step] == 0 or who[place] == focal[q]:
                        continue
                    i = who[place]
                    hx, hy, tx, ty = here_x[place], here_y[place], there_x[place], there_y[place]
                    count = tell_in_order(
                        out, count, q, i, entries[i], mine, instant, role[place],
                        is_within(box, half_x, half_y, limit[q], old_x, old_y, tx, ty),
                        is_within(box, half_x, half_y, limit[q], old_x, old_y, hx, hy),
                        is_within(box, half_x, half_y, limit[q], x, y, tx, ty),
                        is_within(box, half_x, half_y, limit[q], x, y, hx, hy),
                        said, last_row, earlier_row,
                    )  # fmt: skip
    return count, out
