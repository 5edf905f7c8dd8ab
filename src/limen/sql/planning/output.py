"""What a SELECT returns: columns of changes, different values, or running numbers."""

from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from limen.sql.cursor import either
from limen.sql.planning.scope import Scope, column_of

#: Aggregates that can be kept up to date from changes, and the helper of `limen.changes` that keeps each.
AGGREGATES = {"count": "count", "sum": "sum", "avg": "average"}
#: Functions that turn one row into several.
_SEVERAL = frozenset(("explode", "explodeouter", "posexplode", "posexplodeouter", "inline", "stack"))
#: Columns that all changes have.
TIME, SIGN = "time", "sign"


@dataclass(frozen=True, slots=True)
class Item:
    """An output column: its name, and its expression over changes and tables."""

    name: str
    tree: Any


@dataclass(frozen=True, slots=True)
class Number:
    """A running number: its name, its helper, what is added up, None for a count, and where it stands."""

    name: str
    helper: str
    value: Any = None
    tree: Any = None


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a SELECT."""

    items: tuple[Item, ...]
    numbers: tuple[Number, ...] = ()
    distinct: bool = False


def read_output(scope: Scope) -> Output:
    """Read the list of SELECT, DISTINCT and GROUP BY."""
    tree = scope.select.tree
    group, distinct = tree.args.get("group"), tree.args.get("distinct")
    if distinct is not None and distinct.args.get("on"):
        scope.fail(distinct, "DISTINCT alone", got="DISTINCT ON")
    items: list[Item] = []
    numbers: list[Number] = []
    for expression in tree.expressions:
        if any(node.key == "window" or isinstance(node, exp.AggFunc) for node in expression.walk()):
            numbers.append(_number(scope, expression))
        else:
            items += _items(scope, expression)
    if numbers or group is not None:
        if distinct is not None:
            scope.fail(tree.expressions[0], "either DISTINCT or an aggregate", got="both")
        _check_groups(scope, items, numbers, group)
        _check_single(scope, items)
    if numbers or distinct is not None:
        expected = "the stream's id, or columns of joined tables, in groups and DISTINCT"
        for item in items:
            scope.check_settled(item.tree, expected, "it may differ between an add and its remove")
    _check_names(scope, items, numbers)
    return Output(tuple(items), tuple(numbers), distinct is not None)


def _number(scope: Scope, expression: Any) -> Number:
    tree = expression.this if expression.key == "alias" else expression
    if tree.key not in AGGREGATES:
        got = None if isinstance(tree, exp.AggFunc) else tree.sql(dialect="spark")
        words = [f"{name}(…)" for name in AGGREGATES]
        hint = (
            "others cannot be kept up to date from members that come and go; use them on the DataFrame that comes out"
        )
        scope.fail(tree, f"{either(words)} alone", got=got, hint=hint)
    name = expression.alias or tree.key
    inner = tree.this
    if inner is None:
        scope.fail(tree, "count(*), sum(…) or avg(…)", got=tree.sql(dialect="spark"))
    if tree.key == "count":
        if not (inner.key in ("star", "literal") or scope.role(inner) == "id") or tree.expressions:
            scope.fail(tree, "count(*)", hint="count(DISTINCT …): SELECT DISTINCT, and limen.changes.count of that")
        return Number(name, "count", None, tree)
    if inner.key == "distinct":
        scope.fail(tree, f"{tree.key} of all members", got=tree.sql(dialect="spark"))
    scope.check_selectable(inner)
    _, roles = scope.used(inner)
    _check_known(scope, roles)
    return Number(name, AGGREGATES[tree.key], inner, tree)


def _items(scope: Scope, expression: Any) -> list[Item]:
    """Read a column that is selected; a star stands for several."""
    if expression.key == "star" or (expression.key == "column" and expression.this.key == "star"):
        tables = list(scope.tables.values()) if expression.key == "star" else scope.tables_of(expression)
        found: list[Item] = []
        for table in tables:
            # Of the stream, changes contain the id and the values.
            own = (scope.columns.id, *scope.columns.values)
            for name in own if table is scope.stream else table.columns:
                if not table.selectable or (expression.key == "star" and scope.is_merged(table, name)):
                    continue
                if name.casefold() in {item.name.casefold() for item in found}:
                    hint = f"JOIN … USING ({name}) makes one column of both, AS gives one another name"
                    scope.fail(expression, "columns of different names", got=f"{name} twice", hint=hint)
                found.append(Item(name, column_of(name, table.alias)))
        return found
    tree = expression.this if expression.key == "alias" else expression
    scope.check_selectable(tree)
    _, roles = scope.used(tree)
    _check_known(scope, roles)
    name = expression.alias or (tree.name if tree.key == "column" else "")
    if not name:
        scope.fail(tree, "a name for what is computed", hint=f"{tree.sql(dialect='spark')} AS name")
    return [Item(name, tree)]


def _check_known(scope: Scope, roles: dict[str, Any]) -> None:
    if "attribute" in roles:
        known = ", ".join((scope.columns.id, scope.columns.time, *scope.columns.values))
        hint = "attributes are for WHERE; a table joined by the id can have further columns"
        scope.fail(roles["attribute"], f"a column of changes ({known})", hint=hint)


def _check_single(scope: Scope, items: list[Item]) -> None:
    """Refuse functions that turn one row into several where each row is a member."""
    for item in items:
        for node in item.tree.walk():
            if node.key in _SEVERAL:
                scope.fail(node, "one row of each beside aggregates", hint="make a view of it first, and join that")


def _check_groups(scope: Scope, items: list[Item], numbers: list[Number], group: Any) -> None:
    """Refuse selected columns that are in no group, and groups that are not selected."""
    if group is not None and any(value for part, value in group.args.items() if part != "expressions"):
        scope.fail(group, "GROUP BY and expressions", hint="ROLLUP, CUBE and GROUPING SETS are no groups of changes")
    if not numbers:
        scope.fail(group, "an aggregate beside GROUP BY: count(*), sum(…) or avg(…)", got="none")
    grouped = []
    for tree in group.expressions if group is not None else []:
        item = tree
        if tree.key == "literal" and tree.name.isdigit() and 1 <= int(tree.name) <= len(scope.select.tree.expressions):
            item = scope.select.tree.expressions[int(tree.name) - 1]
            item = item.this if item.key == "alias" else item
        elif tree.key == "column" and not tree.table:
            item = next((each.tree for each in items if each.name.casefold() == tree.name.casefold()), tree)
        if not any(_same(scope, item, each.tree) for each in items):
            scope.fail(tree, "groups that are selected too", hint="select the columns of GROUP BY too")
        grouped.append(item)
    for each in items:
        if not any(_same(scope, each.tree, item) for item in grouped):
            scope.fail(each.tree, "aggregates, and columns of GROUP BY")


def _same(scope: Scope, one: Any, other: Any) -> bool:
    if one.key == "column" and other.key == "column":
        return scope.resolve(one) == scope.resolve(other)
    return bool(one == other)


def _check_names(scope: Scope, items: list[Item], numbers: list[Number]) -> None:
    """Refuse output columns of equal names, also those that changes have themselves."""
    taken = {TIME, SIGN}
    every: list[Item | Number] = [*items, *numbers]
    for each in every:
        name = each.name.casefold()
        if isinstance(each, Item) and name == TIME and scope.role(each.tree) == "time":
            continue
        if name in taken:
            got = f"{each.name} twice" if name not in (TIME, SIGN) else f"{each.name}, which every change has"
            scope.fail(each.tree, "columns of different names", got=got, hint="AS gives another name")
        taken.add(name)
