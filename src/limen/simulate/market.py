"""A demo market: prices in files, alerts of several kinds, and one that is registered halfway."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from limen.formats.query_json import canonical_json, query_to_dict, write_queries
from limen.model.border import Border
from limen.model.query import Query
from limen.model.region import Range
from limen.model.time import from_micros
from limen.simulate.alerts import alert_queries
from limen.simulate.bounds import as_borders
from limen.simulate.prices import price_queries, price_streams, price_values, symbols

FLUCTUATION = 0.00001  # small steps, as prices make: about a third of the tuples cross the border of some alert
WIDTH = 0.001  # of the ranges, as a fraction of the domain
REACH = 0.005  # of the limits to buy and sell, as a fraction of the price
NEWCOMER = "newcomer"


@dataclass(frozen=True)
class Market:
    """Prices and alerts.

    Attributes
    ----------
    streams, alerts, ticks
        How many stocks; alerts, half of them on all stocks and half on one each; prices of each stock, a second apart.
    files
        Into how many files the prices are cut.
    """

    streams: int
    alerts: int
    ticks: int
    files: int
    seed: int = 0

    def queries(self) -> list[Query]:
        """Return the alerts."""
        single = self.alerts // 2
        lo, hi = price_queries(self.alerts - single, WIDTH, seed=self.seed)
        queries: list[Query] = [*as_borders(lo, hi, prefix="range ")]
        opening = price_values(self.streams, 1, FLUCTUATION, seed=self.seed)[0]
        names = symbols(self.streams)
        drawn = alert_queries(opening, max(1, -(-single // self.streams)), reach=REACH, seed=self.seed)
        rows = zip(drawn.stream[:single].tolist(), drawn.lo.tolist(), drawn.hi.tolist(), strict=False)
        for number, (stream, low, high) in enumerate(rows):
            purpose = "buy" if low == -np.inf else "sell" if high == np.inf else "watch"
            queries.append(Border(f"{purpose} {number}", Range(low, high), streams=names[stream]))
        return queries

    def write(self, folder: Path) -> Iterator[int]:
        """Write prices, alerts and a change into a folder; yield the rows of each file, as it is written."""
        for name in ("prices", "changes"):
            (folder / name).mkdir(parents=True)
        write_queries(folder / "queries.jsonl", self.queries())
        ticks = -(-self.ticks // self.files)
        batches = price_streams(self.streams, self.ticks, FLUCTUATION, seed=self.seed, batch_ticks=ticks)
        for number, batch in enumerate(batches):
            path = folder / "prices" / f"{number:04}.parquet"
            pq.write_table(batch, path)
            os.utime(path, (1_000_000_000 + number,) * 2)  # Spark takes the oldest first
            if number == self.files // 2:
                self._write_change(folder, batch["price"][0].as_py(), batch["time"][0].value)
            yield batch.num_rows

    def _write_change(self, folder: Path, price: float, at: int) -> None:
        """Register a query around a price in the middle of the run; it reports the streams inside at once."""
        query = Border(NEWCOMER, Range(price - 500, price + 500), initial="report")
        change = {"op": "register", "query": query_to_dict(query), "at": from_micros(at)}
        (folder / "changes" / "newcomer.jsonl").write_text(canonical_json(change) + "\n", encoding="utf-8")
