"""Events on the screen, for trials."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pyarrow as pa

from limen.jobfile.endpoints import Screen
from limen.spark.sinks.batch_id import BatchId

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class ConsoleSink:
    """Shows some events of each batch."""

    def __init__(self, place: Screen, show: Callable[[pa.Table, int], None]) -> None:
        self._rows, self._show = place.rows, show

    def check(self) -> None:
        """Do nothing: what there is to see, Spark sees."""

    def prepare(self) -> None:
        """Do nothing: a screen is there."""

    def write(self, events: DataFrame, batch: BatchId) -> None:  # noqa: ARG002  # as all sinks
        """Show the first events, and how many there are."""
        self._show(events.limit(self._rows).toArrow(), events.count())
