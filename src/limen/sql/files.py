"""SQL where queries are given as data: files of statements, job files and changes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from limen.errors import InvalidQuery, InvalidStatement
from limen.sql.reading import each_statement, parse
from limen.sql.statement import CreateQuery, CreateRegion, Select

if TYPE_CHECKING:
    from collections.abc import Iterator

    from limen.model.columns import Columns
    from limen.model.query import Query
    from limen.sql.statement import Place

log = logging.getLogger("limen")

_SELECTED = "limen.spark.sql runs a SELECT; CREATE WITHIN name ON … INSIDE … keeps its answer under a name"


def query_from_sql(text: str) -> Query:
    """Read the query of one CREATE statement."""
    if not isinstance(text, str):
        raise InvalidQuery(where="sql", expected="a statement such as CREATE BORDER …", got=repr(text))
    statement = parse(text)
    if not isinstance(statement, CreateQuery):
        raise _no_query(1, statement)
    return statement.query


def load_script(text: str, regions: dict[str, Place] | None = None) -> list[Query]:
    """Read the queries of a text; the first thing that is wrong is raised.

    Parameters
    ----------
    text
        CREATE statements.
    regions
        Regions that have a name before; those that are created are added.
    """
    queries = []
    for _, found in queries_in(text, regions=regions):
        if isinstance(found, InvalidQuery):
            raise found
        queries.append(found)
    return queries


def queries_in(
    text: str, columns: Columns | None = None, regions: dict[str, Place] | None = None
) -> Iterator[tuple[int, Query | InvalidQuery]]:
    """Yield the line of each statement that is no region, with its query or what is wrong with it.

    All statements are about one stream, for a job has one; and a query is there once.
    """
    lines: dict[str, int] = {}
    stream: tuple[str, int] | None = None
    try:
        for line, found in each_statement(text, regions):
            if isinstance(found, CreateRegion):
                continue
            if isinstance(found, CreateQuery):
                stream = stream or (found.stream, line)
                for warning in found.warnings:
                    log.warning("line %d: %s", line, warning)
                yield line, _fitting(found, line, lines, stream, columns)
            else:
                yield line, found if isinstance(found, InvalidStatement) else _no_query(line, found)
    except InvalidStatement as error:  # not even words
        yield error.line or 1, error


def _fitting(
    found: CreateQuery, line: int, lines: dict[str, int], stream: tuple[str, int], columns: Columns | None
) -> Query | InvalidQuery:
    query = found.query
    first = lines.get(query.id)
    lines.setdefault(query.id, line)
    if first is not None:
        got = f"{query.id!r} in the lines {first} and {line}" if first != line else f"{query.id!r} twice"
        return InvalidStatement(line=line, column=1, expected="each query once", got=got)
    if found.stream.casefold() != stream[0].casefold():
        expected = f"the stream {stream[0]!r} of line {stream[1]}, since a job has one"
        return InvalidStatement(line=line, column=1, expected=expected, got=repr(found.stream))
    if columns is not None:
        try:
            query.check(columns)
        except InvalidQuery as error:
            return error
    return query


def _no_query(line: int, statement: object) -> InvalidStatement:
    hint = _SELECTED if isinstance(statement, Select) else None
    got = {"DropQuery": "DROP QUERY", "ShowQueries": "SHOW QUERIES", "CreateRegion": "CREATE REGION"}.get(
        type(statement).__name__, type(statement).__name__.upper()
    )
    return InvalidStatement(line=line, column=1, expected="CREATE and a query", got=got, hint=hint)
