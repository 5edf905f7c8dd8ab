"""Queries in their JSON form: whom they are about and which region (SEMANTICS §3, 10)."""

import functools
import math
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.oracle.reading import Reading, Scalar


@dataclass(frozen=True)
class Query:
    """One query, with its defaults filled in."""

    id: str
    type: str
    on: tuple[str, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    initial: str | None
    streams: tuple[str, ...] | None
    where: str | None
    within: int = 0  # microseconds, of transitions
    kinds: tuple[str, ...] = ()  # of transitions

    def region_contains(self, values: Mapping[str, float | None]) -> bool:
        """Whether all columns have a value and each lies in its half-open range."""
        for name, lo, hi in zip(self.on, self.lower, self.upper, strict=True):
            value = values[name]
            if value is None or not lo <= value < hi:
                return False
        return True

    def concerns(self, reading: Reading) -> bool:
        """Whether `streams` and `where` hold, by the tuple's own values."""
        if self.streams is not None and reading.stream_id not in self.streams:
            return False
        return self.where is None or holds(self.where, {**reading.own, **reading.attributes})


def read_query(form: Mapping[str, Any], value_columns: Sequence[str]) -> Query:
    region = form["region"]
    on = tuple(form.get("on") or value_columns)
    if region["type"] == "range":
        lower, upper = (region.get("lo"),), (region.get("hi"),)
    else:
        lower, upper = tuple(region["lo"]), tuple(region["hi"])
    assert len(on) == len(lower) == len(upper), f"query {form['id']!r}: {len(lower)} dimensions on {on}"
    streams = form.get("streams")
    return Query(
        id=form["id"],
        type=form["type"],
        on=on,
        lower=tuple(-math.inf if bound is None else float(bound) for bound in lower),
        upper=tuple(math.inf if bound is None else float(bound) for bound in upper),
        initial=form.get("initial", "silent") if form["type"] == "border" else None,
        streams=None if streams is None else tuple(streams),
        where=form.get("where"),
        within=round(form.get("within", 0) * 1_000_000),
        kinds=tuple(form.get("kinds", ("passed", "returned", "stayed", "gone"))),
    )


def holds(expression: str, row: Mapping[str, Scalar]) -> bool:
    """Ask SQLite, a judge of its own, whether the expression is true for the row; unknown is false."""
    names = ", ".join(f'? AS "{name}"' for name in row)
    statement = f"SELECT ({expression}) FROM (SELECT {names})"
    (answer,) = _database().execute(statement, tuple(row.values())).fetchone()
    return bool(answer)


@functools.cache
def _database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA case_sensitive_like = ON")
    return connection
