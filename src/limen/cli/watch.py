"""Show a running job: a live panel on a terminal, elsewhere one line for each batch."""

from __future__ import annotations

import time
from collections import Counter, deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from limen.cli.screen import event_line, metrics_table
from limen.spark.progress import counters, progress_line

if TYPE_CHECKING:
    from types import TracebackType

    import pyarrow as pa

_BARS = "▁▂▃▄▅▆▇█"
_LATEST = 30  # batches that rates and bars are of


class Watch:
    """Show the progress of a job while it runs."""

    def __init__(self, console: Console, title: str) -> None:
        self.totals: Counter[str] = Counter()
        self.latest: dict[str, Any] = {}
        self.batch_seconds: deque[float] = deque(maxlen=1000)
        self.stopped = False  # by a signal
        self._console, self._title = console, title
        self._batches: deque[tuple[int, int, int]] = deque(maxlen=_LATEST)  # milliseconds, rows, events
        self._events: deque[Text] = deque(maxlen=12)
        self._remarks: deque[Text] = deque(maxlen=4)
        self._began = time.monotonic()
        self._live = Live(console=console, auto_refresh=False) if console.is_terminal else None

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
            self.refresh()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self.refresh()
            self._live.stop()

    def batch(self, progress: dict[str, Any]) -> bool:
        """Add Spark's progress of a finished batch; return whether it had counts."""
        counts = counters(progress)
        if not counts:
            return False
        taken = progress["durationMs"].get("triggerExecution", 0)
        events = sum(counts["events"].values())
        self.latest = {**counts, "batch": progress["batchId"], "milliseconds": taken}
        self.totals.update(rows=counts["rows"], events=events, late=counts["late"], batches=1)
        self.totals.update(rejected=sum(counts["rejected"].values()))
        self._batches.append((taken, counts["rows"], events))
        self.batch_seconds.append(taken / 1000)
        if self._live is None:
            self._console.print(progress_line(counts, progress["batchId"], taken), soft_wrap=True, markup=False)
        for problem in counts["problems"]:
            self.say(f"change rejected: {problem}", "yellow")
        if counts["rejected"]:
            self.say(f"rows rejected in batch {progress['batchId']}: {_listed(counts['rejected'])}", "yellow")
        self.refresh()
        return True

    def show(self, events: pa.Table, count: int) -> None:
        """Show some events of a batch."""
        lines = [event_line(event) for event in events.sort_by("time").to_pylist()]
        if count > len(lines):
            lines.append(Text(f"… {count - len(lines):,} more", "dim"))
        if self._live:
            self._events.extend(lines)
        else:
            for line in lines:
                self._console.print(Text("  ") + line, soft_wrap=True)

    def say(self, text: str, style: str = "") -> None:
        """Show a remark."""
        if self._live:
            self._remarks.append(Text(text, style))
            self.refresh()
        else:
            self._console.print(Text(text, style), soft_wrap=True)

    def refresh(self) -> None:
        """Draw the panel anew."""
        if self._live and self._live.is_started:
            content = Group(metrics_table(self.metrics()), Text(), *self._events, *self._remarks)
            self._live.update(Panel(content, title=self._title), refresh=True)

    def summary(self) -> str:
        """Return the totals of the job."""
        totals = self.totals
        return (
            f"{totals['rows']:,} rows, {totals['events']:,} events in {totals['batches']:,} batches;"
            f" {totals['late']:,} late, {totals['rejected']:,} rejected"
        )

    def metrics(self) -> dict[str, str]:
        """Return the values to display, by name."""
        if not self.latest:
            return {"waiting": f"for the first batch, {time.monotonic() - self._began:.0f} s"}
        spent = max(sum(each[0] for each in self._batches) / 1000, 0.001)
        latest = self.latest
        return {
            "batch": f"{latest['batch']:,}",
            "rows": f"{self.totals['rows']:,}",
            "rows/s": f"{sum(each[1] for each in self._batches) / spent:,.0f}",
            "events": f"{self.totals['events']:,}",
            "events/s": f"{sum(each[2] for each in self._batches) / spent:,.0f}",
            "watermark": latest["watermark"] or "none yet",
            "lag": lag(latest["watermark"]),
            "late": f"{self.totals['late']:,}",
            "rejected": f"{self.totals['rejected']:,}",
            "held": f"{latest['held']:,}",
            "streams": f"{latest['streams']:,}",
            "queries": f"{latest['queries']:,}",
            "state": f"{latest['state_bytes'] / 1e6:,.1f} MB",
            "batch time": f"{latest['milliseconds']:,} ms {_bars([each[0] for each in self._batches])}",
        }


def lag(watermark: str | None) -> str:
    """Return how far the watermark is behind the clock."""
    seconds = lag_seconds(watermark)
    if seconds is None:
        return "none yet"
    if seconds < 120:
        return f"{seconds:.1f} s"
    days, rest = divmod(int(seconds), 86_400)
    return f"{days:,} days" if days else f"{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}"


def lag_seconds(watermark: str | None) -> float | None:
    """Return how far the watermark is behind the clock."""
    if watermark is None:
        return None
    return (datetime.now(UTC) - datetime.fromisoformat(watermark)).total_seconds()


def _bars(values: list[int]) -> str:
    """Draw numbers as bars.

    Examples
    --------
    >>> _bars([0, 50, 100])
    '▁▄█'
    """
    most = max(values, default=0) or 1
    return "".join(_BARS[value * (len(_BARS) - 1) // most] for value in values)


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in counts.items())
