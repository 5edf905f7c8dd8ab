"""SOLE, Figure 25: how many more queries shedding supports, and what happens while more and more of them come."""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import numpy as np

from limen.queries.budget.kernels.layout import NO_SHEDDING
from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import judged
from limen_lab.reproduce.sole.sole_buffer import WatchedBuffer, corners, focals
from limen_lab.reproduce.sole.sole_shedding import OBJECT, QUERY, WAYS, objects_at, staying
from limen_lab.reproduce.sole.sole_traffic import INTERVAL, MileTraffic, recorded, side_of

LEAST = 90.0  # accuracy, in percent
MEMORIES = (0.8, 0.95)  # of all objects
INTERVALS = 4  # of traffic: to warm up, to shed, and two to measure in, since shedding comes in waves
ARRIVING = 0.001  # share of the city, of queries that come one after another
FULL_AFTER = 0.4  # of the arrivals


def named(way: str, memory: float) -> str:
    """Return what a curve of panel a is called."""
    return f"{way}, memory for {memory:.0%} of the objects".replace("%", " %")


def most_times(scale: Scale) -> int:
    """Return up to how many times the queries without shedding are looked for."""
    return at_scale(scale, full=26, quick=14, tiny=5)


@cache
def largest(objects: int, share: float, memory: float, way: str, most: int) -> int:
    """Return how many queries of one size are supported, `most` at most."""
    low, high = 1, 2
    while high < most and supports(objects, share, memory, way, high):
        low, high = high, high * 2
    high = min(high, most)
    while high - low > max(low // 20, 1):
        middle = (low + high) // 2
        low, high = (middle, high) if supports(objects, share, memory, way, middle) else (low, middle)
    return most if high == most and supports(objects, share, memory, way, most) else low


def supports(objects: int, share: float, memory: float, way: str, queries: int) -> bool:
    """Return whether so many queries fit and are accurate enough.

    No area shrinks so far that its query has less than 90 %, so that what does not fit then is not supported. Objects
    are shed as long as they do not fit, and queries are to have 90 % on average.
    """
    least = LEAST if way == QUERY else 0.0
    room = memory * objects
    watched = staying(MileTraffic(objects), np.full(queries, side_of(share)), room, WAYS.get(way, NO_SHEDDING), least)
    accuracy, stored = [], []
    for number, second in enumerate(recorded(objects, INTERVALS)):
        watched.play(second)
        if number >= 2 * INTERVAL and number % 3 == 0:
            accuracy.append(watched.accuracy())
            stored.append(watched.stored)
    return float(np.mean(stored)) <= room and float(np.mean(accuracy)) >= LEAST - 1e-9


def measure(scale: Scale) -> Iterator[Point]:
    """Look for the most queries of each size, and let queries come one after another."""
    objects = objects_at(scale)
    sizes = at_scale(scale, full=(0.001, 0.002, 0.005, 0.01), quick=(0.002, 0.01), tiny=(0.01,))
    times = most_times(scale)
    for share in sizes:
        for memory in MEMORIES:
            alone = largest(objects, share, memory, "", 100_000)
            for way in WAYS:
                found = largest(objects, share, memory, way, times * alone)
                yield Point("a", named(way, memory), 100 * share, found / alone)
    yield from arrivals(scale)


def arrivals(scale: Scale) -> Iterator[Point]:
    """Yield the accuracy while queries come, from the first on."""
    objects, each = at_scale(scale, full=(objects_at("full"), 10), quick=(objects_at("quick"), 10), tiny=(500, 3))
    traffic, count = MileTraffic(objects), 10 * INTERVAL
    seconds = recorded(objects, 11)
    sides = np.full(each * count, side_of(ARRIVING))
    where = corners(seconds[:INTERVAL], focals(traffic, len(sides)), sides)
    memory = 0.0
    for way in ("", *WAYS):
        watched = WatchedBuffer(traffic, memory=memory if way else np.inf, shedding=WAYS.get(way, NO_SHEDDING))
        for number, second in enumerate(seconds[INTERVAL:]):
            come = slice(each * number, each * (number + 1))
            watched.staying(sides[come], where[come])
            watched.play(second)
            if not way and len(watched.slots) <= FULL_AFTER * len(sides):
                memory = watched.stored
            if way and number % 3 == 2:
                yield Point("b", way, len(watched.slots), watched.accuracy())


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.8."""
    curves = {(way, memory): points.curve("a", named(way, memory)) for way in WAYS for memory in MEMORIES}
    for way, claimed in ((QUERY, 3), (OBJECT, 13)):
        most = {memory: max(curves[way, memory].values()) for memory in MEMORIES}
        yield judged(
            f"{way.capitalize()} supports up to {claimed} times the queries, each with 90 % accuracy",
            ", ".join(f"{y:.1f} × with memory for {memory:.0%}" for memory, y in most.items()).replace("%", " %")
            + " of the objects",
            reached=max(most.values()) >= claimed,
            otherwise=AREAS if way == QUERY else OBJECTS,
        )
    better = [curves[OBJECT, memory][x] - y for memory in MEMORIES for x, y in curves[QUERY, memory].items()]
    yield judged(
        "Object shedding supports more than query shedding, for all sizes",
        f"in {sum(each > 0 for each in better)} of {len(better)} cases",
        reached=min(better) > 0,
        otherwise=OBJECTS,
    )
    over = {way: points.curve("b", way) for way in WAYS}
    end = {way: curve[max(curve)] for way, curve in over.items()}
    yield judged(
        "While more and more queries come, object shedding keeps its accuracy and query shedding loses it",
        f"with {max(over[QUERY]):,.0f} queries, where memory was full with {FULL_AFTER * max(over[QUERY]):,.0f}: "
        f"{end[OBJECT]:.0f} % and {end[QUERY]:.0f} %",
        reached=end[OBJECT] > end[QUERY],
    )
    rise = {way: max(after - before for before, after in pairwise(curve.values())) for way, curve in over.items()}
    yield judged(
        "Query shedding goes in zigzag: areas shrink at once, and grow back until memory is full again",
        f"query shedding rises by {rise[QUERY]:.1f} points at most from one look to the next, object shedding by "
        f"{rise[OBJECT]:.1f}",
        reached=rise[QUERY] > 1,
        otherwise="Areas shrink no further than to what fits, and grow back when a fifth of the memory is free, or "
        "when all that is missed would fit. While queries keep coming that does not happen, so that they only fall. "
        "Object shedding goes down to 90 % of the memory and has all of it again then: it goes in waves.",
    )


AREAS = (
    "Areas may shrink as far as leaves 90 % accuracy. With that 99 % of the load stays (sole-22), since queries "
    "overlap: memory that is short by more is not relieved by it."
)
OBJECTS = (
    "It decides everything how many of all objects fit. Shedding leaves 90 to 100 % of the memory in use, and 90 % "
    "accuracy needs 85 to 90 % of what queries want (sole-23): with memory for 95 % of the objects it is met for any "
    "number of queries, with much less only for some more than cover what fits."
)

FIGURE = Figure(
    name="sole-25",
    title="Shedding: how many queries are supported, and accuracy while they come",
    source="SOLE, Figure 25 (§7.8)",
    panels=(
        Panel(
            "a",
            "Queries with 90 % accuracy, as a multiple of those without shedding",
            Axis("size of queries", "% of the city", log=True),
            Axis("queries", "times", log=True),
        ),
        Panel(
            "b",
            "Queries come, memory is full after 40 % of them",
            Axis("queries"),
            Axis("mean accuracy", "%"),
        ),
    ),
    curves=(*(Curve(named(way, memory)) for way in WAYS for memory in MEMORIES), Curve(QUERY), Curve(OBJECT)),
    measure=measure,
    judge=judge,
    setting={
        scale: f"{objects_at(scale):,} objects on roads in 28 by 28 miles; squares that stay, as dense as objects; "
        f"memory in objects. a: looked for up to {most_times(scale)} times as many, means over two intervals. b: "
        f"queries of {100 * ARRIVING:g} % of the city, some every second for ten intervals"
        for scale in ("full", "quick", "tiny")
    },
    learned="How many more queries shedding makes possible depends on how much of all streams fits into memory; with "
    "object shedding and nearly all of them there is no limit but time.",
)
