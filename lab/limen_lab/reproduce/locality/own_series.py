"""The locality of a series of the user's own: what Appendix A of bmq-processor draws, of it."""

from collections.abc import Iterator

from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict
from limen_lab.reproduce.locality.locality import densities, falls_with_rate, fluctuation, peaks_at_zero, rate, thinned
from limen_lab.reproduce.locality.value_series import ValueSeries

NAME = "series"
ENOUGH, FEWEST = 30, 4  # differences: an average of fewer says little, or nothing


def figure_of(series: ValueSeries) -> Figure:
    """Make a figure of a series: its values, FL by the sampling rate, the density of differences."""
    domain = float(series.values.max() - series.values.min()) or 1.0
    sampled = _sampled(len(series.values))
    shown = {rows: "every value" if rows == 1 else f"every {rows}th value" for rows in sampled[:6:2]}

    def measure(_scale: Scale) -> Iterator[Point]:
        for x, y in zip(*thinned(series), strict=True):
            yield Point("a", series.name, float(x), float(y))
        for rows in sampled:
            yield Point("b", series.name, rate(series, rows), fluctuation(series, rows, domain))
        for rows, (middles, density) in densities(series, list(shown)).items():
            for x, y in zip(middles, density, strict=True):
                yield Point("c", shown[rows], float(x), float(y))

    def judge(points: Points) -> Iterator[Verdict]:
        yield falls_with_rate(series.name, points.curve("b", series.name))
        often = points.curve("c", shown[1])
        yield peaks_at_zero(series.name, list(often), list(often.values()))

    time, an_hour = ("hours", "values an hour") if series.timed else ("rows", "values a row")
    setting = f"{series.description}; the domain is its range, {domain:g}"
    return Figure(
        NAME,
        f"Locality of {series.name}",
        "as Figures 20 to 25 of BMQ-Processor (Appendix A), of a series given with --series",
        (
            Panel(
                "a",
                "Values",
                Axis("time, gaps left out" if series.gaps else "time", time),
                Axis(series.name),
            ),
            Panel(
                "b",
                "Fluctuation level",
                Axis("sampling rate", an_hour, log=True),
                Axis("FL", "% of the range", log=True),
            ),
            Panel(
                "c",
                "Differences",
                Axis("difference of consecutive values"),
                Axis("share of differences", "%", log=True),
            ),
        ),
        (Curve(series.name), *map(Curve, shown.values())),
        measure,
        judge,
        {"full": setting, "quick": setting, "tiny": setting},
        learned="If FL is well below the widths of your ranges, an index of borders has little to do for each value.",
        input_digest=series.digest,
    )


def _sampled(count: int) -> list[int]:
    """Return by how many rows to sample: every one, every second, fourth, …, as long as there are enough differences.

    Examples
    --------
    >>> _sampled(500), _sampled(12), _sampled(3)
    ([1, 2, 4, 8, 16], [1, 2], [1])
    """
    sampled = [1]
    while count // (2 * sampled[-1]) > (ENOUGH if len(sampled) > 1 else FEWEST):
        sampled.append(2 * sampled[-1])
    return sampled
