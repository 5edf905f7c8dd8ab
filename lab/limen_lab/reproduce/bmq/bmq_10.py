"""Figure 10 of the border paper: one dimension, the number of queries."""

from collections.abc import Iterator

from limen_lab.reproduce.bmq.one_dimension import (
    BY_CEI,
    BY_SKIP_LIST,
    CURVES,
    OURS,
    PAPERS,
    by_queries,
    panels,
    setting,
    times_faster,
)
from limen_lab.reproduce.figure import Axis, Figure, Point, Points, Scale, Verdict
from limen_lab.reproduce.judging import SHORT_RUNS, Lines, growth, judged, last, least, quotient, short, smaller_scale

FEW = "Few queries contain a value."


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the number of queries."""
    for count, prices in by_queries(scale):
        yield from prices.points(count)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.1.2, first experiment."""
    efficiency, time = Lines(points, "a"), Lines(points, "b")
    ours, papers = min(efficiency[OURS].values()), min(efficiency[PAPERS].values())
    yield judged(
        "The efficiency of BMQ-Processor is 100 % whatever the number of queries",
        f"{papers:.1f} % at least; border index {ours:.1f} % at least",
        reached=min(ours, papers) > 99,
        otherwise="Steps are longer than queries are wide.",
    )
    apart = min(quotient(efficiency[PAPERS], efficiency[BY_CEI]).values())
    yield judged(
        "… and much higher than that of DiffRMQ", f"{short(apart)} × at least", reached=apart > 5, otherwise=FEW
    )
    rivals = least(time[BY_CEI], time[BY_SKIP_LIST])
    yield times_faster(time, max(rivals), "At N = 100K, W = 0.1 %, FL = 0.01 %, DiffRMQ takes 6.8 × the time (7.1.4)")
    more = {name: 1000 * (last(time[name]) - time[name][min(time[name])]) for name in (OURS, PAPERS)}
    rivals_more = 1000 * (last(rivals) - rivals[min(rivals)])
    yield judged(
        "With more queries the time of BMQ-Processor increases slightly, as there are more results; DiffRMQ's much",
        f"with {max(rivals) / min(rivals):g} × the queries and results {growth(time[PAPERS]):.1f} × the time, "
        f"{more[PAPERS]:.0f} ns more; border index {growth(time[OURS]):.1f} ×, {more[OURS]:.0f} ns more; DiffRMQ "
        f"{growth(rivals):.1f} ×, {rivals_more:.0f} ns more",
        reached=3 * max(more.values()) < rivals_more,
        otherwise=smaller_scale(max(rivals), 100_000, "queries") + SHORT_RUNS,
    )


FIGURE = Figure(
    name="bmq-10",
    title="One dimension: effect of the number of queries",
    source="BMQ-Processor, Figure 10; BMQ-Index, Figure 6, is the same experiment",
    panels=panels(Axis("queries"), "number of queries"),
    curves=CURVES,
    measure=measure,
    judge=judge,
    setting=setting("10K to 100K queries, W = 0.1 %, FL = 0.01 %"),
    learned="An index of borders retrieves just what it reports; DiffRMQ retrieves W / FL times as much, here ten "
    "times. At 100K queries the border index takes some 0.15 µs a tuple, DiffRMQ 7 to 9 × that with CEI and "
    "10 to 12 × with the IS-list.",
)
