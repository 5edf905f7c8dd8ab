"""EXPLAIN: format a plan as a tree, with the reason for each step."""

from typing import Any

from limen.model.query import Query
from limen.sql.planning.plan import Plan
from limen.sql.printing import to_sql

_SAME = (
    "Spark, before: the same for all rows of a stream, so whole streams are left out; "
    "from then on only the rows that are left advance event time"
)
_MARKED = (
    "marked by Spark, filtered by Limen: with {} the rows of all streams advance event time, "
    "so none can be left out before"
)


def explain(plan: Plan) -> str:
    """Format a plan from its output, at the top, to its inputs."""
    return _tree([*_output(plan), *_behind(plan), *_operator(plan), *_before(plan), (f"stream {plan.stream}", "rows")])


def explain_query(query: Query, stream: str) -> str:
    """Format how a registered query is evaluated."""
    routing = (
        "each shard has some queries and sees all streams, since it looks at many of them"
        if query.sees_all_streams
        else "each shard has some streams and all queries, since it looks at each stream alone"
    )
    return _tree([("events", "one row each"), (to_sql(query, stream), routing), (f"stream {stream}", "rows")])


def _tree(steps: list[tuple[str, str]]) -> str:
    lines = []
    for depth, (what, why) in enumerate(steps):
        branch = "   " * (depth - 1) + "└─ " if depth else ""
        lines.append(f"{branch}{what}   -- {why}")
    return "\n".join(lines)


def _output(plan: Plan) -> list[tuple[str, str]]:
    names = [item.name for item in plan.output.items]
    if plan.output.numbers:
        numbers = ", ".join(f"{each.helper} AS {each.name}" for each in plan.output.numbers)
        by = f" by {', '.join(names)}" if names else ""
        return [(f"running {numbers}{by}", "kept up to date from + and -, emitted at every instant that changes it")]
    selected = ", ".join(names)
    if plan.output.distinct:
        return [(f"distinct {selected}", "+ when a value comes up, - when the last of it goes")]
    return [(f"select {selected}, time, sign", "Spark; + and - alike")]


def _behind(plan: Plan) -> list[tuple[str, str]]:
    steps = []
    if plan.conditions.after:
        steps.append((f"where {_text(plan.conditions.after)}", "Spark; on other tables alone, so + and - agree"))
    links = _text([part for part, _ in plan.conditions.links])
    for table in plan.scope.others:
        how = {"inner": "join", "left": "left join", "semi": "semi join", "anti": "anti join"}[table.how]
        on = links if table.how == "inner" else plan.scope.on(table).sql(dialect="spark")
        name = table.name if table.alias == table.name else f"{table.name} {table.alias}"
        steps.append((f"{how} {name}{f' on {on}' if on else ''}", "Spark; behind, where only changes reach it"))
    return steps


def _operator(plan: Plan) -> list[tuple[str, str]]:
    statement = to_sql(plan.query, plan.stream).partition(" ON ")[2].partition(" ")[2]
    why = "Limen; conditions on values and attributes are evaluated for every row" if plan.query.where else "Limen"
    return [(statement, why)]


def _before(plan: Plan) -> list[tuple[str, str]]:
    beside = f", and {plan.focal!r}, around which it looks" if plan.focal is not None else ""
    why = _SAME if plan.by_time is None else _MARKED.format(plan.by_time)
    steps = []
    if plan.keys() is not None:
        names = ", ".join(table.name for table in plan.scope.others if table.how == "inner")
        links = _text([part for part, _ in plan.conditions.links])
        steps.append((f"only streams of {names} by {links}{beside}", why))
    if (condition := plan.before()) is not None:
        steps.append((f"only streams with {condition}{beside}", why))
    return steps


def _text(parts: list[Any]) -> str:
    return " AND ".join(part.sql(dialect="spark") for part in parts)
