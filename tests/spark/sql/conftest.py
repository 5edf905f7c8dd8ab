"""Tables to join, and a stream to ask, batch and streaming."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import limen.spark
from limen import Columns
from limen.spark.statements import _names
from tests.spark.running import MicroBatches
from tests.spark.sql.workload import COLUMNS, LAST, OWNERS, ROWS, SCHEMA, Told, in_order


@pytest.fixture
def tables(spark: SparkSession) -> Iterator[None]:
    """Tables to join; names are forgotten in the end."""
    rows = [(car, *owner) for car, owner in OWNERS.items()]
    spark.createDataFrame(rows, "id long, owner string, seats int").createOrReplaceTempView("favourites")
    spark.createDataFrame([(1, "red"), (1, "fast"), (3, "red")], "id long, tag string").createOrReplaceTempView("tags")
    spark.createDataFrame([(1,), (4,), (5,)], "ObjectID long").createOrReplaceTempView("MyFavoriteCars")
    spark.createDataFrame([(1, {"a": 1})], "id long, parts map<string, int>").createOrReplaceTempView("boxes")
    yield
    for name in ("favourites", "tags", "MyFavoriteCars", "boxes"):
        spark.catalog.dropTempView(name)
    _names.streams.clear()
    _names.regions.clear()
    _names.queries.clear()


@pytest.fixture(params=["batch", pytest.param("streaming", marks=pytest.mark.soak)])
def ask(
    request: pytest.FixtureRequest, spark: SparkSession, tables: None, micro_batches: MicroBatches, tmp_path: Path
) -> Callable[[str], Told]:
    """Run a statement on the stream `positions`, also known as the paper's; return all that comes out."""
    rows = [*ROWS, *LAST]
    if request.param == "batch":
        df = spark.createDataFrame(pa.Table.from_pylist(rows, SCHEMA))
    else:
        df = micro_batches([rows[:50], rows[50:]], SCHEMA)
    limen.spark.stream("positions", df, COLUMNS, lateness=0, shards=2)
    silent = df.where("car <> 1 OR second(t) % 7 < 3")
    limen.spark.stream("silent", silent, COLUMNS, lateness=0, shards=2, expire_after=2)
    paper = Columns("ObjectID", "t", ("x", "y"), ("type",))
    limen.spark.stream("MovingObjects", df.withColumnsRenamed({"car": "ObjectID", "kind": "type"}), paper, lateness=0)

    def run(statement: str) -> Told:
        result = limen.spark.sql(statement)
        assert result.isStreaming == (request.param == "streaming")
        if result.isStreaming:
            writer = result.writeStream.format("memory").queryName("told").trigger(availableNow=True)
            writer.option("checkpointLocation", str(tmp_path / "told")).start().awaitTermination()
            result = spark.table("told")
        return in_order(result)

    return run


@pytest.fixture
def few(spark: SparkSession, tables: None) -> DataFrame:
    """Return some rows, which are the stream `positions`."""
    df = spark.createDataFrame(pa.Table.from_pylist(ROWS[:20], SCHEMA))
    limen.spark.stream("positions", df, COLUMNS, lateness=0)
    return df
