"""A picture of what happened in a demo: one stock and its alert, and what all of them did."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.model.query import RegionQuery

if TYPE_CHECKING:
    from pathlib import Path

    from limen.model.query import Query

COLORS = {"enter": "#2a9d5c", "exit": "#d1495b"}


def draw(path: Path, prices: pa.Table, events: pa.Table, queries: list[Query], batch_seconds: list[float]) -> None:
    """Draw the stock whose own alert went off most often, events by second, and how long batches took."""
    import matplotlib  # noqa: ICN001, PLC0415  # only plotting needs it

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, (stock, rate, times) = plt.subplots(3, 1, figsize=(11, 9), height_ratios=(3, 2, 1), layout="constrained")
    query = _most_frequent(events, queries)
    name = query.streams[0] if query is not None and query.streams else prices["symbol"][0].as_py()
    own = prices.filter(pc.equal(prices["symbol"], name)).sort_by("time")
    stock.plot(own["time"].to_numpy(), own["price"].to_numpy(), color="#264653", linewidth=1)
    stock.set_title(f"{name} and its most frequent alert" if query else name)
    if query is not None:
        lo, hi = query.region.lower[0], query.region.upper[0]
        bottom, top = stock.get_ylim()
        stock.axhspan(max(lo, bottom), min(hi, top), color="#e9c46a", alpha=0.35, label=query.id)
        mine = events.filter(pc.equal(events["query_id"], query.id))
        for kind, color in COLORS.items():
            chosen = mine.filter(pc.equal(mine["kind"], kind))
            values = chosen["values"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
            stock.scatter(chosen["time"].to_numpy(), values, color=color, s=22, zorder=3, label=kind)
        stock.legend(loc="best", fontsize=8)
    second = pc.floor_temporal(events["time"], unit="second").to_numpy()
    for kind, color in COLORS.items():
        at, count = np.unique(second[pc.equal(events["kind"], kind).to_numpy()], return_counts=True)
        rate.plot(at, count, color=color, linewidth=1, label=kind)
    rate.set_title(f"{len(events):,} events of {len(queries):,} alerts, by second")
    rate.set_ylim(bottom=0)
    rate.legend(loc="best", fontsize=8)
    times.bar(range(len(batch_seconds)), batch_seconds, color="#8ab17d")
    times.set_title("seconds a batch took")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _most_frequent(events: pa.Table, queries: list[Query]) -> RegionQuery | None:
    counts = Counter(events["query_id"].to_pylist())
    single = [query for query in queries if isinstance(query, RegionQuery) and query.streams and counts[query.id]]
    return max(single, key=lambda query: counts[query.id], default=None)
