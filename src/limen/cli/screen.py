"""A run as it goes on: a live panel on a terminal, plain lines anywhere else."""

from __future__ import annotations

from collections import deque
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow.compute as pc
from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    import pyarrow as pa

COLORS = {"enter": "green", "exit": "red"}
EVENTS = 14  # that a panel has room for


class Screen:
    """Shows some of the events, and figures that a function tells, a few times a second.

    Parameters
    ----------
    console : Console
        Where to.
    title : str
        What is going on.
    figures : function
        Called when it is time to show figures: their names and texts.
    """

    def __init__(self, console: Console, title: str, figures: Callable[[], Mapping[str, str]]) -> None:
        self._console = console
        self._title = title
        self._figures = figures
        self._live = Live(console=console, auto_refresh=False) if console.is_terminal else None
        self._latest: deque[Text] = deque(maxlen=EVENTS)
        self._interval = 0.1 if self._live else 1.0
        self._shown = perf_counter()

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def show(self, events: pa.Table) -> None:
        """Show events, or do nothing when the last ones have only just been shown."""
        if perf_counter() - self._shown < self._interval:
            return
        self._shown = perf_counter()
        chosen = [event_line(event) for event in _some(events).to_pylist()]
        if self._live:
            self._latest.extend(chosen)
            self._live.update(self._panel(), refresh=True)
        else:
            figures = self._figures()
            self._console.print(", ".join(f"{name} {text}" for name, text in figures.items()), soft_wrap=True)
            for line in chosen:
                self._console.print(Text("  ") + line, soft_wrap=True)

    def say(self, text: str, events: pa.Table) -> None:
        """Show a remark with its events, whatever has just been shown."""
        lines = [Text(text, "bold"), *(event_line(event) for event in events.slice(0, 4).to_pylist())]
        if self._live:
            self._latest.extend(lines)
        else:
            for line in lines:
                self._console.print(line, soft_wrap=True)

    def _panel(self) -> Panel:
        return Panel(Group(figures_table(self._figures()), Text(), *self._latest), title=self._title)


def figures_table(figures: Mapping[str, str], title: str | None = None) -> Table:
    """Set figures below each other."""
    table = Table(title=title, title_justify="left", box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    for name, text in figures.items():
        table.add_row(name, text)
    return table


def event_line(event: Mapping[str, Any]) -> Text:
    """Write an event in one line.

    Examples
    --------
    >>> from datetime import datetime
    >>> event = {"time": datetime(2026, 1, 1, 9, 30), "stream_id": "IBM", "kind": "enter", "query_id": "buy",
    ...          "reason": "moved", "values": [39.5]}
    >>> event_line(event).plain
    '09:30:00  IBM  enter  buy  at 39.50'
    """
    kind = str(event["kind"])
    why = "" if event["reason"] == "moved" else f" ({event['reason']})"
    values = ", ".join(f"{value:,.2f}" for value in event["values"])
    head, tail = (
        f"{event['time']:%H:%M:%S}  {event['stream_id']}  ",
        f"  {event['query_id']}  at {values}{why}",
    )
    return Text.assemble(head, (kind, COLORS.get(kind, "")), tail)


def _some(events: pa.Table, number: int = 4) -> pa.Table:
    """Choose a few events, evenly over the queries by their ids, so that queries of all names are seen."""
    if events.num_rows > number:
        evenly = np.linspace(0, events.num_rows - 1, number).astype(np.int64)
        events = events.take(pc.sort_indices(events["query_id"]).take(evenly))
    return events.sort_by("time")
