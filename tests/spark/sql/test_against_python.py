"""Whole statements on Spark against plain Python, so that any part that runs in the wrong place is found."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import limen.spark
from limen import InvalidStatement
from limen.spark.statements import _names
from tests.select_statements import (
    COLUMNS,
    FAVOURITES,
    SCHEMA,
    TAGS,
    Row,
    Statement,
    instants,
    is_refused,
    owners,
    reference,
    rows_of,
    statements,
    tagged,
)


#: Spark takes a second or two for each.
@settings(max_examples=max(4, settings.default.max_examples // 5))
@given(statements(), instants, owners, tagged, st.sampled_from((None, None, 1, 3)))
def test_a_statement_says_what_plain_python_says(
    spark: SparkSession,
    statement: Statement,
    instants: list[list[Row]],
    favourites: list[Row],
    tags: list[Row],
    expire_after: int | None,
) -> None:
    table = pa.Table.from_pylist(rows_of(instants), SCHEMA)
    options = {} if expire_after is None else {"expire_after": expire_after}
    spark.createDataFrame(pa.Table.from_pylist(favourites, FAVOURITES)).createOrReplaceTempView("favourites")
    spark.createDataFrame(pa.Table.from_pylist(tags, TAGS)).createOrReplaceTempView("tags")
    limen.spark.stream("m", spark.createDataFrame(table), COLUMNS, shards=2, **options)
    try:
        if is_refused(statement):
            with pytest.raises(InvalidStatement, match="beside kNN"):
                limen.spark.sql(statement.text())
            return
        got = [tuple(row.values()) for row in limen.spark.sql(statement.text()).toArrow().to_pylist()]
    finally:
        _names.streams.clear()
    wanted = reference(statement, table, favourites, tags, options)
    assert sorted(map(repr, got)) == sorted(map(repr, wanted)), statement.text()
