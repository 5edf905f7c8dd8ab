"""One query alone, as the SOLE paper has it in its first figures: what its cache area costs, and what it saves."""

from collections.abc import Iterator

import numpy as np

from limen_lab.reproduce.figure import Point, Scale, at_scale
from limen_lab.reproduce.sole.cache_formulas import cache_overhead
from limen_lab.reproduce.sole.sole_buffer import WatchedBuffer, focals
from limen_lab.reproduce.sole.sole_traffic import FASTEST, INTERVAL, MileTraffic, recorded

LOOKS = 6  # at memory in an interval
MEASURED, FORMULA = "measured", "formula"
UNEVEN = (
    "The formula has streams spread evenly and cache areas full. Here streams are on roads, most of them in the middle "
    "of the city; and where a cache area has just moved to, no stream has reported since. Of 22,000 streams at up to "
    "60 miles/h, cache areas of squares of a mile have 108 % as many as regions rather than 125 %, and 93 % are stored."
)


def alone(traffic: MileTraffic, side: float, cache: float, queries: int) -> list[WatchedBuffer]:
    """Return buffers with a moving query each, to be played the same traffic."""
    watched = []
    for focal in focals(traffic, queries):
        one = WatchedBuffer(traffic, cache=cache)
        one.moving(np.array([side]), np.array([focal], np.int32))
        watched.append(one)
    return watched


def overhead(watched: list[WatchedBuffer]) -> float:
    """Return how much more is stored for the cache areas, in percent of what is stored for the regions."""
    answers = sum(len(each.answers()[0]) for each in watched)
    stored = sum(float(each.assessed[0, 0]) for each in watched)
    return 100 * (stored - answers) / max(answers, 1)


def mean_overhead(scale: Scale, side: float, cache: float, fastest: float = FASTEST, interval: int = INTERVAL) -> float:
    """Return the overhead of queries, each alone, on average over the third interval: all are warm by then."""
    objects, queries = at_scale(scale, full=(22_000, 8), quick=(5_500, 8), tiny=(1_500, 3))
    traffic = MileTraffic(objects, fastest, interval)
    watched = alone(traffic, side, cache, queries)
    found = []
    for number, second in enumerate(recorded(objects, 3, fastest, interval)):
        for each in watched:
            each.play(second)
        if number >= 2 * interval and (number + 1) % max(interval // LOOKS, 1) == 0:
            found.append(overhead(watched))
    return float(np.mean(found))


def both(
    scale: Scale, panel: str, name: str, x: float, side: float, cache: float, fastest: float, interval: int = INTERVAL
) -> Iterator[Point]:
    """Yield what was measured, and what the formula says."""
    yield Point(panel, f"{name}, {MEASURED}", x, mean_overhead(scale, side, cache, fastest, interval))
    yield Point(panel, f"{name}, {FORMULA}", x, cache_overhead(side, fastest / 3600, interval, cache))


def velocities(scale: Scale) -> tuple[float, ...]:
    """Return the highest velocities, in miles an hour."""
    return at_scale(scale, full=(1, 10, 20, 30, 40, 50, 60), quick=(1, 20, 40, 60), tiny=(1, 30, 60))


def setting(what: str) -> dict[Scale, str]:
    """Say what is run, by scale."""
    return {
        "full": f"{what}; 22,000 objects (a fifth of the paper's) on roads in 28 by 28 miles, 8 queries, each alone in "
        "a buffer of its own, on average over one interval after warming up",
        "quick": f"{what}; 5,500 objects, 8 queries, each alone",
        "tiny": f"{what}; 1,500 objects, 3 queries, each alone",
    }
