"""Figure 16 of the border paper: two dimensions, the number of queries."""

from collections.abc import Iterator

from limen_lab.reproduce.bmq.in_the_plane import BY_CES, CURVES, GRID, OURS, PAPERS, by_queries, panels, setting
from limen_lab.reproduce.figure import Axis, Figure, Point, Points, Scale, Verdict
from limen_lab.reproduce.judging import SHORT_RUNS, Lines, growth, judged, last, quotient, short, smaller_scale


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the number of queries."""
    for count, city in by_queries(scale):
        yield from city.points(count)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.2.2, first experiment."""
    efficiency, time = Lines(points, "a"), Lines(points, "b")
    fast, slow = f"{PAPERS}, fast", f"{PAPERS}, slow"
    by_ces_fast, by_ces_slow = f"{BY_CES}, fast", f"{BY_CES}, slow"
    higher = [
        *quotient(efficiency[fast], efficiency[by_ces_fast]).values(),
        *quotient(efficiency[slow], efficiency[by_ces_slow]).values(),
    ]
    smaller = smaller_scale(max(time[fast]), 5_000, "queries") + SHORT_RUNS
    yield judged(
        "The efficiency of BMQ-Processor is lower than in one dimension, and still much higher than that of DiffRMQ",
        f"{last(efficiency[fast]):.0f} % for fast objects, {last(efficiency[slow]):.0f} % for slow ones, DiffRMQ "
        f"{last(efficiency[by_ces_fast]):.1f} % and {last(efficiency[by_ces_slow]):.2f} %; Limen's choice "
        f"{last(efficiency[f'{OURS}, fast']):.0f} % and {last(efficiency[f'{OURS}, slow']):.0f} %",
        reached=min(higher) > 3 and last(efficiency[fast]) < 100,
        otherwise=smaller,
    )
    ratio = {
        (name, kind): last(quotient(time[f"{BY_CES}, {kind}"], time[f"{name}, {kind}"]))
        for name in (PAPERS, OURS, GRID)
        for kind in ("fast", "slow")
    }
    yield judged(
        "BMQ-Processor is significantly faster than DiffRMQ with CES",
        f"at {max(time[fast]):,.0f} queries {short(ratio[PAPERS, 'fast'])} × for fast objects and "
        f"{short(ratio[PAPERS, 'slow'])} × for slow ones; Limen's choice {short(ratio[OURS, 'fast'])} × and "
        f"{short(ratio[OURS, 'slow'])} ×, the grid {short(ratio[GRID, 'fast'])} × and {short(ratio[GRID, 'slow'])} ×",
        reached=min(ratio[name, kind] for name in (PAPERS, OURS) for kind in ("fast", "slow")) > 1.5,
        otherwise=smaller,
    )
    more = {name: last(time[name]) - time[name][min(time[name])] for name in (fast, f"{OURS}, fast", by_ces_fast)}
    yield judged(
        "With more queries the time of DiffRMQ increases drastically, and that of BMQ-Processor much more slowly",
        f"fast objects: {more[by_ces_fast]:.1f} µs more ({growth(time[by_ces_fast]):.1f} ×), and {more[fast]:.1f} µs "
        f"({growth(time[fast]):.1f} ×); Limen's choice {more[f'{OURS}, fast']:.1f} µs more",
        reached=1.5 * max(more[fast], more[f"{OURS}, fast"]) < more[by_ces_fast],
        otherwise=smaller,
    )
    apart = quotient(time[fast], time[slow])
    yield judged(
        "Fast objects take longer than slow ones, the more so the more queries there are",
        f"{apart[min(apart)]:.1f} × with {min(apart):,.0f} queries, {last(apart):.1f} × with {max(apart):,.0f}; "
        f"Limen's choice {last(quotient(time[f'{OURS}, fast'], time[f'{OURS}, slow'])):.1f} ×",
        reached=last(apart) > max(1, apart[min(apart)]),
        otherwise=smaller,
    )


FIGURE = Figure(
    name="bmq-16",
    title="Two dimensions: effect of the number of queries",
    source="BMQ-Processor, Figure 16",
    panels=panels(Axis("queries"), "number of queries"),
    curves=CURVES,
    measure=measure,
    judge=judge,
    setting=setting("500 to 5,000 queries, W = 5 km"),
    learned="Two lists retrieve about twice what they report, DiffRMQ 30 times as much for fast objects and 120 times "
    "for slow ones. Limen's lists take about half the time of the paper's, since an entry holds the other "
    "dimension's bounds.",
)
