"""SOLE, Figure 14: what a cache area costs by how fast streams are and how large the query is."""

from collections.abc import Iterator

from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import judged
from limen_lab.reproduce.sole.sole_single import FORMULA, MEASURED, UNEVEN, both, setting, velocities
from limen_lab.reproduce.sole.sole_traffic import INTERVAL

HALF = 0.5
SIDES = (1, 2, 3, 4, 5, 6)  # miles


def named(side: int) -> str:
    """Return what a curve is called."""
    return f"{side} mile{'s' * (side > 1)}"


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the velocity, for each side."""
    for side in at_scale(scale, full=SIDES, quick=(1, 3, 6), tiny=(1, 6)):
        for fastest in velocities(scale):
            yield from both(scale, "", named(side), fastest, side, HALF, fastest)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.2."""
    measured = {side: curve for side in SIDES if (curve := points.curve("", f"{named(side)}, {MEASURED}"))}
    formula = {side: points.curve("", f"{named(side)}, {FORMULA}") for side in measured}
    smallest, fastest = measured[1], max(measured[1])
    yield judged(
        "For the smallest query and the highest velocity the overhead may exceed 100 %",
        f"{smallest[fastest]:.0f} % for 1 mile and {fastest:g} miles/h; the formula says {formula[1][fastest]:.0f} %",
        reached=smallest[fastest] > 100,
        otherwise=UNEVEN,
    )
    for low, high, claimed in ((5, 6, 20), (3, 5, 40)):
        most = {side: max(curve.values()) for side, curve in measured.items() if low <= side <= high}
        most = {side: y for side, y in most.items() if not (claimed == 20 and side == low)}
        if most:
            yield judged(
                f"{'Above 5 miles' if claimed == 20 else 'From 3 to 5 miles'} it is below {claimed} % at any velocity",
                "at most " + ", ".join(f"{y:.0f} % for {named(side)}" for side, y in most.items()),
                reached=max(most.values()) < claimed,
                otherwise=UNEVEN,
            )
    slow = max(max(y for x, y in curve.items() if x <= 10) for curve in measured.values())
    yield judged(
        "Up to 10 miles/h it is almost negligible for all sizes",
        f"{slow:.1f} % at most",
        reached=slow < 20,
        otherwise=UNEVEN,
    )


FIGURE = Figure(
    name="sole-14",
    title="Overhead of cache areas by velocity and query size",
    source="SOLE, Figure 14 (§7.2)",
    panels=(
        Panel(
            "",
            f"50 % cache, a report every {INTERVAL} s",
            Axis("highest velocity", "miles/h"),
            Axis("overhead of the cache area", "%", log=True),
        ),
    ),
    curves=tuple(
        Curve(f"{named(side)}, {kind}", ours=kind == MEASURED) for side in SIDES for kind in (MEASURED, FORMULA)
    ),
    measure=measure,
    judge=judge,
    setting=setting("moving squares of 1 to 6 miles a side"),
    learned="The larger a query and the slower its streams, the less a cache area costs; for a query hardly larger "
    "than the way between two reports it is most of the memory.",
)
