"""The three figures that Appendix A of bmq-processor draws of a kind of series, whichever it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict
from limen_lab.reproduce.judging import judged
from limen_lab.reproduce.locality.locality import (
    densities,
    falls_with_rate,
    fluctuation,
    hourly_work,
    peaks_at_zero,
    rate,
    thinned,
)
from limen_lab.reproduce.locality.value_series import ValueSeries

if TYPE_CHECKING:
    Make = Callable[[Scale], Sequence[ValueSeries]]

BORDERS, ANEW = "border index: entries looked at", "matching anew: queries found"


def values_figure(
    name: str, title: str, source: str, *, make: Make, value: Axis, domain: float, setting: dict[Scale, str]
) -> Figure:
    """Draw series as they are, a panel each."""

    def measure(scale: Scale) -> Iterator[Point]:
        for letter, series in zip(letters, make(scale), strict=True):
            for x, y in zip(*thinned(series), strict=True):
                yield Point(letter, series.name, float(x), float(y))

    def judge(points: Points) -> Iterator[Verdict]:
        for letter, curve in zip(letters, names, strict=True):
            found = list(points.curve(letter, curve).values())
            steps = [abs(after - before) / domain for before, after in pairwise(found)]
            mean, most = 100 * sum(steps) / len(steps), 100 * max(steps)
            yield judged(
                f"{curve}: values change gradually",
                f"by {mean:.2g} % of the domain on average between values that are drawn, by {most:.2g} % at most",
                reached=most < 5,
            )

    names = [series.name for series in make("tiny")]
    letters = _letters(names)
    time = Axis("time, without the hours in between", "hours") if len(names) > 1 else Axis("time", "hours")
    return Figure(
        name, title, source,
        tuple(Panel(letter, each, time, value) for letter, each in zip(letters, names, strict=True)),
        tuple(map(Curve, names)), measure, judge, setting,
        learned="Generated, since the paper's traces are not to be had; all that follows is computed from them.",
    )  # fmt: skip


def fluctuation_figure(
    name: str, title: str, source: str, *, make: Make, sampled: Sequence[int], domain: float, setting: dict[Scale, str]
) -> Figure:
    """Draw FL by the sampling rate, and what an hour costs at each rate."""

    def measure(scale: Scale) -> Iterator[Point]:
        for series in make(scale):
            for rows in sampled:
                yield Point("a", series.name, rate(series, rows), fluctuation(series, rows, domain))
        first = make(scale)[0]
        for rows in sampled:
            looked, matched = hourly_work(first, rows, domain)
            yield Point("b", BORDERS, rate(first, rows), looked)
            yield Point("b", ANEW, rate(first, rows), matched)

    def judge(points: Points) -> Iterator[Verdict]:
        curves = {each: points.curve("a", each) for each in names}
        for each, curve in curves.items():
            yield falls_with_rate(each, curve)
        if len(names) == 2:
            lively, steady = curves.values()
            yield judged(
                f"FL of the {names[1]} is smaller than that of the {names[0]}",
                f"{min(lively[x] / steady[x] for x in lively):.1f} × smaller at least",
                reached=all(steady[x] < lively[x] for x in lively),
            )
        grown = {each: _growth(points.curve("b", each)) for each in (BORDERS, ANEW)}
        times = _growth({x: x for x in points.curve("b", ANEW)})
        yield judged(
            "Higher rates do not cost a border index much, since each step is shorter",
            f"{times:.0f} × the rate: {grown[BORDERS]:.1f} × the entries looked at an hour; matching anew "
            f"{grown[ANEW]:.0f} ×",
            reached=grown[BORDERS] < grown[ANEW] / 2,
            otherwise="every tuple also looks at where it is, however short its step",
        )

    names = [series.name for series in make("tiny")]
    rates = Axis("sampling rate", "values an hour", log=True)
    return Figure(
        name, title, source,
        (
            Panel("a", "Fluctuation level by sampling rate", rates, Axis("FL", "% of the domain", log=True)),
            Panel("b", "Not in the paper: work of 10,000 queries", rates, Axis("work", "entries an hour", log=True)),
        ),
        (*map(Curve, names), Curve(ANEW), Curve(BORDERS, ours=True)), measure, judge, setting,
        learned="Sampling ten times as often makes steps several times shorter. A border index costs by the step's "
        "length, so it hardly costs more.",
    )  # fmt: skip


def density_figure(
    name: str, title: str, source: str, *, make: Make, sampled: dict[int, str], unit: str, setting: dict[Scale, str]
) -> Figure:
    """Draw the density of differences, a panel for each series and a curve for each rate."""

    def measure(scale: Scale) -> Iterator[Point]:
        for letter, series in zip(letters, make(scale), strict=True):
            for rows, (middles, density) in densities(series, list(sampled)).items():
                for x, y in zip(middles, density, strict=True):
                    yield Point(letter, sampled[rows], float(x), float(y))

    def judge(points: Points) -> Iterator[Verdict]:
        for letter, series in zip(letters, names, strict=True):
            curves = {rows: points.curve(letter, sampled[rows]) for rows in sampled}
            often, seldom = curves[min(sampled)], curves[max(sampled)]
            yield peaks_at_zero(f"{series}, {sampled[min(sampled)]}", list(often), list(often.values()))
            zero = min(often, key=abs)
            yield judged(
                f"{series}: as the rate falls, differences spread",
                ", ".join(f"{curve[zero]:.0f} % at zero {sampled[rows]}" for rows, curve in curves.items()),
                reached=often[zero] > seldom[zero],
            )

    names = [series.name for series in make("tiny")]
    letters = _letters(names)
    panels = tuple(
        Panel(
            letter,
            each,
            Axis("difference of consecutive values", unit),
            Axis("share of differences", "%", log=True),
        )
        for letter, each in zip(letters, names, strict=True)
    )
    return Figure(
        name, title, source, panels, tuple(map(Curve, sampled.values())), measure, judge, setting,
        learned="Most steps are short and many are none: that is what an index of borders lives on.",
    )  # fmt: skip


def _letters(names: Sequence[str]) -> list[str]:
    """Return the letters of panels, one a series: none where there is one only."""
    return ["a", "b"] if len(names) > 1 else [""]


def _growth(curve: dict[float, float]) -> float:
    return curve[max(curve)] / curve[min(curve)]
