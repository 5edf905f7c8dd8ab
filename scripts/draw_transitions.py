"""Draw docs/transitions.svg: three vehicles at a garage, and what the engine makes of them.

Run it by hand when the picture changes; the documentation only shows the result. The vehicles are those of
docs/transitions.md.
"""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import pyarrow as pa

import limen

mpl.use("svg")
mpl.rcParams["svg.hashsalt"] = "limen"
from matplotlib import pyplot as plt  # noqa: E402  # the backend is chosen first

BEGIN = datetime(2026, 1, 1, 12, tzinfo=UTC)
END = 17  # minutes
WITHIN = 3
OUTSIDE, INSIDE = 50.0, 10.0
VEHICLES = {
    "van": {0: OUTSIDE, 1: INSIDE, 3: OUTSIDE},
    "car": {0: OUTSIDE, 2: INSIDE, 4: INSIDE, 9: OUTSIDE, 11: INSIDE},
    "bus": {0: INSIDE, 4: OUTSIDE},
}
COLORS = {"passed": "#2a9d5c", "returned": "#1d6fb8", "stayed": "#e07a1f", "gone": "#b23a48"}


def events() -> list[dict[str, object]]:
    """Let an engine watch the vehicles."""
    rows = [(minute, name, x) for name, places in VEHICLES.items() for minute, x in places.items()]
    minutes, names, xs = zip(*sorted(rows), strict=True)
    times = [BEGIN + timedelta(minutes=minute) for minute in minutes]
    columns = limen.Columns(id="vehicle", time="ts", values=("x", "y"))
    engine = limen.Engine(columns, [limen.Transition("garage", limen.Box((0, 0), (30, 30)), within="3 minutes")])
    found = [engine.process(pa.table({"vehicle": names, "ts": times, "x": xs, "y": xs}))]
    found.append(engine.advance(BEGIN + timedelta(minutes=END)))
    return pa.concat_tables(found).to_pylist()


def main() -> None:
    """Draw."""
    figure, axes = plt.subplots(figsize=(9.5, 3.6), layout="constrained")
    heights = {name: len(VEHICLES) - number for number, name in enumerate(VEHICLES)}
    for name, places in VEHICLES.items():
        y, moments = heights[name], [*places, END]
        for begin, end in pairwise(moments):
            inside = places[begin] == INSIDE
            axes.plot([begin, end], [y, y], linewidth=9 if inside else 1.5, color="#9fb3bd", solid_capstyle="butt")
        axes.plot(list(places), [y] * len(places), ".", color="#37474f", markersize=6, zorder=4)
    for event in events():
        color = COLORS[event["kind"]]
        start, time = ((event[name] - BEGIN).total_seconds() / 60 for name in ("started_at", "time"))
        y = heights[event["stream_id"]]
        arrow = {"arrowstyle": "->", "color": color, "connectionstyle": "arc3,rad=-0.35", "shrinkA": 3, "shrinkB": 4}
        axes.annotate("", (time, y + 0.06), (start, y + 0.06), arrowprops={**arrow, "linewidth": 1.4})
        axes.plot([time], [y], "o", color=color, markersize=8, zorder=5)
        axes.text(time + 0.12, y - 0.34, event["kind"], color=color, ha="center", fontsize=10)
    axes.set_yticks(list(heights.values()), list(heights))
    axes.set_xticks(range(0, END + 1, 1), [f"12:{minute:02}" if minute % 2 == 0 else "" for minute in range(END + 1)])
    axes.set_ylim(0.35, len(VEHICLES) + 0.75)
    axes.set_xlim(-0.3, END + 0.3)
    axes.tick_params(length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    figure.savefig(Path(__file__).parents[1] / "docs" / "transitions.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
