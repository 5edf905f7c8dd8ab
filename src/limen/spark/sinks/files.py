"""Files of events: a folder a batch, written and committed by Spark; a batch that is repeated replaces its folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812  # as all of Spark's users name it

from limen.errors import InvalidInput
from limen.jobfile.endpoints import Files, local_path
from limen.spark.sinks.batch_id import BatchId

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NESTED = ("values", "bindings")


class FileSink:
    """Parquet, JSON or CSV files."""

    def __init__(self, place: Files) -> None:
        self._place = place

    def check(self) -> None:
        """See whether the folder, or the one that it is to be made in, can be written to."""
        folder = local_path(self._place.path)
        there = next((each for each in (folder, *folder.parents) if each.exists()), None) if folder else None
        if there is not None and not (there.is_dir() and os.access(there, os.W_OK)):
            raise InvalidInput(
                where="sink: path",
                expected="a folder that can be written to",
                got=f"{self._place.path}: {there} cannot",
            )

    def prepare(self) -> None:
        """Make the folder."""
        folder = local_path(self._place.path)
        try:
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(
                where="sink: path",
                expected="a folder that can be written to",
                got=f"{self._place.path}: {error.strerror}",
            ) from error

    def write(self, events: DataFrame, batch: BatchId) -> None:
        """Write the folder of the batch. Its name is a partition, so that readers of the whole see columns of it."""
        if self._place.format == "csv":  # which has no lists
            events = events.withColumns({name: F.to_json(f"`{name}`") for name in _NESTED})
        folder = f"{self._place.path}/job={batch.job}/batch={batch.number}"
        events.write.format(self._place.format).options(**self._place.options).mode("overwrite").save(folder)
