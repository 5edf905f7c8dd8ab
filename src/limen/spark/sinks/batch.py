"""Which batch of which job: what makes a write recognisable when it is repeated."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of a job.

    Attributes
    ----------
    job
        The name that Spark gave to the checkpoint: another checkpoint counts its batches from 0 again.
    number
        Of the batch.
    first
        Whether it is the first since the job was started; only such a batch can be a repetition.
    checkpoint
        Where the checkpoint is.
    """

    job: str
    number: int
    first: bool
    checkpoint: str

    def begun_at(self, spark: SparkSession) -> int:
        """Return when the batch was tried for the first time, in milliseconds since 1970, from the checkpoint."""
        lines = spark.read.text(f"{self.checkpoint}/offsets/{self.number}", wholetext=True).collect()[0][0].split("\n")
        return int(json.loads(lines[1])["batchTimestampMs"])
