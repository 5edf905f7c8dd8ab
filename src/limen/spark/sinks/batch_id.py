"""Which batch of which job: what makes a write recognisable when it is repeated."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class BatchId:
    """A batch of a job.

    Attributes
    ----------
    job
        The name that Spark gave to the checkpoint: another checkpoint counts its batches from 0 again.
    number
        Of the batch.
    checkpoint
        Where the checkpoint is.
    run_began
        When the job was started, in milliseconds since 1970.
    first
        Whether it is the first batch since then; no other can be a repetition.
    """

    job: str
    number: int
    checkpoint: str
    run_began: int
    first: bool

    def begun_before(self, spark: SparkSession) -> int | None:
        """Return when an earlier run began this batch, in milliseconds since 1970; None if none did."""
        if not self.first:
            return None
        lines = spark.read.text(f"{self.checkpoint}/offsets/{self.number}", wholetext=True).collect()[0][0].split("\n")
        begun = int(json.loads(lines[1])["batchTimestampMs"])  # Spark keeps it when it repeats a batch
        return begun if begun < self.run_began else None
