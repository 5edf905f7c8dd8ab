"""SOLE, Figure 17: a join with INSIDE below it or above it, by how many objects are inside."""

from collections.abc import Iterator

from limen_lab.reproduce.figure import Curve, Figure, Point, Points, Scale, Verdict
from limen_lab.reproduce.judging import judged, quotient, range_of
from limen_lab.reproduce.sole.sole_pipeline import LIFE, PANELS, panels, plans, setting

ABOVE, BELOW = "INSIDE above the join", "INSIDE below the join"


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the selectivity of INSIDE."""
    return plans(scale, ABOVE, BELOW, lambda found: found.reports)


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


FIGURE = Figure(
    name="sole-17",
    title="Tuples through a pipeline with a join",
    source="SOLE, Figure 17 (§7.3)",
    panels=panels("joined with a table of favourites"),
    curves=(Curve(ABOVE), Curve(BELOW)),
    measure=measure,
    judge=judge,
    setting=setting("tuples that go through the join: all reports, or changes of the answer"),
    learned="A join has to be probed with every report, or with every change of an answer, and those are few.",
)
