"""SOLE, Figure 13: what a cache area costs by how fast streams are, by its size and by how often they report."""

from collections.abc import Iterator

from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import judged, last, rises
from limen_lab.reproduce.sole.sole_single import FORMULA, MEASURED, UNEVEN, both, setting, velocities
from limen_lab.reproduce.sole.sole_traffic import INTERVAL, side_of

SHARE = 0.005  # of the city that a query covers
HALF = 0.5
CACHES = {"25 % cache": 0.25, "50 % cache": 0.5, "75 % cache": 0.75, "100 % cache": 1.0}
INTERVALS = {"10 s": 10, "30 s": 30, "60 s": 60, "90 s": 90}


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the velocity, for each cache and for each interval."""
    caches = at_scale(scale, full=CACHES, quick=CACHES, tiny={"25 % cache": 0.25, "100 % cache": 1.0})
    intervals = at_scale(scale, full=INTERVALS, quick=INTERVALS, tiny={"10 s": 10, "60 s": 60})
    for fastest in velocities(scale):
        for name, cache in caches.items():
            yield from both(scale, "a", name, fastest, side_of(SHARE), cache, fastest)
        for name, interval in intervals.items():
            yield from both(scale, "b", name, fastest, side_of(SHARE), HALF, fastest, interval)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.2."""
    found = {
        (panel, name, kind): curve
        for panel, names in (("a", CACHES), ("b", INTERVALS))
        for name in names
        for kind in (MEASURED, FORMULA)
        if (curve := points.curve(panel, f"{name}, {kind}"))
    }
    measured = {(panel, name): curve for (panel, name, kind), curve in found.items() if kind == MEASURED}
    steps = {key: sorted(curve)[1:] for key, curve in measured.items()}  # the lowest velocity has next to nothing
    times = {key: measured[key][xs[-1]] / max(measured[key][xs[0]], 1e-9) for key, xs in steps.items()}
    faster = max(next(iter(steps.values()))) / min(next(iter(steps.values())))
    yield judged(
        "The overhead grows with the velocity, nearly in proportion to it",
        "from the slowest to the fastest "
        + "; ".join(f"{name} {curve[min(curve)]:.1f} to {last(curve):.0f} %" for (_, name), curve in measured.items())
        + f". {faster:g} × the velocity has {min(times.values()):.1f} to {max(times.values()):.1f} × the overhead",
        reached=all(rises(curve) for curve in measured.values())
        and all(faster / 1.5 <= grown <= 1.5 * faster for grown in times.values()),
        otherwise=UNEVEN,
    )
    for panel, names, claim in (
        ("a", CACHES, "The larger the cache, the larger the overhead, and the steeper it grows"),
        ("b", INTERVALS, f"The longer the interval, the larger the overhead (cache {100 * HALF:g} %)"),
    ):
        ends = [last(measured[panel, name]) for name in names if (panel, name) in measured]
        yield judged(
            claim,
            f"at {max(next(iter(measured.values()))):g} miles/h {', '.join(f'{end:.0f}' for end in ends)} %",
            reached=ends == sorted(ends) and len(set(ends)) == len(ends),
            otherwise=UNEVEN,
        )
    far = {
        key: max(abs(y - found[*key, FORMULA][x]) / (100 + found[*key, FORMULA][x]) for x, y in curve.items())
        for key, curve in measured.items()
    }
    worst = max(far, key=lambda key: far[key])
    yield judged(
        "What is measured agrees with the formulas",
        f"memory is within {100 * far[worst]:.0f} % of what the formula says, furthest off for {worst[1]}",
        reached=far[worst] <= 0.15,
        otherwise=UNEVEN,
    )


_VELOCITY = Axis("highest velocity", "miles/h")
_OVERHEAD = Axis("overhead of the cache area", "%")

FIGURE = Figure(
    name="sole-13",
    title="Overhead of cache areas by velocity, cache size and interval",
    source="SOLE, Figure 13 (§7.2)",
    panels=(
        Panel("a", f"Cache sizes, a report every {INTERVAL} s", _VELOCITY, _OVERHEAD),
        Panel("b", "Intervals between reports, 50 % cache", _VELOCITY, _OVERHEAD),
    ),
    curves=tuple(
        Curve(f"{name}, {kind}", ours=kind == MEASURED)
        for name in (*CACHES, *INTERVALS)
        for kind in (MEASURED, FORMULA)
    ),
    measure=measure,
    judge=judge,
    setting=setting(f"moving squares of {100 * SHARE:g} % of the city, {side_of(SHARE):.2f} miles a side"),
    learned="What a cache area costs follows from the way between two reports and the side of the query, by a formula "
    "simple enough to be used beforehand: `limen_lab.reproduce.sole.cache_formulas`.",
)
