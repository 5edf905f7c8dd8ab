"""Events as rows of a table of PostgreSQL, with the event's id as its key: existing rows are not written again.

Each task copies its events to the server in one go, as text that Arrow writes, and inserts those that are new.
"""

import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv
from pyspark.sql import DataFrame

from limen.errors import InvalidInput, Unreachable
from limen.jobfile.endpoints import Database
from limen.spark.sinks.event_sink import BatchId, EventSink

COLUMNS = {
    "event_id": "char(32) PRIMARY KEY",
    "query_id": "text NOT NULL",
    "kind": "text NOT NULL",
    "stream_id": "text",
    "time": "timestamptz NOT NULL",
    "started_at": "timestamptz",
    "reason": "text NOT NULL",
    "values": "double precision[]",
    "bindings": "jsonb",
}
_WRITTEN = "rows bigint"


class PostgresSink(EventSink):
    """A table of PostgreSQL."""

    def __init__(self, place: Database) -> None:
        self._place = place

    def check(self) -> None:
        """Refuse a server that does not take the connection."""
        self._execute("SELECT 1")

    def prepare(self) -> None:
        """Create the table if it is missing."""
        self._execute(f"CREATE TABLE IF NOT EXISTS {_name(self._place.table)} ({_declared()})")

    def _execute(self, statement: str) -> None:
        psycopg = _library()
        try:
            with psycopg.connect(self._place.url, connect_timeout=10) as connection:
                connection.execute(statement)
        except psycopg.Error as error:
            unreachable = isinstance(error, psycopg.OperationalError)
            raise (Unreachable if unreachable else InvalidInput)(
                where="sink: postgres",
                expected="a server that takes the connection, and a table to write to",
                got=str(error).strip().replace("\n", "; "),
                hint="url is such as postgresql://user:password@host:5432/database",
            ) from error

    def write(self, events: DataFrame, batch: BatchId) -> None:  # noqa: ARG002  # as all sinks
        """Insert the events that the table does not have."""
        events.mapInArrow(_insert(self._place.url, self._place.table), _WRITTEN).count()


def _insert(url: str, table: str) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that writes the events of a partition, in one transaction."""

    def insert(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        name, names = _name(table), ", ".join(map(_name, COLUMNS))
        written = 0
        with _library().connect(url) as connection, connection.cursor() as cursor:
            cursor.execute(f"CREATE TEMPORARY TABLE incoming (LIKE {name}) ON COMMIT DROP")
            with cursor.copy(f"COPY incoming ({names}) FROM STDIN (FORMAT csv)") as copy:
                for batch in batches:
                    copy.write(as_csv(batch))
                    written += batch.num_rows
            cursor.execute(f"INSERT INTO {name} SELECT * FROM incoming ON CONFLICT (event_id) DO NOTHING")  # noqa: S608  # quoted
        yield pa.RecordBatch.from_pydict({"rows": [written]})

    return insert


def as_csv(batch: pa.RecordBatch) -> bytes:
    """Convert events to CSV for PostgreSQL: lists in braces, bindings as JSON, nothing for null.

    Examples
    --------
    >>> from limen.model.event import SCHEMA
    >>> row = {"event_id": "e", "query_id": "q", "kind": "enter", "reason": "moved", "values": [1.5, None]}
    >>> as_csv(pa.RecordBatch.from_pylist([row], SCHEMA)).decode().strip()
    '"e","q","enter",,,,"moved","{1.5,NULL}",'
    """
    columns = {name: batch.column(name) for name in COLUMNS}
    columns["values"] = _braces(columns["values"])
    columns["bindings"] = _json(columns["bindings"])
    for name in ("time", "started_at"):
        columns[name] = pc.strftime(columns[name].cast(pa.timestamp("us", "UTC")), "%Y-%m-%dT%H:%M:%SZ")
    out = io.BytesIO()
    csv.write_csv(pa.table(columns), out, csv.WriteOptions(include_header=False))
    return out.getvalue()


def _braces(lists: pa.ListArray) -> pa.Array:
    items = lists.flatten().cast(pa.string()).fill_null("NULL")
    lengths = pc.list_value_length(lists).fill_null(0)
    bounds = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(lengths)])
    text = pc.binary_join(pa.ListArray.from_arrays(bounds, items), ",")
    whole = pc.binary_join_element_wise("{", text, "}", "")
    return pc.if_else(lists.is_null(), pa.scalar(None, pa.string()), whole)


def _json(bindings: pa.Array) -> pa.Array:
    """Convert bindings to JSON; only alerts have them."""
    if bindings.null_count == len(bindings):
        return pa.nulls(len(bindings), pa.string())
    return pa.array([None if each is None else json.dumps(each, default=str) for each in bindings.to_pylist()])


def _declared() -> str:
    return ", ".join(f"{_name(name)} {kind}" for name, kind in COLUMNS.items())


def _name(name: str) -> str:
    """Quote a name; a dot separates its schema."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in name.split("."))


def _library() -> Any:
    try:
        import psycopg  # noqa: PLC0415  # only this sink needs it
    except ImportError as error:
        raise InvalidInput(
            where="sink: postgres", expected="the package psycopg", got="none", hint="pip install 'limen[postgres]'"
        ) from error
    return psycopg
