"""Figure 5 of the paper on constraint queries: verbosity."""

from collections.abc import Iterator

from limen.simulate.buoy_patterns import PatternQueries
from limen_lab.reproduce.ccq.buoy_patterns import CURVES, SETTING, measured, panels
from limen_lab.reproduce.figure import Axis, Figure, Point, Points, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import SHORT_RUNS, Lines, judged, range_of, short

ALIKE = (
    "Few tuples are kept for a variable, and what is looked at along a list is in one record: with an index and "
    "without it costs nearly the same."
)


def measure(scale: Scale) -> Iterator[Point]:
    """Vary how many alerts there are for a reading."""
    shares = at_scale(scale, full=(0.001, 0.005, 0.01, 0.05, 0.1), quick=(0.001, 0.01, 0.1), tiny=(0.01, 0.1))
    return measured(scale, ((100 * share, PatternQueries(verbosity=share)) for share in shares))


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 5."""
    rate, stored = Lines(points, "a"), Lines(points, "b")
    few, many = min(rate["NoIndex"]), max(rate["NoIndex"])
    yield judged(
        "The more alerts, the slower, for all three",
        ", ".join(
            f"{name} {short(rate[name][few])} to {short(rate[name][many])}" for name in ("Loose", "Tight", "NoIndex")
        ),
        reached=all(rate[name][many] < rate[name][few] for name in ("Loose", "Tight", "NoIndex")),
        otherwise=SHORT_RUNS,
    )
    yield judged(
        "Without an index it is fastest, since there is none to update and to search",
        f"at most alerts {short(rate['NoIndex'][many])} events/s, Tight {short(rate['Tight'][many])}, Loose "
        f"{short(rate['Loose'][many])}",
        reached=rate["NoIndex"][many] >= max(rate["Tight"][many], rate["Loose"][many]),
        otherwise=ALIKE,
    )
    yield judged(
        "Tight times keep fewer events than loose ones",
        f"{range_of(stored['Tight'])} % of all, against {range_of(stored['Loose'])} %",
        reached=all(stored["Tight"][x] <= stored["Loose"][x] for x in stored["Loose"]),
    )


FIGURE = Figure(
    name="ccq-05",
    title="Verbosity: alerts for a reading",
    source="Continuous Constraint Query Evaluation, Figure 5",
    panels=panels(Axis("verbosity", "%", log=True)),
    curves=CURVES,
    measure=measure,
    judge=judge,
    setting={scale: f"{words}; 5 patterns of 3 variables, 2 days, 1,500 km" for scale, words in SETTING.items()},
    learned="What a pattern costs goes with the alerts it emits. A tuple is kept by a record, without an index too, so "
    "that what the paper calls replication is one number an entry.",
)
