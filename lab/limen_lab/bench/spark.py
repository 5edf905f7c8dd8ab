"""`limen bench spark`: the pipeline beside what Spark does without it."""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812  # as all of Spark's users name it

from limen.model.border import Border
from limen.model.columns import Columns
from limen.model.region import Range
from limen.simulate import symbols
from limen.spark.monitoring import monitor
from limen.spark.progress import counters
from limen.spark.spark_session import ADVISED, NEEDED, session
from limen_lab.bench.record import Record, seconds, side_by_side

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = Columns(id="symbol", time="time", values="price")
DOMAIN = 1_000_000.0
PER_SECOND = "rows/s"
_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_BATCH_BYTES = "spark.sql.execution.arrow.maxBytesPerBatch"
_IN_MEMORY = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"


@dataclass(frozen=True)
class Ticker:
    """Price streams in files, one a batch, as a folder of logs would have them.

    Every stream reports once in a round, in an order of its own each time, so that rows arrive in order of time and
    streams in none; a price moves so far that a tenth of the rows cross a border.
    """

    rows: int  # a batch
    batches: int
    streams: int = 100_000
    queries: int = 10_000
    updating: float = 1.0  # the part of the streams that reports in a batch, where a batch is less than a round
    rows_a_second: int = 10_000

    @property
    def workload(self) -> dict[str, Any]:
        """The parameters to report."""
        return {
            "rows a batch": self.rows,
            "batches": self.batches,
            "streams": self.streams,
            "queries": self.queries,
            "seconds a batch": self.rows / self.rows_a_second,
        }

    def write(self, folder: Path) -> None:
        """Write the files."""
        random = np.random.default_rng(0)
        names = pa.array(symbols(self.streams))
        move = 0.1 * DOMAIN / (2 * self.queries)  # the mean distance that crosses a tenth of a border
        price = random.uniform(0, DOMAIN, self.streams)
        first_round = np.arange(self.streams)
        time = self._table(names, first_round, price, 0, folder / "000.parquet", 0) if self.updating < 1 else 0
        for batch in range(1 if self.updating < 1 else 0, self.batches):
            who, what = [], []
            missing = self.rows
            while missing > 0:
                order = random.permutation(self.streams)[: min(self.streams, missing)]
                price += random.normal(0, move * 1.2533, self.streams)  # so that the mean of its size is `move`
                who.append(order)
                what.append(price[order])
                missing -= len(order)
            path = folder / f"{batch:03}.parquet"
            time = self._table(names, np.concatenate(who), np.concatenate(what), time, path, batch)

    def _table(self, names: pa.Array, who: Any, what: Any, time: int, path: Path, batch: int) -> int:
        step = 1_000_000 // self.rows_a_second
        times = time + step * np.arange(len(who), dtype=np.int64)
        table = pa.table(
            {"symbol": names.take(pa.array(who)), "time": pa.array(times, pa.timestamp("us", "UTC")), "price": what}
        )
        pq.write_table(table, path, row_group_size=max(1, len(who) // 8))
        os.utime(path, (1_000_000_000 + batch,) * 2)  # Spark takes files in order of their age
        return int(times[-1]) + step

    @cached_property
    def ranges(self) -> list[tuple[str, float, float]]:
        """The ranges of the queries."""
        lower = np.random.default_rng(1).uniform(0, DOMAIN, self.queries).tolist()
        return [(f"q{number}", lo, lo + 0.001 * DOMAIN) for number, lo in enumerate(lower)]

    @cached_property
    def borders(self) -> list[Border]:
        """The queries."""
        return [Border(id, Range(lo, hi)) for id, lo, hi in self.ranges]


class Runs:
    """A Spark session and a folder of batches, for jobs that are run one after the other on the same input."""

    def __init__(self, ticker: Ticker) -> None:
        self.ticker = ticker
        self.spark = quiet_session()
        self._folder = tempfile.TemporaryDirectory(prefix="limen-bench-")
        self.folder = Path(self._folder.name)
        (self.folder / "in").mkdir()
        ticker.write(self.folder / "in")
        self.schema = self.batch().schema

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def batch(self) -> DataFrame:
        """All rows."""
        return self.spark.read.parquet(str(self.folder / "in"))

    def stream(self) -> DataFrame:
        """All rows, a file a batch."""
        reader = self.spark.readStream.schema(self.schema).option("maxFilesPerTrigger", 1)
        return reader.parquet(str(self.folder / "in"))

    def identity(self) -> DataFrame:
        """Rows to Python and back: the least that anything in Python costs."""
        return self.stream().mapInArrow(_pass_on, self.schema)

    def identity_as_spark_comes(self) -> DataFrame:
        """The same without what `limen.spark.settings` changes."""
        self.spark.conf.unset(_BATCH_BYTES)
        return self.identity()

    def largest(self) -> DataFrame:
        """Spark's own state: the largest price of each stream, with the state store that is best for it."""
        self.spark.conf.set(_PROVIDER, _IN_MEMORY)
        return self.stream().groupBy("symbol").agg(F.max("price"))

    def monitored(self) -> DataFrame:
        """Ours, with the defaults."""
        for name, value in {**NEEDED, _BATCH_BYTES: ADVISED[_BATCH_BYTES]}.items():
            self.spark.conf.set(name, value)
        return monitor(self.stream(), self.ticker.borders, COLUMNS)

    def run(self, events: DataFrame, mode: str = "append", keep: Path | None = None) -> list[dict[str, Any]]:
        """Run a stream over all batches; return Spark's progress of each."""
        checkpoint = keep or self.folder / "checkpoint"
        shutil.rmtree(checkpoint, ignore_errors=True)
        writer = events.writeStream.format("noop").outputMode(mode).trigger(availableNow=True)
        query = writer.option("checkpointLocation", str(checkpoint)).start()
        query.awaitTermination()
        return [progress for progress in query.recentProgress if progress["numInputRows"]]


def quiet_session() -> SparkSession:
    """Start the session of all measurements."""
    spark = session(
        **{"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.memory": "6g"}
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _pass_on(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def milliseconds(progress: list[dict[str, Any]], warm: int = 1) -> float:
    """Return the median time of a warm batch."""
    return float(statistics.median(each["durationMs"]["triggerExecution"] for each in progress[warm:]))


def throughput() -> Iterator[Record]:
    """Rows a second in large batches, beside the identity in Python and Spark's own aggregation."""
    with Runs(Ticker(rows=4_000_000, batches=5)) as runs:
        best: dict[str, float] = {}
        last: list[dict[str, Any]] = []
        for turn in range(3):
            for name, make, mode in (
                ("ours", runs.monitored, "append"),
                ("identity", runs.identity, "append"),
                ("groupBy max", runs.largest, "update"),
                ("identity as Spark comes", runs.identity_as_spark_comes, "append"),
            ):
                progress = runs.run(make(), mode)
                if turn:  # the first is for compilers, of Spark and of ours
                    rate = 1000 * runs.ticker.rows / milliseconds(progress)
                    best[name] = max(best.get(name, 0), rate)
                    last = progress if name == "ours" else last
        ours = best.pop("ours")
        counts = counters(last[-1])
        workload = {**runs.ticker.workload, "events a row": sum(counts["events"].values()) / counts["rows"]}
        for name, bound in (("identity", 0.5), ("identity as Spark comes", 0.5), ("groupBy max", 0.4)):
            claim = f"at least {bound} of {name}"
            yield Record(
                "throughput", workload, PER_SECOND, ours, {name: best[name]}, claim, ours >= bound * best[name]
            )
        yield from _profile(last, workload)


def _profile(progress: list[dict[str, Any]], workload: dict[str, Any]) -> Iterator[Record]:
    """Say where the time of a large batch goes."""
    batch = progress[-1]
    counts = counters(batch)["microseconds"]
    cores = os.cpu_count() or 1
    shards = {f"shards: {phase} (a core)": micros / 1000 / cores for phase, micros in counts.items()}
    spark = {
        name: float(batch["durationMs"].get(name, 0))
        for name in ("addBatch", "queryPlanning", "walCommit", "commitOffsets")
    }
    yield Record("profile", workload, "ms a batch", milliseconds(progress), {**spark, **shards})


def rival() -> Iterator[Record]:
    """Batch input beside what one writes without Limen: `lag` over a window and a join with the ranges."""
    for queries, rows, claim in ((1_000, 2_000_000, "10 × as fast"), (10_000, 200_000, "")):
        with Runs(Ticker(rows=rows, batches=2, queries=queries)) as runs:
            ranges = runs.spark.createDataFrame(runs.ticker.ranges, "query string, lo double, hi double")
            found: dict[str, int] = {}

            def ours() -> float:
                return seconds(lambda: found.update(ours=monitor(runs.batch(), runs.ticker.borders, COLUMNS).count()))

            def by_hand() -> float:
                return seconds(lambda: found.update(by_hand=_by_hand(runs.batch(), ranges).count()))

            times = side_by_side(2, ours=ours, by_hand=by_hand)
            assert found["ours"] == found["by_hand"], f"not the same events: {found}"
            workload = {**runs.ticker.workload, "events": found["ours"]}
            reached = times["by_hand"] >= 10 * times["ours"] if claim else None
            others = {"lag and range join": times["by_hand"]}
            yield Record("rival", workload, "s", times["ours"], others, claim, reached)


def _by_hand(rows: DataFrame, ranges: DataFrame) -> DataFrame:
    """Find crossings in SQL: each row with the one before it, joined with the ranges that one of them is in."""
    steps = rows.withColumn("before", F.lag("price").over(Window.partitionBy("symbol").orderBy("time")))
    now = (F.col("price") >= F.col("lo")) & (F.col("price") < F.col("hi"))
    then = (F.col("before") >= F.col("lo")) & (F.col("before") < F.col("hi"))
    return steps.where("before IS NOT NULL").join(F.broadcast(ranges), now != then).select("query", "symbol", "time")


def latency() -> Iterator[Record]:
    """The time of a batch of a thousand rows, beside the identity."""
    with Runs(Ticker(rows=1_000, batches=40, streams=1_000, queries=10_000, rows_a_second=100)) as runs:
        best = {"ours": float("inf"), "identity": float("inf")}
        for turn in range(3):
            for name, make in (("identity", runs.identity), ("ours", runs.monitored)):
                taken = milliseconds(runs.run(make()), warm=10)
                best[name] = min(best[name], taken) if turn else best[name]
        yield Record("latency", runs.ticker.workload, "ms a batch", best["ours"], {"identity": best["identity"]})


def state() -> Iterator[Record]:
    """What state costs: batches in which all streams update and in which one in a hundred does."""
    for streams in (100_000, 1_000_000):
        for part in (1.0, 0.01):
            rows = int(streams * part)
            # A batch covers more time than rows are held, so that each plays as many rows as it brings.
            pace = max(rows // 20, 1)
            ticker = Ticker(rows=rows, batches=8, streams=streams, queries=100_000, updating=part, rows_a_second=pace)
            with Runs(ticker) as runs:
                checkpoint = runs.folder / "kept"
                progress = runs.run(runs.monitored(), keep=checkpoint)[2:]
                counts = [counters(each) for each in progress]
                size = sum(path.stat().st_size for path in (checkpoint / "state").rglob("*") if path.is_file())
                others = {
                    "shards reading (ms)": statistics.median(c["microseconds"]["reading"] for c in counts) / 1000,
                    "shards playing (ms)": statistics.median(c["microseconds"]["playing"] for c in counts) / 1000,
                    "shards writing (ms)": statistics.median(c["microseconds"]["writing"] for c in counts) / 1000,
                    "written (KB)": statistics.median(c["state_bytes_written"] for c in counts) / 1000,
                    "checkpoint (MB)": size / 1e6,
                }
                workload = {**ticker.workload, "updating": part}
                yield Record("state", workload, "ms a batch", milliseconds(progress, warm=0), others)


MEASURES = {"throughput": throughput, "rival": rival, "latency": latency, "state": state}
