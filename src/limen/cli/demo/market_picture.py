"""A picture of what happened in a demo: one stock and its alert, and what all of them did."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from limen.formats.load import load_queries
from limen.model.query import Query, RegionQuery

COLORS = {"enter": "#2a9d5c", "exit": "#d1495b"}


def draw(folder: Path, events: pa.Table, batch_seconds: list[float]) -> str:
    """Draw the stock whose own alert fired most often, events by second, and batch times; return what was drawn."""
    from matplotlib.figure import Figure  # noqa: PLC0415  # only plotting needs it

    prices, queries = pq.read_table(folder / "prices"), load_queries(folder / "queries.jsonl")
    figure = Figure(figsize=(11, 9), layout="constrained")
    stock, rate, times = figure.subplots(3, 1, height_ratios=(3, 2, 1))
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
    path = folder / "demo.png"
    figure.savefig(path, dpi=110)
    return f"a picture of it in {path}"


def _most_frequent(events: pa.Table, queries: list[Query]) -> RegionQuery | None:
    counts = Counter(events["query_id"].to_pylist())
    single = [query for query in queries if isinstance(query, RegionQuery) and query.streams and counts[query.id]]
    return max(single, key=lambda query: counts[query.id], default=None)
