"""A panel as a picture: ours thick and filled, the paper's thin, broken and hollow, so that no reader needs colours."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from limen.report.canvas import COLORS, STYLE, as_png, tick
from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = "osD^vPX*<>hp"
HATCHES = ("//", "..", "xx", "\\\\", "++", "oo", "**", "--")
#: Dashes as lengths of ink and gap, in points; each stands for one curve of its kind.
OUR_LINES: tuple[Any, ...] = ("-", (0, (9, 1.5)), (0, (7, 1.5, 2, 1.5)), (0, (3, 1)))
PAPER_LINES: tuple[Any, ...] = (
    (0, (5, 2)), (0, (1.2, 1.6)), (0, (6, 2, 1.2, 2)), (0, (3, 1.2)), (0, (6, 2, 1.2, 2, 1.2, 2)), (0, (9, 4)),
)  # fmt: skip
LONGEST_OF_TWO = 36  # letters of a name, for two to stand side by side in the legend
MANY_POINTS = 40  # from here on marks would be a band
FEW_TICKS = 9
WIDTH, DPI = 7.4, 110


def draw(figure: Figure, panel: Panel, points: Points) -> bytes:
    """Return a panel of a figure as a PNG file."""
    with mpl.rc_context(STYLE):
        return as_png(drawn(figure, panel, points))


def drawn(figure: Figure, panel: Panel, points: Points) -> Canvas:
    """Return a panel of a figure as matplotlib has it."""
    curves = [(curve, found) for curve in figure.curves if (found := points.curve(panel.letter, curve.name))]
    labels = [_label(curve) for curve, _ in curves]
    columns = 2 if max(map(len, labels), default=0) <= LONGEST_OF_TWO else 1
    rows = math.ceil(len(curves) / columns) + sum(label.count("\n") for label in labels)
    with mpl.rc_context(STYLE):
        # Without pyplot there is no window system and nothing to close.
        canvas = Canvas(figsize=(WIDTH, 4.3 + 0.2 * rows), dpi=DPI, layout="constrained")
        axes = canvas.add_subplot()
        styles = _styles(figure, points)
        for number, ((curve, found), label) in enumerate(zip(curves, labels, strict=True)):
            style = styles[curve.name]
            if panel.categories:
                _bars(axes, panel, number, len(curves), found, label, style)
            else:
                _line(axes, _drawable(found, panel), label, style)
        _name_axes(axes, panel, [x for _, found in curves for x in found])
        name = f"{figure.name}{panel.letter}"
        axes.set_title("\n".join(textwrap.wrap(f"{name}: {panel.title}", 78)), fontsize=10.5, loc="left")
        if curves:
            canvas.legend(loc="outside lower left", ncols=columns, handlelength=4.5)
    return canvas


def _label(curve: Curve) -> str:
    name = f"{curve.name} (Limen)" if curve.ours and "Limen" not in curve.name else curve.name
    return "\n".join(textwrap.wrap(name, 2 * LONGEST_OF_TWO))


def _styles(figure: Figure, points: Points) -> dict[str, dict[str, Any]]:
    """Return how each curve looks, the same in all panels.

    No two are alike in mark, line and colour, and ours are of another kind than the paper's.
    """
    there = {point.curve for point in points}
    kinds: list[bool] = []
    styles = {}
    for curve in figure.curves:
        if curve.name not in there:
            continue
        number, same_kind = len(kinds), kinds.count(curve.ours)
        lines, hatches = (OUR_LINES, ("", *HATCHES)) if curve.ours else (PAPER_LINES, HATCHES)
        color = COLORS[number % len(COLORS)]
        styles[curve.name] = {
            "color": color,
            "linestyle": lines[same_kind % len(lines)],
            "linewidth": 2.6 if curve.ours else 1.2,
            "marker": MARKERS[number % len(MARKERS)],
            "markersize": 7,
            "markerfacecolor": color if curve.ours else "white",
            "hatch": hatches[same_kind % len(hatches)],
            "zorder": 3 if curve.ours else 4,  # a thin broken line is seen upon a thick one, not below it
        }
        kinds.append(curve.ours)
    return styles


def _drawable(found: dict[float, float], panel: Panel) -> dict[float, float]:
    """Leave out what a logarithmic axis has no place for."""
    return {x: y for x, y in found.items() if (x > 0 or not panel.x.log) and (y > 0 or not panel.y.log)}


def _line(axes: Axes, found: dict[float, float], label: str, style: dict[str, Any]) -> None:
    how = {key: value for key, value in style.items() if key != "hatch"}
    if len(found) > MANY_POINTS:
        how["markevery"] = max(len(found) // 12, 1)
    axes.plot(list(found), list(found.values()), label=label, **how)


def _bars(
    axes: Axes, panel: Panel, number: int, count: int, found: dict[float, float], label: str, style: dict[str, Any]
) -> None:
    """Draw a curve over categories as bars beside those of the others, each with its value."""
    width = 0.8 / count
    at = np.array(list(found)) - 0.4 + width * (number + 0.5)
    filled = style["markerfacecolor"] != "white"
    bars = axes.bar(
        at, list(found.values()), width, label=label, edgecolor="white" if filled else style["color"],
        hatch=style["hatch"], facecolor=style["markerfacecolor"], zorder=3,
    )  # fmt: skip
    if count * len(panel.categories) <= 16:
        axes.bar_label(bars, [f"{y:,.0f}" if y >= 100 else f"{y:.3g}" for y in found.values()], padding=2, fontsize=8)


def _name_axes(axes: Axes, panel: Panel, xs: list[float]) -> None:
    axes.set_xlabel(_named(panel.x))
    axes.set_ylabel(_named(panel.y))
    if panel.y.log:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    elif not panel.categories or min(axes.get_ylim()) >= 0:
        low, high = axes.get_ylim()
        axes.set_ylim(bottom=0 if 0 <= low < 0.6 * high else low)
    axes.yaxis.set_major_formatter(FuncFormatter(tick))
    if panel.categories:
        names = ["\n".join(textwrap.wrap(name, max(60 // len(panel.categories), 8))) for name in panel.categories]
        axes.set_xticks(range(len(panel.categories)), names)
        axes.margins(y=0.12)
        return
    ticks = sorted(set(xs))
    if panel.x.log:
        axes.set_xscale("log")
        if len(ticks) <= FEW_TICKS:
            axes.xaxis.set_major_locator(FixedLocator(ticks))
            axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(tick))


def _named(axis: Axis) -> str:
    return f"{axis.label} [{axis.unit}]" if axis.unit else axis.label
