"""SQL where queries are given as data: files of statements, job files and changes."""

import logging
from collections.abc import Iterator

from limen.errors import InvalidQuery, InvalidStatement, did_you_mean
from limen.model.columns import Columns
from limen.model.query import Query
from limen.sql.parser import each_statement, parse
from limen.sql.statement import CreateQuery, CreateRegion, Place, Select

log = logging.getLogger("limen")

_SELECTED = "limen.spark.sql runs a SELECT; CREATE WITHIN name ON … INSIDE … keeps its answer under a name"


def query_from_sql(text: str, stream: str | None = None) -> Query:
    """Read the query of one CREATE statement, which is about the stream of this name, if one is given."""
    if not isinstance(text, str):
        raise InvalidQuery(where="sql", expected="a statement such as CREATE BORDER …", got=repr(text))
    statement = parse(text)
    if not isinstance(statement, CreateQuery):
        raise _no_query(1, statement)
    if stream is not None and statement.stream.casefold() != stream.casefold():
        raise another_stream(1, f"the stream {stream!r}", statement.stream, stream)
    return statement.query


def load_script(text: str, regions: dict[str, Place] | None = None, stream: str | None = None) -> list[Query]:
    """Read the queries of CREATE statements, as `queries_in` does; raise the first error."""
    queries = []
    for _, found in queries_in(text, regions=regions, stream=stream):
        if isinstance(found, InvalidQuery):
            raise found
        queries.append(found)
    return queries


def queries_in(
    text: str,
    columns: Columns | None = None,
    regions: dict[str, Place] | None = None,
    stream: str | None = None,
) -> Iterator[tuple[int, Query | InvalidQuery]]:
    """Yield the line of each statement that is no region, with its query or what is wrong with it.

    All statements are about one stream, by default that of the first one, for a job has one; and a query is there once.
    Regions that are created are added to `regions`.
    """
    lines: dict[str, int] = {}
    only = None if stream is None else (stream, f"the stream {stream!r}")
    try:
        for line, found in each_statement(text, regions):
            if isinstance(found, CreateRegion):
                continue
            if isinstance(found, CreateQuery):
                only = only or (found.stream, f"the stream {found.stream!r} of line {line}, since a job has one")
                for warning in found.warnings:
                    log.warning("line %d: %s", line, warning)
                yield line, _fitting(found, line, lines, only, columns)
            else:
                yield line, found if isinstance(found, InvalidStatement) else _no_query(line, found)
    except InvalidStatement as error:  # not even words
        yield error.line or 1, error


def _fitting(
    found: CreateQuery, line: int, lines: dict[str, int], only: tuple[str, str], columns: Columns | None
) -> Query | InvalidQuery:
    query = found.query
    first = lines.get(query.id)
    lines.setdefault(query.id, line)
    if first is not None:
        got = f"{query.id!r} in the lines {first} and {line}" if first != line else f"{query.id!r} twice"
        return InvalidStatement(line=line, column=1, expected="each query once", got=got)
    if found.stream.casefold() != only[0].casefold():
        return another_stream(line, only[1], found.stream, only[0])
    if columns is not None:
        try:
            query.check(columns)
        except InvalidQuery as error:
            return error
    return query


def another_stream(line: int, expected: str, got: str, known: str) -> InvalidStatement:
    """Return the error of a statement about a stream that a job does not have."""
    hint = did_you_mean(got, [known]) or "statements call a job's rows by its `stream`, or else by its name"
    return InvalidStatement(line=line, column=1, expected=expected, got=repr(got), hint=hint)


def _no_query(line: int, statement: object) -> InvalidStatement:
    hint = _SELECTED if isinstance(statement, Select) else None
    got = {"DropQuery": "DROP QUERY", "ShowQueries": "SHOW QUERIES", "CreateRegion": "CREATE REGION"}.get(
        type(statement).__name__, type(statement).__name__.upper()
    )
    return InvalidStatement(line=line, column=1, expected="CREATE and a query", got=got, hint=hint)
