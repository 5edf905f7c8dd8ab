"""SOLE, Figure 22: how much load has to be kept for an accuracy, with few and with many queries."""

from collections.abc import Iterator

from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict
from limen_lab.reproduce.judging import judged
from limen_lab.reproduce.sole.sole_shedding import OBJECT, QUERY, WAYS, Kept, load_for, numbers, setting, sweep

EXPECTED = "expected: as much load as accuracy"


def measure(scale: Scale) -> Iterator[Point]:
    """Shed to one budget after another, both ways."""
    for panel, queries in (("a", min(numbers(scale))), ("b", max(numbers(scale)))):
        for way in WAYS:
            for kept in [Kept(0.0, 0.0), *sweep(scale, queries, way)]:
                yield Point(panel, way, kept.accuracy, kept.load)
        for percent in (0.0, 100.0):
            yield Point(panel, EXPECTED, percent, percent)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.7."""
    curves = {
        (panel, way): [Kept(load, accuracy) for accuracy, load in points.curve(panel, way).items()]
        for panel in "ab"
        for way in WAYS
    }
    few = {way: load_for(curves["a", way], 90) for way in WAYS}
    yield judged(
        "1,000 queries at 90 % accuracy: 85 % of the load with object shedding, 97 % with query shedding",
        f"{few[OBJECT]:.0f} % with object shedding, {few[QUERY]:.0f} % with query shedding",
        reached=few[OBJECT] <= 88 and few[QUERY] >= 94,
        otherwise="With fewer queries than the paper's they overlap less, and areas that shrink free more.",
    )
    better = {
        panel: min(load_for(curves[panel, QUERY], accuracy) - load_for(curves[panel, OBJECT], accuracy) for accuracy in
                   (20, 50, 70, 90))
        for panel in "ab"
    }  # fmt: skip
    yield judged(
        "Object shedding always needs less load than query shedding",
        f"at least {better['a']:.0f} and {better['b']:.0f} points of load less, at 20, 50, 70 and 90 % accuracy",
        reached=min(better.values()) > 0,
        otherwise="Where hardly any queries overlap, both drop what one query has.",
    )
    off = max(abs(each.load - each.accuracy) for each in curves["b", OBJECT])
    yield judged(
        "25,000 queries: object shedding is near the diagonal",
        f"within {off:.0f} points of it, with the most queries of this scale",
        reached=off <= 10,
        otherwise="Fewer queries than in the paper: objects differ more in how many want them, which is a gain.",
    )
    dear = load_for(curves["b", QUERY], 20)
    yield judged(
        "25,000 queries: query shedding needs more than 90 % of the load for 20 % accuracy",
        f"{dear:.0f} %, with the most queries of this scale",
        reached=dear > 90,
        otherwise="Here are fewer queries than the paper's 25,000, which overlap less: the load that 20 % accuracy "
        f"needs is {load_for(curves['a', QUERY], 20):.0f} % with the fewest queries and grows with their number.",
    )


_ACCURACY, _LOAD = Axis("accuracy", "%"), Axis("load", "% of the objects without shedding")

FIGURE = Figure(
    name="sole-22",
    title="Shedding: load against accuracy",
    source="SOLE, Figure 22 (§7.7)",
    panels=(
        Panel("a", "1,000 queries", _ACCURACY, _LOAD),
        Panel("b", "Many queries", _ACCURACY, _LOAD),
    ),
    curves=(Curve(QUERY), Curve(OBJECT), Curve(EXPECTED)),
    measure=measure,
    judge=judge,
    setting=setting(),
    learned="What to drop matters: to drop the streams that fewest queries want costs less accuracy than load, while "
    "areas that shrink leave most streams to the queries that overlap them.",
)
