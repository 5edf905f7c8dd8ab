"""Events in folders: files in one folder per batch, or a Delta table."""

import os

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # as all of Spark's users name it

from limen.errors import InvalidInput
from limen.jobfile.endpoints import Files, local_path
from limen.spark.sinks.event_sink import BatchId, EventSink

_NESTED = ("values", "bindings")


class FileSink(EventSink):
    """Parquet, JSON or CSV files, written and committed by Spark; a repeated batch replaces its folder."""

    def __init__(self, place: Files) -> None:
        self._place = place

    def check(self) -> None:
        """Refuse a folder that cannot be written to, or created in its parent."""
        folder = local_path(self._place.path)
        there = next((each for each in (folder, *folder.parents) if each.exists()), None) if folder else None
        if there is not None and not (there.is_dir() and os.access(there, os.W_OK)):
            raise self._not_writable(f"{there} cannot")

    def prepare(self) -> None:
        """Create the folder."""
        folder = local_path(self._place.path)
        try:
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._not_writable(error.strerror) from error

    def _not_writable(self, why: str | None) -> InvalidInput:
        expected = "a folder that can be written to"
        return InvalidInput(where="sink: path", expected=expected, got=f"{self._place.path}: {why}")

    def write(self, events: DataFrame, batch: BatchId) -> None:
        """Write the folder of the batch. Its name is a partition, so that readers of the whole see columns of it."""
        if self._place.format == "csv":  # which has no lists
            events = events.withColumns({name: F.to_json(f"`{name}`") for name in _NESTED})
        folder = f"{self._place.path}/job={batch.job}/batch={batch.number}"
        events.write.format(self._place.format).options(**self._place.options).mode("overwrite").save(folder)


class DeltaSink(EventSink):
    """A table of Delta, which stores the last batch of each job; the first events create it."""

    def __init__(self, place: Files) -> None:
        self._place = place

    def write(self, events: DataFrame, batch: BatchId) -> None:
        """Append the events; Delta skips a batch that it already has."""
        writer = events.write.format("delta").mode("append").options(**self._place.options)
        writer.option("txnAppId", batch.job).option("txnVersion", batch.number).save(self._place.path)
