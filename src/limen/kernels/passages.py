"""Many instants at once: a passage of the line in which no stream speaks twice.

Where every report has a time of its own, an instant is one row, and to ask around for each row alone means to look at
the same streams and queries again and again. In a passage each stream moves once at most, and so does each query: what
a query and a stream have to do with each other changes twice at most, when the one moves and when the other does. All
that is known from four looks: where the stream was and is, at the place where the region was and is.
"""

from __future__ import annotations

from limen.kernels._jit import inner_kernel, kernel, lent
from limen.kernels.coarse import HERE, THERE, coarse_scale
from limen.kernels.mustering import IS, WAS
from limen.kernels.object_grid import SAME
from limen.kernels.passing_streams import COMES, GOES
from limen.kernels.sweeps import is_within, pick_around
from limen.kernels.telling import tell, with_columns


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


@inner_kernel
def row_at(i, entry, instant, said, row, earlier_row):
    """Return the row that was a stream's last when an entry was played."""
    early = said[i] >= 0 and instant[said[i]] > instant[entry]
    return earlier_row[i] if early else row[i]


@inner_kernel
def tell_in_order(
    out, count, q, i, own, focal, instant, role, was_in, came, stayed, is_in, said, row, earlier_row
):  # fmt: skip
    """Tell what becomes of a query and a stream, of which one or both move: `own` and `focal` are the entries.

    Of a stream that lies in two places, since it has gone far, what happens where it was is told there, and what
    happens where it is, here. Its own move takes it from the one to the other: where it goes, or comes.
    """
    if own < 0 or focal < 0 or instant[own] == instant[focal]:
        if was_in != is_in and role != (GOES if is_in else COMES):
            entry = own if own >= 0 else focal
            count = tell(out, count, q, i, is_in, entry, row_at(i, entry, instant, said, row, earlier_row))
        return count
    if instant[own] < instant[focal]:
        if was_in != came and role != (GOES if came else COMES):
            count = tell(out, count, q, i, came, own, row_at(i, own, instant, said, row, earlier_row))
        if came != is_in and role != GOES:
            count = tell(out, count, q, i, is_in, focal, row_at(i, focal, instant, said, row, earlier_row))
        return count
    if was_in != stayed and role != COMES:
        count = tell(out, count, q, i, stayed, focal, row_at(i, focal, instant, said, row, earlier_row))
    if stayed != is_in and role != (GOES if is_in else COMES):
        count = tell(out, count, q, i, is_in, own, row_at(i, own, instant, said, row, earlier_row))
    return count


@kernel
def sweep_passage(frame, start, muster, moves, asked, reach, line, scratch, out, count):
    """Ask boxes and circles what a passage has changed."""
    scale_x, scale_y = coarse_scale(frame, 0), coarse_scale(frame, 1)
    asking, region, who, where, coarse = muster.who, lent(muster.where), moves.who, moves.where, moves.coarse
    # As in `sweep_instant`: not counted for every query, nor for every change.
    frame, start, bounds, bits = lent(frame), lent(start), lent(scratch.bounds), lent(scratch.bits)
    places, picked, entries = lent(scratch.places), lent(scratch.picked), scratch.entry
    here_x, here_y = lent(coarse[HERE]), lent(coarse[HERE + 1])
    there_x, there_y = lent(coarse[THERE]), lent(coarse[THERE + 1])
    instant, said = lent(line.instant), lent(scratch.said)
    rows, earlier = lent(scratch.row), lent(scratch.earlier_row)
    for at in range(asked):
        q, kind, focal = asking[at, 0], asking[at, 1], asking[at, 2]
        mine = entries[focal] if focal >= 0 else -1
        found = pick_around(
            frame, scale_x, scale_y, kind, region, at, reach, True, start, here_x, here_y, there_x, there_y, bounds,
            bits, places, picked,
        )  # fmt: skip
        out = with_columns(out, count, 2 * found)
        is_x, is_y, was_x, was_y = region[at, IS], region[at, IS + 1], region[at, WAS], region[at, WAS + 1]
        half_x, half_y, limit = region[at, 4], region[at, 5], region[at, 6]
        low_x, high_x, low_y, high_y = is_x - half_x, is_x + half_x, is_y - half_y, is_y + half_y
        west, east, south, north = was_x - half_x, was_x + half_x, was_y - half_y, was_y + half_y
        for step in range(found):
            place = picked[step]
            i, role = who[place, 0], who[place, 2]
            x, y, old_x, old_y = where[place, 0], where[place, 1], where[place, 2], where[place, 3]
            was_in = is_within(kind, west, east, south, north, was_x, was_y, limit, old_x, old_y)
            came = is_within(kind, west, east, south, north, was_x, was_y, limit, x, y)
            stayed = is_within(kind, low_x, high_x, low_y, high_y, is_x, is_y, limit, old_x, old_y)
            is_in = is_within(kind, low_x, high_x, low_y, high_y, is_x, is_y, limit, x, y)
            if i != focal and (was_in | came | stayed | is_in) and not (was_in & came & stayed & is_in):
                count = tell_in_order(
                    out, count, q, i, entries[i], mine, instant, role, was_in, came, stayed, is_in, said, rows, earlier
                )  # fmt: skip
    return count, out
