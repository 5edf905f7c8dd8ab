"""Queries in their JSON form: whom they are about and which region (SEMANTICS §3, 10)."""

import functools
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.oracle.input_rows import Reading, Scalar
from tests.oracle.region import contains


@dataclass(frozen=True)
class Query:
    """One query, with its defaults filled in."""

    id: str
    type: str
    on: tuple[str, ...]
    region: Mapping[str, Any] | None  # None for what is about a focal or a center
    lonlat: bool
    initial: str | None
    streams: tuple[str, ...] | None
    where: str | None
    crossings: bool = False  # of borders
    margin: float = 0
    confirm: int = 1
    min_stay: int = 0  # microseconds
    within: int = 0  # microseconds, of transitions
    kinds: tuple[str, ...] = ()  # of transitions
    focal: str | None = None  # of answers
    width: float | None = None
    height: float | None = None
    radius: float | None = None
    center: tuple[float, ...] | None = None
    k: int = 0
    form: Mapping[str, Any] = field(default_factory=dict)  # all of it, for what only patterns have

    @property
    def debounced(self) -> bool:
        return self.margin > 0 or self.confirm > 1 or self.min_stay > 0

    def point(self, values: Mapping[str, float | None]) -> list[float]:
        """The query's columns, in its order, as far as they have a value."""
        return [value for value in (values[name] for name in self.on) if value is not None]

    def region_contains(self, values: Mapping[str, float | None]) -> bool:
        """Whether all columns have a value and together they are a point of the region."""
        point = self.point(values)
        return len(point) == len(self.on) and contains(self.region, point, lonlat=self.lonlat)

    def concerns(self, reading: Reading) -> bool:
        """Whether `streams` and `where` hold, by the tuple's own values."""
        if self.streams is not None and reading.stream_id not in self.streams:
            return False
        return self.where is None or holds(self.where, {**reading.own, **reading.attributes})


def read_query(form: Mapping[str, Any], columns: Mapping[str, Any]) -> Query:
    on = tuple(form.get("on") or columns["values"])
    streams, center = form.get("streams"), form.get("center")
    return Query(
        id=form["id"],
        type=form["type"],
        on=on,
        region=form.get("region"),
        # Degrees are meant where a region is about both longitude and latitude, which come first.
        lonlat=columns.get("crs") == "lonlat" and on == tuple(columns["values"][:2]),
        initial=form.get("initial", "silent") if form["type"] == "border" else None,
        streams=None if streams is None else tuple(streams),
        where=form.get("where"),
        crossings=form.get("crossings", False),
        margin=form.get("margin", 0),
        confirm=form.get("confirm", 1),
        min_stay=round(form.get("min_stay", 0) * 1_000_000),
        within=round(form.get("within", 0) * 1_000_000),
        kinds=tuple(form.get("kinds", ("passed", "returned", "stayed", "gone"))),
        focal=form.get("focal"),
        width=form.get("width"),
        height=form.get("height"),
        radius=form.get("radius"),
        center=None if center is None else tuple(center),
        k=form.get("k", 0),
        form=form,
    )


def holds(expression: str, row: Mapping[str, Scalar]) -> bool:
    """Ask SQLite, a judge of its own, whether the expression is true for the row; unknown is false."""
    return holds_of(expression, {"": row})


def holds_of(expression: str, rows: Mapping[str, Mapping[str, Scalar]]) -> bool:
    """Ask the same of several rows, each under a name."""
    tables = []
    for name, row in rows.items():
        columns = ", ".join(f'? AS "{column}"' for column in row)
        tables.append(f"(SELECT {columns})" + (f' AS "{name}"' if name else ""))
    values = tuple(value for row in rows.values() for value in row.values())
    (answer,) = _database().execute(f"SELECT ({expression}) FROM {', '.join(tables)}", values).fetchone()
    return bool(answer)


@functools.cache
def _database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA case_sensitive_like = ON")
    return connection
