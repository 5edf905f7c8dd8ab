"""Metrics and events as text on a terminal."""

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

COLORS = {
    "enter": "green",
    "exit": "red",
    "passed": "cyan",
    "returned": "blue",
    "stayed": "yellow",
    "gone": "magenta",
    "alert": "bold red",
}


def metrics_table(metrics: Mapping[str, str], title: str | None = None) -> Table:
    """Return a table with one metric a row."""
    table = Table(title=title, title_justify="left", box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    for name, text in metrics.items():
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
    >>> stayed = {**event, "kind": "stayed", "reason": "timer", "values": [39.5, None]}
    >>> event_line({**stayed, "started_at": datetime(2026, 1, 1, 9, 27)}).plain
    '09:30:00  IBM  stayed  buy  at 39.50, unknown (timer), since 09:27:00'
    >>> bindings = [{"variable": "a", "stream_id": "IBM", "time": datetime(2026, 1, 1, 9, 29)}]
    >>> event_line({**event, "kind": "alert", "stream_id": None, "values": None, "bindings": bindings}).plain
    '09:30:00  alert  buy: a IBM 09:29:00'
    """
    kind = str(event["kind"])
    if event.get("bindings"):
        tuples = ", ".join(
            f"{each['variable']} {each['stream_id']} {each['time']:%H:%M:%S}" for each in event["bindings"]
        )
        return Text.assemble(
            f"{event['time']:%H:%M:%S}  ", (kind, COLORS.get(kind, "")), f"  {event['query_id']}: {tuples}"
        )
    why = "" if event["reason"] == "moved" else f" ({event['reason']})"
    if event.get("started_at") is not None:
        why += f", since {event['started_at']:%H:%M:%S}"
    values = ", ".join("unknown" if value is None else f"{value:,.2f}" for value in event["values"])
    head, tail = (
        f"{event['time']:%H:%M:%S}  {event['stream_id']}  ",
        f"  {event['query_id']}  at {values}{why}",
    )
    return Text.assemble(head, (kind, COLORS.get(kind, "")), tail)
