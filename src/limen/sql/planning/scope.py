"""Resolve the columns of a SELECT to its tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from sqlglot import exp

from limen.errors import InvalidStatement, did_you_mean, shorten
from limen.model.columns import Columns
from limen.sql.cursor import position
from limen.sql.statement import Select

_JOINS = "JOIN, LEFT JOIN, LEFT SEMI JOIN, LEFT ANTI JOIN, CROSS JOIN or a comma"


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the statement.

    Attributes
    ----------
    name, alias
        Its name outside the statement, and within it.
    columns
        The names of its columns.
    join
        Its join in the tree of the statement; None for the first table.
    how
        ``"inner"``, ``"left"``, ``"semi"`` or ``"anti"``.
    """

    name: str
    alias: str
    columns: tuple[str, ...]
    join: Any = None
    how: str = "inner"

    @property
    def selectable(self) -> bool:
        """Whether its columns can be selected: SEMI and ANTI only test whether there is a row."""
        return self.how in ("inner", "left")


#: Clauses that may follow a table and are not supported.
_PARTS = ("laterals", "sample", "pivots", "version", "when", "hints", "partition", "ordinality")
#: Functions, by their names in SQL and in the parser, that depend on when and how often they are called.
_UNSETTLED = frozenset(
    (
        "rand", "randn", "random", "uuid", "shuffle", "monotonically_increasing_id", "spark_partition_id", "now",
        "current_timestamp", "currenttimestamp", "current_date", "currentdate", "currentdatetime", "unix_timestamp",
        "input_file_name",
    )
)  # fmt: skip


class Scope:
    """Resolve the names of a SELECT: tables by their aliases, and columns by the table that has them."""

    def __init__(
        self, select: Select, streams: Mapping[str, Columns], tables: Callable[[str], Sequence[str] | None]
    ) -> None:
        self.select = select
        self._known = tables
        joins = select.tree.args.get("joins") or []
        if select.tree.args.get("from_") is None:
            self.fail(select.tree.expressions[0], "FROM and a stream", got="none")
        self._check_settled_functions()
        found = [self._read(select.tree.args["from_"].this, streams), *(self._join(join, streams) for join in joins)]
        self.tables: dict[str, Table] = {}
        for table in found:
            if self.tables.setdefault(table.alias.casefold(), table) is not table:
                self.fail(table.join.this, "each table under a name of its own", got=f"{table.alias} twice")
        in_from = [table for table in found if table.name.casefold() in streams]
        if len(in_from) != 1:
            names = ", ".join(streams) or "none yet"
            expected = f"one stream in FROM: limen.spark.stream(name, df, columns) names them ({names})"
            got = " and ".join(table.name for table in in_from) or ", ".join(table.name for table in found)
            hint = None if in_from else did_you_mean(found[0].name, streams)
            self.fail(select.tree.args["from_"].this, expected, got=got, hint=hint)
        self.stream = in_from[0]
        self.columns = streams[self.stream.name.casefold()]
        if self.stream.how != "inner":
            self.fail(self.stream.join.this, "the stream on the left of LEFT, SEMI and ANTI", got="it on the right")
        #: Columns that USING merges: the tables that have each, beginning with the one it is read from.
        self.shared: dict[str, list[Table]] = {}
        self._on = {table.alias: self._read_on(table, found[:place]) for place, table in enumerate(found)}

    @property
    def others(self) -> list[Table]:
        """All tables but the stream."""
        return [table for table in self.tables.values() if table is not self.stream]

    def _read(self, tree: Any, streams: Mapping[str, Columns], join: Any = None, how: str = "inner") -> Table:
        if tree.key != "table" or any(tree.args.get(part) for part in _PARTS):
            self.fail(tree, "the name of a stream or a table", got=_sql(tree), hint="make a view of it first")
        if tree.args.get("alias") is not None and tree.args["alias"].args.get("columns"):
            self.fail(
                tree, "a name for the table, and none for its columns", got=_sql(tree), hint="make a view of it first"
            )
        name = ".".join(part.name for part in tree.parts)
        alias = tree.alias or tree.name
        if name.casefold() in streams:
            columns = streams[name.casefold()]
            own = (columns.id, columns.time, *columns.values, *columns.attributes)
            return Table(name, alias, own, join, how)
        found = self._known(name)
        if found is None:
            hint = did_you_mean(name, streams) or "df.createOrReplaceTempView(name) gives a DataFrame a name"
            self.fail(tree, "a stream or a table that Spark knows", got=name, hint=hint)
        return Table(name, alias, tuple(found), join, how)

    def _join(self, join: Any, streams: Mapping[str, Columns]) -> Table:
        side, kind = join.args.get("side") or "", join.args.get("kind") or ""
        how = {("", ""): "inner", ("", "INNER"): "inner", ("", "CROSS"): "inner", ("LEFT", ""): "left",
               ("LEFT", "OUTER"): "left", ("LEFT", "SEMI"): "semi", ("LEFT", "ANTI"): "anti", ("", "SEMI"): "semi",
               ("", "ANTI"): "anti"}.get((side, kind))  # fmt: skip
        if how is None or join.args.get("method"):
            words = " ".join(filter(None, (join.args.get("method"), side, kind, "JOIN")))
            self.fail(join.this, _JOINS, got=words, hint="others would need rows that are in no change")
        if how != "inner" and not (join.args.get("on") or join.args.get("using")):
            self.fail(join.this, f"ON and a condition behind {how.upper()} JOIN", got="none")
        return self._read(join.this, streams, join, how)

    def on(self, table: Table) -> Any:
        """Return the condition by which a table is joined; None where there is none."""
        return self._on[table.alias]

    def _read_on(self, table: Table, before: list[Table]) -> Any:
        """Return the condition behind ON; USING becomes equalities with earlier tables."""
        if table.join is None or not table.join.args.get("using"):
            return None if table.join is None else table.join.args.get("on")
        conditions = []
        for name in table.join.args["using"]:
            own = column_of(name.copy(), table.alias)
            own_name = self.resolve(own)[1]
            sharing = self.shared.get(own_name.casefold(), [])
            owners = sharing[:1] or [
                each for each in before if own_name.casefold() in map(str.casefold, each.columns)
                and each.selectable
            ]  # fmt: skip
            if len(owners) != 1:
                got = f"{name.name} of {' and '.join(each.alias for each in owners) or 'none'}"
                self.fail(name, "a column of one table before and of this one", got=got)
            conditions.append(exp.EQ(this=column_of(name.copy(), owners[0].alias), expression=own))
            if table.selectable:
                both = [*(sharing or owners), table]
                # Of equal columns take the stream's, so that more conditions can run in the operator.
                self.shared[own_name.casefold()] = sorted(both, key=lambda each: each is not self.stream)
        return exp.and_(*conditions)

    def _check_settled_functions(self) -> None:
        """Refuse functions that are not deterministic: an add might pass, and its remove not."""
        for node in self.select.tree.walk():
            name = (node.name if node.key == "anonymous" else node.key).casefold()
            if name in _UNSETTLED:
                self.fail(node, "functions that return the same for the same row each time", got=_sql(node))

    def resolve(self, column: Any) -> tuple[Table, str]:
        """Find the table of a column, and its name there."""
        wanted = column.name.casefold()
        tables = self.tables_of(column)
        found = [(table, name) for table in tables for name in table.columns if name.casefold() == wanted]
        if len(found) > 1:
            found = [each for each in found if each[0].selectable] or found
        if len(found) > 1 and all(table in self.shared.get(wanted, []) for table, _ in found):
            first = self.shared[wanted][0]
            found = [each for each in found if each[0] is first]
        if len(found) != 1:
            usable = [name for table in tables for name in table.columns]
            if found:
                owners = " and ".join(table.alias for table, _ in found)
                self.fail(column, "a column of one table", got=f"{column.name} of {owners}", hint="write table.column")
            hint = did_you_mean(column.name, usable)
            self.fail(column, f"a column among {', '.join(usable)}", got=column.name, hint=hint)
        return found[0]

    def check_selectable(self, tree: Any) -> None:
        """Refuse columns of tables of which only the existence of a row is tested."""
        for column in self.columns_in(tree):
            table, _ = self.resolve(column)
            if not table.selectable:
                expected = f"a column of another table: LEFT {table.how.upper()} JOIN only tests whether there is a row"
                self.fail(column, expected)

    def is_merged(self, table: Table, name: str) -> bool:
        """Whether USING merges a column with that of an earlier table, from which it is read."""
        sharing = self.shared.get(name.casefold(), [])
        return table in sharing and table is not sharing[0]

    def tables_of(self, column: Any) -> list[Table]:
        """Return the table that qualifies a column; all of them if it has no qualifier."""
        if not column.table:
            return list(self.tables.values())
        table = self.tables.get(column.table.casefold())
        if table is None:
            names = [each.alias for each in self.tables.values()]
            hint = did_you_mean(column.table, names)
            self.fail(column, f"a table of this statement ({', '.join(names)})", got=column.table, hint=hint)
        return [table]

    def role(self, column: Any) -> str | None:
        """Return the role of a column of the stream, ``id``, ``time``, ``value`` or ``attribute``; None for others."""
        table, name = self.resolve(column) if column.key == "column" else (None, "")
        if table is not self.stream:
            return None
        roles = {self.columns.id: "id", self.columns.time: "time", **dict.fromkeys(self.columns.values, "value")}
        return roles.get(name, "attribute")

    def used(self, tree: Any) -> tuple[set[str], dict[str, Any]]:
        """Return the other tables that an expression reads, and the columns of the stream by role."""
        others: set[str] = set()
        roles: dict[str, Any] = {}
        for column in self.columns_in(tree):
            role = self.role(column)
            if role is not None:
                roles.setdefault(role, column)
            else:
                others.add(self.resolve(column)[0].alias.casefold())
        return others, roles

    def check_settled(self, tree: Any, expected: str, hint: str) -> None:
        """Refuse columns of the stream that may differ between an add and its remove: all but the id."""
        for role, column in self.used(tree)[1].items():
            if role != "id":
                self.fail(column, expected, hint=hint)

    def columns_in(self, tree: Any) -> list[Any]:
        """Return the columns that an expression names; a subquery in it is refused."""
        for node in tree.walk():
            if node.key in ("select", "subquery", "union", "exists", "lambda"):
                self.fail(
                    node, "a condition or an expression on columns", got=_sql(node), hint="join the table instead"
                )
        return [node for node in tree.walk() if node.key == "column" and node.this.key != "star"]

    def fail(self, tree: Any, expected: str, *, got: str | None = None, hint: str | None = None) -> NoReturn:
        """Raise an error at a part of the statement."""
        line, column = self.place(tree)
        raise InvalidStatement(line=line, column=column, expected=expected, got=got or _sql(tree), hint=hint)

    def place(self, tree: Any) -> tuple[int, int]:
        """Return line and column of a part of the statement, or of the spatial clause if the part has none."""
        starts = [node.meta["start"] for node in tree.walk() if "start" in node.meta] if tree is not None else []
        return position(self.select.cursor.text, min(starts, default=self.select.spatial.start))


def column_of(name: Any, table: str) -> Any:
    """Return a column of a table; the name is a text, which is quoted, or an identifier."""
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True))


def _sql(tree: Any) -> str:
    return shorten(tree.sql(dialect="spark", comments=False), 60)
