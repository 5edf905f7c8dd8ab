"""The shell behind `limen sql`: statements in, what is to be shown out; it does not depend on a terminal."""

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from limen.cli.screen import event_line
from limen.cli.sql.feeds import ReplayedStream, ShellStream, check_known
from limen.cli.sql.keywords import COMMANDS
from limen.cli.sql.local_select import RunningSelect
from limen.errors import InvalidInput, InvalidQuery, InvalidStatement, LimenError, did_you_mean
from limen.model.event import sort_events
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

MOST_SHOWN = 20  # rows of one result
SECONDS = 10.0


class Shell:
    """Statements on one stream.

    SELECT may join `tables` by their names. It reads `seconds` of the stream, as does ``.run`` without a number.
    """

    def __init__(self, feed: ShellStream, tables: dict[str, pa.Table] | None = None, seconds: float = SECONDS) -> None:
        self.feed, self.tables, self.seconds = feed, tables or {}, seconds
        self.regions: dict[str, Place] = {}
        self.ended = False

    def names(self) -> list[str]:
        """Return all that has a name, for completion."""
        columns = self.feed.columns
        own = [columns.id, columns.time, *columns.values, *columns.attributes]
        joined = [name for table in self.tables.values() for name in table.schema.names]
        return [self.feed.stream, *own, *self.regions, *self.feed.queries, *self.tables, *joined]

    def execute(self, text: str) -> Iterator[RenderableType]:
        """Execute the statements of a text; errors are shown, and the shell continues."""
        try:
            if text.strip().startswith("."):
                yield from self._command(text.strip().rstrip(";"))
            else:
                # Names of regions are kept when their statements are done, not when they have been read.
                for statement in parse_script(text, dict(self.regions)):
                    yield from self._do(statement)
        except LimenError as error:
            yield Text(f"error: {error}", "red")
            if isinstance(error, InvalidStatement) and error.line is not None:
                line = text.split("\n")[error.line - 1] if error.line <= text.count("\n") + 1 else ""
                yield Text(f"  {line}\n  {' ' * ((error.column or 1) - 1)}^", "dim")

    def _command(self, text: str) -> Iterator[RenderableType]:
        word, _, rest = text.partition(" ")
        if word == ".quit":
            self.ended = True
        elif word == ".help":
            yield "\n".join(f"{name:8} {meaning}" for name, meaning in COMMANDS.items())
            yield "CREATE, DROP QUERY, SHOW QUERIES, EXPLAIN and SELECT end with a semicolon."
        elif word == ".stream":
            columns = self.feed.columns
            yield (
                f"{self.feed.stream}: id {columns.id}, time {columns.time}, values {', '.join(columns.values)}, "
                f"attributes {', '.join(columns.attributes) or 'none'}"
            )
        elif word == ".run":
            yield from self._run(rest)
        else:
            hint = did_you_mean(word, COMMANDS)
            raise InvalidInput(where="shell", expected=f"one of {', '.join(COMMANDS)}", got=word, hint=hint)

    def _run(self, rest: str) -> Iterator[RenderableType]:
        try:
            seconds = float(rest) if rest.strip() else self.seconds
        except ValueError:
            seconds = -1
        if not 0 < seconds <= 86_400:
            raise InvalidInput(where=".run", expected="a number of seconds, up to 86,400", got=rest)
        yield from _shown(events for _, events in self.feed.play(seconds))

    def _do(self, statement: Statement) -> Iterator[RenderableType]:
        if isinstance(statement, CreateQuery):
            yield from self._create(statement)
        elif isinstance(statement, CreateRegion):
            self.regions[statement.name.casefold()] = statement.place
            yield f"region {statement.name} created"
        elif isinstance(statement, DropQuery):
            check_known(self.feed, statement.name)
            yield from _lines(self.feed.deregister(statement.name), MOST_SHOWN)
            yield f"query {statement.name} dropped"
        elif isinstance(statement, ShowQueries):
            for query in self.feed.queries.values():
                yield to_sql(query, self.feed.stream)
            yield _more(len(self.feed.queries), len(self.feed.queries), "query")
        elif isinstance(statement, Explain):
            yield self._explained(statement.statement)
        else:
            yield from self._select(self._plan(statement))

    def _create(self, statement: CreateQuery) -> Iterator[RenderableType]:
        self._check_stream(statement.stream)
        query = statement.query
        if query.id in self.feed.queries and not statement.replace:
            hint = "CREATE OR REPLACE changes it, DROP QUERY ends it"
            raise InvalidQuery(
                where=f"query {query.id!r}", expected="a name that is not taken", got="one that is", hint=hint
            )
        events = self.feed.register(query)
        yield from (Text(warning, "yellow") for warning in statement.warnings)
        yield f"{query.type} {query.id} created; .run lets the stream go on"
        yield from _lines(events, MOST_SHOWN)

    def _explained(self, statement: CreateQuery | Select) -> str:
        if isinstance(statement, Select):
            return explain(self._plan(statement))
        self._check_stream(statement.stream)
        statement.query.check(self.feed.columns)
        return explain_query(statement.query, statement.stream)

    def _check_stream(self, name: str) -> None:
        if name.casefold() != self.feed.stream.casefold():
            hint = did_you_mean(name, [self.feed.stream])
            raise InvalidQuery(where="stream", expected=f"{self.feed.stream}", got=name, hint=hint)

    def _plan(self, statement: Select) -> Plan:
        streams = {self.feed.stream.casefold(): self.feed.columns}
        tables = {name: list(table.schema.names) for name, table in self.tables.items()}
        return make_plan(statement, streams, tables.get)

    def _select(self, plan: Plan) -> Iterator[RenderableType]:
        if not isinstance(self.feed, ReplayedStream):
            raise InvalidInput(
                where="SELECT",
                expected="a stream that this process reads",
                got="a job that runs elsewhere",
                hint="CREATE WITHIN … gives it a query; limen.spark.sql runs a SELECT on Spark",
            )
        running = RunningSelect(plan, self.feed.columns, self.tables)
        rows = running.begin(self.feed.latest).to_pylist()
        meanwhile = []
        for table, events in self.feed.play(self.seconds):
            assert table is not None
            rows += running.take(table).to_pylist()
            meanwhile.append(events)
        if rows:
            yield _table(rows[:MOST_SHOWN])
        yield _more(len(rows), min(len(rows), MOST_SHOWN), "row")
        if any(map(len, meanwhile)):
            yield Text("meanwhile, of the queries that were created:", "dim")
            yield from _shown(meanwhile)


def _shown(tables: Iterable[pa.Table]) -> Iterator[Text]:
    """Show the first events and their number."""
    shown = count = 0
    for events in tables:
        count += len(events)
        for line in _lines(events, MOST_SHOWN - shown):
            shown += 1
            yield line
    yield _more(count, shown, "event")


def _lines(events: pa.Table, most: int) -> list[Text]:
    if most <= 0 or not len(events):
        return []
    return [event_line(event) for event in sort_events(events).slice(0, most).to_pylist()]


def _more(count: int, shown: int, thing: str) -> Text:
    plural = {"query": "queries"}.get(thing, f"{thing}s")
    text = f"{count:,} {thing if count == 1 else plural}"
    return Text(f"{text}, the first {shown} shown" if shown < count else text, "dim")


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in rows[0]:
        table.add_column(name)
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    return table


def _cell(value: Any) -> str:
    if hasattr(value, "isoformat"):
        return f"{value:%H:%M:%S}"
    return f"{value:g}" if isinstance(value, float) else str(value)
