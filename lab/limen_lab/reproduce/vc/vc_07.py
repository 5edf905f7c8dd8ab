"""vci-vcr, Figure 7: what indexes of intervals hold in memory."""

from collections.abc import Iterator

from limen_lab.reproduce.figure import Axis, Figure, Panel, Point, Points, Scale, Verdict
from limen_lab.reproduce.judging import judged
from limen_lab.reproduce.vc.interval_indexes import (
    CURVES,
    DIRECT,
    EDGES,
    LCI,
    QUERIES,
    SKIP_LIST,
    indexes,
    intervals,
    setting,
    sizes,
)


def measure(scale: Scale) -> Iterator[Point]:
    """Yield the megabytes of each index, by the number of queries."""
    for n in sizes(scale):
        for curve, index in indexes(intervals(n)).items():
            yield Point("", curve, n, index.nbytes / 1e6)


def judge(points: Points) -> Iterator[Verdict]:
    """Compare LCI with the others of the paper."""
    held = {curve.name: points.curve("", curve.name) for curve in CURVES}
    less = {n: held[DIRECT][n] / held[LCI][n] for n in held[LCI]}
    yield judged(
        "LCI stores less than the direct list",
        f"the direct list takes {min(less.values()):.1f} to {max(less.values()):.1f} × as much",
        reached=min(less.values()) > 1,
    )
    lowest = [n for n in held[LCI] if held[LCI][n] < min(held[other][n] for other in (SKIP_LIST, DIRECT))]
    last = max(held[LCI])
    rest = sorted(set(held[LCI]) - set(lowest))
    yield judged(
        "LCI-BV(DT) stores least: less than the IS-list and the direct list",
        f"at {len(lowest)} of {len(held[LCI])} sizes, up to {held[SKIP_LIST][last] / held[LCI][last]:.1f} × less than "
        "the IS-list",
        reached=last in lowest,
        otherwise="with so few queries the table of lists is most of it",
    )
    if rest:
        said = ", ".join(f"{held[LCI][n] / held[SKIP_LIST][n]:.2f} × at n = {n:,.0f}" for n in rest)
        yield judged(
            "… at every number of queries",
            f"not with few: {said} of the IS-list's",
            reached=False,
            otherwise="the table of lists has (log₂ L + 1)·R places whether or not there are queries, and 2 of 4 "
            "bytes each here: 0.16 MB in this setting, which few queries do not make up for",
        )
    yield judged(
        "Edge lists, Limen's for border queries, are as small from a few queries on, at two entries a query",
        f"{1e6 * held[EDGES][last] / last:.0f} bytes a query at n = {last:,.0f}, LCI "
        f"{1e6 * held[LCI][last] / last:.0f}",
        reached=held[EDGES][last] < held[DIRECT][last],
    )


FIGURE = Figure(
    name="vc-07",
    title="Storage of indexes of intervals, by the number of queries",
    source="VCI/VCR paper, Figure 7 (§2.5)",
    panels=(Panel("", "Storage", QUERIES, Axis("storage", "MB", log=True)),),
    curves=CURVES,
    measure=measure,
    judge=judge,
    setting={
        scale: f"{setting(scale)}; all that an index holds, the bounds and states of queries, 17 bytes each, included"
        for scale in ("full", "quick", "tiny")
    },
    learned="The direct list lists an interval once for every integer in it, LCI a few times. From a few thousand "
    "queries on LCI is smaller than both of its rivals.",
)
