"""Patterns through Spark, and beside a self-join of Spark SQL over the same readings, for `limen bench pattern`."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from limen.kernels.earth import EARTH_RADIUS
from limen.model.pair import Pair
from limen.model.pattern import Pattern
from limen.simulate.buoys import BUOY_COLUMNS
from limen_lab.bench.record import Record

if TYPE_CHECKING:
    from limen_lab.bench.pattern.suite import PatternWorkload

SHARDS = 2
MICROSECOND = timedelta(microseconds=1)
WARM = 2  # batches for compilers and first readings


def through_spark(watched: PatternWorkload) -> Iterator[Record]:
    """Patterns on Spark, streaming, in two shards that share the patterns out."""
    from limen.spark.monitoring import monitor  # noqa: PLC0415  # as above
    from limen_lab.bench.spark import PER_SECOND, milliseconds, quiet_session  # noqa: PLC0415  # loads Spark

    session = quiet_session()
    with tempfile.TemporaryDirectory(prefix="limen-bench-") as name:
        folder = Path(name)
        (folder / "in").mkdir()
        for number, batch in enumerate(watched.batches):
            path = folder / "in" / f"{number:03}.parquet"
            pq.write_table(batch, path)
            os.utime(path, (1_000_000_000 + number,) * 2)
        schema = session.read.parquet(str(folder / "in")).schema
        rows = session.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
        alerts = monitor(rows, watched.patterns, BUOY_COLUMNS, shards=SHARDS, order="arrival")
        writer = alerts.writeStream.format("noop").trigger(availableNow=True)
        query = writer.option("checkpointLocation", str(folder / "checkpoint")).start()
        query.awaitTermination()
        progress: list[Any] = [each for each in query.recentProgress if each["numInputRows"]]
    rate = 1000 * len(watched.batches[0]) / milliseconds(progress[:-1], warm=WARM)  # the last batch may be a short one
    workload = {**watched.described, "rows a batch": len(watched.batches[0]), "shards": SHARDS}
    yield Record("spark", workload, PER_SECOND, rate, {})


def beside_a_join(watched: PatternWorkload, expiry: str) -> Iterator[Record | str]:
    """One pattern after another as a self-join of Spark SQL over all readings at once, as fast as we can write it."""
    from limen_lab.bench.spark import quiet_session  # noqa: PLC0415  # loads Spark

    yield "patterns are made and tuned, and Spark started"
    _ = watched.patterns
    session = quiet_session()
    with tempfile.TemporaryDirectory(prefix="limen-bench-") as name:
        path = str(Path(name) / "readings.parquet")
        pq.write_table(watched.buoys.table, path)
        session.read.parquet(path).cache().createOrReplaceTempView("readings")
        session.sql("SELECT count(*) FROM readings").collect()
        statements = [f"SELECT count(*) FROM ({as_join(pattern)})" for pattern in watched.patterns]
        session.sql(statements[0]).collect()
        found: list[int] = []
        taken = 0.0
        for number, each in enumerate(statements, start=1):
            yield f"join {number} of {len(statements)}"
            begin = time.perf_counter()
            found.append(session.sql(each).collect()[0][0])
            taken += time.perf_counter() - begin
        session.catalog.uncacheTable("readings")
    run = max((watched.run(expiry) for _ in range(3)), key=lambda run: run.rate)
    alerts = run.counters["events"].get("alert", 0)
    assert alerts == sum(found), f"both must find the same: {alerts:,} alerts, {sum(found):,} rows of joins"
    workload = {**watched.described, "alerts": alerts, "expiry": expiry, "cores": "1, and of Spark 2"}
    yield Record(
        "self-join", workload, "readings a second", run.rate, {"Spark SQL, batch": watched.buoys.rows / taken}
    )  # fmt: skip


def as_join(pattern: Pattern) -> str:
    """Return a pattern as a self-join on `readings`.

    Each variable is a side of the join, with its predicate. Times are joined by buckets as long as the span of a pair,
    each reading being in its own and in the one before, so that Spark can hash instead of trying all pairs of rows.
    """
    first, *others = pattern.variables
    parts, known = [f"({_readings(first.where)}) AS {first.name}"], [first.name]
    for variable in others:
        name = variable.name
        own = [pair for pair in pattern.pairs if name in (pair.a, pair.b) and {pair.a, pair.b} <= {*known, name}]
        span, other = _micros(own[0])[1], own[0].a if own[0].b == name else own[0].b
        buckets = (
            f"SELECT *, explode(array(at div {span}, at div {span} - 1)) AS bucket FROM ({_readings(variable.where)})"
        )
        conditions = [f"{name}.bucket = {other}.at div {span}"]
        conditions += [condition for pair in own for condition in _conditions(pair)]
        conditions += [f"NOT ({name}.buoy = {each}.buoy AND {name}.at = {each}.at)" for each in known]
        parts.append(f"JOIN ({buckets}) AS {name} ON {' AND '.join(conditions)}")
        known.append(name)
    return f"SELECT {first.name}.at FROM {' '.join(parts)}"


def _readings(where: str | None) -> str:
    return f"SELECT *, unix_micros(time) AS at FROM readings WHERE {where}"


def _micros(pair: Pair) -> tuple[int, int]:
    """Return the bounds of the time of a pair, which has both."""
    low, high = pair.after or (None, None)
    assert low is not None
    assert high is not None
    return low // MICROSECOND, high // MICROSECOND


def _conditions(pair: Pair) -> list[str]:
    low, high = _micros(pair)
    up = f"sin((radians({pair.b}.latitude) - radians({pair.a}.latitude)) / 2)"
    along = f"sin((radians({pair.b}.longitude) - radians({pair.a}.longitude)) / 2)"
    across = f"cos(radians({pair.a}.latitude)) * cos(radians({pair.b}.latitude))"
    half = f"least(sqrt({up} * {up} + {across} * {along} * {along}), 1.0)"
    return [
        f"{pair.b}.at - {pair.a}.at BETWEEN {low} AND {high}",
        f"2 * {EARTH_RADIUS} * asin({half}) < {pair.distance}",
    ]
