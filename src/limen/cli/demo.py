"""`limen demo`: thousands of price streams against tens of thousands of alerts, live, in this process."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
import typer
from rich.console import Console

from limen import workloads
from limen.bench.rivals import scan
from limen.cli.failure import errors_as_text
from limen.cli.screen import Screen, figures_table
from limen.engine import Engine
from limen.model.query import Border
from limen.model.region import Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

# Small steps, as prices make: about a third of the tuples cross the border of some alert.
FLUCTUATION = 0.00001
WIDTH = 0.001  # of the ranges, as a fraction of the domain
REACH = 0.005  # of the limits to buy and sell, as a fraction of the price
NO_END = 10**9  # ticks; the clock ends the demo, not the data
BATCH_ROWS = 30_000


class Market(NamedTuple):
    """An engine with its alerts, the prices to come, and the ends of the ranges that watch all streams."""

    engine: Engine
    prices: Iterator[pa.Table]
    lo: NDArray[np.float64]
    hi: NDArray[np.float64]


def open_market(streams: int, alerts: int, seed: int) -> Market:
    """Register alerts, half of them on all streams and half on one each, and begin the prices.

    Examples
    --------
    >>> market = open_market(streams=10, alerts=40, seed=1)
    >>> market.engine.counters["queries"], len(market.lo)
    (40, 20)
    """
    symbols = workloads.symbols(streams)
    single = alerts // 2
    lo, hi = workloads.price_queries(alerts - single, WIDTH, seed=seed)
    queries = workloads.as_borders(lo, hi, prefix="range ")
    opening = workloads.price_values(streams, 1, FLUCTUATION, seed=seed)[0]
    drawn = workloads.alert_queries(opening, max(1, -(-single // streams)), reach=REACH, seed=seed)
    rows = zip(drawn.stream[:single].tolist(), drawn.lo.tolist(), drawn.hi.tolist(), strict=False)
    for number, (stream, low, high) in enumerate(rows):
        purpose = "buy" if low == -np.inf else "sell" if high == np.inf else "watch"
        queries.append(Border(f"{purpose} {number}", Range(low, high), streams=symbols[stream]))
    ticks = max(1, BATCH_ROWS // streams)
    prices = workloads.price_streams(streams, NO_END, FLUCTUATION, seed=seed, batch_ticks=ticks)
    return Market(Engine(workloads.PRICE_COLUMNS, queries=queries), prices, lo, hi)


class Run:
    """A demo under way: an engine, and the seconds spent in it; making prices and drawing are not counted."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.busy = 0.0

    def process(self, prices: pa.Table) -> pa.Table:
        """Process a batch and count the time."""
        began = perf_counter()
        events = self.engine.process(prices)
        self.busy += perf_counter() - began
        return events

    def register(self, price: float) -> tuple[str, pa.Table]:
        """Ask in the middle of it all who is at a price; return what to say, and who is there already."""
        lo, hi = price - 500, price + 500
        events = self.engine.register(Border("newcomer", Range(lo, hi), initial="report"))
        inside = f"{events.num_rows:,} inside already, reported at once"
        return f"registered now: 'newcomer', {lo:,.0f} to {hi:,.0f}; {inside}:", events

    def play(self, prices: Iterator[pa.Table], seconds: float, screen: Screen) -> None:
        """Process prices for some seconds, and register an alert half-way."""
        began, asked = perf_counter(), False
        for batch in prices:
            screen.show(self.process(batch))
            passed = perf_counter() - began
            if not asked and passed >= seconds / 2:
                asked = True
                screen.say(*self.register(batch["price"][-1].as_py()))
            if passed >= seconds:
                return

    def figures(self) -> dict[str, str]:
        """Say how far it is and how fast it goes."""
        counters, busy = self.engine.counters, max(self.busy, 1e-9)
        events = sum(counters["events"].values())
        return {
            "streams": f"{counters['streams']:,}",
            "alerts": f"{counters['queries']:,}",
            "rows": f"{counters['rows']:,}",
            "events": f"{events:,}",
            **{kind: f"{count:,}" for kind, count in sorted(counters["events"].items())},
            "rows/s in the engine": f"{counters['rows'] / busy:,.0f}",
            "events/s in the engine": f"{events / busy:,.0f}",
            "state": f"{counters['state_bytes'] / 1e6:,.1f} MB",
        }


def scan_seconds(market: Market, seed: int, steps: int = 200) -> float:
    """Measure a tuple's cost by a scan; alerts on single streams, which a dictionary finds, are left out."""
    before, after = workloads.price_values(steps, 2, FLUCTUATION, seed=seed)
    scan(market.lo, market.hi, before[:1], after[:1])  # touches the arrays, so that no first time is measured
    began = perf_counter()
    scan(market.lo, market.hi, before, after)
    return (perf_counter() - began) / steps


def warm_up() -> None:
    """Have all kernels compiled, or loaded where an earlier run left them, by a demo that is over at once."""
    market = open_market(streams=4, alerts=40, seed=0)
    run = Run(market.engine)
    for _ in range(2):
        batch = next(market.prices)
        run.process(batch)
        run.register(batch["price"][-1].as_py())


def demo(
    streams: Annotated[int, typer.Option(min=1, help="Number of price streams.")] = 3_000,
    alerts: Annotated[int, typer.Option(min=1, help="Number of alerts: half on all streams, half on one.")] = 30_000,
    seconds: Annotated[float, typer.Option(min=0, help="How long it goes on.")] = 10.0,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same prices and alerts.")] = 0,
) -> None:
    """Watch alerts go off: simulated prices through an engine in this process, as fast as it goes."""
    console = Console(highlight=False)
    with errors_as_text():
        began = perf_counter()
        with console.status("compiling kernels (once)…"):
            if not console.is_terminal:
                console.print("compiling kernels (once)…")
            warm_up()
        console.print(f"kernels ready after {perf_counter() - began:.1f} s")
        began = perf_counter()
        market = open_market(streams, alerts, seed)
        console.print(f"{alerts:,} alerts registered after {perf_counter() - began:.1f} s; Ctrl-C ends the demo")
        run = Run(market.engine)
        with Screen(console, f"{streams:,} streams, {alerts:,} alerts", run.figures) as screen:
            try:
                run.play(market.prices, seconds, screen)
            except KeyboardInterrupt:
                console.print("ended early")
        per_row = run.busy / max(run.engine.counters["rows"], 1)
        scanned = scan_seconds(market, seed)
        costs = {
            "time a row in the engine": f"{per_row * 1e6:,.2f} µs",
            f"NumPy scan of the {len(market.lo):,} ranges alone, a row": f"{scanned * 1e6:,.2f} µs",
        }
        console.print(figures_table(run.figures() | costs, "Summary"))
