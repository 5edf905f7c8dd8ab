"""Vehicles and districts: boxes in two dimensions, a condition, and a query that comes while data flows.

Prints::

    08:10 van-1 enter harbour (moved)
    08:10 van-2 enter trucks downtown (appeared)
    08:20 van-1 exit harbour (moved)
    08:20 van-1 enter roadworks (registered)
    08:30 van-1 exit roadworks (moved)
    08:30 van-2 exit trucks downtown (moved)
"""

from datetime import UTC, datetime

import pyarrow as pa

import limen

COLUMNS = limen.Columns(id="vehicle", time="ts", values=("x", "y"), attributes=("tons",))
QUERIES = [
    limen.Border("harbour", limen.Box((0, 0), (10, 5))),
    # Reported in full, so that whoever listens knows at any moment who is inside.
    limen.Border("trucks downtown", limen.Box((10, 0), (20, 20)), where="tons > 3.5", initial="report"),
]


def at(minute: int, *rows: tuple[str, float, float, float]) -> pa.Table:
    """Make a batch of (vehicle, x, y, tons), all of one time."""
    vehicle, x, y, tons = zip(*rows, strict=True)
    ts = [datetime(2026, 1, 1, 8, minute, tzinfo=UTC)] * len(rows)
    return pa.table({"vehicle": vehicle, "ts": ts, "x": x, "y": y, "tons": tons})


def show(events: pa.Table) -> None:
    for event in limen.sort_events(events).to_pylist():
        who, what, where, why = (event[name] for name in ("stream_id", "kind", "query_id", "reason"))
        print(f"{event['time']:%H:%M} {who} {what} {where} ({why})")


def main() -> None:
    engine = limen.Engine(COLUMNS, queries=QUERIES)
    show(engine.process(at(0, ("van-1", 5.0, 9.0, 2.0))))
    show(engine.process(at(10, ("van-1", 5.0, 4.0, 2.0), ("van-2", 15.0, 4.0, 7.5))))
    show(engine.process(at(20, ("van-1", 12.0, 4.0, 2.0))))
    show(engine.register(limen.Border("roadworks", limen.Box((11, 3), (13, 5)), initial="report")))
    show(engine.process(at(30, ("van-1", 12.0, 6.0, 2.0), ("van-2", 25.0, 4.0, 7.5))))


if __name__ == "__main__":
    main()
