"""A SELECT in three steps: rows that Spark leaves out, a query that our operator answers, a statement on changes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from sqlglot import exp

from limen.errors import InvalidQuery, InvalidStatement
from limen.model.columns import Columns
from limen.model.nearest import Nearest
from limen.model.within import Within
from limen.sql.planning.conditions import Conditions, bare, qualified, sort_conditions
from limen.sql.planning.output import SIGN, TIME, Item, Output, read_output
from limen.sql.planning.scope import Scope, Table, column_of
from limen.sql.query_statements import agreed_columns, place_arguments
from limen.sql.statement import Select

#: The id of the query that a SELECT becomes.
QUERY = "select"
#: Columns that changes have on their way through Spark, beside those of the stream. No column of a user begins so.
OWN = "_limen_"
STREAM, WHEN, WHICH, WHY = f"{OWN}stream", f"{OWN}time", f"{OWN}sign", f"{OWN}reason"
#: Of a joined table: which of several rows that are alike. Of the stream: whether conditions on its id leave it.
COPY, LEFT = f"{OWN}copy", f"{OWN}left"
#: Options by which one stream's rows affect other streams: they advance event time.
_BY_TIME = ("expire_after", "report_every", "max_ahead")


@dataclass(frozen=True, slots=True)
class Plan:
    """How a SELECT is done.

    Attributes
    ----------
    query
        The query that our operator answers.
    scope, conditions, output
        The tables, the conditions as they are sorted, and what comes out.
    by_time
        The option of the stream that needs all its rows in the operator, because they advance event time; None where
        whole streams can be filtered out before.
    """

    query: Within | Nearest
    scope: Scope
    conditions: Conditions
    output: Output
    by_time: str | None = None

    @property
    def stream(self) -> str:
        """The name of the stream."""
        return self.scope.stream.name

    @property
    def focal(self) -> str | None:
        """The stream that the query moves with; its rows are needed whether or not they meet the conditions."""
        return self.query.focal

    @property
    def marks(self) -> bool:
        """Whether streams that fail the conditions on the id stay, marked, so that their rows advance event time."""
        return self.by_time is not None and (self.before() is not None or self.keys() is not None)

    def before(self) -> str | None:
        """Return the condition on the stream's id, which is looked at before the operator."""
        return _joined([bare(self.scope, part) for part in self.conditions.before])

    def keys(self) -> str | None:
        """Return the statement that selects the ids joins keep; None where joins cannot be evaluated beforehand."""
        links = [equal for _, equal in self.conditions.links if equal is not None]
        inner = [table for table in self.scope.others if table.how == "inner"]
        if not links or len(links) < len(self.conditions.links):
            return None
        names = {table.alias.casefold() for table in inner}
        on_tables = [part for part in self.conditions.after if self.scope.used(part)[0] <= names]
        equal = [exp.EQ(this=links[0].copy(), expression=other.copy()) for other in links[1:]]
        select = exp.select(exp.alias_(qualified(self.scope, links[0]), f"{OWN}key"))
        for number, table in enumerate(inner):
            named = _named(table.name, table.alias)
            select = select.from_(named) if number == 0 else select.join(named, join_type="cross")
        return _written(self._where(select, [*on_tables, *equal]))

    def statement(self, names: Mapping[str, str]) -> str:
        """Return the statement that Spark runs on changes.

        Parameters
        ----------
        names
            The name of each table there, by its alias. The stream's table holds changes; the tables of `copied` have
            one more column, `COPY`.
        """
        alias = self.scope.stream.alias
        select = exp.select(
            *(exp.alias_(qualified(self.scope, item.tree), name, quoted=True) for name, item in self._named_items())
        )
        for number, each in enumerate(self.output.numbers):
            if each.value is not None:
                select = select.select(exp.alias_(qualified(self.scope, each.value), value_name(number)))
        if self.output.numbers:
            members = self.members()
            select = select.select(*(exp.alias_(member, name) for name, member in members.items()))
            select = select.select(exp.alias_(column_of(WHY, alias), "reason"))
        own = {TIME: WHEN, SIGN: WHICH}
        taken = {name.casefold() for name, _ in self._named_items()}
        select = select.select(
            *(exp.alias_(column_of(source, alias), name) for name, source in own.items() if name not in taken)
        )
        for number, table in enumerate(self.scope.tables.values()):
            named = _named(names.get(table.alias, table.name), table.alias)
            if number == 0:
                select = select.from_(named)
            elif table.how == "inner":
                select = select.join(named, join_type="cross")
            else:
                how = {"left": "left", "semi": "left semi", "anti": "left anti"}[table.how]
                select = select.join(named, on=qualified(self.scope, self.scope.on(table)), join_type=how)
        select = self._where(select, [part for part, _ in self.conditions.links] + self.conditions.after)
        return _written(select)

    def _where(self, select: Any, parts: list[Any]) -> Any:
        return select.where(*(qualified(self.scope, part) for part in parts)) if parts else select

    @property
    def names(self) -> list[str]:
        """The names of what is selected and is no number, as `statement` has them."""
        return [name for name, _ in self._named_items()]

    def _named_items(self) -> list[tuple[str, Item]]:
        """Name what is selected; what is folded goes by numbers, since folds have columns of their own."""
        if not self.folds:
            return [(item.name, item) for item in self.output.items]
        return [(f"{OWN}group_{number}", item) for number, item in enumerate(self.output.items)]

    @property
    def folds(self) -> bool:
        """Whether changes are folded: into different values or running numbers."""
        return self.output.distinct or bool(self.output.numbers)

    def refuse(self, place: int, kind: str) -> NoReturn:
        """Raise the error that an aggregate's values are not numbers."""
        self.scope.fail(self.output.numbers[place].value, "numbers to add up", got=kind)

    def copied(self) -> list[Table]:
        """Return the tables whose duplicate rows must be numbered, since each of them counts."""
        if not self.output.numbers:
            return []
        return [table for table in self.scope.others if table.selectable]

    def members(self) -> dict[str, Any]:
        """Return the columns that identify a member of the joined rows: the stream, and all that tables add to it."""
        columns = [(table.alias, name) for table in self.copied() for name in (*table.columns, COPY)]
        found = {STREAM: column_of(STREAM, self.scope.stream.alias)}
        return found | {f"{OWN}{number}": column_of(name, alias) for number, (alias, name) in enumerate(columns)}


def value_name(number: int) -> str:
    """Return the name of the column that an aggregate adds up."""
    return f"{OWN}value_{number}"


def make_plan(
    select: Select,
    streams: Mapping[str, Columns],
    tables: Callable[[str], Sequence[str] | None],
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Plan:
    """Plan a SELECT.

    Parameters
    ----------
    select
        The statement.
    streams
        The columns of streams, by their names in small letters.
    tables
        Returns the columns of a table of Spark; None where there is none of that name.
    options
        How streams are watched, by their names in small letters.

    Raises
    ------
    InvalidStatement
        When a name is not known, or the statement has no meaning for changes.
    """
    scope = Scope(select, streams, tables)
    conditions = sort_conditions(scope)
    output = read_output(scope)
    if select.nearest is not None and conditions.late is not None:
        scope.fail(
            conditions.late,
            "joins by the stream's id, M.id = F.id, beside kNN: the nearest are those of the streams that joins leave",
        )
    given = (options or {}).get(scope.stream.name.casefold(), {})
    by_time = next((name for name in _BY_TIME if given.get(name) is not None), None)
    return Plan(_query(scope, conditions), scope, conditions, output, by_time)


def _query(scope: Scope, conditions: Conditions) -> Within | Nearest:
    select = scope.select
    where = " AND ".join(conditions.inside) or None
    query: Within | Nearest
    try:
        if select.nearest is not None:
            k, target = select.nearest
            center = {"focal" if isinstance(target, str) else "center": target}
            query = Nearest(QUERY, k, on=select.on, where=where, **center)  # type: ignore[arg-type]
        else:
            assert select.place is not None
            on = agreed_columns(select.cursor, select.spatial, select.place, select.on)
            arguments = place_arguments(select.cursor, select.spatial, select.place, "WITHIN")
            query = Within(QUERY, on=on, where=where, **arguments)
        query.check(scope.columns)
    except InvalidStatement:
        raise
    except InvalidQuery as error:
        where_in_query = (error.where or "").removeprefix(f"query {QUERY!r}").removeprefix(": ") or None
        columns = ", ".join(scope.columns.values[:2])
        hint = f"INSIDE … ON ({columns}) names the columns" if "on=" in (error.hint or "") else error.hint
        raise InvalidStatement.at(*scope.place(None), error, where=where_in_query, hint=hint) from error
    return query


def _joined(parts: list[Any]) -> str | None:
    return " AND ".join(f"({part.sql(dialect='spark')})" for part in parts) or None


def _written(select: Any) -> str:
    """Write a statement for Spark, all names quoted: whatever words they are."""
    return str(select.sql(dialect="spark", identify=True))


def _named(name: str, alias: str) -> Any:
    table = exp.to_table(".".join("`" + part.replace("`", "``") + "`" for part in name.split(".")), dialect="spark")
    return exp.alias_(table, alias, table=True, quoted=True)
