"""Measure the true accuracy of answers against all streams, stored or not."""

import numpy as np

from limen.kernels._jit import inner_kernel, kernel
from limen.queries.answer.kernels.around import NEAREST, distance
from limen.queries.answer.kernels.nearest import keep
from limen.queries.budget.kernels.areas import in_region, interest, is_about
from limen.queries.budget.kernels.layout import IN, STORED


@inner_kernel
def has(buffer, q, stream):
    """Return whether a stream is in the answer of a query."""
    queries, o = buffer.queries, buffer.streams[stream]["object"]
    if o < 0 or buffer.objects[o]["mode"] != STORED:
        return False
    if queries[q]["kind"] != NEAREST:
        return interest(buffer, q, o) == IN
    first = queries[q]["member_first"]
    for at in range(first, first + queries[q]["member_count"]):
        if buffer.members[at] == o:
            return True
    return False


@kernel
def measure(buffer, points, some, kept, kept_far, out):
    """Set of some queries (n, 2) how many streams are due in the answer, and how many of these are in it.

    Parameters
    ----------
    points : float array (streams, axes)
        Positions of all streams that satisfy the condition; NaN for others.
    kept, kept_far
        Work arrays with room for all streams.
    """
    queries = buffer.queries
    for at in range(some.size):
        q, due, there, count = some[at], 0, 0, 0
        if not np.isnan(queries["center"][q, 0]):
            for stream in range(len(points)):
                if np.isnan(points[stream, 0]) or not is_about(buffer, q, stream):
                    continue
                if queries[q]["kind"] == NEAREST:
                    far = distance(buffer.lonlat, queries["center"], q, points, stream)
                    k = min(queries[q]["wanted"], kept.size)
                    count = keep(buffer.names, far, stream, k, count, kept_far, kept)
                elif in_region(buffer, q, points, stream):
                    due += 1
                    there += has(buffer, q, stream)
        for place in range(count):
            due += 1
            there += has(buffer, q, kept[place])
        out[at, 0], out[at, 1] = due, there
