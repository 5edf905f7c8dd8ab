"""Figure 13 of the border paper: one dimension, skewed prices and skewed queries."""

from collections.abc import Iterator
from dataclasses import replace

from limen.simulate.walk import Distribution
from limen_lab.reproduce.bmq.one_dimension import (
    BY_CEI,
    BY_SKIP_LIST,
    CURVES,
    OURS,
    PAPERS,
    panels,
    papers_prices,
    setting,
)
from limen_lab.reproduce.figure import Axis, Figure, Point, Points, Scale, Verdict
from limen_lab.reproduce.judging import SHORT_RUNS, Lines, judged, least, short, spread

NEITHER, DATA, QUERIES, BOTH = range(4)
CATEGORIES = ("neither", "data", "queries", "both")
DISTRIBUTIONS: dict[int, tuple[Distribution, Distribution]] = {
    NEITHER: ("uniform", "uniform"),
    DATA: ("normal", "uniform"),
    QUERIES: ("uniform", "normal"),
    BOTH: ("normal", "normal"),
}


def measure(scale: Scale) -> Iterator[Point]:
    """Skew data, queries and both."""
    for which, (data, ranges) in DISTRIBUTIONS.items():
        yield from replace(papers_prices(scale), data=data, ranges=ranges).points(which)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.1.2, the experiment on distributions."""
    efficiency, time = Lines(points, "a"), Lines(points, "b")
    lowest = {name: min(efficiency[name].values()) for name in (OURS, PAPERS)}
    yield judged(
        "Distributions do not affect the efficiency: 100 % for BMQ-Processor, ten times that of DiffRMQ",
        f"{lowest[PAPERS]:.1f} % at least (border index {lowest[OURS]:.1f} %), where DiffRMQ has "
        f"{min(efficiency[BY_CEI].values()):.1f} % to {max(efficiency[BY_CEI].values()):.1f} %",
        reached=lowest[PAPERS] > 99
        and lowest[OURS] > 95
        and spread(efficiency[BY_CEI]) < 1.2
        and max(efficiency[BY_CEI].values()) < 12,
        otherwise="Few events, or steps longer than queries are wide.",
    )
    change = {
        name: max(abs(time[name][which] / time[name][NEITHER] - 1) for which in (DATA, QUERIES))
        for name in (OURS, PAPERS)
    }
    yield judged(
        "The time changes little where only data or only queries are skewed",
        f"by {100 * change[PAPERS]:.0f} % at most (border index {100 * change[OURS]:.0f} %)",
        reached=max(change.values()) < 0.3,
        otherwise=SHORT_RUNS,
    )
    both = {name: time[name][BOTH] / time[name][NEITHER] for name in (OURS, PAPERS)}
    yield judged(
        "It is considerably larger where both are skewed, since results are larger",
        f"{short(both[PAPERS])} × (border index {short(both[OURS])} ×)",
        reached=min(both.values()) > 1.15,
        otherwise=SHORT_RUNS,
    )
    rivals = least(time[BY_CEI], time[BY_SKIP_LIST])
    more = {name: 1000 * (time[name][BOTH] - time[name][NEITHER]) for name in (OURS, PAPERS)}
    rivals_more = 1000 * (rivals[BOTH] - rivals[NEITHER])
    yield judged(
        "BMQ-Processor is more robust against skew than DiffRMQ",
        f"where both are skewed it takes {more[PAPERS]:.0f} ns more (border index {more[OURS]:.0f} ns), DiffRMQ "
        f"{rivals_more:.0f} ns more",
        reached=2 * max(more.values()) < rivals_more,
        otherwise=SHORT_RUNS,
    )


FIGURE = Figure(
    name="bmq-13",
    title="One dimension: effect of skewed distributions",
    source="BMQ-Processor, Figure 13",
    panels=panels(Axis("what is spread normally around D/2"), "distribution", CATEGORIES),
    curves=CURVES,
    measure=measure,
    judge=judge,
    setting=setting(
        "100K queries, W = 0.1 %, FL = 0.01 %; lower bounds, first prices or both spread normally around D/2 with a "
        "deviation of D/6"
    ),
    learned="Skew of data alone or of queries alone changes little. Where both crowd in one place there are more "
    "events, and every method pays for them: 1.5 × the time, which are 0.07 to 0.1 µs by an index of borders "
    "and 0.5 µs by DiffRMQ.",
)
