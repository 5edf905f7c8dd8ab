"""SOLE, Figure 23: how much load has to be kept for 70 % and for 90 % accuracy, by the number of queries."""

from collections.abc import Iterator

from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict
from limen_lab.reproduce.judging import judged, range_of
from limen_lab.reproduce.sole.sole_shedding import OBJECT, QUERY, WAYS, load_for, numbers, setting, sweep

ACCURACIES = {"a": 70.0, "b": 90.0}
EXPECTED = "expected: as much load as accuracy"


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the number of queries."""
    for queries in numbers(scale):
        for way in WAYS:
            kept = sweep(scale, queries, way)
            for panel, accuracy in ACCURACIES.items():
                yield Point(panel, way, queries, load_for(kept, accuracy))
        for panel, accuracy in ACCURACIES.items():
            yield Point(panel, EXPECTED, queries, accuracy)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.7."""
    for panel, accuracy in ACCURACIES.items():
        objects, areas = points.curve(panel, OBJECT), points.curve(panel, QUERY)
        yield judged(
            f"{accuracy:g} % accuracy: object shedding needs less load than expected, whatever the number of queries",
            f"{range_of(objects)} % of the load",
            reached=max(objects.values()) <= accuracy,
            otherwise="Where every stream is in dozens of queries, all are wanted by nearly as many, and to drop one "
            "costs what it frees.",
        )
        yield judged(
            f"{accuracy:g} % accuracy: query shedding needs much more",
            f"{range_of(areas)} %",
            reached=min(areas.values()) > max(objects.values()),
            otherwise="Where few queries overlap, areas that shrink free what they lose.",
        )


_QUERIES, _LOAD = Axis("number of queries", log=True), Axis("load", "% of the objects without shedding")

FIGURE = Figure(
    name="sole-23",
    title="Shedding: load that an accuracy needs, by the number of queries",
    source="SOLE, Figure 23 (§7.7)",
    panels=tuple(Panel(letter, f"{accuracy:g} % accuracy", _QUERIES, _LOAD) for letter, accuracy in ACCURACIES.items()),
    curves=(Curve(QUERY), Curve(OBJECT), Curve(EXPECTED)),
    measure=measure,
    judge=judge,
    setting=setting(),
    learned="The more queries overlap, the less is freed when areas shrink. Dropping streams keeps its worth.",
)
