"""Events as messages of Kafka: the event's id is the key, the event as JSON the value.

Kafka takes what it is sent, as often as it is sent. Only the first batch after a start can be one that was begun
before; of that batch, events that the topic has are left out. A task that fails while it sends is tried again by Spark,
and then a message may come twice: with the same key, so that a compacted topic or a consumer can drop it.
"""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # as all of Spark's users name it

from limen.jobfile.endpoints import Topic
from limen.spark.sinks.event_sink import BatchId, EventSink
from limen.spark.sources import check_servers

_SLACK = 300_000  # milliseconds that the clocks of machines may differ


class KafkaSink(EventSink):
    """A topic of Kafka."""

    def __init__(self, place: Topic) -> None:
        self._place = place
        self._servers = {"kafka.bootstrap.servers": place.servers}

    def check(self) -> None:
        """Refuse a list of servers of which none answers."""
        check_servers(self._place.servers, f"sink: topic {self._place.topic!r}")

    def write(self, events: DataFrame, batch: BatchId) -> None:
        """Send the events that the topic does not have."""
        begun = batch.begun_before(events.sparkSession)
        if begun is not None:
            events = events.join(self._sent(events.sparkSession, begun), "event_id", "left_anti")
        messages = events.select(F.col("event_id").alias("key"), F.to_json(F.struct("*")).alias("value"))
        writer = messages.write.format("kafka").options(**self._servers).option("topic", self._place.topic)
        writer.options(**self._place.options).save()

    def _sent(self, spark: SparkSession, since: int) -> DataFrame:
        """Return the ids of events that were sent since a time."""
        reader = spark.read.format("kafka").options(**self._servers).option("subscribe", self._place.topic)
        reader = reader.option("startingTimestamp", since - _SLACK)
        reader = reader.option("startingOffsetsByTimestampStrategy", "latest")
        return reader.load().select(F.col("key").cast("string").alias("event_id")).distinct()
