"""Shedding in a shared buffer: how much is kept, and how accurate answers are then."""

from functools import cache
from typing import NamedTuple

import numpy as np

from limen.arrays import Floats
from limen.queries.budget.kernels.layout import NO_SHEDDING, SHED_AREAS, SHED_OBJECTS
from limen_lab.reproduce.figure import Scale, at_scale
from limen_lab.reproduce.sole.sole_buffer import WatchedBuffer, corners, focals
from limen_lab.reproduce.sole.sole_traffic import INTERVAL, MileTraffic, recorded, side_of

QUERY, OBJECT = "query shedding", "object shedding"
WAYS = {QUERY: SHED_AREAS, OBJECT: SHED_OBJECTS}
SMALLEST, LARGEST = 0.0001, 0.01  # shares of the city that queries cover
BUDGETS = (0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.98)  # of what there is without shedding
INTERVALS = 4  # of traffic: to warm up, to shed, and the last to measure in


class Kept(NamedTuple):
    """What shedding comes to, both in percent."""

    load: float  # objects that are stored, of those without shedding
    accuracy: float  # of queries on average, as the paper has it


def various(n: int) -> Floats:
    """Return the sides of squares of all sizes, in miles."""
    rng = np.random.default_rng(22)
    return side_of(1.0) * np.exp(rng.uniform(np.log(SMALLEST), np.log(LARGEST), n) / 2)


def numbers(scale: Scale) -> tuple[int, ...]:
    """Return the numbers of queries."""
    return at_scale(scale, full=(1_000, 2_000, 4_000, 8_000, 16_000), quick=(1_000, 2_000, 4_000), tiny=(200, 600))


def setting() -> dict[Scale, str]:
    """Say what is run, by scale."""
    return {
        scale: f"{objects_at(scale):,} objects on roads in 28 by 28 miles; squares that stay, of 0.01 to 1 % of the "
        f"city, as dense as objects are: up to {max(numbers(scale)):,} of them, where the paper has 32,000, and 25 % "
        "cache. Fewer objects overlap no less: an object is in as many queries. Load is objects stored, accuracy the "
        "mean over queries of what is stored of what is due, both over an interval after shedding has set in"
        for scale in ("full", "quick", "tiny")
    }


def objects_at(scale: Scale) -> int:
    """Return how many objects there are."""
    return at_scale(scale, full=5_500, quick=2_000, tiny=500)


def staying(traffic: MileTraffic, sides: Floats, memory: float, shedding: int, least: float = 0.0) -> WatchedBuffer:
    """Return a buffer with squares that stay, where streams are at the beginning."""
    watched = WatchedBuffer(traffic, memory=memory, shedding=shedding)
    where = corners(recorded(traffic.objects, INTERVALS)[:INTERVAL], focals(traffic, len(sides)), sides)
    watched.staying(sides, where, least)
    return watched


@cache
def unshed(objects: int, queries: int) -> int:
    """Return how many objects are stored for queries of all sizes without shedding, after an interval."""
    watched = staying(MileTraffic(objects), various(queries), np.inf, NO_SHEDDING)
    for second in recorded(objects, INTERVALS)[:INTERVAL]:
        watched.play(second)
    return watched.stored


@cache
def shed(objects: int, queries: int, way: str, budget: float) -> Kept:
    """Return what is kept, on average over the last interval, of queries of all sizes with a budget of memory."""
    whole = unshed(objects, queries)
    watched = staying(MileTraffic(objects), various(queries), budget * whole, WAYS[way])
    load, accuracy = [], []
    for number, second in enumerate(recorded(objects, INTERVALS)):
        watched.play(second)
        if number >= (INTERVALS - 1) * INTERVAL and number % 3 == 0:
            load.append(watched.stored)
            accuracy.append(watched.accuracy())
    return Kept(100 * float(np.mean(load)) / whole, float(np.mean(accuracy)))


def sweep(scale: Scale, queries: int, way: str) -> list[Kept]:
    """Return what is kept by budget, from little to all."""
    budgets = at_scale(scale, full=BUDGETS, quick=(0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.98), tiny=(0.3, 0.9))
    return [*(shed(objects_at(scale), queries, way, budget) for budget in budgets), Kept(100.0, 100.0)]


def load_for(kept: list[Kept], accuracy: float) -> float:
    """Return the load that an accuracy needs, between what was measured.

    Examples
    --------
    >>> load_for([Kept(40.0, 60.0), Kept(100.0, 100.0)], 90.0)
    85.0
    """
    by_accuracy = sorted([Kept(0.0, 0.0), *kept], key=lambda each: each.accuracy)
    return float(np.interp(accuracy, [each.accuracy for each in by_accuracy], [each.load for each in by_accuracy]))


def accuracy_at(kept: list[Kept], load: float) -> float:
    """Return the accuracy that a load gives, between what was measured.

    Examples
    --------
    >>> accuracy_at([Kept(40.0, 60.0), Kept(100.0, 100.0)], 70.0)
    80.0
    """
    by_load = sorted([Kept(0.0, 0.0), *kept])
    return float(np.interp(load, [each.load for each in by_load], [each.accuracy for each in by_load]))
