"""A planned SELECT at work: Spark before, our operator, and Spark on its changes."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as T  # noqa: N812

from limen import changes
from limen.changes.aggregate import Aggregate
from limen.changes.several import Several
from limen.errors import InvalidInput
from limen.spark.changes import told
from limen.spark.monitoring import monitor
from limen.spark.schema import _named as named
from limen.spark.sources import first_line
from limen.sql.planning.plan import OWN, STREAM, WHEN, WHICH, WHY, value_name

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from limen.model.columns import Columns
    from limen.sql.planning import Plan

_KEY = f"{OWN}key"
_NESTED = (T.MapType, T.ArrayType, T.StructType, T.VariantType, T.BinaryType)


def select(plan: Plan, df: DataFrame, columns: Columns, options: dict[str, Any]) -> DataFrame:
    """Return the changes, values or numbers that a SELECT asks for; batch or streaming as its stream is."""
    events = monitor(_before(plan, df, columns), [plan.query], columns, **options)
    rows = _ran(df.sparkSession, plan.statement, _changes(events, df, columns))
    output = plan.output
    names = [item.name for item in output.items]
    if output.numbers:
        return _numbers(plan, rows, names)
    if output.distinct:
        return changes.distinct(rows, names)  # type: ignore[no-any-return]
    return rows


def _before(plan: Plan, df: DataFrame, columns: Columns) -> DataFrame:
    """Leave out streams of which the operator need not know."""
    spark, id = df.sparkSession, named(columns.id)
    focal = None if plan.focal is None else F.lit(plan.focal)
    condition = plan.before()
    if condition is not None:
        try:
            kept: Column = F.expr(condition)
            df = df.where(kept if focal is None else kept | (id.cast("string") == focal))
        except (AnalysisException, ParseException) as error:
            raise InvalidInput(first_line(error), where=f"condition {condition}") from error
    statement = plan.keys()
    if statement is None:
        return df
    keys = _query(spark, statement)
    if focal is not None:
        kind = df.schema[columns.id].dataType
        keys = keys.unionByName(spark.range(1).select(focal.try_cast(kind).alias(_KEY)))
    return df.join(keys, id == keys[_KEY], "left_semi")


def _changes(events: DataFrame, df: DataFrame, columns: Columns) -> DataFrame:
    """Name what changes tell as the stream does."""
    # What was cast to text comes back to what it was, so that joins compare like with like.
    id = F.col("stream_id").cast(df.schema[columns.id].dataType)
    values = [F.col("values")[place].alias(name) for place, name in enumerate(columns.values)]
    own = {STREAM: "stream_id", WHEN: "time", WHICH: "sign", WHY: "reason"}
    return changes.signed(events).select(  # type: ignore[no-any-return]
        id.alias(columns.id),
        F.col("time").alias(columns.time),
        *values,
        *(F.col(column).alias(name) for name, column in own.items()),
    )


def _ran(spark: SparkSession, statement: Any, rows: DataFrame) -> DataFrame:
    """Run a statement on rows; the name that it knows them by is gone when it has been read."""
    view = f"{OWN}{uuid.uuid4().hex}"
    rows.createOrReplaceTempView(view)
    try:
        return _query(spark, statement(view))
    finally:
        spark.catalog.dropTempView(view)


def _query(spark: SparkSession, statement: str) -> DataFrame:
    try:
        return spark.sql(statement)
    except (AnalysisException, ParseException) as error:
        raise InvalidInput(first_line(error), where="SELECT") from error


def _numbers(plan: Plan, rows: DataFrame, names: list[str]) -> DataFrame:
    """Keep running numbers of each group."""
    # What cannot be compared cannot tell members apart.
    member = tuple(name for name in plan.members() if not isinstance(rows.schema[name].dataType, _NESTED))
    parts = [
        Aggregate(number.helper, tuple(names), member, None if number.value is None else value_name(place))
        for place, number in enumerate(plan.output.numbers)
    ]
    return told(Several(tuple(number.name for number in plan.output.numbers), tuple(parts)), rows)
