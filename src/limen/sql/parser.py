"""Statements from text."""

from collections.abc import Iterator, Mapping

from limen.errors import InvalidStatement, did_you_mean
from limen.sql.cursor import Cursor, either, statements
from limen.sql.pattern_statements import read_pattern, read_trigger
from limen.sql.query_statements import FAMILIES, read_query
from limen.sql.region_clause import read_place
from limen.sql.select import read_select
from limen.sql.statement import CreateQuery, CreateRegion, DropQuery, Explain, Place, Select, ShowQueries, Statement

_CREATED = ("REGION", *FAMILIES, "PATTERN", "TRIGGER")
_BEGINNINGS = ("CREATE", "DROP QUERY", "SHOW QUERIES", "EXPLAIN", "SELECT")
_REFUSED = "SQL here defines queries, drops them or selects; it writes no data"


def parse(text: str, regions: Mapping[str, Place] | None = None) -> Statement:
    """Read one statement.

    Parameters
    ----------
    text
        The statement; a semicolon at its end may be there.
    regions
        Regions that have a name, by their names in small letters.

    Raises
    ------
    InvalidStatement
        With line and column, what was expected there, and what may have been meant.

    Examples
    --------
    >>> parse("CREATE BORDER cheap ON prices FOR 'IBM' INSIDE price < 40").query.region
    Range(lo=-inf, hi=40.0)
    """
    found = statements(text)
    if len(found) > 1:
        found[1].fail("one statement", got="another one")
    if not found:
        raise InvalidStatement(line=1, column=1, expected=f"a statement: {either(_BEGINNINGS)}", got="nothing")
    return _read_statement(found[0], regions or {})


def parse_script(text: str, regions: dict[str, Place] | None = None) -> list[Statement]:
    """Read statements with semicolons between them; a region can be used after the statement that creates it."""
    found: list[Statement] = []
    for _, statement in each_statement(text, regions):
        if isinstance(statement, InvalidStatement):
            raise statement
        found.append(statement)
    return found


def each_statement(
    text: str, regions: dict[str, Place] | None = None
) -> Iterator[tuple[int, Statement | InvalidStatement]]:
    """Yield the line of each statement, with the statement or its error; add created regions to `regions`."""
    known = {} if regions is None else regions
    for cursor in statements(text):
        line = cursor.line
        try:
            found: Statement | InvalidStatement = _read_statement(cursor, known)
        except InvalidStatement as error:
            found = error
        if isinstance(found, CreateRegion):
            known[found.name.casefold()] = found.place
        yield line, found


def _read_statement(cursor: Cursor, regions: Mapping[str, Place]) -> Statement:
    """Read one statement to its end."""
    statement = _read(cursor, regions)
    cursor.end()
    return statement


def _read(cursor: Cursor, regions: Mapping[str, Place]) -> Statement:
    if cursor.accept("CREATE"):
        return _read_create(cursor, regions)
    if cursor.accept("DROP"):
        cursor.expect("QUERY", hint=_REFUSED)
        return DropQuery(cursor.name("the name of a query"))
    if cursor.accept("SHOW"):
        cursor.expect("QUERIES")
        return ShowQueries()
    if cursor.accept("EXPLAIN"):
        token = cursor.token
        statement = _read(cursor, regions)
        if not isinstance(statement, (CreateQuery, Select)):
            cursor.fail("a query to explain: CREATE or SELECT", token=token)
        return Explain(statement)
    if cursor.token.upper == "SELECT":
        return read_select(cursor, regions)
    hint = did_you_mean(cursor.token.text, [word.split()[0] for word in _BEGINNINGS]) or _REFUSED
    raise cursor.error(either(_BEGINNINGS), hint=hint)


def _read_create(cursor: Cursor, regions: Mapping[str, Place]) -> CreateQuery | CreateRegion:
    replace = cursor.accept("OR", "REPLACE")
    if cursor.token.upper not in _CREATED:
        cursor.fail(either(_CREATED), hint=did_you_mean(cursor.token.text, _CREATED) or _REFUSED)
    family = cursor.take().upper
    if family == "PATTERN":
        return read_pattern(cursor, regions, replace=replace)
    if family == "TRIGGER":
        return read_trigger(cursor, replace=replace)
    if family != "REGION":
        return read_query(cursor, family, regions, replace=replace)
    token = cursor.token
    name = cursor.name("a name for the region")
    if not replace and name.casefold() in regions:
        cursor.fail("a name that is not taken", token=token, hint="CREATE OR REPLACE REGION changes one")
    cursor.expect("AS")
    return CreateRegion(name, read_place(cursor, regions), replace)
