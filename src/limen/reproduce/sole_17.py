"""SOLE, Figure 17: a join with INSIDE below it or above it, by how many objects are inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limen.reproduce.figure import Axis, Curve, Figure, Panel, Point
from limen.reproduce.judging import judged, quotient, range_of
from limen.reproduce.sole_pipeline import LIFE, MOVES, STAYS, at, selectivities, tuples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from limen.reproduce.figure import Points, Scale, Verdict

ABOVE, BELOW = "INSIDE above the join", "INSIDE below the join"
PANELS = {"a": STAYS, "b": MOVES}


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the selectivity of INSIDE."""
    for letter, kind in PANELS.items():
        for percent in selectivities(scale):
            reports, _, changes = tuples(*at(scale), kind, percent)
            yield Point(letter, ABOVE, percent, reports)
            yield Point(letter, BELOW, percent, changes)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.3."""
    for letter, kind in PANELS.items():
        fewer = quotient(points.curve(letter, ABOVE), points.curve(letter, BELOW))
        yield judged(
            f"{kind.capitalize()}: INSIDE below the join is about ten times better, whatever the selectivity",
            f"{range_of(fewer)} × fewer tuples through the join",
            reached=min(fewer.values()) >= 8,
            otherwise=LIFE + " With two in three objects inside, the first answer alone is two thirds of an interval's "
            "reports.",
        )


_SELECTIVITY = Axis("objects inside", "%", log=True)

FIGURE = Figure(
    name="sole-17",
    title="Tuples through a pipeline with a join",
    source="SOLE, Figure 17 (§7.3)",
    panels=tuple(
        Panel(letter, f"{kind.capitalize()}, joined with a table of favourites", _SELECTIVITY, Axis("tuples", log=True))
        for letter, kind in PANELS.items()
    ),
    curves=(Curve(ABOVE), Curve(BELOW)),
    measure=measure,
    judge=judge,
    setting={
        scale: f"{at(scale)[0]:,} objects that set out, travel and end, on roads in 28 by 28 miles, for {at(scale)[1]} "
        "intervals of 30 s; tuples that go through the join: all reports, or changes of the answer"
        for scale in ("full", "quick", "tiny")
    },
    learned="A join has to be probed with every report, or with every change of an answer, and those are few.",
)
