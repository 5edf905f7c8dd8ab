"""Compute the values of each stream before a row and after it."""

from limen.kernels._jit import kernel

NEVER = -(2**63)  # the last time of a stream without rows


@kernel
def is_sorted(time):
    """Return whether times never decrease; this check is far cheaper than a sort."""
    for i in range(1, time.size):
        if time[i] < time[i - 1]:
            return False
    return True


@kernel
def has_ties(slot, time, seen_at):
    """Return whether a stream has two rows of one time; times are sorted. `seen_at` (slots,) is scratch, all NEVER."""
    tie = False
    for i in range(slot.size):
        if seen_at[slot[i]] == time[i]:
            tie = True
            break
        seen_at[slot[i]] = time[i]
    for i in range(slot.size):
        seen_at[slot[i]] = NEVER
    return tie


@kernel
def step(
    slot,
    time,
    values,
    last_time,
    last,
    live,
    late_before,
    expire_after,
    before,
    after,
    late,
    expired_row,
    expired_time,
    expired_values,
):
    """Take rows into the stream table, in order, and write what was known before and after each.

    Parameters
    ----------
    slot, time : arrays (n,)
        Stream and time of each row.
    values : float array (columns, n)
        NaN where missing: the last known value then holds on.
    last_time, last, live : arrays (slots,), (slots, columns), (slots,)
        The stream table: last time, last known values, and whether the stream is known at present; updated.
    late_before : int array (slots,), or empty
        Rows of a stream before this time are late, however long it has been silent.
    expire_after : int
        Microseconds of silence after which a stream is forgotten; negative for never.
    before, after : float arrays (columns, n)
        Out: known values, NaN where never known. Both NaN for late rows.
    late : bool array (n,)
        Out: rows at or before their stream's last time, or before `late_before`.
    expired_row, expired_time, expired_values : arrays (n,), (n,), (columns, n)
        Out: streams found to have expired when a row of theirs came: that row, when, and what was known.

    Returns
    -------
    int
        How many expired.
    """
    expired = 0
    for i in range(slot.size):
        s = slot[i]
        t = time[i]
        if t <= last_time[s] or (late_before.size and t < late_before[s]):
            late[i] = True
            for c in range(values.shape[0]):
                before[c, i] = float("nan")
                after[c, i] = float("nan")
            continue
        late[i] = False
        if expire_after >= 0 and live[s] and t - last_time[s] > expire_after:
            expired_row[expired] = i
            expired_time[expired] = last_time[s] + expire_after
            for c in range(values.shape[0]):
                expired_values[c, expired] = last[s, c]
                last[s, c] = float("nan")
            expired += 1
        for c in range(values.shape[0]):
            x = last[s, c]
            before[c, i] = x
            v = values[c, i]
            if v == v:
                x = v
                last[s, c] = v
            after[c, i] = x
        last_time[s] = t
        live[s] = True
    return expired


@kernel
def previous_rows(slot, seen, last_row, previous):
    """For each row find the one before it of the same stream, among rows that are `seen`; -1 when there is none.

    `last_row` (slots,) is scratch, all -1, and is left so.
    """
    for i in range(slot.size):
        previous[i] = last_row[slot[i]]
        if seen[i]:
            last_row[slot[i]] = i
    for i in range(slot.size):
        last_row[slot[i]] = -1


@kernel
def first_rows(slot, late, first_row, first):
    """For each row find the first one of its stream that is not late; a late row finds itself.

    `first_row` (slots,) is scratch, all -1, and is left so.
    """
    for i in range(slot.size):
        first[i] = i
        if not late[i]:
            if first_row[slot[i]] < 0:
                first_row[slot[i]] = i
            first[i] = first_row[slot[i]]
    for i in range(slot.size):
        first_row[slot[i]] = -1
