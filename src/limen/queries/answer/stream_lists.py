"""The streams that queries list, looked up by query and by stream."""

import numpy as np

from limen.arrays import Ints, Slots
from limen.queries.answer.kernels.layout import Listed


def listed_of(queries: Slots, streams: Slots, counts: Ints, known: int) -> Listed:
    """Return the streams of queries, query after query, linked by stream; `known` is the number of streams."""
    place = np.argsort(streams, kind="stable")
    following, head = np.full(len(streams), -1, np.int64), np.full(known, -1, np.int64)
    in_order = streams[place]
    again = in_order[1:] == in_order[:-1]
    following[place[:-1][again]] = place[1:][again]
    begins = np.ones(len(place), np.bool_)
    begins[1:] = ~again
    head[in_order[begins]] = place[begins]
    return Listed(streams, np.repeat(queries, counts).astype(np.int32), following, head)
