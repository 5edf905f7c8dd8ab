"""The in-process engine: Limen without Spark, for small work, and the reference for tests."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from typing import Any

import pyarrow as pa

from limen.checkpoint.snapshot import dump, load
from limen.errors import InvalidInput, InvalidQuery, StateError
from limen.model.change import Deregister, Register
from limen.model.columns import Columns
from limen.model.event import SCHEMA
from limen.model.options import Options
from limen.model.query import Query
from limen.model.query import query_id as read_query_id
from limen.model.time import to_micros
from limen.queries.registry import new_shard
from limen.runtime.condition_check import check_query
from limen.runtime.events import Events
from limen.runtime.timeline import BEGINNING

log = logging.getLogger("limen")


@cache
def _no_events() -> pa.Table:
    return pa.Table.from_batches([], SCHEMA)  # unlike `empty_table`, it does not load pandas


class Engine:
    """Answer continuous queries over batches of rows, in this process.

    Parameters
    ----------
    columns : Columns
        The roles of the columns of the data.
    queries : iterable of queries
        What to watch from before the first row.
    **options
        `order` ("arrival" or "event"), `lateness`, `max_ahead`, `on_bad_row` ("count" or "fail") and `expire_after`;
        for patterns `expiry` ("tight", "loose" or "no-index"); for answers that keep only what matters `max_speed`,
        `report_every`, `cache`, `cache_model`, `measure_accuracy`, `memory` and `shedding`. See
        `limen.model.options.Options`. Durations are seconds,
        timedeltas or texts such as "10 seconds".

    Examples
    --------
    >>> import pyarrow as pa
    >>> from limen import Border, Columns, Engine, Range
    >>> engine = Engine(Columns(id="symbol", time="t", values="price", time_unit="s"),
    ...                 queries=[Border("cheap", Range(None, 40))])
    >>> events = engine.process(pa.table({"symbol": ["IBM", "IBM"], "t": [1, 2], "price": [41.0, 39.5]}))
    >>> events.select(["query_id", "kind", "stream_id", "values"]).to_pylist()
    [{'query_id': 'cheap', 'kind': 'enter', 'stream_id': 'IBM', 'values': [39.5]}]
    """

    def __init__(self, columns: Columns, queries: Iterable[Query] = (), **options: Any) -> None:
        if not isinstance(columns, Columns):
            raise InvalidInput(where="Engine", expected="limen.Columns(…) first", got=repr(columns))
        self._shard = new_shard(columns, Options.of(options).agreed())
        self._closed = False
        self.register(queries)
        if self._shard.changes["refused"]:
            raise InvalidInput(
                where="option 'memory'",
                expected="room for the queries and the streams they move with",
                got=f"{self._shard.options.memory:,} bytes, which leave {self._shard.changes['refused']} queries out",
            )

    @property
    def columns(self) -> Columns:
        """The roles of the columns of the data."""
        return self._shard.columns

    def process(self, batch: Any) -> pa.Table:
        """Take a batch of rows and return the events that follow from it.

        Parameters
        ----------
        batch : pyarrow.Table, pyarrow.RecordBatch or pandas.DataFrame

        Returns
        -------
        pyarrow.Table
            Events with the columns of `limen.SCHEMA`.

        Raises
        ------
        InvalidInput
            When the batch lacks a column or one has a wrong type, or, with `on_bad_row="fail"`, when a row is bad.
            Nothing of the batch is then taken.
        """
        self._check_open()
        return self._table(self._shard.process(batch))

    def register(self, query: Query | Iterable[Query], at: datetime | str | int | None = None) -> pa.Table:
        """Add a query or several, or replace those with the same id.

        Parameters
        ----------
        query : query or iterable of queries
        at : time, optional
            Rows with this time or later see the change. Without it the change holds from now on.

        Returns
        -------
        pyarrow.Table
            The events this causes; of a change that waits for its time, they come with what moves time there.
        """
        queries = list(query) if isinstance(query, Iterable) and not isinstance(query, str) else [query]
        columns, types = self._shard.columns, self._shard.types
        for each in queries:
            if not isinstance(each, Query):
                hint = "limen.load_queries(path) reads a file" if isinstance(each, str) else None
                raise InvalidQuery(
                    where="register", expected="a query such as limen.Border(…), or several", got=repr(each), hint=hint
                )
            check_query(each, columns, types)
            if (remark := each.remark()) is not None:
                log.warning("%s", remark)
        moment = self._time(at)
        return self._change([Register(each, moment) for each in queries])

    def deregister(self, query_id: str | int, at: datetime | str | int | None = None) -> pa.Table:
        """Take a query out, and return the events this causes."""
        name, moment = read_query_id(query_id), self._time(at)
        if self._shard.takes_effect_at_once(moment) and not self._shard.has_query(name):
            raise InvalidQuery(where="deregister", expected="the id of a registered query", got=repr(name))
        return self._change([Deregister(name, moment)])

    def advance(self, time: datetime | str | int) -> pa.Table:
        """Move the watermark to a time, and return the events that fall due."""
        self._check_open()
        if time is None:
            raise InvalidInput(where="advance", expected="a time", got=repr(time))
        moment = to_micros(time, self.columns.time_unit, where="advance")
        return self._table(self._shard.advance(moment))

    def close(self) -> pa.Table:
        """End the input: process what is held back and return the last events. No rows can follow."""
        if self._closed:
            return _no_events()
        self._closed = True
        return self._table(self._shard.close())

    @property
    def counters(self) -> dict[str, Any]:
        """Counters of input, output and state."""
        counters = self._shard.totals() | self._shard.gauges()
        counters["changes"]["waiting"] = counters.pop("waiting")
        return counters

    @property
    def accuracy(self) -> pa.Table:
        """How accurate answers are: a row a query.

        Columns are `query_id`; `stored` and `missed`, how many streams of its region and cache area are kept, and how
        many were shed; `accuracy`, in percent, by these counts and by what is left of its area; `share`, what that is;
        `locked`, whether it can lose no more. With `measure_accuracy` also `measured`: how many percent of the streams
        that belong into the answer are in it. Without `max_speed` every answer is exact, and the table is empty.
        """
        return self._shard.accuracy_table()

    def snapshot(self) -> bytes:
        """Return all state as bytes, for `restore`."""
        totals = self._shard.totals()
        own = {name: totals[name] for name in ("rows", "rejected", "events")}
        return dump(self._shard, {**own, "closed": self._closed})

    @classmethod
    def restore(cls, blob: bytes) -> Engine:
        """Return an engine with the state of a snapshot.

        Raises
        ------
        StateError
            When the bytes are not a snapshot, are damaged, or come from a version that cannot be read.
        """
        engine = cls.__new__(cls)
        engine._shard, own = load(blob)
        engine._shard.resume_counting(own["rows"], own["rejected"], own["events"])
        engine._closed = own["closed"]
        return engine

    def _change(self, changes: list[Register | Deregister]) -> pa.Table:
        self._check_open()
        return self._table(self._shard.change(changes)) if changes else _no_events()

    def _table(self, events: list[Events]) -> pa.Table:
        table = self._shard.table(events) if events else _no_events()
        self._shard.tidy()
        for problem in self._shard.problems:
            log.warning("change rejected: %s", problem)
        self._shard.problems.clear()
        return table

    def _time(self, value: datetime | str | int | None) -> int | None:
        return None if value is None else to_micros(value, self.columns.time_unit)

    def _check_open(self) -> None:
        if self._closed:
            raise StateError(
                "the engine is closed: its input has ended", hint="make a new Engine, or restore a snapshot"
            )

    @property
    def watermark(self) -> int | None:
        """W in microseconds since 1970, or None before the first row: all times before it are complete."""
        return self._shard.watermark if self._shard.watermark > BEGINNING else None
