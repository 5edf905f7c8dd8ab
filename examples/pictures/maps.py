"""What the maps of the stories have in common."""

import matplotlib as mpl
import numpy as np

mpl.use("Agg")

INK, LINE = "#1f2d3a", "#8a97a3"
TRAILS = ("#d1495b", "#0f8b8d", "#8e44ad", "#b86e00", "#1d6fb8", "#2a7d46")


def as_map(axes, middle, reach, metres=(1.0, 1.0)):
    """Show what is around a point, without ticks but with a scale; `metres` are those of a unit of x and of y."""
    (x, y), (wide, high) = middle, reach
    axes.set(xlim=(x - wide, x + wide), ylim=(y - high, y + high), xticks=[], yticks=[])
    axes.set_aspect(metres[1] / metres[0])
    room = wide * metres[0] / 2
    length = max(step for step in (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000) if step <= room)
    left, bottom = x + 0.94 * wide - length / metres[0], y - 0.93 * high
    behind = {"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 1.5}
    axes.plot([left, left + length / metres[0]], [bottom, bottom], color=INK, linewidth=3, zorder=9)
    text = f"{length / 1000:g} km" if length >= 1000 else f"{length} m"
    axes.text(
        left + length / metres[0] / 2, bottom + 0.03 * high, text, ha="center", va="bottom", zorder=9, bbox=behind
    )


def number(axes, x, y, text):
    """Write a number on the map, readable on every colour."""
    disc = {"boxstyle": "circle,pad=0.25", "facecolor": "white", "edgecolor": INK, "linewidth": 1}
    axes.text(x, y, text, ha="center", va="center", fontsize=8, color=INK, bbox=disc, zorder=8, clip_on=True)


def bars(axes, names, counts, notes, color):
    """Draw counts as bars, the largest on top, each with its number, its name and a note."""
    places = -np.arange(len(names))
    axes.barh(places, counts, color=color, height=0.72)
    axes.set_yticks(places, [f"{rank}  {name}" for rank, name in enumerate(names, 1)])
    for place, count, note in zip(places, counts, notes, strict=True):
        axes.text(count, place, f" {note}", va="center", fontsize=8.5, color=INK)
    axes.set_xlim(0, 1.55 * max(counts))
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right"]].set_visible(False)
