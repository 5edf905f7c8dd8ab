"""bmq-processor §6.4: what transitions cost, as analysed in Figure 9 and measured in a city of parking garages."""

from collections.abc import Iterator

from limen_lab.bench.transition import City
from limen_lab.reproduce.bmq.transition_costs import (
    Rates,
    kept,
    nanoseconds_a_report,
    nanoseconds_an_operation,
    rates_of,
)
from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import judged

PAPER, OURS = "paper", "Limen"
BORDERS, TRANSITIONS, BOUND = "borders only", "borders and transitions", "paper's bound, 2·t·λe"
RATES = ("reports, λds", "border events, λe", "accesses of Tran-Seq")
SHARES = ("border events a report", "accesses a report", "events answered in time, σw")
DESCRIBED = (
    "insert, nothing found (paper: 3 accesses)", "insert, find and take out (paper: 5)", "delete when due (paper: 2)",
)  # fmt: skip
SOME, MORE = 0.75, 1.25  # of the paper's


def measure(scale: Scale) -> Iterator[Point]:
    """Yield rates and shares, what the sub-operations take, what a report takes, and what is kept by the time limit."""
    city, limits, crossings, runs = at_scale(
        scale,
        full=(City(), (60, 120, 180, 300), 1_000_000, 3),
        quick=(City(vehicles=100_000), (60, 180, 300), 200_000, 2),
        tiny=(City(vehicles=20_000, reports=9, garages=50), (60, 120), 5_000, 1),
    )
    for curve, rates in ((PAPER, Rates()), (OURS, rates_of(city))):
        for x, y in enumerate((rates.reports, rates.crossings, rates.accesses)):
            yield Point("a", curve, x, y)
        for x, y in enumerate((rates.crossings / rates.reports, rates.accesses / rates.reports, rates.answered)):
            yield Point("b", curve, x, 100 * y)
        if curve == OURS:
            rate = rates.crossings
    for x, taken in enumerate(nanoseconds_an_operation(crossings, runs).values()):
        yield Point("c", OURS, x, taken)
    for curve, taken in nanoseconds_a_report(city, runs).items():
        yield Point("d", BORDERS if curve == "borders" else TRANSITIONS, 0, taken)
    for within in limits:
        yield Point("e", BOUND, within, 2 * within * rate)
        yield Point("e", OURS, within, kept(city, within))


def judge(points: Points) -> Iterator[Verdict]:
    """Compare shares, which do not depend on how many vehicles there are, and memory."""
    paper, ours = points.curve("b", PAPER), points.curve("b", OURS)
    reports = points.curve("a", OURS)[0]
    few = (
        f"measured with {reports:,.0f} reports a second: too few for a rate of rare events" if reports < 30_000 else ""
    )
    for x, name in enumerate(SHARES):
        near = SOME <= ours[x] / paper[x] <= MORE
        yield judged(
            f"{name}: {paper[x]:.2g} %",
            f"{ours[x]:.2g} %",
            reached=near,
            otherwise=few or "our city, its garages and the cars that park there are generated, and not the paper's",
        )
    taken = points.curve("c", OURS)
    cost = {curve: points.curve("d", curve)[0] for curve in (BORDERS, TRANSITIONS)}
    an_event = taken[0] + taken[2]
    share = an_event * ours[0] / 100 / cost[BORDERS]
    yield judged(
        "Composing transitions is almost negligible beside taking in the data (126 accesses to 33,300: 0.4 %)",
        f"{an_event:.0f} ns an event for 1 report in {100 / ours[0]:,.0f}: {100 * share:.2g} % of the "
        f"{cost[BORDERS]:.0f} ns that a report takes",
        reached=share < 0.01,
    )
    extra = cost[TRANSITIONS] / cost[BORDERS]
    yield judged(
        "… and so a report costs hardly more with transitions than with borders (taken as 1.2 × at most)",
        f"{cost[TRANSITIONS]:.0f} ns beside {cost[BORDERS]:.0f} ns, {extra:.2f} ×",
        reached=extra <= 1.2,
        otherwise="batches of a second have few rows, so that what every batch costs, not every row, is compared"
        if few
        else "what is beyond the share of the events, given above, is what a second operator costs every batch",
    )
    bound, held = points.curve("e", BOUND), points.curve("e", OURS)
    over = {within: held[within] / bound[within] for within in held}
    yield judged(
        "Storage is 2·t·λe places at most (10 % more allowed: λe is an average)",
        ", ".join(f"t = {within:.0f} s: {held[within]:,.0f} of {bound[within]:,.0f}" for within in held),
        reached=max(over.values()) <= 1.1,
        otherwise="λe is the average of the run, and the most that was ever held is compared with it: "
        + (few or "some minutes are busier than the average"),
    )


_ALIKE = "a report each 30 s, garages of 30 m × 30 m, t = 180 s"

FIGURE = Figure(
    name="bmq-rtmq",
    title="What transition queries cost, beside the paper's analysis",
    source="BMQ-Processor, §6.4 and Figure 9 (cost table of RTMQ)",
    panels=(
        Panel("a", "Rates", Axis("what is counted"), Axis("rate", "a second", log=True), RATES),
        Panel("b", "Shares", Axis("what is compared"), Axis("share", "%", log=True), SHARES),
        Panel(
            "c",
            "Sub-operations of composing",
            Axis("sub-operation"),
            Axis("CPU time an event", "ns"),
            DESCRIBED,
        ),
        Panel(
            "d",
            "A report through the engine",
            Axis("batches of a second"),
            Axis("CPU time a report", "ns"),
            ("a report",),
        ),
        Panel(
            "e",
            "Starts and deadlines held",
            Axis("time limit t", "s"),
            Axis("held at most", "starts and deadlines"),
        ),
    ),
    curves=(
        Curve(PAPER),
        Curve(BOUND),
        Curve(OURS, ours=True),
        Curve(BORDERS, ours=True),
        Curve(TRANSITIONS, ours=True),
    ),
    measure=measure,
    judge=judge,
    setting={
        "full": f"1,000,000 vehicles with 13 reports each, 1,000 garages; {_ALIKE}",
        "quick": f"100,000 vehicles with 13 reports each, 1,000 garages; {_ALIKE}",
        "tiny": f"20,000 vehicles with 9 reports each, 50 garages; {_ALIKE}",
    },
    learned="Border crossings are rare, and only they are composed: transitions cost about as much as the borders "
    "they are made of. How often borders are crossed is set by the generator, as the paper measured it; how often a "
    "crossing is answered, and what all this costs, is measured.",
)
