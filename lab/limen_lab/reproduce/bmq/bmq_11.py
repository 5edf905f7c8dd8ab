"""Figure 11 of the border paper: one dimension, the width of queries."""

from collections.abc import Iterator

from limen_lab.reproduce.bmq.one_dimension import BY_CEI, BY_SKIP_LIST, CURVES, OURS, PAPERS, by_width, panels, setting
from limen_lab.reproduce.figure import Axis, Figure, Point, Points, Scale, Verdict
from limen_lab.reproduce.judging import SHORT_RUNS, Lines, falls, growth, judged, last, least, spread

FLUCTUATION = 0.01


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the width."""
    for width, prices in by_width(scale):
        yield from prices.points(width)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.1.2, second experiment."""
    efficiency, time = Lines(points, "a"), Lines(points, "b")
    rival = efficiency[BY_CEI]
    yield judged(
        "The efficiency of DiffRMQ falls rapidly as queries get wider",
        f"from {rival[min(rival)]:.0f} % to {last(rival):.0f} %",
        reached=falls(rival) and growth(rival) < 0.25,
        otherwise="Queries are hardly wider than steps are long.",
    )
    papers, ours = efficiency[PAPERS], efficiency[OURS]
    wide = min(y for curve in (papers, ours) for x, y in curve.items() if x > FLUCTUATION)
    yield judged(
        "… and that of BMQ-Processor remains almost 100 %",
        f"{papers[FLUCTUATION]:.1f} % at W = FL = 0.01 % (border index {ours[FLUCTUATION]:.1f} %), {wide:.1f} % or "
        "more where queries are wider",
        reached=min(wide, papers[FLUCTUATION], ours[FLUCTUATION]) > 95,
        otherwise="Steps here are drawn evenly from 0 to 2 FL. Where W = FL, half of them are longer than a query is "
        "wide and jump over some: min(step, W) is 3/4 of a step on average, which is what was measured. The paper does "
        "not say how its steps are spread; if all were as long as FL, none would jump over a query.",
    )
    rivals = least(time[BY_CEI], time[BY_SKIP_LIST])
    yield judged(
        "The time of BMQ-Processor does not depend on the width; that of DiffRMQ increases significantly",
        f"highest to lowest {spread(time[PAPERS]):.2f} × (border index {spread(time[OURS]):.2f} ×); from the narrowest "
        f"to the widest {growth(time[PAPERS]):.2f} × ({growth(time[OURS]):.2f} ×), DiffRMQ {growth(rivals):.1f} ×",
        reached=max(growth(time[PAPERS]), growth(time[OURS])) < 1.3 and growth(rivals) > 1.5,
        otherwise=SHORT_RUNS,
    )


FIGURE = Figure(
    name="bmq-11",
    title="One dimension: effect of the width of queries",
    source="BMQ-Processor, Figure 11; BMQ-Index, Figure 7, is the same experiment",
    panels=panels(Axis("width of queries W", "% of the domain"), "width of queries"),
    curves=CURVES,
    measure=measure,
    judge=judge,
    setting=setting("100K queries, W = 0.01 % to 0.1 %, FL = 0.01 %"),
    learned="Width costs an index of borders nothing, and DiffRMQ in proportion. Only where steps are longer than "
    "queries are wide does a walk pass bounds in vain.",
)
