"""Answers of many queries found afresh, and how they differ from those of before: what follows a re-evaluation.

Compiled, and without sorting: what is compared with re-evaluation should lose no time here.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limen.arrays import Ints, Slots
from limen.kernels._jit import kernel


class Answers(NamedTuple):
    """The members of all queries, one query's after another's, and where those of each begin."""

    start: Ints
    member: Slots


class Difference(NamedTuple):
    """Pairs of a query and a stream that came, and that went."""

    came: tuple[Slots, Slots]
    went: tuple[Slots, Slots]


def answers_of(query: npt.NDArray[np.integer], stream: npt.NDArray[np.integer], focal: Slots) -> Answers:
    """Group pairs by their queries, of which `focal` is the stream that is never in the answer."""
    return Answers(*_grouped(query, stream, focal))


def difference(old: Answers, new: Answers, streams: int) -> Difference:
    """Compare answers of the same queries, of which there are so many streams."""
    room = len(old.member) + len(new.member)
    query, stream = np.empty(room, np.int32), np.empty(room, np.int32)
    came, went = _compared(*old, *new, np.full(streams, -1, np.int64), query, stream)
    return Difference((query[:came], stream[:came]), (query[room - went :], stream[room - went :]))


@kernel
def _grouped(
    query: npt.NDArray[np.integer], stream: npt.NDArray[np.integer], focal: Slots
) -> tuple[Ints, Slots]:  # fmt: skip
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
def _compared(
    old_start: Ints, old: Slots, new_start: Ints, new: Slots, mark: Ints, query: Slots, stream: Slots
) -> tuple[int, int]:
    """Write what came from the front and what went from the end; return how many these are.

    A stream is marked with twice the query that had it, and one more if it still has.
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
