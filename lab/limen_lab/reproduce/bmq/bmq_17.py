"""Figure 17 of the border paper: two dimensions, the width of queries."""

from collections.abc import Iterator

from limen_lab.reproduce.bmq.in_the_plane import BY_CES, CURVES, GRID, KINDS, OURS, PAPERS, by_width, panels, setting
from limen_lab.reproduce.figure import Axis, Figure, Point, Points, Scale, Verdict
from limen_lab.reproduce.judging import SHORT_RUNS, Lines, growth, judged, last, quotient, range_of, spread


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the width."""
    for width, city in by_width(scale):
        yield from city.points(width)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.2.2, second experiment."""
    efficiency, time = Lines(points, "a"), Lines(points, "b")
    higher = {kind: quotient(efficiency[f"{PAPERS}, {kind}"], efficiency[f"{BY_CES}, {kind}"]) for kind in KINDS}
    fast, by_ces_fast = efficiency[f"{PAPERS}, fast"], efficiency[f"{BY_CES}, fast"]
    yield judged(
        "Overall the efficiency of BMQ-Processor is superior to that of DiffRMQ with CES",
        f"for fast objects {fast[min(fast)]:.0f} % to {last(fast):.0f} % as squares grow, DiffRMQ "
        f"{by_ces_fast[min(fast)]:.0f} % to {last(by_ces_fast):.1f} %: {range_of(higher['fast'])} × as high, lower "
        f"{up_to(higher['fast'])}; for slow objects {range_of(higher['slow'])} ×, lower {up_to(higher['slow'])}",
        reached=sum(y > 1 for each in higher.values() for y in each.values()) > len(fast),
        otherwise=IN_VAIN,
    )
    ratio = {
        (name, kind): quotient(time[f"{BY_CES}, {kind}"], time[f"{name}, {kind}"])
        for name in (PAPERS, OURS, GRID)
        for kind in KINDS
    }
    ends = {each: f"{curve[min(curve)]:.1f} × to {last(curve):.1f} ×" for each, curve in ratio.items()}
    yield judged(
        "Its time is much lower with the same objects",
        f"from the narrowest to the widest DiffRMQ takes {ends[PAPERS, 'fast']} as long for fast objects and "
        f"{ends[PAPERS, 'slow']} for slow ones, less {up_to(ratio[PAPERS, 'fast'])} and "
        f"{up_to(ratio[PAPERS, 'slow'])}; beside Limen's choice {ends[OURS, 'fast']} and {ends[OURS, 'slow']}, less "
        f"{up_to(ratio[OURS, 'fast'])} and {up_to(ratio[OURS, 'slow'])}; beside the border grid "
        f"{ends[GRID, 'fast']} and {ends[GRID, 'slow']}",
        reached=min(y for kind in KINDS for y in ratio[PAPERS, kind].values()) > 1,
        otherwise=IN_VAIN + " Among wide squares it is much lower, as the paper says.",
    )
    papers, ours, rival = (time[f"{name}, fast"] for name in (PAPERS, OURS, BY_CES))
    yield judged(
        "The time of BMQ-Processor is almost constant in the width; that of DiffRMQ increases rapidly",
        f"for fast objects, from the narrowest to the widest {growth(papers):.2f} × (Limen's choice "
        f"{growth(ours):.2f} ×), highest to lowest {spread(papers):.2f} × ({spread(ours):.2f} ×); DiffRMQ "
        f"{growth(rival):.1f} ×",
        reached=max(spread(papers), growth(ours)) < 2 and growth(rival) > 4,
        otherwise=SHORT_RUNS,
    )
    apart = quotient(papers, time[f"{PAPERS}, slow"])
    yield judged(
        "Fast objects take longer than slow ones",
        f"{range_of(apart)} × as long",
        reached=min(apart.values()) > 1,
        otherwise=SHORT_RUNS,
    )


IN_VAIN = (
    "Lists of one dimension retrieve every square whose bound is passed, however far away it is in the other "
    "dimension: the narrower squares are, the more in vain. And a fast object moves 170 m in 30 s, a third of the "
    "narrowest square, so that the sets DiffRMQ compares have little in common and it does little in vain. CES with "
    "cells of 15 m, as in bmq-18, took up to twice the time of CES with cells chosen for speed among the narrowest "
    "squares (1.1 beside 0.6 µs), which does not turn the tables."
)


def up_to(ratio: dict[float, float]) -> str:
    """Say up to which width a ratio is below 1."""
    below = [x for x, y in ratio.items() if y < 1]
    return f"up to {max(below):g} km" if below else "nowhere"


FIGURE = Figure(
    name="bmq-17",
    title="Two dimensions: effect of the width of queries",
    source="BMQ-Processor, Figure 17",
    panels=panels(Axis("width of queries W", "km"), "width of queries"),
    curves=CURVES,
    measure=measure,
    judge=judge,
    setting=setting("5,000 queries, W = 0.5 to 5 km"),
    learned="The wider regions are, and the slower objects, the more an index of borders saves: some 20 × at best. "
    "Objects that cross a third of a region with each report leave little to save: there DiffRMQ with a good "
    "grid is faster than lists, and a little faster than the border grid.",
)
