"""A streaming job without a JVM: its stages one after the other, with Spark's own stand-in for the state store."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.tws_tester import TwsTester

import limen
import limen.spark
from limen.checkpoint.snapshot import types_to_dict
from limen.formats.query_json import query_from_dict
from limen.model.options import Options
from limen.spark import shard_step as advance
from limen.spark.job import Job, pack_queries
from limen.spark.pack import pack_changes, pack_rows, unpack
from limen.spark.processor import ShardProcessor
from tests import subject
from tests.subject import ATTRIBUTE_TYPES, Event


class LocalJob:
    """Packs rows and changes, gives each shard its packets, and unpacks the events, batch by batch."""

    def __init__(
        self,
        columns: Mapping[str, Any],
        queries: Iterable[Mapping[str, Any]],
        shards: int,
        routing: str = "by_stream",
        **options: Any,
    ) -> None:
        self._columns = columns
        self._job = Job(
            columns=limen.Columns(**columns),
            options=Options.of(options),
            types=types_to_dict({name: ATTRIBUTE_TYPES[name] for name in columns.get("attributes", ())}),
            shards=shards,
            routing=routing,
            queries=pack_queries([query_from_dict(form) for form in queries]),
        )
        self._shards = TwsTester(ShardProcessor(self._job))
        self.batches: list[dict[str, Any]] = []

    def take(
        self, rows: Sequence[Mapping[str, Any]], changes: Sequence[Mapping[str, str]] = (), partitions: int = 1
    ) -> list[Event]:
        """Take a micro-batch, whose rows lie in several partitions; return its events."""
        packed = []
        for number in range(partitions):
            part = subject._table(rows[number::partitions], self._columns)
            packed += list(pack_rows(self._job)(iter(part.to_batches())))
        if changes:
            texts = pa.RecordBatch.from_pylist(list(changes), pa.schema([("change", pa.string())]))
            packed += list(pack_changes(self._job)(iter([texts])))
        packets = pa.Table.from_batches(packed).to_pandas()
        parcels = pd.concat([self._shards.testInPandas(key, own[["packet"]]) for key, own in packets.groupby("shard")])
        self.batches.append(self._counted(parcels))
        events = pa.RecordBatch.from_arrays([pa.array(parcels["events"].dropna(), pa.binary())], ["events"])
        return subject._plain(pa.Table.from_batches(unpack(iter([events])), limen.SCHEMA))

    def forget_copies(self) -> None:
        """Have the next batch served by a worker that has to read the state."""
        advance._copies.clear()

    def _counted(self, parcels: pd.DataFrame) -> dict[str, Any]:
        sums = parcels.drop(columns=["events", "watermark", "problems"]).sum().to_dict()
        return limen.spark.counters({"observedMetrics": {"limen_1": {**sums, "watermark": None, "problems": None}}})
