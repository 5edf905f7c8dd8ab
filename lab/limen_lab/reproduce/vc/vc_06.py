"""vci-vcr, Figure 6: how long indexes of intervals take to find what contains a value."""

from collections.abc import Iterator

from limen_lab.reproduce.figure import Axis, Figure, Panel, Point, Points, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import judged
from limen_lab.reproduce.vc.interval_indexes import (
    CURVES,
    DIRECT,
    ENOUGH,
    LCI,
    LONGEST,
    QUERIES,
    SKIP_LIST,
    VCI_OURS,
    WIDEST,
    R,
    indexes,
    intervals,
    setting,
    sizes,
    values,
)
from limen_lab.reproduce.vc.look_ups import microseconds

NEAR = 2.0  # times the best is near it


def measure(scale: Scale) -> Iterator[Point]:
    """Yield the search time of each index, by the number of queries."""
    runs = at_scale(scale, full=7, quick=4, tiny=1)
    for n in sizes(scale):
        for curve, taken in microseconds(indexes(intervals(n)), values(), runs).items():
            yield Point("", curve, n, taken)


def judge(points: Points) -> Iterator[Verdict]:
    """Compare LCI with the IS-list and with the direct list."""
    times = {curve.name: points.curve("", curve.name) for curve in CURVES}
    gains = {n: times[SKIP_LIST][n] / times[LCI][n] for n in times[LCI]}
    usual = {n: gain for n, gain in gains.items() if n <= ENOUGH}
    yield judged(
        f"LCI searches faster than the IS-list (n up to {max(usual):,.0f})",
        _said(usual),
        reached=min(usual.values()) > 1,
        otherwise=_copying(times),
    )
    for n, gain in gains.items():
        if n > ENOUGH:
            yield judged(
                f"… and with n = {n:,.0f}", f"{gain:.2f} × as fast", reached=gain > 1, otherwise=_copying(times)
            )
    beyond = {n: times[LCI][n] / times[DIRECT][n] for n in times[LCI]}
    yield judged(
        f"The direct list is fastest, and LCI-BV(DT) near the best (taken as {NEAR:g} × at most)",
        f"{min(beyond.values()):.1f} to {max(beyond.values()):.1f} × the direct list's time",
        reached=max(beyond.values()) <= NEAR,
        otherwise=f"a value reads one list there, and {2 * LONGEST - 1} lists here, which shows most where lists are "
        f"short: {_said(beyond)}",
    )
    ours = {n: times[SKIP_LIST][n] / times[VCI_OURS][n] for n in times[VCI_OURS]}
    yield judged(
        "VCI as Limen chooses cells and L also searches faster than the IS-list",
        _said(ours),
        reached=min(ours.values()) > 1,
        otherwise="its cells are made for any bounds, not for integers, so values are compared with the ends in "
        f"their cell; besides, {_copying(times)}",
    )


def _copying(times: dict[str, dict[float, float]]) -> str:
    """Say what an id in the answer costs, by the two largest sizes."""
    before, most = sorted(times[LCI])[-2:]
    ids = (most - before) * (WIDEST + 1) / 2 / R
    each = {name: 1000 * (times[name][most] - times[name][before]) / ids for name in (SKIP_LIST, LCI)}
    return (
        f"at n = {most:,.0f} a value is in {most * (WIDEST + 1) / 2 / R:.0f} intervals, and writing them down is most "
        f"of the time: {each[SKIP_LIST]:.1f} ns an id from the IS-list, {each[LCI]:.1f} ns from LCI, whose lists are "
        f"shorter; the IS-list here is of flat arrays, and has no more than R = {R:,} ends to search"
    )


def _said(ratios: dict[float, float]) -> str:
    return ", ".join(f"{ratio:.2f} × at {n:,.0f}" for n, ratio in ratios.items())


FIGURE = Figure(
    name="vc-06",
    title="Search time of indexes of intervals, by the number of queries",
    source="VCI/VCR paper, Figure 6 (§2.5)",
    panels=(Panel("", "Search time", QUERIES, Axis("CPU time a value", "µs", log=True)),),
    curves=CURVES,
    measure=measure,
    judge=judge,
    setting={scale: setting(scale) for scale in ("full", "quick", "tiny")},
    learned="Reading a few lists by number beats walking a skip list until the answer itself is what takes time. The "
    "direct list reads one list only and pays for it in memory (vc-07). Edge lists are made for moves, not for "
    "look-ups: match queries do not use them.",
)
