"""Compose border crossings to transitions: out in time after in, in again in time after out, or not in time.

All four kinds of all queries share one structure; `limen.runtime.kernels.pair_state` describes its arrays.
`within` (int64) and `wanted` (int8) are by query: its time limit, and a bit for each of passed, returned, stayed and
gone.

Outputs are columns of transitions: query, stream, kind (0 to 3 in that order), time, start, and row, -1 where a
deadline and no row is the cause.
"""

from limen.kernels._jit import inner_kernel, kernel
from limen.kernels.heap import pop
from limen.runtime.kernels.pair_state import DUE, NO_ENTRY, OVER, add, find, remember_deadline, remove

PASSED, STAYED = 0, 2  # after an enter; after an exit it is the kind that follows


@inner_kernel
def is_wanted(kind, leaves, query, wanted):
    """Return whether a query wants the kind that follows an enter or, with `leaves`, an exit."""
    return wanted[query] >> (kind + leaves) & 1 == 1


@inner_kernel
def write_transition(
    start, kind, time, row, count, out_query, out_stream, out_kind, out_time, out_started, out_row
):  # fmt: skip
    """Write a transition, for which there must be room, and return the new count."""
    out_query[count] = start["query"]
    out_stream[count] = start["stream"]
    out_kind[count] = kind + start["leaves"]
    out_time[count] = time
    out_started[count] = start["at"]
    out_row[count] = row
    return count + 1


@inner_kernel
def end_stream(
    stream, end, row, within, wanted, entries, chain, table, marks,
    count, out_query, out_stream, out_kind, out_time, out_started, out_row,
):  # fmt: skip
    """Drop the pending crossings of a stream evicted at `end`, after emitting the deadlines up to then.

    Returns the number of outputs, or -1 and nothing is done when there may not be room for them.
    """
    needed = count
    e = chain[stream]
    while e != NO_ENTRY:
        needed += 1
        e = entries[e]["following"]
    if needed > out_query.size:
        return -1
    while chain[stream] != NO_ENTRY:
        e = chain[stream]
        start = entries[e]
        query = start["query"]
        due = start["at"] + within[query]
        if due <= end and not start["over"] and is_wanted(STAYED, start["leaves"], query, wanted):
            count = write_transition(
                start, STAYED, due, row, count, out_query, out_stream, out_kind, out_time, out_started, out_row
            )  # fmt: skip
        remove(e, entries, chain, table, marks)
    return count


@kernel
def end_streams(
    ended, ended_at, first, within, wanted, entries, chain, table, marks,
    out_query, out_stream, out_kind, out_time, out_started, out_row,
):  # fmt: skip
    """Forget the starts of streams that are forgotten; outputs have the position among these as their row.

    Returns how far it got, and the number of outputs.
    """
    count = 0
    for i in range(first, ended.size):
        more = end_stream(
            ended[i], ended_at[i], i, within, wanted, entries, chain, table, marks,
            count, out_query, out_stream, out_kind, out_time, out_started, out_row,
        )  # fmt: skip
        if more < 0:
            return i, count
        count = more
    return ended.size, count


@kernel
def compose(
    place, crossing, crossing_stream, crossing_time, ended_row, ended_stream, ended_at, first, first_ended,
    within, wanted, entries, chain, table, deadline, due_entry, marks,
    out_query, out_stream, out_kind, out_time, out_started, out_row,
):  # fmt: skip
    """Take the crossings of a step, and the streams forgotten on the way, both in order of rows.

    Parameters
    ----------
    place, crossing, crossing_stream, crossing_time : arrays (crossings,)
        Twice the row after which it happened, and one more where the row is what crossed; the query that is entered,
        ~query where it is left; the stream, and the time.
    ended_row, ended_stream, ended_at : arrays
        Rows before which their stream was forgotten, the stream, and when that was.
    first, first_ended : int
        Where to go on.

    There must be room for as many more starts and deadlines as there are crossings.

    Returns
    -------
    tuple of int
        How far it got in both, and the number of outputs; less than all when outputs had no room.
    """
    count = 0
    i = first
    j = first_ended
    while i < crossing.size or j < ended_row.size:
        if j < ended_row.size and (i == crossing.size or 2 * ended_row[j] < place[i]):
            more = end_stream(
                ended_stream[j], ended_at[j], -1, within, wanted, entries, chain, table, marks,
                count, out_query, out_stream, out_kind, out_time, out_started, out_row,
            )  # fmt: skip
            if more < 0:
                break
            count = more
            j += 1
            continue
        if count == out_query.size:
            break
        row = place[i] >> 1 if place[i] & 1 else -1
        leaves = crossing[i] < 0
        query = ~crossing[i] if leaves else crossing[i]
        stream = crossing_stream[i]
        time = crossing_time[i]
        i += 1
        e = find(query, stream, entries, table)
        if e != NO_ENTRY:
            start = entries[e]
            due = start["at"] + within[query]
            if time <= due:
                if is_wanted(PASSED, start["leaves"], query, wanted):
                    count = write_transition(
                        start, PASSED, time, row, count,
                        out_query, out_stream, out_kind, out_time, out_started, out_row,
                    )  # fmt: skip
            elif not start["over"] and is_wanted(STAYED, start["leaves"], query, wanted):
                count = write_transition(
                    start, STAYED, due, -1, count, out_query, out_stream, out_kind, out_time, out_started, out_row
                )  # fmt: skip
            remove(e, entries, chain, table, marks)
        # A start that cannot become a transition is not stored.
        if is_wanted(PASSED, leaves, query, wanted) or is_wanted(STAYED, leaves, query, wanted):
            e = add(query, stream, time, leaves, entries, chain, table, marks)
            remember_deadline(time + within[query], e, deadline, due_entry, marks)
    return i, j, count


@kernel
def pass_by(
    slot, late, last_time, stamp, visited, within, wanted, entries, chain, table, marks, first,
    out_query, out_stream, out_kind, out_time, out_started, out_row,
):  # fmt: skip
    """Emit the deadlines that streams have missed: those before their last row.

    Parameters
    ----------
    slot, late : arrays (rows,)
        The streams of rows, and which rows do not count.
    last_time : int64 array (slots,)
        The time of each stream's last row.
    stamp, visited : int, int32 array (slots,)
        A number that is not in `visited` yet; streams that are done with are marked by it.
    first : int
        The row to go on at.

    Returns
    -------
    tuple of int
        How far it got, and the number of outputs.
    """
    count = 0
    for i in range(first, slot.size):
        stream = slot[i]
        if late[i] or chain[stream] == NO_ENTRY or visited[stream] == stamp:
            continue
        e = chain[stream]
        while e != NO_ENTRY:
            start = entries[e]
            following = start["following"]
            query = start["query"]
            due = start["at"] + within[query]
            if due < last_time[stream]:
                # Nothing can answer it any more, also where it was kept although its deadline was emitted.
                if not start["over"] and is_wanted(STAYED, start["leaves"], query, wanted):
                    if count == out_query.size:
                        return i, count
                    count = write_transition(
                        start, STAYED, due, -1, count, out_query, out_stream, out_kind, out_time, out_started, out_row
                    )  # fmt: skip
                remove(e, entries, chain, table, marks)
            e = following
        visited[stream] = stamp
    return slot.size, count


@kernel
def fall_due(
    complete, keeps, within, wanted, entries, chain, table, deadline, due_entry, marks,
    out_query, out_stream, out_kind, out_time, out_started, out_row,
):  # fmt: skip
    """Emit the deadlines before `complete`.

    Where rows of complete times may still come (`keeps`), a start that such a row may answer is kept, marked as over.
    Returns the number of outputs and whether that is all; what is left because outputs had no room stays in the heap.
    """
    count = 0
    while marks[DUE] > 0 and deadline[0] < complete and count < out_query.size:
        due = deadline[0]
        e = due_entry[0]
        pop(marks[DUE], deadline, due_entry)
        marks[DUE] -= 1
        start = entries[e]
        query = start["query"]
        if query == NO_ENTRY or start["over"] or start["at"] + within[query] != due:
            continue  # its start has been answered, or forgotten
        if is_wanted(STAYED, start["leaves"], query, wanted):
            count = write_transition(
                start, STAYED, due, -1, count, out_query, out_stream, out_kind, out_time, out_started, out_row
            )  # fmt: skip
        if keeps and is_wanted(PASSED, start["leaves"], query, wanted):
            start["over"] = True
            marks[OVER] += 1
        else:
            remove(e, entries, chain, table, marks)
    return count, marks[DUE] == 0 or deadline[0] >= complete
