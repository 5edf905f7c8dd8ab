"""The picture of examples/ride_hailing.py: a strip of six moments, with everybody and all answers."""

from datetime import timedelta

import numpy as np
import pyarrow.compute as pc
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection
from pictures.maps import INK, LINE, as_map

FREE, TAKEN, FOOT, POLICE, OWN = "#f2c14e", "#ffffff", "#5b7c99", "#1d6fb8", "#2a7d46"

REGIONS = {"stadium": "stadium", "police": "around the police", "own cars": "own cars"}  # as told, and the query


def draw(path, city, reports, queries, moments, silent):
    """Draw the city at each moment, a time and the answers at it."""
    figure, axes = plt.subplots(2, 3, figsize=(12, 11.2), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.06, w_pad=0.06)
    by_id = {query.id: query for query in queries}
    for panel, (at, answers) in zip(axes.flat, moments, strict=True):
        places, statuses = _there(reports, at, silent)
        _draw_everybody(panel, city, places, statuses, by_id["own cars"].streams)
        _draw_regions(panel, by_id, places)
        for name in ("Ann", "Bob", "Cem", "Eve"):
            _draw_customer(panel, by_id[name], places, answers.get(name, set()))
        as_map(panel, city.extent / 2, city.extent / 2 * 1.04)
        counts = ", ".join(f"{name} {len(answers[id])}" for name, id in REGIONS.items())
        panel.set_title(f"{at:%H:%M:%S}: {counts}", fontsize=10)
    handles = [
        plt.Line2D([], [], linestyle="", markeredgecolor=INK, **style, label=label)
        for label, style in (
            ("free taxi", {"marker": "o", "markersize": 6, "markerfacecolor": FREE}),
            ("taken taxi", {"marker": "o", "markersize": 4, "markerfacecolor": TAKEN}),
            ("of the dispatcher's fleet", {"marker": "^", "markersize": 7, "markerfacecolor": "none"}),
            ("person on foot", {"marker": ".", "markersize": 5, "markerfacecolor": FOOT}),
            ("customer, lines to the 5 nearest free", {"marker": "*", "markersize": 12, "markerfacecolor": "#c8553d"}),
            ("police and 400 m around (dashed)", {"marker": "s", "markersize": 8, "markerfacecolor": POLICE}),
            ("the stadium", {"marker": "8", "markersize": 9, "markerfacecolor": "#f3e3d3"}),
            ("dispatcher and its box (dotted)", {"marker": "D", "markersize": 7, "markerfacecolor": OWN}),
        )
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=9.5, frameon=False)
    figure.savefig(path, dpi=90)
    plt.close(figure)


def _there(reports, at, silent):
    """Return where everybody is at a time, and the status of each."""
    near = (pc.field("time") <= at) & (pc.field("time") >= at - timedelta(seconds=silent))
    rows = reports.filter(near).to_pylist()  # in order of time: the last one stays
    return {row["who"]: (row["x"], row["y"]) for row in rows}, {row["who"]: row["status"] for row in rows}


def _draw_everybody(axes, city, places, statuses, fleet):
    axes.add_collection(LineCollection(city.xy[city.ends], colors=LINE, linewidths=0.5, alpha=0.5, zorder=1))
    for color, size, chosen in (
        (FOOT, 4, [who for who in places if who.startswith("phone")]),
        (TAKEN, 9, [who for who in places if statuses[who] == "taken"]),
        (FREE, 22, [who for who in places if statuses[who] == "free"]),
    ):
        at = np.array([places[who] for who in chosen]).reshape(-1, 2)
        edge = "none" if color == FOOT else INK
        axes.scatter(*at.T, s=size, c=color, edgecolors=edge, linewidths=0.6, zorder=3)
    own = np.array([places[who] for who in fleet if who in places]).reshape(-1, 2)
    axes.scatter(*own.T, s=60, marker="^", facecolors="none", edgecolors=OWN, linewidths=1.0, zorder=4)


def _draw_regions(axes, by_id, places):
    ring = np.array(by_id["stadium"].region.shell)
    axes.add_patch(plt.Polygon(ring, facecolor="#f3e3d3", edgecolor=INK, linewidth=1.4, hatch="..", alpha=0.55))
    x, y = places["police"]
    around, box = by_id["around the police"], by_id["own cars"]
    axes.add_patch(plt.Circle((x, y), around.radius, fill=False, edgecolor=POLICE, linewidth=1.8, linestyle="--"))
    axes.plot(x, y, "s", color=POLICE, markeredgecolor=INK, markersize=8, zorder=6)
    x, y = places["dispatcher"]
    corner = (x - box.width / 2, y - box.height / 2)
    axes.add_patch(
        plt.Rectangle(corner, box.width, box.height, fill=False, edgecolor=OWN, linewidth=1.6, linestyle=":")
    )
    axes.plot(x, y, "D", color=OWN, markeredgecolor=INK, markersize=7, zorder=6)


def _draw_customer(axes, query, places, answer):
    if not answer:
        return
    x, y = query.center or places[query.focal]
    lines = [((x, y), places[who]) for who in sorted(answer)]
    axes.add_collection(LineCollection(lines, colors="#c8553d", linewidths=1.4, zorder=5))
    axes.plot(x, y, "*", color="#c8553d", markeredgecolor=INK, markersize=14, zorder=7)
    name = f"{query.id} (walking)" if query.focal else query.id
    _label(axes, (x, y - 40), name)


def _label(axes, place, text):
    behind = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
    axes.annotate(
        text,
        place,
        xytext=(0, -2),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=8.5,
        color=INK,
        bbox=behind,
        zorder=8,
        annotation_clip=True,
    )
