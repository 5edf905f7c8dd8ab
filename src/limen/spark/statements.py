"""`limen.spark.stream` and `limen.spark.sql`: streams by name, and statements on them."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession

from limen.checkpoint.snapshot import types_from_dict
from limen.errors import InvalidInput, InvalidQuery, InvalidStatement, did_you_mean
from limen.model.columns import Columns
from limen.runtime.condition_check import check_query
from limen.spark.monitoring import monitor
from limen.spark.schema import check_frame, project, quoted
from limen.spark.selecting import select
from limen.sql import (
    CreateQuery,
    CreateRegion,
    DropQuery,
    Explain,
    Select,
    ShowQueries,
    Statement,
    parse_script,
    to_sql,
)
from limen.sql.planning import Plan, explain, explain_query, make_plan
from limen.sql.statement import Place


@dataclass(frozen=True, slots=True)
class Stream:
    """A named DataFrame, and the options of its queries."""

    name: str
    df: DataFrame
    columns: Columns
    types: dict[str, str]
    options: dict[str, Any]


@dataclass(slots=True)
class SessionNames:
    """The named objects, by lower-case name; queries by their exact id."""

    streams: dict[str, Stream] = field(default_factory=dict)
    regions: dict[str, Place] = field(default_factory=dict)
    queries: dict[str, CreateQuery] = field(default_factory=dict)

    def stream(self, name: str) -> Stream:
        """Return a stream."""
        found = self.streams.get(name.casefold())
        if found is None:
            known = ", ".join(stream.name for stream in self.streams.values()) or "none yet"
            hint = did_you_mean(name, self.streams) or "limen.spark.stream(name, df, columns) gives a DataFrame a name"
            raise InvalidQuery(where="sql", expected=f"a stream ({known})", got=repr(name), hint=hint)
        return found


log = logging.getLogger("limen")

_names = SessionNames()


def stream(name: str, df: DataFrame, columns: Columns, **options: Any) -> None:
    """Register a DataFrame as a stream under a name that statements can use.

    Parameters
    ----------
    name : str
        The name; another DataFrame of that name is replaced.
    df : DataFrame
        The rows, batch or streaming.
    columns : Columns
        The roles of the columns of the data.
    **options
        How it is watched: `lateness`, `shards` and the others of `limen.spark.monitor`.

    Raises
    ------
    InvalidInput
        When a column is missing or has a wrong type.
    """
    if not isinstance(name, str) or not name:
        raise InvalidInput(where="stream", expected="a name first", got=repr(name))
    check_frame(f"stream {name!r}", df, columns, place="second")
    _, types = project(df, columns)
    _names.streams[name.casefold()] = Stream(name, df, columns, types, options)


def sql(statement: str) -> DataFrame:
    """Run a statement, or several with semicolons between them.

    Parameters
    ----------
    statement : str
        SELECT … INSIDE …, CREATE, DROP QUERY, SHOW QUERIES or EXPLAIN.

    Returns
    -------
    DataFrame
        Of SELECT: changes, different values or running numbers, batch or streaming as its stream is. Of CREATE and a
        query: its events, and those of the queries created before it in the same text. Of SHOW QUERIES and EXPLAIN:
        what they show. Of several statements that of the last one; of one that returns nothing, no rows.

    Raises
    ------
    InvalidStatement
        With line and column, what was expected there, and what may have been meant.

    Examples
    --------
    ::

        limen.spark.stream("positions", df, columns)
        limen.spark.sql("SELECT id FROM positions WHERE kind = 'truck' INSIDE (0, 0, 10, 10)")
    """
    if not isinstance(statement, str):
        raise InvalidStatement(where="sql", expected="text", got=repr(statement))
    regions = dict(_names.regions)
    found = parse_script(statement, regions)
    if not found:
        raise InvalidStatement(line=1, column=1, expected="a statement", got="nothing")
    queries = dict(_names.queries)
    try:
        result = _run(found)
    except Exception:
        _names.queries = queries  # as if nothing of the text had been done
        raise
    _names.regions = regions
    return result if result is not None else _session().createDataFrame([], "nothing string").drop("nothing")


def _run(statements: Sequence[Statement]) -> DataFrame | None:
    """Execute statements, one after the other; return the result of the last one."""
    created: list[CreateQuery] = []
    result: DataFrame | None = None
    for each in statements:
        if isinstance(each, CreateQuery):
            created = [other for other in created if other.query.id != each.query.id]
            created.append(_create(each))
        else:
            result = _do(each)
            if isinstance(each, DropQuery):
                created = [other for other in created if other.query.id != each.name]
    return _events(created) if isinstance(statements[-1], CreateQuery) else result


def _do(statement: Statement) -> DataFrame | None:
    """Execute a statement that creates no query."""
    if isinstance(statement, Select):
        plan = _plan(statement)
        found = _names.stream(plan.stream)
        return select(plan, found.df, found.columns, found.options)
    if isinstance(statement, DropQuery):
        if _names.queries.pop(statement.name, None) is None:
            hint = did_you_mean(statement.name, _names.queries)
            raise InvalidQuery(where="DROP QUERY", expected="a query that there is", got=statement.name, hint=hint)
        return None
    if isinstance(statement, ShowQueries):
        rows = [(name, each.query.type, each.stream, to_sql(each.query, each.stream))
                for name, each in _names.queries.items()]  # fmt: skip
        return _session().createDataFrame(rows, "name string, type string, stream string, statement string")
    if isinstance(statement, Explain):
        return _session().createDataFrame([(_explained(statement.statement),)], "plan string")
    assert isinstance(statement, CreateRegion)
    return None


def _explained(statement: CreateQuery | Select) -> str:
    if isinstance(statement, Select):
        return explain(_plan(statement))
    _check(statement)
    return explain_query(statement.query, statement.stream)


def _create(statement: CreateQuery) -> CreateQuery:
    _check(statement)
    for warning in statement.warnings:
        log.warning("%s", warning)
    name = statement.query.id
    if name in _names.queries and not statement.replace:
        hint = "CREATE OR REPLACE changes it, DROP QUERY ends it"
        raise InvalidQuery(where=f"query {name!r}", expected="a name that is not taken", got="one that is", hint=hint)
    _names.queries[name] = statement
    return statement


def _check(statement: CreateQuery) -> None:
    found = _names.stream(statement.stream)
    check_query(statement.query, found.columns, types_from_dict(found.types))


def _events(created: Sequence[CreateQuery]) -> DataFrame:
    found = _names.stream(created[-1].stream)
    other = [each.stream for each in created if each.stream.casefold() != found.name.casefold()]
    if other:
        raise InvalidQuery(where="sql", expected="queries on one stream at once", got=f"{other[0]} and {found.name}")
    queries = {each.query.id: each.query for each in created}
    return monitor(found.df, list(queries.values()), found.columns, **found.options)


def _plan(statement: Select) -> Plan:
    streams = _names.streams
    # Tables are those of the session in which the stream lives.
    own = next((streams[name] for name in map(str.casefold, statement.tables()) if name in streams), None)
    spark = _session() if own is None else own.df.sparkSession
    return make_plan(
        statement,
        {name: each.columns for name, each in streams.items()},
        lambda name: _columns_of_table(spark, name),
        {name: each.options for name, each in streams.items()},
    )


def _columns_of_table(spark: SparkSession, name: str) -> list[str] | None:
    """Return the columns of a table or view of Spark; None if there is none."""
    try:
        table = spark.table(".".join(map(quoted, name.split("."))))
    except (AnalysisException, ParseException):
        return None
    if table.isStreaming:
        raise InvalidInput(
            where=f"table {name}",
            expected="a table that does not change while the stream runs",
            got="a streaming one",
            hint="SELECT joins one stream with batch tables",
        )
    return list(table.columns)


def _session() -> SparkSession:
    """Return the active session, or that of a registered stream."""
    found = SparkSession.getActiveSession()
    if found is not None:
        return found
    for each in _names.streams.values():
        return each.df.sparkSession
    raise InvalidInput(where="sql", expected="a session of Spark", got="none", hint="limen.spark.session()")
