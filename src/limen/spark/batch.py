"""Batch input: sorted by time in the JVM, and played through a shard in chunks, so that it may exceed memory."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # as all of Spark's users name it

from limen.model.options import BY_QUERY
from limen.queries.registry import new_shard
from limen.runtime.admission import Arrivals, read_arrivals
from limen.spark.batch_run import BoundedRun
from limen.spark.job import Job
from limen.spark.pack import PACKED, chunks, pack_changes, pack_spans
from limen.spark.packet import Packet
from limen.spark.shard_output import OUTPUT
from limen.spark.shards import key_of

log = logging.getLogger("limen")

_ID, _TIME = "c0", "c1"  # as `project` orders columns


def batch_output(data: DataFrame, changes: DataFrame | None, job: Job, *, deadlines: bool) -> DataFrame:
    """Return the outputs of a batch input; `deadlines`: whether queries have timers."""
    job = replace(job, options=replace(job.options, order="event", lateness=0))
    keys = [key_of(number) for number in range(job.shards)]
    # By number, since a column of the user may be called anything, `shard` too.
    named = data.toDF(*(f"c{number}" for number in range(len(data.columns))))
    rows = named.select(_shard_of(job, keys).alias("shard"), F.lit(None).cast("binary").alias("packet"), "*")
    # Every shard gets a packet, so that each counts what it has; times only when something may fall due by them.
    control = data.sparkSession.createDataFrame([(key, b"") for key in keys], PACKED)
    if changes is not None:
        control = control.unionByName(changes.mapInArrow(pack_changes(job), PACKED))
    by_time = deadlines or job.options.max_ahead is not None or job.options.expire_after is not None
    if changes is not None or by_time:
        control = control.unionByName(data.mapInArrow(pack_spans(job), PACKED))
    everything = rows.unionByName(control, allowMissingColumns=True)
    # A partition is a shard. Control packets have no time, so they sort first; one sort column is several times faster.
    in_order = everything.repartition(job.shards, "shard").sortWithinPartitions(_TIME)
    return in_order.mapInArrow(play(job), OUTPUT)


def _shard_of(job: Job, keys: list[int]) -> Column:
    table = F.array(*map(F.lit, keys))
    if job.routing == BY_QUERY:
        return F.explode(table)
    return F.element_at(table, F.pmod(F.hash(_ID), F.lit(job.shards)) + 1)


def play(job: Job) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return what plays the shard of a partition."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        player = Player(job)
        for chunk in chunks(batches):
            yield from player.take(chunk)
        yield from player.close()

    return run


class Player:
    """One shard that reads its rows in order of time, after the control packets that apply to all of them."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._number = 0
        self._packets: list[Packet] = []
        self._parts: list[Arrivals] = []  # read, and not taken yet
        self._run: BoundedRun | None = None

    def take(self, chunk: pa.Table) -> Iterator[pa.RecordBatch]:
        """Take the next rows. Rows without a time come with the control packets; they are only counted."""
        self._number = self._job.number_of(chunk.column("shard")[0].as_py())
        words = chunk.column("packet")
        if words.null_count < len(words):
            contents = words.drop_null().to_pylist()
            self._packets += [Packet.from_bytes(content, self._job.columns) for content in contents if content]
            chunk = chunk.filter(words.is_null())
        columns = self._job.columns
        chunk = chunk.drop_columns(["shard", "packet"]).rename_columns(
            [columns.id, columns.time, *columns.values, *columns.attributes]
        )
        part = read_arrivals(chunk, columns, dict(self._job.arrow_types), None)
        self._parts.append(part)
        if part.rows:  # with the first row that has a time all control packets are there
            yield self._output(self._taken())

    def close(self) -> Iterator[pa.RecordBatch]:
        """End the input."""
        run = self._taken()
        run.close()
        run.end()
        yield self._output(run)

    def _taken(self) -> BoundedRun:
        """Let the shard take what has been read."""
        if self._run is None:
            shard = new_shard(self._job.columns, self._job.options)
            shard.types.update(self._job.arrow_types)
            self._run = BoundedRun(self._job, self._number, shard)
            if self._job.queries is not None:
                self._run.take_list(self._job.queries, None)
            self._run.begin(self._packets)
        self._run.take(self._parts)
        self._parts = []
        return self._run

    def _output(self, run: BoundedRun) -> pa.RecordBatch:
        """Return what has been found so far."""
        output = run.hand_over()
        for problem in output.problems:
            log.warning("change rejected: %s", problem)
        return output.to_batch()
