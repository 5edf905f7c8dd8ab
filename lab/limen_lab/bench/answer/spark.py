"""Answers through Spark, for `limen bench answer`."""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from limen_lab.bench.answer.queries import ANYWHERE, MOVING, CityQueries
from limen_lab.bench.answer.traffic import COLUMNS, CityTraffic
from limen_lab.bench.record import Record

SHARDS = 2
BATCHES = 6  # the first two are for compilers and first positions
WARM = 2


def spark(traffic: CityTraffic) -> Iterator[Record]:
    """Ranges and nearest through Spark, in two shards that share the queries out."""
    from limen.spark.monitoring import monitor  # noqa: PLC0415  # as above
    from limen.spark.progress import counters  # noqa: PLC0415  # as above
    from limen_lab.bench.spark import PER_SECOND, milliseconds, quiet_session  # noqa: PLC0415  # loads Spark

    session = quiet_session()
    for seconds in (1, 5):
        city = replace(traffic, seconds=BATCHES * seconds)
        for queries in (
            CityQueries(city, place=ANYWHERE),
            CityQueries(city, place=MOVING),
            CityQueries(city, 10_000, MOVING, nearest=10),
        ):
            with tempfile.TemporaryDirectory(prefix="limen-bench-") as name:
                folder = Path(name)
                _write(city, seconds, folder / "in")
                schema = session.read.parquet(str(folder / "in")).schema
                reader = session.readStream.schema(schema).option("maxFilesPerTrigger", 1)
                rows = reader.parquet(str(folder / "in"))
                events = monitor(rows, queries.queries(), COLUMNS, shards=SHARDS, routing="by_query", order="arrival")
                writer = events.writeStream.format("noop").trigger(availableNow=True)
                query = writer.option("checkpointLocation", str(folder / "checkpoint")).start()
                query.awaitTermination()
                progress: list[Any] = [each for each in query.recentProgress if each["numInputRows"]]
            counts = counters(progress[-1])
            workload = {
                **queries.workload, "rows a batch": city.streams * seconds, "seconds a batch": seconds,
                "shards": SHARDS, "routing": "by_query",
                "events a row": round(sum(counts["events"].values()) / counts["rows"], 3),
            }  # fmt: skip
            rate = 1000 * city.streams * seconds / milliseconds(progress, warm=WARM)
            shards = {
                f"shards: {phase} (ms, a shard)": micros / 1000 / SHARDS
                for phase, micros in counts["microseconds"].items()
            }
            yield Record("spark", workload, PER_SECOND, rate, shards)


def _write(city: CityTraffic, seconds: int, folder: Path) -> None:
    """Write a file a batch; Spark takes them in the order of their age."""
    folder.mkdir()
    for number in range(BATCHES):
        first = number * seconds
        tables = [city.table(city.batches[second], second) for second in range(first, first + seconds)]
        path = folder / f"{number:03}.parquet"
        pq.write_table(pa.concat_tables(tables), path)
        os.utime(path, (1_000_000_000 + number,) * 2)
