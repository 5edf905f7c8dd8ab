"""What is said of statements and streams that cannot be."""

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import limen.spark
from limen import Columns, InvalidInput, InvalidQuery, InvalidStatement
from tests.spark.running import MicroBatches
from tests.spark.sql.workload import COLUMNS, ROWS, SCHEMA

IN = "INSIDE (2, 2, 7, 7)"
MISTAKES = {
    "CREATE MATCH m ON postions INSIDE x < 3": (
        "sql: expected a stream (positions), got 'postions'. Hint: did you mean 'positions'?"
    ),
    "CREATE MATCH m ON positions INSIDE z < 3": "query 'm': on: expected a column among x, y, got 'z'",
    "CREATE MATCH m ON positions INSIDE RANGE (0, 3)": (
        "query 'm': expected a region of 2 dimensions (x, y), got 1. "
        "Hint: name the columns that the region is about with on="
    ),
    "CREATE MATCH m ON positions WHERE kind > 3 INSIDE x < 3": (
        "query 'm': expression 'kind > 3': expected values of one kind for >, got `kind` (string), 3 (int64)"
    ),
    "DROP QUERY nobody": "DROP QUERY: expected a query that there is, got nobody",
    f"SELECT car FROM positions WHERE no_function(car) {IN}": (
        "condition (NO_FUNCTION(car)): [UNRESOLVED_ROUTINE] Cannot resolve routine `NO_FUNCTION` on search path"
    ),
    f"SELECT M.car FROM positions M JOIN boxes B ON M.car = B.parts {IN}": (
        "SELECT: the join by the stream's id: [DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES]"
    ),
    f"SELECT DISTINCT B.parts FROM positions M JOIN boxes B ON M.car = B.id {IN}": (
        "line 1, column 17: expected text, numbers, times or booleans in groups and DISTINCT, got map<string,int>"
    ),
    f"SELECT sum(F.owner) AS n FROM positions M JOIN favourites F ON M.car = F.id {IN}": (
        "line 1, column 12: expected numbers to add up, got string"
    ),
    f"SELECT car FROM nowhere {IN}": (
        "line 1, column 17: expected a stream or a table that Spark knows, got nowhere. "
        "Hint: df.createOrReplaceTempView(name) gives a DataFrame a name"
    ),
    "INSERT INTO favourites VALUES (1)": (
        "line 1, column 1: expected CREATE, DROP QUERY, SHOW QUERIES, EXPLAIN or SELECT, got INSERT"
    ),
    "  ": "line 1, column 1: expected a statement, got nothing",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_what_is_said_of_a_statement_that_cannot_be_run(text: str, few: DataFrame) -> None:
    with pytest.raises((InvalidInput, InvalidQuery)) as caught:
        limen.spark.sql(text)
    assert str(caught.value).startswith(MISTAKES[text])


def test_streams_that_cannot_be_named(spark: SparkSession, few: DataFrame, micro_batches: MicroBatches) -> None:
    with pytest.raises(InvalidInput, match="stream: expected a name first, got ''"):
        limen.spark.stream("", few, COLUMNS)
    with pytest.raises(InvalidInput, match="stream 's': expected a DataFrame of Spark second, got Table"):
        limen.spark.stream("s", pa.table({}), COLUMNS)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"stream 's': expected limen.Columns\(…\) third, got None"):
        limen.spark.stream("s", few, None)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"expected a column 'z' \(a value column\)"):
        limen.spark.stream("s", few, Columns("car", "t", "z"))
    with pytest.raises(InvalidStatement, match="sql: expected text, got 7"):
        limen.spark.sql(7)  # type: ignore[arg-type]
    micro_batches([ROWS[:3]], SCHEMA).createOrReplaceTempView("flows")
    with pytest.raises(InvalidInput, match="table flows: expected a table that does not change while the stream runs"):
        limen.spark.sql(f"SELECT M.car FROM positions M JOIN flows F ON M.car = F.car {IN}")
    spark.catalog.dropTempView("flows")
