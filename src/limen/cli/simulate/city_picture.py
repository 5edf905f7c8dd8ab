"""Pictures of a city: its roads, the vehicles on them, and the garages beside them."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limen.cli.simulate.sketch import Sketch
from limen.simulate import RoadNetwork, Sites

# By road class, from 0, the fastest: the faster, the darker and the wider.
ROAD_COLORS = ("#1d3557", "#33658a", "#5f8fb0", "#b9c0c6", "#cdd2d6", "#d9dde0", "#e3e6e8")
ROAD_WIDTHS = (2.2, 1.6, 1.2, 0.7, 0.6, 0.5, 0.5)
TRAIL_COLORS = ("#d1495b", "#2a9d5c", "#8e44ad", "#e07a1f", "#0f8b8d", "#b5179e", "#7a5c00", "#3a0ca3")
GARAGE_COLOR = "#d1495b"
PARKED_COLOR = "#e9a23b"
DRIVING_COLOR = "#6a4c93"
MOST_POINTS = 12_000


def draw_traffic(path: Path, network: RoadNetwork, sketch: Sketch) -> str:
    """Draw the network and the traffic of the last interval, its middle enlarged, and how fast objects are."""
    figure, axes = _axes("middle", "speeds")
    columns = sketch.columns()
    now = _latest(columns, sketch.interval)
    _roads(axes["city"], network)
    points = axes["city"].scatter(
        columns["x"][now],
        columns["y"][now],
        c=columns["kmh"][now],
        s=3,
        cmap="plasma_r",
        vmin=0,
        zorder=3,
        linewidths=0,
    )
    figure.colorbar(points, ax=axes["city"], label="km/h", shrink=0.6, pad=0.01)
    for color, way in zip(TRAIL_COLORS, sketch.trails(len(TRAIL_COLORS)), strict=False):
        axes["city"].plot(*way.T, color=color, linewidth=1.8, zorder=4)
        axes["city"].scatter(*way[-1], color=color, s=28, edgecolors="white", zorder=5)
    axes["city"].set_title(f"{network}\nobjects in the last interval, and some ways that they came")
    _as_map(axes["city"], network.extent / 2, network.extent / 2 * 1.03)
    _roads(axes["middle"], network, scale=2.0)
    crowded = np.median(np.column_stack([columns["x"][now], columns["y"][now]]), axis=0)
    axes["middle"].scatter(
        columns["x"][now], columns["y"][now], c=columns["kmh"][now], s=18, cmap="plasma_r", vmin=0,
        vmax=points.get_clim()[1], zorder=3, edgecolors="white", linewidths=0.4,
    )  # fmt: skip
    axes["middle"].set_title("the middle of it all")
    _as_map(axes["middle"], crowded, network.extent.max() / np.array([14.0, 18.0]))
    _speeds(axes["speeds"], columns)
    figure.savefig(path, dpi=110)
    return f"a picture of it in {path}"


def draw_garages(path: Path, network: RoadNetwork, sites: Sites, sketch: Sketch) -> str:
    """Draw the network, traffic and garages, the garage that most park in enlarged, and how many do park when."""
    figure, axes = _axes("garage", "parked")
    columns = sketch.columns()
    now = _latest(columns, sketch.interval)
    parked = columns["kmh"] == 0
    middles = (sites.lo + sites.hi) / 2
    xy = np.column_stack([columns["x"], columns["y"]])
    _roads(axes["city"], network)
    axes["city"].scatter(*xy[now & ~parked].T, s=4, color=DRIVING_COLOR, zorder=3, linewidths=0, label="driving")
    axes["city"].scatter(
        *middles.T, s=26, marker="s", color=GARAGE_COLOR, edgecolors="white", linewidths=0.5, zorder=4, label="garages"
    )
    axes["city"].scatter(*xy[now & parked].T, s=10, color=PARKED_COLOR, zorder=5, linewidths=0, label="parked")
    axes["city"].legend(loc="lower right", markerscale=1.5)
    axes["city"].set_title(f"{network}\n{len(middles):,} garages, drawn larger than they are")
    _as_map(axes["city"], network.extent / 2, network.extent / 2 * 1.03)
    # Where many park and many pass by: the one with most of the rarer of both.
    shown = np.argmax([np.minimum(*_near(xy, parked, middle)) for middle in middles])
    _enlarged(axes["garage"], network, sites, int(shown), xy, parked)
    _occupancy(axes["parked"], columns, sketch.interval)
    figure.savefig(path, dpi=110)
    return f"a picture of it in {path}"


def _axes(upper: str, lower: str) -> tuple[Any, dict[str, Any]]:
    """Return a figure and its axes: the city, and two beside it."""
    from matplotlib.figure import Figure  # noqa: PLC0415  # only plotting needs it

    figure = Figure(figsize=(15, 9.5), layout="constrained")
    return figure, figure.subplot_mosaic([["city", upper], ["city", lower]], width_ratios=(1.7, 1))


def _latest(columns: dict[str, NDArray[np.float64]], interval: int) -> NDArray[np.bool_]:
    """Choose the reports of the last interval, one of each object; of very many only some."""
    chosen: NDArray[np.bool_] = columns["second"] > columns["second"].max() - interval
    every = -(-int(chosen.sum()) // MOST_POINTS)
    return chosen & ((columns["number"] % every == 0) | (columns["kmh"] == 0)) if every > 1 else chosen


def _roads(axes: Any, network: RoadNetwork, scale: float = 1.0) -> None:
    from matplotlib.collections import LineCollection  # noqa: PLC0415

    for road_class in range(len(ROAD_COLORS) - 1, -1, -1):
        lines = network.xy[network.ends[network.road_class == road_class]]
        color, width = ROAD_COLORS[road_class], scale * ROAD_WIDTHS[road_class]
        axes.add_collection(LineCollection(lines, colors=color, linewidths=width, capstyle="round", zorder=2))


def _as_map(axes: Any, middle: NDArray[np.float64], reach: NDArray[np.float64]) -> None:
    """Show a map as far as `reach` around a point, as high as it is wide, in metres and with a scale."""
    axes.set_xlim(middle[0] - reach[0], middle[0] + reach[0])
    axes.set_ylim(middle[1] - reach[1], middle[1] + reach[1])
    axes.set_aspect("equal", adjustable="box")
    axes.set_xticks([])
    axes.set_yticks([])
    length = 10.0 ** np.floor(np.log10(reach[0]))
    left, bottom = middle - 0.93 * reach
    axes.plot([left, left + length], [bottom, bottom], color="black", linewidth=2.5, zorder=6)
    text = f"{length / 1000:g} km" if length >= 1000 else f"{length:g} m"
    behind = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 1}
    axes.text(
        left + length / 2, bottom + 0.03 * reach[1], text, ha="center", va="bottom", fontsize=9, zorder=6, bbox=behind
    )


def _speeds(axes: Any, columns: dict[str, NDArray[np.float64]]) -> None:
    edges = np.linspace(0.0, max(float(columns["kmh"].max()), 1.0), 61)
    for wanted, name, color in ((True, "fast", "#33658a"), (False, "slow", "#e9a23b")):
        kmh = columns["kmh"][columns["is_fast"].astype(bool) == wanted]
        if len(kmh):
            axes.hist(kmh, edges, color=color, alpha=0.7, label=f"{name}: {kmh.mean():.1f} km/h on average")
            axes.axvline(kmh.mean(), color=color, linewidth=1.5, linestyle="--")
    axes.legend(loc="upper right")
    axes.set_xlabel("km/h")
    axes.set_ylabel("reports")
    axes.set_title("speeds")


_REACH = np.array([150.0, 115.0])  # metres around the garage that is enlarged


def _near(xy: NDArray[np.float64], parked: NDArray[np.bool_], middle: NDArray[np.float64]) -> tuple[int, int]:
    """Count the parked and the moving vehicles around a garage."""
    near = (np.abs(xy - middle) < _REACH).all(axis=1)
    return int((near & parked).sum()), int((near & ~parked).sum())


def _enlarged(
    axes: Any, network: RoadNetwork, sites: Sites, garage: int, xy: NDArray[np.float64], parked: NDArray[np.bool_]
) -> None:
    """Draw one garage, the vehicles parked in it, and the vehicles that passed by."""
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    middle = (sites.lo[garage] + sites.hi[garage]) / 2
    near = (np.abs(xy - middle) < _REACH).all(axis=1)
    _roads(axes, network, scale=3.0)
    for lo, hi in zip(sites.lo, sites.hi, strict=True):
        axes.add_patch(Rectangle(lo, *(hi - lo), facecolor="#f6d5d9", edgecolor=GARAGE_COLOR, linewidth=1.5, zorder=3))
    axes.plot(*np.stack([network.xy[sites.gates[garage]], middle]).T, color=GARAGE_COLOR, linestyle=":", zorder=3)
    axes.scatter(*xy[near & ~parked].T, s=16, color=DRIVING_COLOR, zorder=4, linewidths=0, label="reports on the road")
    axes.scatter(*xy[near & parked].T, s=16, color=PARKED_COLOR, edgecolors="black", linewidths=0.4, zorder=5,
                 label="reports from the garage")  # fmt: skip
    axes.legend(loc="upper right", fontsize=8)
    axes.set_title("one of the garages, and its gate")
    _as_map(axes, middle, _REACH)


def _occupancy(axes: Any, columns: dict[str, NDArray[np.float64]], interval: int) -> None:
    turn = (columns["second"] // interval).astype(int)
    parked = np.bincount(turn[columns["kmh"] == 0], minlength=turn.max() + 1)
    axes.step(np.arange(len(parked)) * interval / 60, parked, where="post", color=GARAGE_COLOR)
    axes.set_ylim(0, 1.1 * max(parked.max(), 1))
    axes.set_xlabel("minutes")
    axes.set_ylabel("vehicles")
    axes.set_title("parked in any garage")
