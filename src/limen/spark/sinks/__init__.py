"""Sinks of events: one class for each kind of place in a job file."""

from collections.abc import Callable

import pyarrow as pa
from pyspark.sql import DataFrame

from limen.jobfile.endpoints import Database, Files, Screen, SinkPlace, Topic
from limen.spark.sinks.event_sink import BatchId, EventSink
from limen.spark.sinks.files import DeltaSink, FileSink
from limen.spark.sinks.kafka import KafkaSink
from limen.spark.sinks.postgres import PostgresSink

__all__ = ["BatchId", "EventSink", "open_sink"]


class ConsoleSink(EventSink):
    """Show some events of each batch on the screen, for trials."""

    def __init__(self, place: Screen, show: Callable[[pa.Table, int], None]) -> None:
        self._rows, self._show = place.rows, show

    def write(self, events: DataFrame, batch: BatchId) -> None:  # noqa: ARG002  # as all sinks
        """Show the first events, and how many there are."""
        self._show(events.limit(self._rows).toArrow(), events.count())


def open_sink(place: SinkPlace, show: Callable[[pa.Table, int], None]) -> EventSink:
    """Return the sink for a place; `show` displays events and their number on the screen."""
    if isinstance(place, Screen):
        return ConsoleSink(place, show)
    if isinstance(place, Database):
        return PostgresSink(place)
    if isinstance(place, Topic):
        return KafkaSink(place)
    assert isinstance(place, Files)
    return DeltaSink(place) if place.format == "delta" else FileSink(place)
