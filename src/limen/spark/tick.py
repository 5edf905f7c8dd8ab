"""Processing-time ticks, for sources that may fall silent: a stream of `advance` changes with offsets of its own."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from limen.model.options import Options, read_tick


def ticks(spark: SparkSession, tick: Any, options: Options) -> DataFrame:
    """Return a stream of changes that let time go on, `lateness` behind the clock.

    The ticks come from Spark's own rate source: which ticks belong to a batch is in its offsets, and the time of each
    follows from its number, so a batch that is repeated repeats its ticks.
    """
    every = read_tick(tick)
    source = spark.readStream.format("rate").option("rowsPerSecond", 1).option("numPartitions", 1).load()
    to = F.date_format(
        F.to_utc_timestamp(
            F.timestamp_micros(F.unix_micros("timestamp") - F.lit(options.lateness)), F.current_timezone()
        ),
        "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'",
    )
    text = F.concat(F.lit('{"op": "advance", "to": "'), to, F.lit('"}'))
    return source.where(F.col("value") % F.lit(every // 1_000_000) == 0).select(text.alias("change"))
