"""Figure 6 of the paper on constraint queries: the number of queries."""

from collections.abc import Iterator

from limen.simulate.buoy_patterns import PatternQueries
from limen_lab.reproduce.ccq.buoy_patterns import CURVES, SETTING, measured, panels
from limen_lab.reproduce.ccq.ccq_05 import ALIKE
from limen_lab.reproduce.figure import Axis, Figure, Point, Points, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import Lines, judged, last, short, smaller_scale


def measure(scale: Scale) -> Iterator[Point]:
    """Vary how many patterns there are, at 1 % verbosity each."""
    counts = at_scale(scale, full=(5, 10, 25, 50, 100), quick=(5, 25, 100), tiny=(2, 4))
    return measured(scale, ((count, PatternQueries(count=count)) for count in counts))


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 5."""
    rate, stored = Lines(points, "a"), Lines(points, "b")
    most = max(rate["NoIndex"])
    smaller = smaller_scale(most, 100, "queries")
    yield judged(
        "Without an index, 15,000 events a second with 100 queries",
        f"{short(last(rate['NoIndex']))} events/s with {most:g} (Tight {short(last(rate['Tight']))}, Loose "
        f"{short(last(rate['Loose']))})",
        reached=most >= 100 and last(rate["NoIndex"]) >= 15_000,
        otherwise=smaller,
    )
    yield judged(
        "The other two suffer more as queries become many",
        f"with {most:g} queries NoIndex is {last(rate['NoIndex']) / last(rate['Tight']):.2f} × as fast as Tight and "
        f"{last(rate['NoIndex']) / last(rate['Loose']):.2f} × as fast as Loose",
        reached=last(rate["NoIndex"]) >= max(last(rate["Tight"]), last(rate["Loose"])),
        otherwise=ALIKE,
    )
    yield judged(
        "Without an index more is stored: an event once for each variable",
        f"{last(stored['NoIndex']):.2g} % of all, against {last(stored['Tight']):.2g} % (Tight)",
        reached=last(stored["NoIndex"]) >= last(stored["Tight"]),
    )


FIGURE = Figure(
    name="ccq-06",
    title="Number of queries",
    source="Continuous Constraint Query Evaluation, Figure 6",
    panels=panels(Axis("queries")),
    curves=CURVES,
    measure=measure,
    judge=judge,
    setting={
        scale: f"{words}; 5 to 100 patterns of 3 variables, 2 days, 1,500 km, at 1 % verbosity each"
        for scale, words in SETTING.items()
    },
    learned="Readings are compared with the variables of all patterns a batch at a time; only those that fit cost more "
    "than a comparison.",
)
