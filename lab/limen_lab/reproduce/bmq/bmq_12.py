"""Figure 12 of the border paper: one dimension, the fluctuation level; and on to steps of a tenth of the domain."""

from collections.abc import Iterator
from dataclasses import replace

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
from limen_lab.reproduce.judging import SHORT_RUNS, Lines, falls, judged, last, least, quotient, rises, short

WIDTH = 0.1
LEVELS: dict[Scale, tuple[float, ...]] = {
    "full": tuple(round(0.01 * step, 2) for step in range(1, 11)),
    "quick": (0.01, 0.02, 0.05, 0.1),
    "tiny": (0.01, 0.05, 0.1),
}
FURTHER: dict[Scale, tuple[float, ...]] = {
    "full": (0.2, 0.5, 1.0, 2.0, 5.0, 10.0),
    "quick": (1.0, 10.0),
    "tiny": (1.0, 10.0),
}
TUPLES_FURTHER = 12  # a walk passes 20,000 bounds a tuple there


FEW = "There are few events at this scale."


EFFICIENCY, TIME = panels(Axis("fluctuation level FL", "% of the domain", log=True), "fluctuation level")


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the fluctuation level."""
    prices = papers_prices(scale)
    for level in LEVELS[scale]:
        yield from replace(prices, fluctuation=level).points(level)
    for level in FURTHER[scale]:
        tuples = min(prices.tuples, TUPLES_FURTHER)
        yield from replace(prices, fluctuation=level, tuples=tuples, tuples_of_rivals=tuples).points(level)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.1.2, third experiment."""
    efficiency, time = Lines(points, "a"), Lines(points, "b")
    rivals = least(time[BY_CEI], time[BY_SKIP_LIST])
    papers, rival = ({x: y for x, y in efficiency[name].items() if x <= WIDTH} for name in (PAPERS, BY_CEI))
    yield judged(
        "As FL grows to W, the efficiency of BMQ-Processor falls slowly, and that of DiffRMQ rises rapidly",
        f"{papers[min(papers)]:.0f} % to {last(papers):.0f} %, and {rival[min(rival)]:.0f} % to {last(rival):.0f} %",
        reached=falls(papers) and last(papers) > 70 and rises(rival),
        otherwise=FEW,
    )
    higher = quotient(papers, rival)
    yield judged(
        "It is higher than that of DiffRMQ as long as FL is smaller than W",
        f"{short(min(y for x, y in higher.items() if x < WIDTH))} × at least, and {short(last(higher))} × at FL = W",
        reached=all(y > 1 for x, y in higher.items() if x < WIDTH),
        otherwise=FEW,
    )
    slower = {name: quotient(rivals, time[name]) for name in (OURS, PAPERS)}
    below = {name: min(y for x, y in slower[name].items() if x < WIDTH) for name in slower}
    yield judged(
        "While FL is smaller than W, BMQ-Processor is faster than DiffRMQ; at FL = W slightly slower",
        f"while FL is smaller, the faster DiffRMQ takes {short(below[PAPERS])} × the time at least, and "
        f"{short(slower[PAPERS][WIDTH])} × at FL = W; beside the border index {short(below[OURS])} × and "
        f"{short(slower[OURS][WIDTH])} ×",
        reached=min(below.values()) > 1,
        otherwise=SHORT_RUNS,
    )
    far = max(rivals)
    yield judged(
        f"Beyond the paper: steps up to FL = {far:g} %, 100 × W",
        f"BMQ-Processor walks for {time[PAPERS][far]:.1f} µs a tuple, the faster DiffRMQ takes {rivals[far]:.2f} µs, "
        f"the border index {time[OURS][far]:.2f} µs at an efficiency of {efficiency[OURS][far]:.0f} % (BMQ-Processor "
        f"{efficiency[PAPERS][far]:.1f} %)",
        reached=time[OURS][far] < min(time[PAPERS][far], rivals[far]),
        otherwise="Where few queries contain a value, to look them up twice costs less than to skip over many.",
    )


FIGURE = Figure(
    name="bmq-12",
    title="One dimension: effect of the fluctuation level",
    source="BMQ-Processor, Figure 12; BMQ-Index, Figure 8, is the same experiment; both end at 0.1 %",
    panels=(EFFICIENCY, replace(TIME, y=replace(TIME.y, log=True))),  # times of the walk leave all others behind
    curves=CURVES,
    measure=measure,
    judge=judge,
    setting=setting(
        "100K queries, W = 0.1 %, FL = 0.01 % to 0.1 %, as in the paper, and on to 10 % with "
        f"{TUPLES_FURTHER} tuples a stream at most"
    ),
    learned="Once steps are longer than half a query is wide, a walk passes bounds in vain, and pays for each of "
    "them: 110 µs a tuple at FL = 10 %. The border index skips them: 1.4 µs there, as DiffRMQ, and less than "
    "DiffRMQ at all shorter steps.",
)
