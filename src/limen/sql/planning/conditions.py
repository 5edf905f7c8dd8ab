"""Conditions and joins of a SELECT: which may run before our operator, which run in it, and which behind it.

A condition on the stream's id alone is the same for all rows of the stream. It can filter out whole streams before the
operator without changing where the remaining streams are. A condition on values or attributes is evaluated for every
row, in the operator. A condition on other tables alone is left to Spark.
"""

from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from limen.errors import InvalidQuery, InvalidStatement
from limen.model.expressions.expression import Expression
from limen.sql.cursor import is_plain
from limen.sql.planning.scope import Scope

_SETTLED = "a join by the stream's id", "it may differ between an add and its remove; compare the stream's id"


@dataclass(slots=True)
class Conditions:
    """The conditions of a statement, sorted.

    Attributes
    ----------
    before
        On the stream's id alone.
    inside
        On its values and attributes, as the text of a query's `where`.
    links
        Pairs of a condition that joins by the id, and what the id equals; None where it is no such equality.
    after
        On other tables alone.
    late
        Whether something behind the operator may leave out streams, so that it cannot choose the nearest before.
    """

    before: list[Any] = field(default_factory=list)
    inside: list[str] = field(default_factory=list)
    links: list[tuple[Any, Any]] = field(default_factory=list)
    after: list[Any] = field(default_factory=list)
    late: Any = None


def sort_conditions(scope: Scope) -> Conditions:
    """Sort the conditions of WHERE and of inner joins; those of other joins stay where they are."""
    found = Conditions()
    outer = {table.alias.casefold() for table in scope.others if table.how != "inner"}
    where = scope.select.tree.args.get("where")
    given = _parts(where.this) if where is not None else []
    for table in scope.tables.values():
        condition = scope.on(table)
        on = [] if condition is None else _parts(condition)
        if table.how == "inner":
            given += on
        else:
            for part in on:
                scope.check_settled(part, *_SETTLED)
            if table.how in ("semi", "anti"):
                found.late = found.late or table.join.this
    for part in given:
        _sort(scope, part, found, outer)
    inner = [table for table in scope.others if table.how == "inner"]
    if inner and (not found.links or any(equal is None for _, equal in found.links)):
        found.late = found.late or inner[0].join or scope.select.tree.args["from_"].this
    return found


def _parts(tree: Any) -> list[Any]:
    """Take a condition apart at its ANDs."""
    waiting, found = [tree], []
    while waiting:
        node = waiting.pop()
        while node.key == "paren":
            node = node.this
        if node.key == "and":
            waiting += [node.expression, node.this]
        else:
            found.append(node)
    return found


def _sort(scope: Scope, part: Any, found: Conditions, outer: set[str]) -> None:
    scope.check_selectable(part)
    others, roles = scope.used(part)
    if others and roles:
        scope.check_settled(part, *_SETTLED)
        equal = _equal_to_id(scope, part) if not others & outer else None
        found.links.append((part, equal))
        if equal is None:
            found.late = found.late or part
    elif others or not roles:
        found.after.append(part)
        if others & outer:
            found.late = found.late or part
    elif set(roles) == {"id"}:
        found.before.append(part)
    elif "time" in roles or "id" in roles:
        odd = roles.get("time") or roles["id"]
        scope.fail(
            odd,
            "a condition on values and attributes, or one on the id alone",
            hint="the id: join the two with AND; the time: leave rows out of the DataFrame that the stream is made of",
        )
    else:
        found.inside.append(_where(scope, part))


def _equal_to_id(scope: Scope, part: Any) -> Any:
    """Return the expression that a condition compares the stream's id with; None if it is no such equality."""
    if part.key != "eq":
        return None
    for one, other in ((part.this, part.expression), (part.expression, part.this)):
        others, roles = scope.used(other)
        if scope.role(one) is not None and others and not roles:
            return other
    return None


def _where(scope: Scope, part: Any) -> str:
    """Write a condition as a query has it: columns by their own names."""
    text: str = bare(scope, part).sql(dialect="spark", comments=False)
    if part.key == "or":
        text = f"({text})"
    try:
        Expression.parse(text)
    except InvalidQuery as error:
        raise InvalidStatement.at(*scope.place(part), error) from error
    return text


def bare(scope: Scope, part: Any) -> Any:
    """Copy a condition on the stream, with its columns by their names alone."""
    plain = part.copy()
    for original, column in zip(scope.columns_in(part), scope.columns_in(plain), strict=True):
        _, name = scope.resolve(original)
        column.set("table", None)
        column.set("this", exp.to_identifier(name, quoted=not is_plain(name)))
    return plain


def qualified(scope: Scope, part: Any) -> Any:
    """Copy an expression, with each column by its table and its name there."""
    full = part.copy()
    for original, column in zip(scope.columns_in(part), scope.columns_in(full), strict=True):
        table, name = scope.resolve(original)
        column.set("table", exp.to_identifier(table.alias, quoted=True))
        column.set("this", exp.to_identifier(name, quoted=True))
    return full
