"""How long indexes take to find what contains a point, by turns, and what they hold for it."""

from collections.abc import Callable, Mapping
from functools import partial

from limen.arrays import Floats
from limen_lab.bench.record import side_by_side
from limen_lab.bench.walks import cpu_seconds
from limen_lab.rivals.match_index import MatchIndex

MOST_PAIRS = 12_000  # found at once, so that answers stay in the cache: beyond, room for them is what is measured
FEWEST_POINTS, MOST_POINTS = 250, 20_000
MOST_ANSWERS = 4_000_000


def filled(makers: Mapping[str, Callable[[], MatchIndex]], boxes: Floats) -> dict[str, MatchIndex]:
    """Make indexes of the same boxes (n, dimensions, 2), built to the first answer."""
    indexes = {name: make() for name, make in makers.items()}
    nowhere = boxes[:1, :, 0].T
    for index in indexes.values():
        index.insert(boxes)
        index.match(nowhere)
    return indexes


def microseconds(indexes: Mapping[str, MatchIndex], points: Floats, runs: int) -> dict[str, float]:
    """Return the CPU time of a point in each index, the best of several turns.

    All indexes are given the same points in the same blocks, and must find equally many pairs.
    """
    found = {name: _pairs(index, points[:, :FEWEST_POINTS]) for name, index in indexes.items()}
    assert len(set(found.values())) == 1, found
    each = max(next(iter(found.values())) / FEWEST_POINTS, 1.0)
    count = int(min(max(MOST_ANSWERS / each, FEWEST_POINTS), points.shape[1]))
    block = max(int(MOST_PAIRS / each), 1)
    blocks = [points[:, first : min(first + block, count)].copy() for first in range(0, count, block)]

    def look_up(index: MatchIndex) -> None:
        for some in blocks:
            index.match(some)

    takers: dict[str, Callable[[], float]] = {
        name: partial(cpu_seconds, partial(look_up, index)) for name, index in indexes.items()
    }
    return {name: 1e6 * taken / count for name, taken in side_by_side(runs, **takers).items()}


def _pairs(index: MatchIndex, points: Floats) -> int:
    return len(index.match(points).arrays()[0])
