"""Answers of many queries after a re-evaluation, and their difference from the previous answers."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limen.arrays import Ints, Slots
from limen_lab.bench.answer.kernels.answer_sets import compare, group


class Answers(NamedTuple):
    """The members of all queries, query by query, and the start of each query's members."""

    start: Ints
    member: Slots


class Difference(NamedTuple):
    """Pairs of a query and a stream that were added, and that were removed."""

    came: tuple[Slots, Slots]
    went: tuple[Slots, Slots]


def answers_of(query: npt.NDArray[np.integer], stream: npt.NDArray[np.integer], focal: Slots) -> Answers:
    """Group pairs by query; a query's stream in `focal` is never in its answer."""
    return Answers(*group(query, stream, focal))


def difference(old: Answers, new: Answers, streams: int) -> Difference:
    """Return how the answers of the same queries differ; `streams` is the number of streams."""
    room = len(old.member) + len(new.member)
    query, stream = np.empty(room, np.int32), np.empty(room, np.int32)
    came, went = compare(*old, *new, np.full(streams, -1, np.int64), query, stream)
    return Difference((query[:came], stream[:came]), (query[room - went :], stream[room - went :]))
