"""The user's columns, checked against Spark's schema and projected in the JVM; and the columns of events."""

from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as T  # noqa: N812

from limen.errors import InvalidInput, did_you_mean
from limen.model.columns import Columns

#: The columns of events; `limen.SCHEMA` in Spark's words.
EVENTS = (
    "event_id string, query_id string, kind string, stream_id string, time timestamp, started_at timestamp, "
    "reason string, `values` array<double>, "
    "bindings array<struct<variable: string, stream_id: string, time: timestamp>>"
)

# Matches statements over many streams. A condition that matches by chance only makes the job split by query.
_AROUND = r"""(?i)\b(knn|around|pattern|trigger)\b|\(\s*['"]m['"]\s*,"""

_WHOLE = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
_BROKEN = (T.FloatType, T.DoubleType, T.DecimalType)
_TIMES = (T.TimestampType, T.TimestampNTZType, T.DateType)


def is_frame(value: Any) -> bool:
    """Whether a value is a DataFrame of Spark, classic or through Connect."""
    return type(value).__module__.startswith("pyspark.sql") and hasattr(value, "isStreaming")


def check_frame(where: str, df: Any, columns: Any, *, place: str, hint: str | None = None) -> None:
    """Refuse arguments that are not a DataFrame of Spark, in the first or second place, and its columns."""
    if not is_frame(df):
        raise InvalidInput(where=where, expected=f"a DataFrame of Spark {place}", got=type(df).__name__, hint=hint)
    if not isinstance(columns, Columns):
        raise InvalidInput(where=where, expected="limen.Columns(…) third", got=repr(columns))


def project(df: DataFrame, columns: Columns) -> tuple[DataFrame, dict[str, str]]:
    """Choose the columns and give them the types of the model; also return the types of the attributes."""
    chosen = [_id(df, columns.id), _time(df, columns)]
    chosen += [_value(df, name) for name in columns.values]
    types = {}
    for name in columns.attributes:
        column, types[name] = _attribute(df, name)
        chosen.append(column)
    return df.select(*chosen), types


def read_changes(df: DataFrame) -> DataFrame:
    """Choose the column of changes."""
    kind = _type_of(df, "change", "changes of queries", "queries")
    if not isinstance(kind, T.StringType):
        raise _wrong("queries", "change", "text: one JSON object a change", kind)
    return df.select("change")


def registers_global(changes: DataFrame) -> bool:
    """Return whether a batch of changes registers a query over many streams, which needs routing by query."""
    kind, focal = (F.get_json_object("change", f"$.query.{key}") for key in ("type", "focal"))
    around = kind.isin("nearest", "pattern") | ((kind == "within") & focal.isNotNull())
    around |= F.get_json_object("change", "$.sql").rlike(_AROUND)
    return not changes.where(around).isEmpty()


def _type_of(df: DataFrame, name: str, role: str, place: str = "data") -> T.DataType:
    found = [field.dataType for field in df.schema.fields if field.name == name]
    if len(found) != 1:
        names = df.columns
        raise InvalidInput(
            where=f"monitor: {place}",
            expected=f"a column {name!r} ({role})",
            got=f"{len(found)} of that name" if found else f"columns {', '.join(names) or 'none'}",
            hint=None if found else did_you_mean(name, names) or "Columns(…) gives each column its role",
        )
    alike = [each for each in df.columns if each.lower() == name.lower()]
    if len(alike) > 1 and df.sparkSession.conf.get("spark.sql.caseSensitive") != "true":
        raise InvalidInput(
            where=f"monitor: {place}",
            expected=f"one column {name!r} ({role}), since Spark takes small and capital letters for the same",
            got=f"columns {', '.join(alike)}",
            hint="drop or rename the others, or set spark.sql.caseSensitive=true",
        )
    return found[0]


def _wrong(place: str, name: str, expected: str, got: T.DataType, hint: str | None = None) -> InvalidInput:
    return InvalidInput(
        where=f"monitor: {place}: column {name!r}", expected=expected, got=got.simpleString(), hint=hint
    )


def quoted(name: str) -> str:
    """Write a name so that Spark takes it as it is."""
    return "`" + name.replace("`", "``") + "`"


def named(name: str) -> Column:
    """Return the column of a name, whatever characters the name has."""
    return F.col(quoted(name))


def _id(df: DataFrame, name: str) -> Column:
    kind = _type_of(df, name, "the id column")
    if not isinstance(kind, (T.StringType, T.CharType, T.VarcharType, T.NullType, *_WHOLE)):
        raise _wrong("id", name, "text or integers", kind)
    return named(name).cast("string").alias(name)


def _time(df: DataFrame, columns: Columns) -> Column:
    name = columns.time
    kind = _type_of(df, name, "the time column")
    if isinstance(kind, (*_TIMES, T.NullType)):
        return named(name)
    if isinstance(kind, _WHOLE):
        if columns.time_unit is None:
            unit = "give the unit of the integers: Columns(…, time_unit='s'), 'ms', 'us' or 'ns'"
            raise _wrong("time", name, "timestamps", kind, unit)
        return named(name).cast("bigint").alias(name)
    reading = f"df.withColumn({name!r}, F.try_to_timestamp({name!r})) reads text, and what it cannot read is counted"
    hint = reading if isinstance(kind, T.StringType) else None
    raise _wrong("time", name, "timestamps, or integers with Columns(time_unit=…)", kind, hint)


def _value(df: DataFrame, name: str) -> Column:
    kind = _type_of(df, name, "a value column")
    if not isinstance(kind, (*_WHOLE, *_BROKEN, T.NullType)):
        hint = (
            f"df.withColumn({name!r}, F.expr('try_cast({name} AS double)')) reads text"
            if isinstance(kind, T.StringType)
            else None
        )
        raise _wrong("value", name, "numbers", kind, hint)
    return named(name).cast("double").alias(name)


def _attribute(df: DataFrame, name: str) -> tuple[Column, str]:
    kind = _type_of(df, name, "an attribute column")
    if isinstance(kind, (T.StringType, T.CharType, T.VarcharType, T.NullType)):
        return named(name).cast("string").alias(name), "string"
    if isinstance(kind, T.BooleanType):
        return named(name), "bool"
    if isinstance(kind, _WHOLE):
        return named(name).cast("bigint").alias(name), "int64"
    if isinstance(kind, _BROKEN):
        return named(name).cast("double").alias(name), "double"
    if isinstance(kind, _TIMES):
        return named(name), "timestamp[us, tz=UTC]"
    raise _wrong("attribute", name, "text, numbers, booleans or times", kind)
