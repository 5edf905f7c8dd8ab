"""SOLE, Figure 21: how long a report takes, by the number of queries, their size, and how many of them move."""

from collections.abc import Iterator

from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import growth, judged, last, quotient
from limen_lab.reproduce.sole.sole_sharing import response, shared

STAYING, MOVING = "queries that stay", "queries that move"
SMALL = 0.0001  # share of the city, of the queries of panel a
MOVES = {"all stay": 0.0, "half of them move": 0.5, "all move": 1.0}


def size(scale: Scale) -> tuple[int, tuple[int, ...], int]:
    """Return how many objects there are, the numbers of queries of panel a, and that of panel b."""
    return at_scale(
        scale,
        full=(22_000, (1_000, 2_000, 4_000, 6_000, 8_000, 10_000), 6_000),
        quick=(11_000, (500, 2_500, 5_000), 3_000),
        tiny=(1_500, (100, 1_000), 400),
    )


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the number of queries, and their size."""
    objects, numbers, fixed = size(scale)
    for queries in numbers:
        for name, moving in ((STAYING, 0.0), (MOVING, 1.0)):
            found = response(*shared(objects, queries, SMALL, moving=moving))
            yield Point("a", name, queries, found.microseconds)
    sizes = at_scale(scale, full=(0.0001, 0.0005, 0.001, 0.005, 0.01), quick=(0.0001, 0.001, 0.01), tiny=(0.0001, 0.01))
    for share in sizes:
        for name, moving in MOVES.items():
            found = response(*shared(objects, fixed, share, moving=moving))
            yield Point("b", name, 100 * share, found.microseconds)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.6."""
    stay, move = points.curve("a", STAYING), points.curve("a", MOVING)
    yield judged(
        "Ten times the queries take twice the time while they stay (11 to 22 ms)",
        f"{growth(stay):.1f} × ({stay[min(stay)]:.2g} to {last(stay):.2g} µs a report)",
        reached=growth(stay) <= 2,
        otherwise=NO_CONSTANT,
    )
    apart = quotient(move, stay)
    yield judged(
        "Queries that move take hardly more (2 ms of 22)",
        f"{apart[min(apart)]:.1f} to {last(apart):.1f} × as long",
        reached=last(apart) <= 1.2,
        otherwise=LOOKS_AROUND,
    )
    sizes = {name: points.curve("b", name) for name in MOVES}
    grown = {name: growth(curve) for name, curve in sizes.items()}
    yield judged(
        "From 0.01 to 1 % of the city time only doubles",
        ", ".join(f"{y:.1f} × if {name}" for name, y in grown.items()),
        reached=max(grown.values()) <= 2.5,
        otherwise=NO_CONSTANT
        + " Queries 100 times as large have 100 times the objects, and each report is in 100 times "
        "as many.",
    )
    dear = max(quotient(sizes["all move"], sizes["all stay"]).values())
    yield judged(
        "The size matters more than how many of the queries move",
        f"{max(grown.values()):.0f} × by size, {dear:.0f} × by movement at most",
        reached=max(grown.values()) > dear,
        otherwise=LOOKS_AROUND,
    )


NO_CONSTANT = (
    "The paper's 11 ms are mostly what does not depend on queries: its whole system. A report takes microseconds here, "
    "nearly all of them for the queries around it, whose number grows with all queries."
)
LOOKS_AROUND = (
    "A move of a query looks at all objects in its old and new area, beside the queries around its focal stream; "
    "without the paper's milliseconds of other work that is seen."
)

FIGURE = Figure(
    name="sole-21",
    title="Response time by number, size and movement of queries",
    source="SOLE, Figure 21 (§7.6)",
    panels=(
        Panel(
            "a",
            "By the number of queries of 0.01 % of the city",
            Axis("number of queries"),
            Axis("CPU time of a report", "µs"),
        ),
        Panel(
            "b",
            "By the size of queries",
            Axis("size of queries", "% of the city", log=True),
            Axis("CPU time of a report", "µs", log=True),
        ),
    ),
    curves=(Curve(STAYING), Curve(MOVING), *(Curve(name) for name in MOVES)),
    measure=measure,
    judge=judge,
    setting={
        scale: f"{size(scale)[0]:,} objects, up to {max(size(scale)[1]):,} queries (a: the paper's proportion of "
        f"50,000 to 110,000 objects; b: {size(scale)[2]:,}, its proportion of 30,000); CPU time of one interval of "
        "reports by their number, after two intervals to warm up"
        for scale in ("full", "quick", "tiny")
    },
    learned="A report costs what the queries around it cost. Queries that stay are the cheaper ones by far.",
)
