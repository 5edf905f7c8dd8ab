"""Cars that wander, tables to join, and what the engine in this process tells of them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

import limen
from limen import Columns, changes
from limen.model.query import Query

COLUMNS = Columns("car", "t", ("x", "y"), ("kind",))
SCHEMA = pa.schema(
    [
        ("car", pa.int64()),
        ("t", pa.timestamp("us", "UTC")),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("kind", pa.string()),
    ]
)
START = datetime(2026, 1, 1, tzinfo=UTC)
SECONDS, CARS = 16, 8
KINDS = ("truck", "van")
OWNERS = {1: ("city", 40), 3: ("Ann", 4), 4: ("city", 12), 6: ("Bob", 2)}
Row = dict[str, Any]
Told = list[tuple[Any, ...]]


def wander() -> list[Row]:
    """Cars that are anywhere, a report of each every second."""
    places = np.random.default_rng(11).uniform(0, 9, (SECONDS, CARS, 2))
    return [
        {"car": car, "t": START + timedelta(seconds=second), "x": x, "y": y, "kind": KINDS[(car + second // 9) % 2]}
        for second, now in enumerate(places.tolist())
        for car, (x, y) in enumerate(now)
    ]


ROWS = wander()
#: Rows far away in time and place. They make all others complete; what happens then is left out.
END = START + timedelta(hours=1)
LAST = [{"car": car, "t": END, "x": 1e6 + car, "y": 1e6, "kind": KINDS[car % 2]} for car in range(CARS)]


def in_order(result: DataFrame) -> Told:
    rows = [tuple(row.values()) for row in result.toArrow().to_pylist()]
    return sorted((row for row in rows if END not in row), key=repr)


def signed(query: Query, rows: list[Row] = ROWS, **options: Any) -> list[Row]:
    """Return the changes that the engine in this process tells, as rows with a sign."""
    engine = limen.Engine(COLUMNS, queries=[query], **options)
    known = {row["car"] for row in rows}
    table = pa.Table.from_pylist([*rows, *(row for row in LAST if row["car"] in known)], SCHEMA)
    events = pa.concat_tables([engine.process(table), engine.close()])
    told = [{**row, "car": int(row["stream_id"])} for row in changes.signed(events).to_pylist()]
    return [row for row in told if row["time"] < END]


AREA = limen.Box((2, 2), (7, 7))


def running(rows: list[Row], key: Callable[[Row], Any], number: Callable[[list[Any]], Any]) -> Told:
    """Tell the number of each group after every instant that changed it, in the plainest way."""
    told, members, before = [], {}, {}
    for time in sorted({row["time"] for row in rows}):
        touched = set()
        for row in sorted((row for row in rows if row["time"] == time), key=lambda row: row["sign"]):
            group = members.setdefault(key(row), {})
            touched.add(key(row))
            if row["sign"] < 0:
                del group[row["member"]]
            else:
                group[row["member"]] = row["value"]
        for group in touched:
            now = number(list(members[group].values()))
            if now != before.get(group, 0 if number is len else None):
                told.append((*group, time, now))
            before[group] = now
    return sorted(told, key=repr)
