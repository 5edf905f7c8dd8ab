"""SOLE, Figure 16: a selection with INSIDE below it or above it, by how many objects are inside."""

from collections.abc import Iterator

import numpy as np

from limen_lab.reproduce.figure import Curve, Figure, Point, Points, Scale, Verdict
from limen_lab.reproduce.judging import judged, rises
from limen_lab.reproduce.sole.sole_pipeline import EVERY, LIFE, PANELS, panels, plans, setting

ABOVE, BELOW = "INSIDE above the selection", "INSIDE below the selection"


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the selectivity of INSIDE."""
    return plans(scale, ABOVE, BELOW, lambda found: found.of_trucks)


def crossing(above: dict[float, float], below: dict[float, float]) -> float:
    """Return the selectivity at which both plans have as many tuples, between what was measured.

    Examples
    --------
    >>> crossing({10.0: 50.0, 20.0: 50.0}, {10.0: 40.0, 20.0: 60.0})
    15.0
    """
    return float(np.interp(0.0, [below[x] - above[x] for x in below], list(below)))


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.3."""
    curves = {letter: (points.curve(letter, ABOVE), points.curve(letter, BELOW)) for letter in PANELS}
    flat = {letter: len(set(above.values())) == 1 for letter, (above, _) in curves.items()}
    yield judged(
        "Above the selection INSIDE has as many tuples whatever its selectivity; below, the more the more are inside",
        "; ".join(
            f"{PANELS[letter]}: {above[min(above)]:,.0f} above, {min(below.values()):,.0f} to "
            f"{max(below.values()):,.0f} below"
            for letter, (above, below) in curves.items()
        ),
        reached=all(flat.values()) and all(rises(below) for _, below in curves.values()),
        otherwise=LIFE,
    )
    where = {letter: crossing(*pair) for letter, pair in curves.items()}
    yield judged(
        "Up to a selectivity of about 32 % INSIDE belongs below the selection, beyond that above it",
        "; ".join(f"{PANELS[letter]}: up to {percent:.0f} %" for letter, percent in where.items()),
        reached=all(16 < percent < 64 for percent in where.values()),
        otherwise=LIFE,
    )


FIGURE = Figure(
    name="sole-16",
    title="Tuples through a pipeline with a selection",
    source="SOLE, Figure 16 (§7.3)",
    panels=panels(f"a selection of {100 // EVERY} %"),
    curves=(Curve(ABOVE), Curve(BELOW)),
    measure=measure,
    judge=judge,
    setting=setting(
        f"one in {EVERY} is a truck; tuples between the two operators: reports of trucks, or changes of the answer"
    ),
    learned="An operator that emits only changes is a filter: it belongs below another one unless that filters more. "
    "Where the two are even depends on how long the query runs, since building its first answer is most of what it "
    "emits: with 5,500 objects at 18, 28, 39 and 48 % after 5, 10, 20 and 40 intervals.",
)
