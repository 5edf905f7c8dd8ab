"""Events on the screen, for trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from limen.jobfile.endpoints import Screen
    from limen.spark.sinks.batch_id import BatchId


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
