"""SOLE, Figure 24: the accuracy that object shedding leaves, by the load and the number of queries."""

from collections.abc import Iterator

from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import judged, range_of
from limen_lab.reproduce.sole.sole_shedding import OBJECT, accuracy_at, numbers, setting, sweep

LOADS = (10, 30, 50, 70, 90)


def named(load: int) -> str:
    """Return what a curve is called."""
    return f"{load} % of the load"


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the number of queries, and the load."""
    for queries in numbers(scale):
        kept = sweep(scale, queries, OBJECT)
        for load in at_scale(scale, full=LOADS, quick=LOADS[1:], tiny=(50, 90)):
            yield Point("", named(load), queries, accuracy_at(kept, load))


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.7."""
    found = {load: curve for load in LOADS if (curve := points.curve("", named(load)))}
    yield judged(
        "With 90 % of the load the accuracy is about 94 %, whatever the number of queries",
        f"{range_of(found[90])} %",
        reached=min(found[90].values()) >= 91 and max(found[90].values()) <= 97,
        otherwise="The most queries have each stream in dozens of them; there is less to choose.",
    )
    apart = {load: max(curve.values()) - min(curve.values()) for load, curve in found.items()}
    yield judged(
        "It is as stable with other loads",
        "from the fewest to the most queries it differs by "
        + ", ".join(f"{far:.0f} points with {load} %" for load, far in apart.items()),
        reached=max(apart.values()) <= 10,
        otherwise="Few queries want streams unequally, which is what this kind of shedding lives on.",
    )


FIGURE = Figure(
    name="sole-24",
    title="Object shedding: accuracy by the number of queries",
    source="SOLE, Figure 24 (§7.7)",
    panels=(Panel("", "Accuracy that is left", Axis("number of queries", log=True), Axis("accuracy", "%")),),
    curves=tuple(Curve(named(load)) for load in LOADS),
    measure=measure,
    judge=judge,
    setting=setting(),
    learned="Object shedding keeps a little more accuracy than load, for few queries and for many.",
)
