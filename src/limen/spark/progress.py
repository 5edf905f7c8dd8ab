"""Counters of a job: in Spark's progress of each batch, in the log, and from code."""

import atexit
import contextlib
import itertools
import logging
import time
from os import PathLike
from typing import Any

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.listener import StreamingQueryListener
from pyspark.sql.streaming.query import StreamingQuery

from limen.checkpoint.codec import decode
from limen.checkpoint.manifest import MANIFEST
from limen.errors import InvalidInput
from limen.model.time import from_micros
from limen.spark.shard_output import COUNTS, NUMBERS

log = logging.getLogger("limen")

_NAME = "limen"
#: Gauges of `counters` that have a name of their own.
_AFTER = ("held", "queries", "streams", "starts", "unconfirmed", "stored", "most_stored", "state_bytes")
_numbers = itertools.count(1)


def observed(outputs: DataFrame, observation: Observation | None) -> DataFrame:
    """Let Spark sum the counters of the outputs."""
    sums = [F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in NUMBERS]
    problems = F.array_join(F.collect_list("problems"), "\n").alias("problems")
    metrics = [*sums, F.max("watermark").alias("watermark"), F.max("lack").alias("lack"), problems]
    # Names must differ within one query, which may hold several jobs.
    return outputs.observe(observation or f"{_NAME}_{next(_numbers)}", *metrics)


def counters(source: StreamingQuery | Observation | Any) -> dict[str, Any]:
    """Return what the latest batch counted.

    Parameters
    ----------
    source
        A running query, one entry of its `recentProgress`, the progress that a listener gets, or the observation that
        was given to `monitor` for batch input.

    Returns
    -------
    dict
        With the names of `Engine.counters`. Rows, late, rejected, events, changes, expired, left_out and
        state_bytes_written are of the batch; held, streams, queries, starts, unconfirmed, stored, most_stored and
        state_bytes are how much there is after it.
        `microseconds` is the time of all shards together to read state, to process the batch and to write state;
        `problems` why changes were rejected. Empty before the first batch.
    """
    found = _metrics(source)
    if not found:
        return {}
    total = {name: sum(each[name] for each in found) for name in NUMBERS}
    watermarks = [each["watermark"] for each in found if each["watermark"] is not None]
    counted = _counted(total)
    return {
        **counted,
        "changes": {**counted["changes"], "waiting": total["waiting"]},
        **{name: total[name] for name in _AFTER},
        **_kept(total, [each["lack"] for each in found if each.get("lack") is not None]),
        "state_bytes_written": total["state_bytes_written"],
        "microseconds": _group(total, "microseconds_", keep_zero=True),
        "watermark": from_micros(max(watermarks)) if watermarks else None,
        "problems": [line for each in found if each["problems"] for line in each["problems"].split("\n")],
    }


def _kept(total: dict[str, int], lacks: list[int]) -> dict[str, Any]:
    """What result sets under a memory budget store, if there are any."""
    if not lacks:
        return {}
    return {"kept": {**_group(total, "kept_", keep_zero=True), "least_accuracy": 100 - max(lacks) / 1000}}


def totals(spark: SparkSession, checkpoint: str | PathLike[str]) -> dict[str, Any]:
    """Return what a job has counted since its beginning, from its checkpoint; the job may be running or not.

    `checkpoint` is the folder of a streaming query that `monitor` is in.
    """
    found = state_pages(spark, checkpoint).where(F.col("name") == MANIFEST)
    facts = [decode(bytes(page))[1] for (page,) in found.select("page").collect()]
    return _counted({name: sum(each["totals"].get(name, 0) for each in facts) for name in COUNTS})


def state_pages(spark: SparkSession, checkpoint: str | PathLike[str]) -> DataFrame:
    """Return the state pages of all shards of a checkpoint: `shard`, `name` and `page`."""
    pages = spark.read.format("statestore").option("stateVarName", "pages").load(str(checkpoint))
    columns = {"shard": "key.shard", "name": "user_map_key.name", "page": "user_map_value.page"}
    chosen = pages.select(*(F.col(path).alias(name) for name, path in columns.items()))
    return chosen.where("shard IS NOT NULL")


def _counted(total: dict[str, int]) -> dict[str, Any]:
    return {
        "rows": total["rows"],
        "late": total["late"],
        "rejected": _group(total, "rejected_"),
        "events": _group(total, "events_"),
        "changes": _group(total, "changes_", keep_zero=True),
        "expired": total["expired"],
        "left_out": total["left_out"],
    }


def _metrics(source: Any) -> list[dict[str, Any]]:
    if hasattr(source, "get") and hasattr(source, "_name"):  # an Observation
        return [dict(source.get)]
    if hasattr(source, "lastProgress"):
        source = source.lastProgress
    if source is None:
        return []
    metrics = source["observedMetrics"] if isinstance(source, dict) else getattr(source, "observedMetrics", None)
    if metrics is None:
        raise InvalidInput(
            where="counters", expected="a streaming query, its progress, or an Observation", got=type(source).__name__
        )
    rows = [row for name, row in metrics.items() if name.startswith(f"{_NAME}_")]
    return [row if isinstance(row, dict) else row.asDict() for row in rows]


def _group(total: dict[str, int], prefix: str, *, keep_zero: bool = False) -> dict[str, int]:
    named = {name.removeprefix(prefix): count for name, count in total.items() if name.startswith(prefix)}
    return {name: count for name, count in named.items() if count or keep_zero}


def progress_line(counts: dict[str, Any], batch: int, milliseconds: int) -> str:
    """Describe a batch in one line."""
    events = sum(counts["events"].values())
    rejected = sum(counts["rejected"].values())
    per_second = f"{1000 * counts['rows'] / milliseconds:,.0f} rows/s" if milliseconds else ""
    parts = [
        f"batch {batch}: {counts['rows']:,} rows, {events:,} events",
        f"{counts['late']:,} late, {rejected:,} rejected, {counts['held']:,} held",
        f"{counts['streams']:,} streams, {counts['queries']:,} queries",
        f"{milliseconds:,} ms {per_second}",
    ]
    return "; ".join(parts).strip()


class _Listener(StreamingQueryListener):
    """Writes each batch of a Limen job to the log, and warns of what was rejected."""

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802  # Spark's name
        """Do nothing: there are no counts yet."""

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        """Log a batch."""
        progress = event.progress
        counts = counters(progress)
        if not counts:
            return
        log.info("%s", progress_line(counts, progress.batchId, progress.durationMs.get("triggerExecution", 0)))
        if counts["rejected"]:
            log.warning("batch %d: rows rejected: %s", progress.batchId, counts["rejected"])
        for problem in counts["problems"]:
            log.warning("batch %d: change rejected: %s", progress.batchId, problem)

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        """Nothing new."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """Do nothing: Spark itself reports how a query ended."""


_watched: dict[int, tuple[SparkSession, _Listener]] = {}


def watch(spark: SparkSession) -> None:
    """Have the batches of this session's Limen jobs written to the log, once."""
    if id(spark) not in _watched:
        listener = _Listener()
        spark.streams.addListener(listener)
        _watched[id(spark)] = spark, listener


@atexit.register
def _leave() -> None:
    """Take the listeners out, or Spark complains of those it cannot reach when the program ends before it."""
    for spark, listener in _watched.values():
        with contextlib.suppress(Exception):  # the session may have been stopped long ago
            spark.streams.removeListener(listener)
            time.sleep(0.2)  # what is on its way arrives
