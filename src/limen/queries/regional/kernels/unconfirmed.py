"""Decide when a crossing of a debounced border is confirmed.

A crossing is *unconfirmed* while the stream counts as being on one side of the border and its last row is on the
other: it has not been there for long enough, or not far enough outside. Any other stream counts as being where its last
row is, and nothing is stored for it.

A *job* is a query and a stream with an unconfirmed crossing or a new one, and the new crossings in order of rows. Jobs
do not depend on each other. Only the region index can measure whether a row outside is beyond the margin: a kernel
stops a job at a row that is not measured, returns that row, and resumes once the distance is measured.
"""

import numpy as np

from limen.kernels._jit import inner_kernel, kernel
from limen.runtime.kernels.streams import NEVER

ENTERS, LEAVES, PASSES = 0, 1, 2  # crossings: the row is inside now; it is outside; it has jumped over
NO_ROW = -1

#: A job: its query and stream; its next crossing and the one behind its last; since when rows have left the side where
#: its stream counts; the row to look at next while a crossing is unconfirmed; the rows measured so far, as places in
#: `far`, and the row that the first of these is about; the first row to be measured next, NO_ROW for none; how many
#: rows have left; whether a crossing is unconfirmed; and whether its stream counts as inside.
JOB = np.dtype(
    [
        ("query", np.int32),
        ("stream", np.int32),
        ("crossing", np.int64),
        ("last", np.int64),
        ("since", np.int64),
        ("row", np.int64),
        ("measured", np.int64),
        ("measured_until", np.int64),
        ("measured_row", np.int64),
        ("wanted_row", np.int64),
        ("rows", np.int32),
        ("unconfirmed", np.bool_),
        ("inside", np.bool_),
    ],
    align=True,
)

#: A confirmed crossing: the job, ENTERS, LEAVES or PASSES, when, since when (NEVER for a jump); the row that confirmed
#: it, NO_ROW for a deadline; and the place in the order of rows, as in `transitions.compose`.
CONFIRMED = np.dtype(
    [
        ("time", np.int64),
        ("since", np.int64),
        ("place", np.int64),
        ("job", np.int32),
        ("kind", np.int8),
    ],
    align=True,
)


@kernel
def next_rows(slot, late, following, first_row):
    """For each row find the next one of its stream that is not late, NO_ROW for none; and of each stream the first.

    `first_row` (slots,) must be NO_ROW for all streams that have rows, and holds their first rows afterwards.
    """
    for i in range(slot.size - 1, -1, -1):
        following[i] = first_row[slot[i]]
        if not late[i]:
            first_row[slot[i]] = i


@kernel
def rows_to_measure(jobs, unresolved, following, most, rows, job_of):
    """List the rows whose distance jobs need, and the rows after them, at most `most` a job; note where they are.

    Returns how many there are. `rows` and `job_of` must have room for `most` rows a job.
    """
    count = 0
    for i in range(unresolved.size):
        job = jobs[unresolved[i]]
        job["measured"] = count
        job["measured_row"] = job["wanted_row"]
        row = job["wanted_row"]
        while row != NO_ROW and count < job["measured"] + most:
            rows[count] = row
            job_of[count] = unresolved[i]
            count += 1
            row = following[row]
        job["measured_until"] = count
        job["wanted_row"] = NO_ROW
    return count


@inner_kernel
def has_left(job, row, margin, following, far):
    """Return whether a row outside is beyond the margin: 1 or 0, or -1 when it is not measured yet."""
    if margin == 0.0:
        return 1
    while job["measured"] < job["measured_until"] and job["measured_row"] != row:  # rows that needed no distance
        job["measured_row"] = following[job["measured_row"]]
        job["measured"] += 1
    if job["measured"] == job["measured_until"]:
        job["wanted_row"] = row
        return -1
    return 1 if far[job["measured"]] else 0


@inner_kernel
def count_row(job, left, time, confirm):
    """Take a row into account that has left the side at which the stream counts, or has not."""
    if not left:
        job["rows"] = 0
        job["since"] = 0
        return
    if job["rows"] == 0:
        job["since"] = time
    if job["rows"] < confirm:
        job["rows"] += 1


@inner_kernel
def put(job, number, kind, time, since, place, count, confirmed):
    """Write a confirmed crossing, for which there must be room, and return the new count."""
    confirmed[count]["job"] = number
    confirmed[count]["kind"] = kind
    confirmed[count]["time"] = time
    confirmed[count]["since"] = since
    confirmed[count]["place"] = place
    job["unconfirmed"] = False
    return count + 1


@kernel
def resolve(
    jobs, some, crossing_row, crossing, time, seen, following, expired_at, margin, confirm, min_stay, far,
    confirmed, count, lapsed_job, lapsed_row, lapsed,
):  # fmt: skip
    """Run jobs until they are done or need a row measured.

    Parameters
    ----------
    jobs, some : arrays
        All jobs, and which of them to go on with.
    crossing_row, crossing : arrays (crossings,)
        Rows, and ENTERS, LEAVES or PASSES, of all jobs one after another.
    time, seen, following : arrays (rows,)
        When each row is; whether the queries see it; the next row of the same stream.
    expired_at : int64 array (rows,), or empty
        When the stream of a row was forgotten before it; NEVER for most.
    margin, confirm, min_stay : arrays
        The debouncing options, by query.
    far : bool array
        Whether the rows measured so far are beyond the margin.
    confirmed : array of CONFIRMED; lapsed_job, lapsed_row : int arrays
        Out: confirmed crossings, and unconfirmed ones of evicted streams with the row after the eviction. There must
        be room for as many as there are jobs and crossings.
    count, lapsed : int
        How many there are already.

    Returns
    -------
    tuple of int
        How many there are now.
    """
    for s in range(some.size):
        number = some[s]
        job = jobs[number]
        query = job["query"]
        stay = min_stay[query]
        needed = confirm[query]
        while True:
            if not job["unconfirmed"]:
                if job["crossing"] == job["last"]:
                    break
                row = np.int64(crossing_row[job["crossing"]])
                kind = crossing[job["crossing"]]
                if kind == PASSES:
                    count = put(job, number, PASSES, time[row], NEVER, 2 * row + 1, count, confirmed)
                    job["crossing"] += 1
                    continue
                left = 1
                if kind == LEAVES:
                    left = has_left(job, row, margin[query], following, far)
                    if left < 0:
                        break
                job["crossing"] += 1
                job["unconfirmed"] = True
                job["inside"] = kind == LEAVES
                job["rows"] = 0
            else:
                row = job["row"]
                if row == NO_ROW:
                    break
                due = job["since"] + stay
                ready = job["rows"] >= needed
                if expired_at.size and expired_at[row] != NEVER:
                    if ready and due <= expired_at[row]:
                        kind = LEAVES if job["inside"] else ENTERS
                        count = put(job, number, kind, due, job["since"], 2 * row, count, confirmed)
                    else:
                        lapsed_job[lapsed] = number
                        lapsed_row[lapsed] = row
                        lapsed += 1
                        job["unconfirmed"] = False
                    continue
                if ready and due < time[row]:
                    kind = LEAVES if job["inside"] else ENTERS
                    count = put(job, number, kind, due, job["since"], 2 * row, count, confirmed)
                    continue
                if job["crossing"] < job["last"] and crossing_row[job["crossing"]] == row:
                    job["crossing"] += 1
                    if crossing[job["crossing"] - 1] != PASSES:
                        job["unconfirmed"] = False  # back on the side where it counts
                        continue
                left = 1
                if not seen[row]:
                    job["row"] = following[row]
                    continue
                if job["inside"]:
                    left = has_left(job, row, margin[query], following, far)
                    if left < 0:
                        break
            waited = job["rows"] >= needed  # for time alone, which passes after the rows of it
            count_row(job, left == 1, time[row], needed)
            job["row"] = following[row]
            if not waited and job["rows"] >= needed and time[row] - job["since"] >= stay:
                kind = LEAVES if job["inside"] else ENTERS
                count = put(job, number, kind, time[row], job["since"], 2 * row + 1, count, confirmed)
    return count, lapsed
