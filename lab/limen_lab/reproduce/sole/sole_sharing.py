"""Many queries in one shared buffer: how many objects it holds, and how long a report takes."""

from typing import NamedTuple

import numpy as np

from limen.queries.budget.buffer_rules import CELLS_A_SIDE
from limen.queries.budget.kernels.layout import CELL_ENTRIES
from limen_lab.bench.walks import cpu_seconds
from limen_lab.reproduce.sole.sole_buffer import WatchedBuffer, corners, focals
from limen_lab.reproduce.sole.sole_traffic import MileTraffic, Second, recorded, side_of

SHARES = (0.0001, 0.0005, 0.001, 0.005, 0.01)  # of the city that a query covers
WARM = 2  # intervals, until queries that move have all they need


def shared(
    objects: int, queries: int, share: float, *, moving: float = 1.0, cells_a_side: int = CELLS_A_SIDE
) -> tuple[WatchedBuffer, list[Second]]:
    """Return a buffer of squares of one size, a part of which moves, and three intervals of traffic for it."""
    traffic = MileTraffic(objects)
    seconds = recorded(objects, WARM + 1)
    sides, focal = np.full(queries, side_of(share)), focals(traffic, queries)
    watched = WatchedBuffer(traffic, cells_a_side=cells_a_side)
    number = round(moving * queries)
    if number:
        watched.moving(sides[:number], focal[:number])
    if number < queries:
        where = corners(seconds[: traffic.interval], focal[number:], sides[number:])
        watched.staying(sides[number:], where)
    return watched, seconds


class Response(NamedTuple):
    """How a buffer does."""

    microseconds: float  # of CPU time a report
    entries: float  # of queries in cells, by query


def response(watched: WatchedBuffer, seconds: list[Second]) -> Response:
    """Warm up, and measure one interval."""
    warm = WARM * watched.traffic.interval
    for second in seconds[:warm]:
        watched.play(second)
    spent = cpu_seconds(lambda: [watched.play(second) for second in seconds[warm:]])
    reports = sum(len(second.stream) for second in seconds[warm:])
    return Response(1e6 * spent / reports, watched.count(CELL_ENTRIES) / len(watched.slots))
