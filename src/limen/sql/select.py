"""SELECT … FROM … WHERE … INSIDE …: the spatial clause is ours, the rest a statement of Spark's SQL."""

from collections.abc import Mapping, Sequence
from typing import Any

from limen.errors import InvalidStatement
from limen.model.expressions.syntax import quote_it
from limen.sql.condition import SPATIAL
from limen.sql.cursor import Cursor, Token, is_plain
from limen.sql.query_statements import read_columns, read_nearest
from limen.sql.region_clause import read_place
from limen.sql.statement import Place, Select

#: The parts of a SELECT that have a meaning for changes, and names of those that have none.
_PARTS = {"kind", "expressions", "from_", "joins", "where", "group", "distinct"}
_NAMES = {"order": "ORDER BY", "limit": "LIMIT", "having": "HAVING", "with_": "WITH", "qualify": "QUALIFY",
          "laterals": "LATERAL VIEW", "windows": "WINDOW", "offset": "OFFSET", "sort": "SORT BY",
          "distribute": "DISTRIBUTE BY", "cluster": "CLUSTER BY", "pivots": "PIVOT", "sample": "TABLESAMPLE",
          "operation_modifiers": "a modifier of SELECT", "hint": "a hint", "into": "INTO"}  # fmt: skip


def read_select(cursor: Cursor, regions: Mapping[str, Place]) -> Select:
    """Read a SELECT to its end."""
    first = cursor.token
    before = [*cursor.until(("FROM",))]
    if cursor.ended:
        cursor.fail("FROM and a stream")
    before += cursor.until(SPATIAL)
    spatial = cursor.token
    if cursor.ended:
        hint = "without a place it is no continuous query; Spark answers it as it is"
        cursor.fail("INSIDE or kNN: where to look", hint=hint)
    place = nearest = None
    if cursor.take().upper == "KNN":
        nearest = read_nearest(cursor)
    else:
        place = read_place(cursor, regions)
    on = read_columns(cursor) if cursor.accept("ON") else None
    behind = cursor.until(SPATIAL)
    if not cursor.ended:
        cursor.fail("one spatial clause, INSIDE or kNN", got="a second one", hint="two queries, and a join of them")
    tree = _parsed(cursor, [*before, *behind])
    if tree.key != "select" or not tree.expressions:
        got = "SELECT of nothing" if tree.key == "select" else tree.key.upper()
        hint = quote_it("from") if [token.upper for token in before].count("FROM") > 1 else None
        cursor.fail("one SELECT", got=got, hint=hint, token=first)
    for part, value in tree.args.items():
        if value and part not in _PARTS:
            got = _NAMES.get(part, part.strip("_").upper())
            hint = "it has no meaning for changes; use it on the DataFrame that comes out"
            token = next((token for token in (*before, *behind) if token.upper == got), first)
            cursor.fail("SELECT, FROM, JOIN, WHERE, INSIDE or kNN, and GROUP BY", got=got, hint=hint, token=token)
    return Select(tree, place, nearest, on, cursor, spatial)


def _parsed(cursor: Cursor, tokens: Sequence[Token]) -> Any:
    from sqlglot import errors  # noqa: PLC0415  # its import costs more than most runs need

    from limen.model.expressions.syntax import dialect  # noqa: PLC0415

    try:
        sources = [token.source for token in tokens if token.source is not None]
        trees = [tree for tree in dialect()().parser().parse(sources, cursor.text) if tree is not None]
    except errors.ParseError as error:
        raise _wrong(cursor, error) from error
    except errors.SqlglotError as error:
        cursor.fail("SQL as Spark has it", got=str(error), token=tokens[0])
    except RecursionError:
        cursor.fail("parts nested less deep", got="more", token=tokens[0])
    if len(trees) != 1:
        cursor.fail("one SELECT", got=f"{len(trees)}", token=tokens[0])
    return trees[0]


def _wrong(cursor: Cursor, error: Any) -> InvalidStatement:
    details = error.errors[0] if error.errors else {}
    near = details.get("highlight") or ""
    if details.get("line") is None:
        return cursor.error("SQL as Spark has it", got="something else")
    column = max(1, details["col"] - len(near) + 1)
    hint = None if not near.isidentifier() or is_plain(near) else quote_it(near)
    return InvalidStatement(
        line=details["line"],
        column=column,
        expected="SELECT as Spark has it",
        hint=hint,
        got=f"{near!r} ({details.get('description', 'a syntax error').rstrip('.').lower()})",
    )
