"""The SQL job that is killed: `python -m tests.chaos.sql_job INPUT RUN`; a join, a filter and a running count.

It works through the files of the folder INPUT, one a batch, and ends. In the folder RUN it keeps its checkpoint and its
sink; when it ends it leaves there what a reader of the sink sees.
"""

import sys
from pathlib import Path

import pyarrow.parquet as pq

import limen
from limen.spark import session, stream
from limen.spark import sql as run_sql
from tests.chaos.job import SETTINGS, SHARDS

COLUMNS = limen.Columns("car", "t", ("x", "y"), ("kind",))
ROWS = "car long, t timestamp, x double, y double, kind string"
OWNERS = {car: ("city", "Ann", "Bob")[car % 3] for car in range(0, 40, 2)}
STATEMENT = """
    SELECT F.owner, count(*) AS n, avg(M.x) AS x
    FROM positions M JOIN favourites F ON M.car = F.id
    WHERE M.kind = 'truck' AND F.owner <> 'Bob'
    GROUP BY F.owner
    INSIDE (2, 2, 7, 7)
"""


def main(source: Path, run: Path) -> None:
    """Run the job to the end of what there is."""
    spark = session(**SETTINGS)
    spark.createDataFrame(list(OWNERS.items()), "id long, owner string").createOrReplaceTempView("favourites")
    rows = spark.readStream.schema(ROWS).option("maxFilesPerTrigger", 1).parquet(str(source))
    stream("positions", rows, COLUMNS, lateness=0, shards=SHARDS)
    numbers = run_sql(STATEMENT)
    schema = numbers.schema
    writer = numbers.writeStream.format("parquet").option("checkpointLocation", str(run / "checkpoint"))
    writer.trigger(availableNow=True).start(str(run / "sink")).awaitTermination()
    # Spark's own reader: it knows which files of the sink are committed.
    pq.write_table(spark.read.schema(schema).parquet(str(run / "sink")).toArrow(), run / "seen.parquet")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
