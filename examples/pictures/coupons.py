"""The picture of examples/coupons.py: the city and its shops, when coupons went out, and one shop."""

from datetime import timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap
from pictures.maps import INK, LINE, as_map

REACH = np.array([380.0, 230.0])  # metres around the busiest shop
EVERY = 10  # minutes
# By reason: how it is told, its colour, its hatching, its mark. "moved" is drawn first, and lies below.
REASONS = {
    "moved": ("came", "#8fb8de", "", "o"),
    "appeared": ("set out there", "#e9c46a", "..", "^"),
    "registered": ("were there when the offer began", "#c8553d", "//", "s"),
}


def draw(path, city, places, radius, offers, coupons, by_shop, reports):
    """Draw all shops by their coupons, coupons and running offers by time, and who came to the busiest shop."""
    figure, axes = plt.subplot_mosaic(
        [["city", "time"], ["city", "shop"]], figsize=(13, 8.2), width_ratios=(1.25, 1), layout="constrained"
    )
    figure.get_layout_engine().set(h_pad=0.1, w_pad=0.1)
    ids = offers["query_id"].to_pylist()
    found = dict(zip(by_shop["query_id"].to_pylist(), by_shop["count_all"].to_pylist(), strict=True))
    counts = np.array([found.get(id, 0) for id in ids])
    busiest = int(counts.argmax())
    middle = places[busiest] - (120.0, 0.0)  # which leaves room for the legend
    _draw_city(figure, axes["city"], city, places, counts)
    frame = plt.Rectangle(middle - REACH, *(2 * REACH), fill=False, edgecolor=INK, linewidth=1.5, zorder=7)
    axes["city"].add_patch(frame)
    _draw_time(axes["time"], offers, coupons)
    _draw_shop(
        axes["shop"], city, places[busiest], radius, coupons.filter(pc.field("query_id") == ids[busiest]), reports
    )
    as_map(axes["shop"], middle, REACH)
    axes["shop"].set_title(f"{ids[busiest]}, the busiest: {counts[busiest]} coupons,\nand the ways of twelve customers")
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _draw_city(figure, axes, city, places, counts):
    _draw_roads(axes, city, 0.5)
    order = np.argsort(counts)  # the busiest on top
    # Without the palest colours, which nobody would see on white.
    colors = ListedColormap(plt.get_cmap("YlOrBr")(np.linspace(0.25, 1, 256)))
    dots = axes.scatter(*places[order].T, c=counts[order], s=9, cmap=colors, vmin=0, linewidths=0, zorder=3)
    figure.colorbar(dots, ax=axes, label="coupons of a shop", location="bottom", shrink=0.6, aspect=35, pad=0.02)
    as_map(axes, city.extent / 2, city.extent / 2 * 1.02)
    axes.set_title(f"{len(places):,} shops; the frame is shown on the right")


def _draw_time(axes, offers, coupons):
    first = pc.min(offers["begin"]).as_py().replace(minute=0)
    edges = np.arange(0, 260, EVERY)
    below = np.zeros(len(edges) - 1)
    for reason, (story, color, hatch, _) in REASONS.items():
        minute = _minutes(coupons.filter(pc.field("reason") == reason)["time"], first)
        count, _ = np.histogram(minute, edges)
        axes.bar(
            edges[:-1], count, EVERY, below, align="edge", color=color, hatch=hatch, edgecolor="white", label=story
        )
        below += count
    axes.set(xlim=(0, 250), xlabel="minutes since the beginning", ylabel=f"coupons in {EVERY} minutes")
    axes.set_ylim(0, 1.3 * below.max())
    axes.yaxis.set_major_formatter("{x:,.0f}")
    running = axes.twinx()
    begin, end = _minutes(offers["begin"], first), _minutes(offers["end"], first)
    minute = np.arange(250)
    offered = ((begin[:, None] <= minute) & (minute < end[:, None])).sum(axis=0)
    running.plot(minute, offered, color=INK, linewidth=1.8, label="offers that hold (right)")
    running.set(ylim=(0, 1.3 * offered.max()), ylabel="offers")
    running.yaxis.set_major_formatter("{x:,.0f}")
    handles = [each for axis in (axes, running) for each in axis.get_legend_handles_labels()[0]]
    axes.legend(handles, [each.get_label() for each in handles], loc="upper left", fontsize=8, ncols=2)
    axes.set_title("coupons and offers")


def _draw_shop(axes, city, place, radius, coupons, reports):
    _draw_roads(axes, city, 4.0)
    axes.add_patch(plt.Circle(place, radius, facecolor="#fbe7c6", edgecolor=INK, linewidth=1.5, zorder=3, alpha=0.7))
    some = coupons.filter(pc.field("reason") == "moved").slice(0, 12).to_pylist()
    for coupon in some:
        near = (pc.field("vehicle") == coupon["stream_id"]) & _within(coupon["time"], timedelta(minutes=4))
        own = reports.filter(near)
        axes.plot(own["x"], own["y"], ".-", color="#5b7c99", linewidth=0.8, markersize=3, zorder=4)
    for reason, (story, color, _, mark) in REASONS.items():
        at = coupons.filter(pc.field("reason") == reason)["values"].combine_chunks().flatten().to_numpy().reshape(-1, 2)
        label = f"{story}: {len(at)}"
        axes.scatter(*at.T, s=30, marker=mark, color=color, edgecolors=INK, linewidths=0.5, zorder=5, label=label)
    axes.plot(*place, "*", color=INK, markersize=13, zorder=6, label="the shop")
    axes.legend(loc="upper left", fontsize=8, title="where they got it", title_fontsize=8)


def _draw_roads(axes, city, width):
    axes.add_collection(LineCollection(city.xy[city.ends], colors=LINE, linewidths=width, alpha=0.6, zorder=1))


def _within(time, span):
    return (pc.field("time") >= time - span) & (pc.field("time") <= time + span)


def _minutes(times, first):
    micros = pc.subtract(times.cast(pa.timestamp("us", "UTC")), pa.scalar(first, pa.timestamp("us", "UTC")))
    return micros.cast(pa.int64()).to_numpy() / 60e6
