"""Apply a run of instants at once: a part of the timeline in which no stream has two rows.

If every row has a time of its own, an instant is one row, and evaluating each row alone reads the same streams and
queries again and again. In a run each stream and each query moves at most once, so whether the query contains the
stream changes at most twice: when the stream moves and when the query does. Four tests decide it: the old and the new
position of the stream, each against the old and the new region.
"""

from limen.kernels._jit import inlined_kernel, inner_kernel
from limen.queries.answer.kernels.emit import emit, with_columns
from limen.queries.answer.kernels.gathering import IS, WAS
from limen.queries.answer.kernels.moving_streams import COMES, GOES
from limen.queries.answer.kernels.object_grid import SAME
from limen.queries.answer.kernels.quantized import HERE, THERE, quantized_scale
from limen.queries.answer.kernels.sweeps import is_within, pick_around


@inner_kernel
def end_of_run(timeline, first, scratch):
    """Return the end of the run that begins at an entry: before the instant in which a stream has a second row."""
    stream, instant, met, clock = timeline.stream, timeline.instant, scratch.met, scratch.clock
    clock[0] += 1
    begin = first
    for at in range(first, stream.size):
        if instant[at] != instant[begin]:
            begin = at
        if met[stream[at]] == clock[0]:
            return begin
        met[stream[at]] = clock[0]
    return stream.size


@inner_kernel
def count_moving(timeline, first, last, around, next_around):
    """Count the queries that move in a run."""
    count = 0
    for entry in range(first, last):
        if timeline.code[entry] != SAME:
            q = around[timeline.stream[entry]]
            while q >= 0:
                count += 1
                q = next_around[q]
    return count


@inner_kernel
def remember_rows(timeline, first, last, scratch):
    """Store for the streams of a run their entry, and their last row before it."""
    for entry in range(first, last):
        i = timeline.stream[entry]
        scratch.entry_in_run[i] = entry
        scratch.earlier_row[i] = scratch.row[i]


@inner_kernel
def forget_rows(timeline, first, last, scratch):
    """Reset the entries of the streams of a run."""
    for entry in range(first, last):
        scratch.entry_in_run[timeline.stream[entry]] = -1


@inlined_kernel
def row_at(i, entry, instant, entry_in_run, row, earlier_row):
    """Return the last row of a stream at the time of an entry."""
    early = entry_in_run[i] >= 0 and instant[entry_in_run[i]] > instant[entry]
    return earlier_row[i] if early else row[i]


@inlined_kernel
def emit_in_order(
    out, count, q, i, own, focal, instant, role, was_in, came, stayed, is_in, entry_in_run, row, earlier_row
):  # fmt: skip
    """Emit the changes of a query and a stream in order of time; `own` and `focal` are the entries of their moves.

    A stream that moved far is stored in two places, at its old and at its new position. Each place emits its own part:
    the old one the removals, the new one the additions.
    """
    if own < 0 or focal < 0 or instant[own] == instant[focal]:
        if was_in != is_in and role != (GOES if is_in else COMES):
            entry = own if own >= 0 else focal
            count = emit(out, count, q, i, is_in, entry, row_at(i, entry, instant, entry_in_run, row, earlier_row))
        return count
    if instant[own] < instant[focal]:
        if was_in != came and role != (GOES if came else COMES):
            count = emit(out, count, q, i, came, own, row_at(i, own, instant, entry_in_run, row, earlier_row))
        if came != is_in and role != GOES:
            count = emit(out, count, q, i, is_in, focal, row_at(i, focal, instant, entry_in_run, row, earlier_row))
        return count
    if was_in != stayed and role != COMES:
        count = emit(out, count, q, i, stayed, focal, row_at(i, focal, instant, entry_in_run, row, earlier_row))
    if stayed != is_in and role != (GOES if is_in else COMES):
        count = emit(out, count, q, i, is_in, own, row_at(i, own, instant, entry_in_run, row, earlier_row))
    return count


@inner_kernel
def sweep_run(grid, affected, reach, timeline, scratch, out, count):
    """Evaluate boxes and circles for a run of instants."""
    frame, start, moves = grid.frame, grid.start, scratch.moves
    scale_x, scale_y = quantized_scale(frame, 0), quantized_scale(frame, 1)
    batch_slots, region = scratch.query_batch.slots_at, scratch.query_batch.where
    slots_at, where, quantized = moves.slots_at, moves.where, moves.quantized
    bounds, bits, places, picked, entries = scratch.bounds, scratch.bits, scratch.places, scratch.picked, scratch.entry
    here_x, here_y = quantized[HERE], quantized[HERE + 1]
    there_x, there_y = quantized[THERE], quantized[THERE + 1]
    instant, entry_in_run = timeline.instant, scratch.entry_in_run
    rows, earlier = scratch.row, scratch.earlier_row
    for at in range(affected):
        q, kind, focal = batch_slots[at, 0], batch_slots[at, 1], batch_slots[at, 2]
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
            i, role = slots_at[place, 0], slots_at[place, 2]
            x, y, old_x, old_y = where[place, 0], where[place, 1], where[place, 2], where[place, 3]
            was_in = is_within(kind, west, east, south, north, was_x, was_y, limit, old_x, old_y)
            came = is_within(kind, west, east, south, north, was_x, was_y, limit, x, y)
            stayed = is_within(kind, low_x, high_x, low_y, high_y, is_x, is_y, limit, old_x, old_y)
            is_in = is_within(kind, low_x, high_x, low_y, high_y, is_x, is_y, limit, x, y)
            if i != focal and (was_in | came | stayed | is_in) and not (was_in & came & stayed & is_in):
                count = emit_in_order(
                    out, count, q, i, entries[i], mine, instant, role, was_in, came, stayed, is_in, entry_in_run, rows,
                    earlier,
                )  # fmt: skip
    return count, out
