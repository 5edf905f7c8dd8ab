"""Base of all sinks: each writes a batch as a whole, and a batch that is repeated changes nothing."""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class BatchId:
    """A batch of a job, which makes a write recognisable when it is repeated.

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


class EventSink(ABC):
    """A destination of events."""

    def check(self) -> None:  # noqa: B027  # most sinks have nothing to check that Spark does not
        """Raise an error for what would make every write fail."""

    def prepare(self) -> None:  # noqa: B027
        """Create what the first write needs."""

    @abstractmethod
    def write(self, events: DataFrame, batch: BatchId) -> None:
        """Write the events of a batch, once, however often this is called for it."""
