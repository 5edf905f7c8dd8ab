"""Streams for the shell: what they have in common, and those that are simulated or replayed in this process."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from limen import simulate
from limen.engine import Engine
from limen.errors import InvalidInput, InvalidQuery, did_you_mean
from limen.model.columns import Columns
from limen.model.query import Query

#: What can be simulated.
SIMULATED = ("positions", "prices")
_KINDS = ("truck", "car", "van")
_STREAMS, _TICKS = 40, 100_000


class ShellStream(Protocol):
    """A stream with a name, and queries on it."""

    stream: str
    columns: Columns
    queries: dict[str, Query]

    def register(self, query: Query) -> pa.Table:
        """Register a query; return the events that this causes."""

    def deregister(self, id: str) -> pa.Table:
        """Deregister a query; return the events that this causes."""

    def play(self, seconds: float) -> Iterator[tuple[pa.Table | None, pa.Table]]:
        """Advance the stream by some seconds; yield rows, where they are available, and events."""


@dataclass
class ReplayedStream:
    """Rows that are replayed in this process: `tables` in order of time."""

    stream: str
    columns: Columns
    tables: Iterator[pa.Table]
    queries: dict[str, Query] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._engine = Engine(self.columns)
        self._next: pa.Table | None = None
        #: The latest row of each stream.
        self.latest: pa.Table | None = None

    def register(self, query: Query) -> pa.Table:
        """Register a query."""
        events = self._engine.register(query)
        self.queries[query.id] = query
        return events

    def deregister(self, id: str) -> pa.Table:
        """Deregister a query."""
        del self.queries[id]
        return self._engine.deregister(id)

    def play(self, seconds: float) -> Iterator[tuple[pa.Table | None, pa.Table]]:
        """Play the rows of so many seconds."""
        end: datetime | None = None
        while (table := self._upcoming()) is not None:
            first = pc.min(table[self.columns.time]).as_py()
            end = end or first + timedelta(seconds=seconds)
            if first >= end:
                return
            self._next = None
            self.latest = _latest(self.latest, table, self.columns.id)
            yield table, self._engine.process(table)

    def _upcoming(self) -> pa.Table | None:
        if self._next is None:
            self._next = next((table for table in self.tables if len(table)), None)
        return self._next


def _latest(before: pa.Table | None, table: pa.Table, id: str) -> pa.Table:
    together = table if before is None else pa.concat_tables([before, table])
    names = together[id].to_pylist()
    last = {name: place for place, name in enumerate(names)}
    return together.take(pa.array(sorted(last.values()), pa.int64()))


def simulated(kind: str) -> ReplayedStream:
    """Simulate a stream: `positions` of cars in a square of side 100, or `prices` of stocks."""
    if kind == "prices":
        tables = simulate.price_streams(_STREAMS, _TICKS, fluctuation=0.005, domain=100.0)
        return ReplayedStream(kind, simulate.PRICE_COLUMNS, tables)
    if kind != "positions":
        hint = did_you_mean(kind, SIMULATED)
        raise InvalidInput(where="limen sql", expected=f"{' or '.join(SIMULATED)}, or a file", got=kind, hint=hint)
    return ReplayedStream(kind, Columns("id", "time", ("x", "y"), ("kind",)), _positions())


def _positions() -> Iterator[pa.Table]:
    """Yield a table a second: cars that go straight on for a while, and turn."""
    chance = np.random.default_rng(7)
    place = chance.uniform(0, 100, (_STREAMS, 2))
    course = chance.uniform(0, 2 * np.pi, _STREAMS)
    speed = chance.uniform(0.5, 4, _STREAMS)
    names = [f"{_KINDS[number % 3]} {number}" for number in range(_STREAMS)]
    kinds = [_KINDS[number % 3] for number in range(_STREAMS)]
    for second in range(_TICKS):
        course += chance.normal(0, 0.3, _STREAMS)
        place = (place + speed[:, None] * np.column_stack([np.cos(course), np.sin(course)])) % 100
        now = pa.array(np.full(_STREAMS, second * 1_000_000), pa.timestamp("us", "UTC"))
        x, y = np.ascontiguousarray(place.T.round(2))
        yield pa.table({"id": names, "time": now, "x": x, "y": y, "kind": kinds})


def replayed(path: Path, columns: Columns) -> ReplayedStream:
    """Play a file of rows, Parquet, CSV or JSON lines, in order of time, a second at a time."""
    table = read_table(path)
    for name in (columns.id, columns.time, *columns.values, *columns.attributes):
        if name not in table.schema.names:
            raise InvalidInput(
                where=path.name,
                expected=f"a column {name!r}",
                got=", ".join(table.schema.names),
                hint=did_you_mean(name, table.schema.names),
            )
    if not pa.types.is_timestamp(table[columns.time].type):
        got = str(table[columns.time].type)
        raise InvalidInput(where=f"{path.name}: column {columns.time!r}", expected="timestamps", got=got)
    return ReplayedStream(path.stem, columns, _seconds_of(table.sort_by(columns.time), columns.time))


def _seconds_of(table: pa.Table, time: str) -> Iterator[pa.Table]:
    seconds = table[time].cast(pa.timestamp("us", tz=table[time].type.tz)).cast(pa.int64()).to_numpy() // 1_000_000
    cuts = [0, *(np.flatnonzero(np.diff(seconds)) + 1).tolist(), len(table)]
    for first, last in pairwise(cuts):
        yield table.slice(first, last - first)


def read_table(path: Path) -> pa.Table:
    """Read a file of rows."""
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return pq.read_table(path)
    if suffix == ".csv":
        from pyarrow import csv  # noqa: PLC0415  # only such files need it

        return csv.read_csv(path)
    if suffix in (".json", ".jsonl"):
        from pyarrow import json as lines  # noqa: PLC0415  # as above

        return lines.read_json(path)
    raise InvalidInput(where=path.name, expected="a .parquet, .csv or .jsonl file", got=repr(suffix))


def check_known(feed: ShellStream, id: str) -> None:
    """Refuse a query name that is not registered."""
    if id not in feed.queries:
        hint = did_you_mean(id, feed.queries)
        raise InvalidQuery(where="DROP QUERY", expected="a query that there is", got=id, hint=hint)
