"""SOLE, Figure 20: the memory for query areas and for cache areas, shared and not shared."""

from collections.abc import Iterator

import numpy as np

from limen.queries.budget.kernels.layout import STORED
from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import judged, last, rises, smaller_scale
from limen_lab.reproduce.sole.sole_buffer import WatchedBuffer
from limen_lab.reproduce.sole.sole_sharing import SHARES, WARM, shared

SHARED, EACH_ITS_OWN = "shared", "each its own"


def size(scale: Scale) -> tuple[int, int]:
    """Return how many objects and queries there are."""
    return at_scale(scale, full=(100_000, 1_000), quick=(20_000, 1_000), tiny=(1_500, 300))


def counted(watched: WatchedBuffer) -> tuple[int, int, int, int]:
    """Return objects in regions and in cache areas alone: each once, and once for every query."""
    _, streams = watched.answers()
    objects = watched.buffer._store.arrays.objects  # noqa: SLF001  # what it holds is what is measured here
    wanted = objects["stream"][(objects["mode"] == STORED) & (objects["references"] > 0)]
    inside = len(np.unique(streams))
    everywhere = int(watched.assessed[:, 0].sum())
    return inside, len(wanted) - inside, len(streams), everywhere - len(streams)


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the size of queries that move."""
    objects, queries = size(scale)
    for share in at_scale(scale, full=SHARES, quick=SHARES, tiny=(0.0005, 0.005, 0.02)):
        watched, seconds = shared(objects, queries, share)
        for second in seconds[: WARM * watched.traffic.interval]:
            watched.play(second)
        region, cached, regions, caches = counted(watched)
        yield Point("a", SHARED, 100 * share, region)
        yield Point("a", EACH_ITS_OWN, 100 * share, regions)
        yield Point("b", SHARED, 100 * share, cached)
        yield Point("b", EACH_ITS_OWN, 100 * share, caches)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.5."""
    once, often = points.curve("a", SHARED), points.curve("a", EACH_ITS_OWN)
    few = smaller_scale(last(once), 95_000, "objects in regions")
    yield judged(
        "Query areas of 1 % of the city: not shared 10 times the memory (1M objects beside 100K at most)",
        f"{last(often) / last(once):.1f} × ({last(often):,.0f} beside {last(once):,.0f})",
        reached=last(often) >= 9 * last(once),
        otherwise=few + "Streams at the rim of the city are in few regions.",
    )
    cached, caches = points.curve("b", SHARED), points.curve("b", EACH_ITS_OWN)
    yield judged(
        "Cache areas: not shared, they take more with the size of queries",
        f"{caches[min(caches)]:,.0f} to {last(caches):,.0f} objects",
        reached=rises(caches),
    )
    highest = max(cached, key=lambda share: cached[share])
    yield judged(
        "Cache areas: shared, they take less with the size, since they lie in the regions of others",
        f"{cached[min(cached)]:,.0f} to {last(cached):,.0f} objects, most with {highest:g} % of the city",
        reached=last(cached) < cached[min(cached)],
        otherwise="The smallest queries cover little: their cache areas grow with them before they overlap.",
    )


_SIZE = Axis("size of queries", "% of the city", log=True)

FIGURE = Figure(
    name="sole-20",
    title="Memory for query areas and cache areas",
    source="SOLE, Figure 20 (§7.5)",
    panels=(
        Panel("a", "Objects in query areas", _SIZE, Axis("objects", log=True)),
        Panel("b", "Objects in cache areas alone", _SIZE, Axis("objects", log=True)),
    ),
    curves=(Curve(SHARED), Curve(EACH_ITS_OWN)),
    measure=measure,
    judge=judge,
    setting={
        scale: f"{size(scale)[1]:,} moving queries on {size(scale)[0]:,} objects on roads in 28 by 28 miles, 25 % cache"
        for scale in ("full", "quick", "tiny")
    },
    learned="A shared buffer never holds more than all streams; and the larger queries are, the more of their cache "
    "areas are free, since other queries want what is in them.",
)
