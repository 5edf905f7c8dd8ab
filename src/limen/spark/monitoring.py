"""`limen.spark.monitor`: a DataFrame of rows in, a DataFrame of events out."""

import logging
import warnings
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from os import PathLike
from typing import Any

from pyspark.sql import DataFrame, Observation

from limen.checkpoint.snapshot import types_from_dict
from limen.errors import InvalidInput, InvalidQuery
from limen.formats.load import load_queries
from limen.formats.query_json import change_from_json
from limen.model.change import Register
from limen.model.columns import Columns
from limen.model.options import BY_QUERY, MOST_SHARDS, Options, read_routing
from limen.model.query import Query
from limen.runtime.condition_check import check_query
from limen.spark.batch import batch_output
from limen.spark.job import Job, pack_queries, routing_for
from limen.spark.pack import PACKED, pack_changes, pack_rows, unpack_events
from limen.spark.processor import ShardProcessor
from limen.spark.progress import observed, watch
from limen.spark.schema import EVENTS, check_frame, is_frame, project, read_changes, registers_global
from limen.spark.shard_output import OUTPUT
from limen.spark.spark_session import check_list, check_session, partitions
from limen.spark.tick import ticks
from limen.telemetry.settings import TelemetrySettings

log = logging.getLogger("limen")

_DEFAULTS = {"order": "event", "lateness": "10 seconds"}


def monitor(
    df: DataFrame,
    queries: Query | Iterable[Query] | str | PathLike[str] | DataFrame,
    columns: Columns,
    *,
    shards: int | None = None,
    tick: float | str | timedelta | None = None,
    routing: str | None = None,
    changes: DataFrame | None = None,
    observation: Observation | None = None,
    stream: str | None = None,
    telemetry: TelemetrySettings | None = None,
    window: TelemetrySettings | None = None,
    **options: Any,
) -> DataFrame:
    """Answer continuous queries over a DataFrame, batch or streaming; return a DataFrame of events of the same kind.

    Parameters
    ----------
    df : DataFrame
        The rows.
    queries : queries, path or DataFrame
        What to watch: a list of queries, the path of a file of them, or a DataFrame with a string column `change` that
        holds changes as JSON. If that is streaming, queries change while the job runs.
    columns : Columns
        The roles of the columns of the data.
    shards : int, optional
        Into how many parts the work is split; by default as many as the session's shuffle has partitions. It cannot
        change while a checkpoint is in use.
    tick : duration, optional
        For a streaming source that may fall silent: let time go on by the clock, in steps of this length, a `lateness`
        behind it.
    routing : str, optional
        ``"by_stream"`` splits the streams, ``"by_query"`` the queries; the events are the same. By default the streams,
        unless queries at the start look at many of them at once: `Nearest`, `Within` around a stream, and `Pattern`.
        Give it when such queries come later, as changes.
    changes : DataFrame, optional
        For streaming input, beside a list or a file of queries: a streaming DataFrame of changes to them.
    observation : pyspark.sql.Observation, optional
        For batch input: where the counts go, for `limen.spark.counters`.
    stream : str, optional
        What changes in SQL call the rows, ``CREATE BORDER … ON stream``; another name is then refused. By default they
        may call them anything.
    telemetry : TelemetrySettings, optional
        For streaming input: where workers publish a sample of their work, for `limen console`. `limen run` sets it.
    window : TelemetrySettings, optional
        Deprecated: the old name of `telemetry`.
    **options
        `order` ("event" or "arrival"), `lateness` ("10 seconds"), `max_ahead`, `on_bad_row`, `expire_after` and
        `expiry`, as of `limen.Engine`.

    Returns
    -------
    DataFrame
        Events, with the columns of `limen.SCHEMA`.

    Raises
    ------
    InvalidInput
        When a column is missing or has a wrong type, an option is wrong, or the session lacks a setting.
    InvalidQuery
        When a query does not fit the columns.
    """
    telemetry = _read_telemetry(telemetry, window)
    check_frame("monitor", df, columns, place="first", hint="limen.Engine takes tables of Arrow and pandas")
    streaming = df.isStreaming
    spark = df.sparkSession
    read_options = Options.of({**_DEFAULTS, **options}, also=("shards", "tick", "routing")).agreed()
    data, types = project(df, columns)
    given, registered = _read_queries(queries, columns, types, stream, streaming=streaming)
    changes = _one_of(changes, registered, streaming=streaming)
    count = _read_shards(shards, partitions(spark))
    if read_options.memory is not None:
        read_options = replace(read_options, memory=max(read_options.memory // count, 1))  # each shard has its part
    job = Job(
        columns=columns,
        options=read_options,
        types=types,
        shards=count,
        routing=_read_routing(routing, given, None if streaming else changes, read_options),
        queries=None if given is None else pack_queries(given),
        stream=stream,
        telemetry=telemetry if streaming else None,
    )
    for query in given or ():
        job.check_routing(query)
    if not streaming:
        if tick is not None:
            raise InvalidInput(
                where="option 'tick'", expected="a streaming DataFrame", got="a batch, which does not wait"
            )
        deadlines = any(query.has_deadlines for query in given or ())
        outputs = batch_output(data, changes, job, deadlines=deadlines)
    else:
        check_session(spark)
        check_list(spark, len(job.queries or b""))
        watch(spark)
        packets = data.mapInArrow(pack_rows(job), PACKED)
        if changes is not None:
            packets = packets.unionByName(changes.mapInArrow(pack_changes(job), PACKED))
        if tick is not None:
            packets = packets.unionByName(ticks(spark, tick, read_options).mapInArrow(pack_changes(job), PACKED))
        outputs = packets.groupBy("shard").transformWithStateInPandas(
            ShardProcessor(job), outputStructType=OUTPUT, outputMode="Append", timeMode="None"
        )
    outputs = observed(outputs, None if streaming else observation)
    return outputs.where("events IS NOT NULL").select("events").mapInArrow(unpack_events(job), EVENTS)


def _read_telemetry(telemetry: TelemetrySettings | None, window: TelemetrySettings | None) -> TelemetrySettings | None:
    """Return the telemetry settings, which an older program gives as `window`."""
    if window is None:
        return telemetry
    if telemetry is not None:
        raise InvalidInput(
            where="monitor", expected="the option 'telemetry' alone", got="'telemetry' and 'window'",
            hint="window= is the old name of telemetry=",
        )  # fmt: skip
    warnings.warn(
        "limen.spark.monitor: window= is deprecated and will be removed; use telemetry=",
        DeprecationWarning, stacklevel=3,
    )  # fmt: skip
    return window


def _read_queries(
    queries: Any, columns: Columns, types: dict[str, str], stream: str | None, *, streaming: bool
) -> tuple[list[Query] | None, DataFrame | None]:
    """Return the queries registered from the start, and the changes that register others."""
    if is_frame(queries):
        changes = read_changes(queries)
        if streaming and not changes.isStreaming:
            return _registered(changes, columns, types, stream), None
        if changes.isStreaming and not streaming:
            raise InvalidInput(
                where="monitor: queries",
                expected="a list, a path or a batch DataFrame, since the data is a batch",
                got="a streaming DataFrame",
            )
        return None, changes
    if isinstance(queries, (str, PathLike)):
        queries = load_queries(queries, stream=stream)
    found = list(queries) if isinstance(queries, Iterable) else [queries]
    known: set[str] = set()
    for query in found:
        if not isinstance(query, Query):
            raise InvalidQuery(
                where="monitor: queries",
                expected="queries such as limen.Border(…), a path or a DataFrame",
                got=repr(query),
            )
        check_query(query, columns, types_from_dict(types))
        if (remark := query.remark()) is not None:
            log.warning("%s", remark)
        if query.id in known:
            raise InvalidQuery(where="monitor: queries", expected="each id once", got=f"{query.id!r} twice")
        known.add(query.id)
    return found, None


def _one_of(changes: DataFrame | None, registered: DataFrame | None, *, streaming: bool) -> DataFrame | None:
    """Return the changes: those given beside a list of queries, or those given in its place."""
    if changes is None:
        return registered
    if registered is not None or not streaming or not is_frame(changes) or not changes.isStreaming:
        raise InvalidInput(
            where="monitor: changes",
            expected="a streaming DataFrame, beside streaming data and a list or a file of queries",
            got="changes in place of the queries too" if registered is not None else repr(changes),
        )
    return read_changes(changes)


def _registered(changes: DataFrame, columns: Columns, types: dict[str, str], stream: str | None) -> list[Query]:
    """Read a batch table of changes at the start of a streaming job: registrations without a time."""
    found: dict[str, Query] = {}
    for (text,) in changes.collect():
        change = change_from_json(text, stream)
        if not isinstance(change, Register) or change.at is not None:
            raise InvalidQuery(
                where="monitor: queries",
                expected="registrations without a time, since the table is a batch and the data a stream",
                got=text,
                hint="read the changes with spark.readStream, and they take effect while the job runs",
            )
        check_query(change.query, columns, types_from_dict(types))
        found[change.query.id] = change.query
    return list(found.values())


def _read_shards(shards: Any, default: int) -> int:
    if shards is None:
        return min(default, MOST_SHARDS)
    if isinstance(shards, bool) or not isinstance(shards, int) or not 1 <= shards <= MOST_SHARDS:
        raise InvalidInput(where="option 'shards'", expected=f"a number from 1 to {MOST_SHARDS:,}", got=repr(shards))
    return shards


def _read_routing(routing: Any, given: list[Query] | None, registered: DataFrame | None, options: Options) -> str:
    if routing is None:
        return BY_QUERY if registered is not None and registers_global(registered) else routing_for(given, options)
    return read_routing(routing)
