"""Pictures of examples/taxi_zones.py: the zones on a map, and where taxis stayed."""

from datetime import timedelta

import numpy as np
import pyarrow.compute as pc
from matplotlib import pyplot as plt
from matplotlib.collections import PathCollection
from matplotlib.path import Path as Outline
from pictures.maps import INK, LINE, TRAILS, as_map, bars, number

METRES_A_DEGREE = 111_195.0
SHOWN = 10  # zones with a number
MINUTES = 45  # of one taxi


def draw_map(path, zones, by_zone, events, reports):
    """Draw all zones, coloured by stays, and the busiest part of them enlarged, with the ways of some taxis."""
    stays = dict(zip(by_zone["query_id"].to_pylist(), by_zone["stayed"].to_pylist(), strict=True))
    outlines = [_outline(zone.region) for zone in zones]
    vertices = np.concatenate([outline.vertices for outline in outlines])
    lower, upper = vertices.min(axis=0), vertices.max(axis=0)
    metres = METRES_A_DEGREE * np.array([np.cos(np.radians((lower + upper)[1] / 2)), 1.0])
    busy = np.median(_places(events.filter(pc.field("kind") == "stayed")), axis=0)
    reach = np.array([6_500.0, 8_000.0]) / metres

    figure, (city, close) = plt.subplots(1, 2, figsize=(12, 7.2), layout="constrained", width_ratios=(1.23, 1))
    figure.get_layout_engine().set(h_pad=0.1, w_pad=0.1)
    for axes in (city, close):
        axes.set_facecolor("#e9eff3")
        shapes = PathCollection(outlines, cmap="YlOrBr", edgecolors=LINE, linewidths=0.4, transform=axes.transData)
        shapes.set_array([stays.get(zone.id, 0) for zone in zones])
        axes.add_collection(shapes)
    for color, way in zip(TRAILS, _ways(reports, busy, reach), strict=False):
        close.plot(*way.T, color=color, linewidth=1.6, zorder=5)
        close.plot(*way[0], "o", color=color, markersize=5, markeredgecolor="white", zorder=6)
        close.plot(*way[-1], ">", color=color, markersize=8, markeredgecolor="white", zorder=6)
    middles = {zone.id: outline.vertices for zone, outline in zip(zones, outlines, strict=True)}
    for rank, id in enumerate(by_zone["query_id"].to_pylist()[:SHOWN], 1):
        number(city, *_middle(middles[id]), rank)
        if (np.abs(_middle(middles[id]) - busy) < 0.88 * reach).all():  # else it would be cut, or under the scale
            number(close, *_middle(middles[id]), rank)
    as_map(city, (lower + upper) / 2, (upper - lower) / 2 * 1.03, metres)
    as_map(close, busy, reach, metres)
    west, south = busy - reach
    city.add_patch(plt.Rectangle((west, south), *(2 * reach), fill=False, edgecolor=INK, linewidth=1.5, zorder=7))
    city.set_title(f"{len(zones)} zones; the numbers are the ten with most stays")
    close.set_title(
        "the frame on the left, and six taxis for half an hour:\na dot where each begins, an arrow where it ends"
    )
    label = "stays of ten minutes or more, in two hours"
    figure.colorbar(shapes, ax=(city, close), label=label, location="bottom", shrink=0.5, aspect=35, pad=0.02)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def draw_stays(path, by_zone, events):
    """Draw where taxis stay most, and the zones that one of them went through."""
    figure, (top, one) = plt.subplots(1, 2, figsize=(12, 5.2), layout="constrained", width_ratios=(1, 1.25))
    most = by_zone.slice(0, SHOWN).to_pylist()
    notes = [f"{zone['stayed']} of {zone['enter']} enters" for zone in most]
    bars(top, [zone["zone"] for zone in most], [zone["stayed"] for zone in most], notes, "#c9852c")
    top.set_xlabel("stays of ten minutes or more, in two hours")
    top.set_title("where taxis stay")
    _draw_visits(one, by_zone, events)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _draw_visits(axes, by_zone, events):
    """Draw a bar from each enter of a taxi to its exit, and a mark where it had stayed."""
    first = pc.min(events["time"]).as_py()
    early = [event for event in events.sort_by("time").to_pylist() if (event["time"] - first).seconds < MINUTES * 60]
    staying = [event["stream_id"] for event in early if event["kind"] == "stayed"]
    taxi = max(sorted(set(staying)), key=staying.count)
    names = dict(zip(by_zone["query_id"].to_pylist(), by_zone["zone"].to_pylist(), strict=True))
    inside, visits, marks = {}, [], []
    for event in early:
        if event["stream_id"] != taxi:
            continue
        minute = (event["time"] - first).total_seconds() / 60
        if event["kind"] == "enter":
            inside[event["query_id"]] = minute
        elif event["kind"] == "exit":
            visits.append((event["query_id"], inside.pop(event["query_id"], 0), minute))
        else:
            marks.append((event["query_id"], minute))
    visits += [(id, begin, MINUTES) for id, begin in inside.items()]
    visits.sort(key=lambda visit: visit[1])
    rows = {id: -row for row, id in enumerate(dict.fromkeys(id for id, _, _ in visits))}
    for id, begin, end in visits:
        axes.barh(rows[id], end - begin, left=begin, height=0.6, color="#9fb3bd")
    for id, minute in marks:
        axes.plot(minute, rows[id], "D", color="#c9852c", markeredgecolor=INK, markersize=8, zorder=4)
    axes.plot([], [], "D", color="#c9852c", markeredgecolor=INK, label="stayed: ten minutes after it came in")
    axes.barh(0, 0, color="#9fb3bd", label="from enter to exit")
    axes.legend(loc="upper right", fontsize=8.5)
    axes.set_yticks(list(rows.values()), [names[id] for id in rows])
    axes.set_xlim(0, MINUTES)
    axes.set_xlabel("minutes since the beginning")
    axes.set_title(f"where taxi {taxi} was")
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right"]].set_visible(False)


def _outline(region):
    """Return a zone as something to be filled; holes stay empty, since they turn the other way round."""
    rings = []
    for part in getattr(region, "polygons", (region,)):
        rings += [_turned(part.shell, left=True), *(_turned(hole, left=False) for hole in part.holes)]
    closed = [np.concatenate([ring, ring[:1]]) for ring in rings]
    codes = [np.r_[Outline.MOVETO, np.full(len(ring) - 2, Outline.LINETO), Outline.CLOSEPOLY] for ring in closed]
    return Outline(np.concatenate(closed), np.concatenate(codes))


def _turned(ring, *, left):
    x, y = (ring - ring[0]).T
    return ring if (np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) > 0) == left else ring[::-1]


def _middle(vertices):
    return (vertices.min(axis=0) + vertices.max(axis=0)) / 2


def _places(events):
    return np.array(events["values"].combine_chunks().flatten()).reshape(-1, 2)


def _ways(reports, middle, reach):
    """Return the ways of some taxis in their first half hour, of those that stay in the picture and go some way."""
    early = reports.filter(pc.field("time") < pc.min(reports["time"]).as_py() + timedelta(minutes=30))
    _, who = np.unique(early["taxi"].to_numpy(), return_inverse=True)
    xy = np.column_stack([early["lon"].to_numpy(), early["lat"].to_numpy()])
    ways = [xy[rows] for rows in np.split(np.argsort(who, kind="stable"), np.cumsum(np.bincount(who))[:-1])]
    near = [
        way for way in ways if (np.abs(way - middle) < 0.93 * reach).all() and (np.ptp(way, axis=0) > 0.4 * reach).all()
    ]
    # From left to right, so that they do not cover each other.
    near.sort(key=lambda way: way[:, 0].mean())
    return [near[place] for place in np.linspace(0, len(near) - 1, len(TRAILS)).astype(int)] if near else []
