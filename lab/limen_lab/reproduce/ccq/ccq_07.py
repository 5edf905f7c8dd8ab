"""Figure 7 of the paper on constraint queries: the length of times; also variables and constraints."""

from collections.abc import Iterator

from limen.simulate.buoy_patterns import PatternQueries
from limen_lab.reproduce.ccq.buoy_patterns import CURVES, RATE, SETTING, STORED, measured
from limen_lab.reproduce.figure import Axis, Figure, Panel, Point, Points, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import SHORT_RUNS, Lines, growth, judged, spread

STEADY = 2.5  # how many times as fast the best may be as the worst, to be called unaffected
PANELS = (
    Panel("a", "Processing rate by length", Axis("length of times", "days"), RATE),
    Panel("b", "Memory by length", Axis("length of times", "days"), STORED),
    Panel("c", "Processing rate by variables", Axis("variables"), RATE),
    Panel("d", "Memory by variables", Axis("variables"), STORED),
    Panel("e", "Processing rate by constraints", Axis("pairs"), RATE),
    Panel("f", "Memory by constraints", Axis("pairs"), STORED),
)


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the length of times, the number of variables, and that of pairs, at 1 % verbosity."""
    days = at_scale(scale, full=(1.0, 2.0, 4.0, 8.0, 16.0), quick=(1.0, 2.0, 8.0), tiny=(1.0, 2.0))
    variables = at_scale(scale, full=(2, 3, 4, 5), quick=(2, 3, 4), tiny=(2, 3))
    pairs = at_scale(scale, full=(3, 4, 5, 6), quick=(3, 6), tiny=(3, 6))
    sweeps = (
        ("a", "b", [(each, PatternQueries(days=each)) for each in days]),
        ("c", "d", [(each, PatternQueries(variables=each, pairs=each - 1)) for each in variables]),
        ("e", "f", [(each, PatternQueries(variables=4, pairs=each)) for each in pairs]),
    )
    for rate, stored, settings in sweeps:
        for point in measured(scale, settings):
            yield Point({"a": rate, "b": stored}[point.panel], point.curve, point.x, point.y)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 5."""
    reasons = (
        ("a", "length of times", SHORT_RUNS),
        ("c", "number of variables", "Every reading is held against every variable's predicate, and there are more."),
        ("e", "number of constraints", SHORT_RUNS),
    )
    for panel, what, otherwise in reasons:
        lines = Lines(points, panel)
        worst = max(spread(lines[curve.name]) for curve in CURVES)
        yield judged(
            f"Throughput is not affected by the {what}, at one verbosity",
            f"the fastest setting is at most {worst:.2f} × as fast as the slowest",
            reached=worst <= STEADY,
            otherwise=otherwise,
        )
    stored = Lines(points, "b")
    yield judged(
        "Longer times take more memory",
        ", ".join(f"{curve.name} {growth(stored[curve.name]):.2f} ×" for curve in CURVES),
        reached=all(growth(stored[curve.name]) > 1 for curve in CURVES),
        otherwise="Longer times fit fewer readings at the same verbosity, which takes memory back.",
    )


FIGURE = Figure(
    name="ccq-07",
    title="Length of times, variables, constraints",
    source="Continuous Constraint Query Evaluation, Figure 7 and its section's text on variables and constraints",
    panels=PANELS,
    curves=CURVES,
    measure=measure,
    judge=judge,
    setting={scale: f"{words}; 5 patterns at 1 % verbosity, 1,500 km" for scale, words in SETTING.items()},
    learned="What is found decides what it costs; how a pattern is made hardly does.",
)
