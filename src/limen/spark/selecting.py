"""Run a planned SELECT: Spark filters, Limen's operator answers, and Spark queries its changes."""

import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as T  # noqa: N812

from limen import changes
from limen.changes.aggregate import Aggregate
from limen.changes.distinct import Distinct
from limen.changes.several import Several
from limen.errors import InvalidInput
from limen.formats.query_json import query_from_dict, query_to_dict
from limen.model.columns import Columns
from limen.model.query import Query
from limen.spark.changes import folded
from limen.spark.monitoring import monitor
from limen.spark.schema import named
from limen.spark.sources import first_line
from limen.sql.planning import Plan
from limen.sql.planning.plan import COPY, LEFT, OWN, STREAM, WHEN, WHICH, WHY, value_name

_KEY = f"{OWN}key"
_Made = TypeVar("_Made")
_NESTED = (T.MapType, T.ArrayType, T.StructType, T.VariantType, T.BinaryType)


def select(plan: Plan, df: DataFrame, columns: Columns, options: dict[str, Any]) -> DataFrame:
    """Return the changes, values or numbers that a SELECT selects; batch or streaming as its stream is."""
    if plan.marks:
        watched = replace(columns, attributes=(*columns.attributes, LEFT))
        events = monitor(_marked(plan, df, columns), [_of_marked(plan.query)], watched, **options)
    else:
        events = monitor(_left(plan, df, columns), [plan.query], columns, **options)
    rows = _ran(plan, df.sparkSession, _changes(events, df, columns))
    if not plan.folds:
        return rows
    for name, item in zip(plan.names, plan.output.items, strict=True):
        kind = rows.schema[name].dataType
        if isinstance(kind, _NESTED):
            expected = "text, numbers, times or booleans in groups and DISTINCT"
            plan.scope.fail(item.tree, expected, got=kind.simpleString())
    fold = _numbers(plan, rows) if plan.output.numbers else Distinct(tuple(plan.names))
    names = {name: item.name for name, item in zip(plan.names, plan.output.items, strict=True)}
    return folded(fold, rows).withColumnsRenamed(names)


def _left(plan: Plan, df: DataFrame, columns: Columns) -> DataFrame:
    """Filter out streams that the operator does not need."""
    id = named(columns.id)
    focal = None if plan.focal is None else F.lit(plan.focal)
    condition = _condition(plan)
    if condition is not None:
        df = _checked(plan, lambda: df.where(condition if focal is None else condition | (id.cast("string") == focal)))
    keys = _keys(plan, df)
    if keys is None:
        return df
    if focal is not None:
        kind = df.schema[columns.id].dataType
        keys = keys.unionByName(df.sparkSession.range(1).select(focal.try_cast(kind).alias(_KEY)))
    return _joined(df, keys, id, "left_semi")


def _marked(plan: Plan, df: DataFrame, columns: Columns) -> DataFrame:
    """Mark the rows of streams that pass the conditions on the id; all rows stay, since they advance event time."""
    condition, keys = _condition(plan), _keys(plan, df)
    if keys is None:
        left = condition
    else:
        keys = keys.distinct()
        df = _joined(df, keys, named(columns.id), "left")
        left = named(_KEY).isNotNull() if condition is None else condition & named(_KEY).isNotNull()
    assert left is not None
    return _checked(plan, lambda: df.withColumn(LEFT, left).drop(_KEY))


def _joined(df: DataFrame, keys: DataFrame, id: Column, how: str) -> DataFrame:
    try:
        return df.join(keys, id == keys[_KEY], how)
    except AnalysisException as error:
        raise InvalidInput(first_line(error), where="SELECT: the join by the stream's id") from error


def _of_marked(query: Query) -> Query:
    """Let a query look at marked rows only."""
    where = LEFT if query.where is None else f"{LEFT} AND ({query.where})"
    return query_from_dict({**query_to_dict(query), "where": where})


def _condition(plan: Plan) -> Column | None:
    text = plan.before()
    return None if text is None else _checked(plan, lambda: F.expr(text))


def _keys(plan: Plan, df: DataFrame) -> DataFrame | None:
    statement = plan.keys()
    return None if statement is None else _query(df.sparkSession, statement)


def _checked(plan: Plan, make: Callable[[], _Made]) -> _Made:
    """Name the condition on the id in Spark's errors about it."""
    try:
        return make()
    except (AnalysisException, ParseException) as error:
        raise InvalidInput(first_line(error), where=f"condition {plan.before()}") from error


def _changes(events: DataFrame, df: DataFrame, columns: Columns) -> DataFrame:
    """Rename the columns of changes to those of the stream."""
    # Ids were cast to text; cast them back, so that joins compare equal types.
    id = F.col("stream_id").cast(df.schema[columns.id].dataType)
    values = [F.col("values")[place].alias(name) for place, name in enumerate(columns.values)]
    own = {STREAM: "stream_id", WHEN: "time", WHICH: "sign", WHY: "reason"}
    return changes.signed(events).select(  # type: ignore[no-any-return]
        id.alias(columns.id),
        F.col("time").alias(columns.time),
        *values,
        *(F.col(column).alias(name) for name, column in own.items()),
    )


def _ran(plan: Plan, spark: SparkSession, rows: DataFrame) -> DataFrame:
    """Run the statement on changes; the names that it knows tables by are gone when it has been read."""
    frames = {plan.scope.stream.alias: rows}
    frames |= {table.alias: _copies(spark.table(table.name)) for table in plan.copied()}
    views = {alias: f"{OWN}{uuid.uuid4().hex}" for alias in frames}
    try:
        for alias, frame in frames.items():
            frame.createOrReplaceTempView(views[alias])
        return _query(spark, plan.statement(views))
    finally:
        for view in views.values():
            spark.catalog.dropTempView(view)


def _copies(table: DataFrame) -> DataFrame:
    """Number rows that are alike, in an order that is the same each time."""
    plain = [named(field.name) for field in table.schema.fields if not isinstance(field.dataType, _NESTED)]
    every = [named(name).cast("string") for name in table.columns]
    return table.withColumn(COPY, F.row_number().over(Window.partitionBy(*plain).orderBy(*every)))


def _query(spark: SparkSession, statement: str) -> DataFrame:
    try:
        return spark.sql(statement)
    except (AnalysisException, ParseException) as error:
        raise InvalidInput(first_line(error), where="SELECT") from error


def _numbers(plan: Plan, rows: DataFrame) -> Several:
    """Return the fold that keeps the running aggregates of each group."""
    # A column that cannot be compared cannot identify a member; copies are numbered for that reason.
    member = tuple(name for name in plan.members() if not isinstance(rows.schema[name].dataType, _NESTED))
    for place, number in enumerate(plan.output.numbers):
        kind = None if number.value is None else rows.schema[value_name(place)].dataType
        if kind is not None and not isinstance(kind, T.NumericType):
            plan.refuse(place, kind.simpleString())
    parts = [
        Aggregate(number.helper, tuple(plan.names), member, None if number.value is None else value_name(place))
        for place, number in enumerate(plan.output.numbers)
    ]
    return Several(tuple(number.name for number in plan.output.numbers), tuple(parts))
