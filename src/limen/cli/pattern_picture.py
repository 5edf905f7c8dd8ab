"""The graph of a pattern as a picture: given constraints in full lines, inferred ones in broken lines."""

import math
from pathlib import Path

from limen.model.graph import UNBOUNDED, Graph, graph_of
from limen.model.pattern import Pattern


def draw_graph(path: Path, pattern: Pattern) -> str:
    """Draw a pattern's graph into a PNG file; return a line of text about it."""
    from matplotlib.figure import Figure  # noqa: PLC0415  # its import costs more than most runs need

    graph = graph_of(pattern)
    figure = Figure(figsize=(7.5, 6.5), dpi=110, layout="tight")
    axes = figure.add_subplot()
    count = len(graph.names)
    places = [
        (math.sin(2 * math.pi * each / count), math.cos(2 * math.pi * each / count)) if count > 1 else (0.0, 0.0)
        for each in range(count)
    ]
    for i in range(count):
        for j in range(i + 1, count):
            (x, y), (u, v) = places[i], places[j]
            given = graph.given_latest[i, j] < UNBOUNDED or graph.given_distance[i, j] < math.inf
            axes.plot([x, u], [y, v], "-" if given else "--", color="#0b6e69" if given else "#999999", zorder=1)
            axes.text(
                x + 0.42 * (u - x), y + 0.42 * (v - y), _label(graph, i, j), ha="center", va="center", fontsize=8,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85},
            )  # fmt: skip
    for variable, (x, y) in zip(pattern.variables, places, strict=True):
        axes.scatter([x], [y], s=900, color="white", edgecolor="#b5451b", linewidth=1.6, zorder=2)
        axes.text(x, y, variable.name, ha="center", va="center", zorder=3)
        below = -0.17 if y <= 0 else 0.15
        axes.text(x, y + below, variable.where or "", ha="center", va="center", fontsize=8, color="#444444")
    axes.set_xlim(-1.6, 1.6)
    axes.set_ylim(-1.4, 1.4)
    axes.set_title(f"{pattern.id}: broken lines follow from the others", fontsize=10)
    axes.axis("off")
    figure.savefig(path, format="png")
    return f"graph of {count} variables drawn into {path}"


def _label(graph: Graph, i: int, j: int) -> str:
    words = [f"[{-graph.latest[j, i] / 1e6:g}, {graph.latest[i, j] / 1e6:g}] s"]
    if graph.distance[i, j] < math.inf:
        words.append(f"< {graph.distance[i, j]:g}")
    if graph.beyond[i, j] > 0:
        words.append(f"≥ {graph.beyond[i, j]:g}")
    return "\n".join(words)
