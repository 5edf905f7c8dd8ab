"""The charts of a report: events over time, places, durations, and batches."""

import math
from datetime import UTC, datetime
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from limen.report.batches import Batches
from limen.report.canvas import COLORS, STYLE, as_png, tick
from limen.report.counting import Grid
from limen.report.summary import STEPS, Summary
from limen.report.time_text import duration

_WIDTH, _DPI = 8.6, 110
_HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo", "--")
#: Times that a calendar has.
_FIRST, _LAST = datetime(1, 1, 2, tzinfo=UTC).timestamp(), datetime(9999, 12, 30, tzinfo=UTC).timestamp()


def draw_timeline(summary: Summary) -> bytes:
    """Draw how many events there were at which time, by kind."""
    counts, ((start, end), (lowest, _)) = summary.timeline.dense()
    width = (end - start) / len(counts)
    starts = np.clip(start + width * np.arange(len(counts)), _FIRST, _LAST)
    at = date2num([datetime.fromtimestamp(each, UTC) for each in starts])  # type: ignore[no-untyped-call]
    with mpl.rc_context(STYLE):
        canvas, axes = _canvas(3.6)
        below = np.zeros(len(counts))
        days = width / 86_400
        for number, column in enumerate(np.flatnonzero(counts.any(axis=0))):
            kind = summary.kind_names[int(lowest) + column]
            axes.bar(at, counts[:, column], days, below, align="edge", label=kind, **_look(number))
            below += counts[:, column]
        locator = AutoDateLocator(tz=UTC)  # type: ignore[no-untyped-call]
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(ConciseDateFormatter(locator, tz=UTC))  # type: ignore[no-untyped-call]
        axes.yaxis.set_major_formatter(FuncFormatter(tick))
        axes.set_ylabel(f"events in {duration(width)}")
        axes.set_xlabel("time, UTC")
        canvas.legend(loc="outside lower left", ncols=6)
        return as_png(canvas)


def draw_places(grid: Grid, *, lonlat: bool) -> bytes:
    """Draw where events happened, as a map of counts; of one value, as bars."""
    counts, ends = grid.dense()
    with mpl.rc_context(STYLE | {"axes.grid": lonlat}):
        if len(ends) == 1:
            canvas, axes = _canvas(3.2)
            (start, end), width = ends[0], grid.sizes()[0]
            axes.bar(start + width * np.arange(len(counts)), counts, width, align="edge", color=COLORS[0])
            axes.set_xlabel("value")
            axes.set_ylabel("events")
            axes.set_xlim(start, end)
            axes.yaxis.set_major_formatter(FuncFormatter(tick))
            return as_png(canvas)
        (west, east), (south, north) = ends
        canvas, axes = _canvas(6.6)
        shown = np.ma.masked_equal(counts.T, 0)
        picture = axes.imshow(
            shown, origin="lower", extent=(west, east, south, north), cmap="viridis_r", interpolation="nearest",
            norm=LogNorm(1, max(counts.max(), 2)), aspect=_aspect(ends, lonlat=lonlat),
        )  # fmt: skip
        bar = canvas.colorbar(picture, ax=axes, shrink=0.8)
        bar.set_label("events in a cell")
        bar.ax.yaxis.set_major_formatter(FuncFormatter(tick))
        axes.set_xlabel("longitude" if lonlat else "first value")
        axes.set_ylabel("latitude" if lonlat else "second value")
        return as_png(canvas)


def draw_stays(summary: Summary) -> bytes:
    """Draw the durations from start to end, by kind."""
    kinds = sorted(summary.stays.steps)
    steps = [step for kind in kinds for step in summary.stays.steps[kind]]
    low, high = min(steps), max(steps) + 1
    with mpl.rc_context(STYLE):
        canvas, axes = _canvas(3.4)
        for number, kind in enumerate(kinds):
            counts = [summary.stays.steps[kind][step] for step in range(low, high)]
            at = np.arange(low, high) + number / len(kinds)
            axes.bar(at, counts, 1 / len(kinds), align="edge", label=kind, **_look(number))
        ticks = range(low, high + 1, max(1, math.ceil((high - low) / 9)))
        axes.set_xticks(list(ticks), [duration(2.0 ** (step / STEPS)) for step in ticks])
        axes.yaxis.set_major_formatter(FuncFormatter(tick))
        axes.set_xlabel("from start to end")
        axes.set_ylabel("events")
        canvas.legend(loc="outside lower left", ncols=6)
        return as_png(canvas)


def draw_batches(batches: Batches) -> bytes:
    """Draw how long batches took."""
    numbers, times = np.array(batches.times).T
    with mpl.rc_context(STYLE):
        canvas, axes = _canvas(2.8)
        marks: dict[str, Any] = {"marker": "o", "markersize": 3} if len(times) < 200 else {}
        axes.plot(numbers, times / 1000, color=COLORS[0], linewidth=1, **marks)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("batch")
        axes.set_ylabel("seconds")
        axes.xaxis.set_major_formatter(FuncFormatter(tick))
        return as_png(canvas)


def _canvas(height: float) -> tuple[Figure, Axes]:
    canvas = Figure(figsize=(_WIDTH, height), dpi=_DPI, layout="constrained")
    return canvas, canvas.add_subplot()


def _look(number: int) -> dict[str, Any]:
    """Return colour and hatch, so that the chart can be read without colours."""
    return {
        "color": COLORS[number % len(COLORS)],
        "hatch": _HATCHES[number % len(_HATCHES)],
        "edgecolor": "white",
        "linewidth": 0,
    }


def _aspect(ends: list[tuple[float, float]], *, lonlat: bool) -> float | Literal["auto"]:
    """Return how high one unit is beside how wide; what is far from square is stretched, to be seen."""
    (west, east), (south, north) = ends
    unit = 1 / max(math.cos(math.radians(min(max((south + north) / 2, -80), 80))), 0.1) if lonlat else 1.0
    shape = unit * (north - south) / (east - west)
    return unit if 1 / 4 <= shape <= 4 else "auto"
