"""Group pairs of a query and a stream into answers, and compare two versions of the answers of the same queries.

Compiled, and without sorting, so that a measured re-evaluation loses no time here.
"""

import numpy as np
import numpy.typing as npt

from limen.kernels._jit import kernel

Pairs = npt.NDArray[np.integer]
Start = npt.NDArray[np.int64]
Member = npt.NDArray[np.int32]


@kernel
def group(query: Pairs, stream: Pairs, focal: Member) -> tuple[Start, Member]:
    """Return the start of each query's members and the members, without each query's focal stream.

    Examples
    --------
    >>> query, stream = np.array([1, 0, 1]), np.array([4, 3, 5])
    >>> group(query, stream, np.array([-1, 5], np.int32))
    (array([0, 1, 2]), array([3, 4], dtype=int32))
    """
    start = np.zeros(focal.size + 1, np.int64)
    for at in range(query.size):
        start[query[at] + 1] += stream[at] != focal[query[at]]
    for q in range(focal.size):
        start[q + 1] += start[q]
    free = start[:-1].copy()
    member = np.empty(start[-1], np.int32)
    for at in range(query.size):
        q = query[at]
        if stream[at] != focal[q]:
            member[free[q]] = stream[at]
            free[q] += 1
    return start, member


@kernel
def compare(
    old_start: Start, old: Member, new_start: Start, new: Member, mark: Start, query: Member, stream: Member
) -> tuple[int, int]:
    """Write added pairs from the front of `query` and `stream` and removed ones from the end; return both counts.

    `mark`, by stream, is -1 at first. A stream is marked with twice the query whose answer had it, and one more if the
    answer still has it.
    """
    came = went = 0
    for q in range(old_start.size - 1):
        for at in range(old_start[q], old_start[q + 1]):
            mark[old[at]] = 2 * q
        for at in range(new_start[q], new_start[q + 1]):
            i = new[at]
            if mark[i] == 2 * q:
                mark[i] = 2 * q + 1
            else:
                query[came], stream[came] = q, i
                came += 1
        for at in range(old_start[q], old_start[q + 1]):
            if mark[old[at]] == 2 * q:
                went += 1
                query[query.size - went], stream[query.size - went] = q, old[at]
    return came, went
