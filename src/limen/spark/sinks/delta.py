"""Tables of Delta, which know a job and the last of its batches that they have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limen.jobfile.endpoints import Files
from limen.spark.sinks.batch_id import BatchId

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class DeltaSink:
    """A table of Delta."""

    def __init__(self, place: Files) -> None:
        self._place = place

    def check(self) -> None:
        """Do nothing: what there is to see, Spark sees."""

    def prepare(self) -> None:
        """Do nothing: the table is made with the first events."""

    def write(self, events: DataFrame, batch: BatchId) -> None:
        """Append the events; Delta leaves out a batch that it has."""
        writer = events.write.format("delta").mode("append").options(**self._place.options)
        writer.option("txnAppId", batch.job).option("txnVersion", batch.number).save(self._place.path)
