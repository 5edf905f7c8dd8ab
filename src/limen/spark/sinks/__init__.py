"""Where events go: one file a kind of sink. Each takes a batch as a whole; one that is repeated changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from limen.jobfile.endpoints import Database, Files, Screen, SinkPlace, Topic
from limen.spark.sinks.batch_id import BatchId
from limen.spark.sinks.console import ConsoleSink
from limen.spark.sinks.delta import DeltaSink
from limen.spark.sinks.files import FileSink
from limen.spark.sinks.kafka import KafkaSink
from limen.spark.sinks.postgres import PostgresSink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["EventSink", "open_sink"]


class EventSink(Protocol):
    """A place for events."""

    def check(self) -> None:
        """Say at once what would make every write fail."""

    def prepare(self) -> None:
        """Make what is needed for the first write."""

    def write(self, events: DataFrame, batch: BatchId) -> None:
        """Write the events of a batch, once, however often this is called for it."""


def open_sink(place: SinkPlace, show: Callable[[pa.Table, int], None]) -> EventSink:
    """Return the sink for a place; `show` brings events and their number to the screen."""
    if isinstance(place, Screen):
        return ConsoleSink(place, show)
    if isinstance(place, Database):
        return PostgresSink(place)
    if isinstance(place, Topic):
        return KafkaSink(place)
    assert isinstance(place, Files)
    return DeltaSink(place) if place.format == "delta" else FileSink(place)
