"""Batch input: sorted by time in the JVM, and played through a shard in chunks, so that it may exceed memory."""

from __future__ import annotations

import logging
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as F  # noqa: N812  # as all of Spark's users name it

from limen.operators.reading import read
from limen.operators.shard import Shard
from limen.spark.job import BY_QUERY
from limen.spark.operator import PARCELS, Operation, rejected_counts
from limen.spark.pack import PACKED, pack_changes, pack_spans
from limen.spark.packet import Packet
from limen.spark.shards import key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    from limen.spark.job import Job

log = logging.getLogger("limen")

_CONTROL, _DATA = 0, 1  # phases of a shard's rows


def batch_parcels(data: DataFrame, changes: DataFrame | None, job: Job) -> DataFrame:
    """Return the parcels of a batch input."""
    job = replace(job, options=replace(job.options, order="event", lateness=0))
    keys = [key_of(number) for number in range(job.shards)]
    rows = data.select(
        _shard_of(job, keys).alias("shard"),
        F.lit(_DATA).alias("phase"),
        F.lit(None).cast("binary").alias("packet"),
        "*",
    )
    # Everyone gets word, so that each shard counts what it has; times only when something may fall due by them.
    control = data.sparkSession.createDataFrame([(key, b"") for key in keys], PACKED)
    if changes is not None:
        control = control.unionByName(changes.mapInArrow(pack_changes(job), PACKED))
    if changes is not None or job.options.max_ahead is not None or job.options.expire_after is not None:
        control = control.unionByName(data.mapInArrow(pack_spans(job), PACKED))
    control = control.withColumn("phase", F.lit(_CONTROL))
    time = F.col(_quoted(job.columns.time))
    everything = rows.unionByName(control, allowMissingColumns=True)
    in_order = everything.repartition(job.shards, "shard").sortWithinPartitions("shard", "phase", time)
    return in_order.mapInArrow(play(job), PARCELS)


def _shard_of(job: Job, keys: list[int]) -> Column:
    table = F.array(*map(F.lit, keys))
    if job.routing == BY_QUERY:
        return F.explode(table)
    return F.element_at(table, F.pmod(F.hash(_quoted(job.columns.id)), F.lit(job.shards)) + 1)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def play(job: Job) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return what plays the shards of a partition, one after the other."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        player = None
        for batch in batches:
            for key, part in _by_shard(batch):
                if player is None or player.key != key:
                    if player is not None:
                        yield from player.close()
                    player = Player(job, key)
                yield from player.take(part)
        if player is not None:
            yield from player.close()

    return run


def _by_shard(batch: pa.RecordBatch) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Cut a batch, sorted by shard, where the shard changes."""
    shard = batch.column("shard").to_numpy()
    cuts = [0, *(np.flatnonzero(np.diff(shard)) + 1).tolist(), len(shard)]
    for first, last in pairwise(cuts):
        if last > first:
            yield int(shard[first]), batch.slice(first, last - first)


class Player:
    """One shard, to which its rows come in order of time."""

    def __init__(self, job: Job, key: int) -> None:
        self.key = key
        self._job = job
        self._number = job.number_of(key)
        shard = Shard(job.columns, job.options)
        shard.types.update(job.arrow_types)
        self._shard = shard
        self._operation = Operation(job, self._number, shard)
        self._packets: list[Packet] = []
        self._begun = False

    def take(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Take the next rows."""
        phase = batch.column("phase").to_numpy()
        words = int(np.searchsorted(phase, _DATA))
        self._packets += [
            Packet.from_bytes(content, self._job.columns)
            for content in batch.column("packet").slice(0, words).to_pylist()
            if content
        ]
        if words < len(phase):
            self._begin()
            rows, rejected = read(batch.slice(words), self._job.columns, dict(self._job.arrow_types))
            counts = rejected_counts(len(phase) - words, rejected) if self._job.counts_rows(self._number) else {}
            self._operation.take_sorted(rows, counts, rejected)
            yield from self._parcel()

    def close(self) -> Iterator[pa.RecordBatch]:
        """End the input."""
        self._begin()
        self._operation.close()
        for problem in self._operation.end().problems:
            log.warning("change rejected: %s", problem)
        yield from self._parcel()

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            if self._job.queries is not None:
                self._operation.take_list(self._job.queries, None)
            self._operation.begin(self._packets)

    def _parcel(self) -> Iterator[pa.RecordBatch]:
        """Send on what has been found so far, if it is much or the last."""
        yield self._operation.hand_over().parcels()
