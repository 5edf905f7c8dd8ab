"""A SELECT of the shell says what plain Python says, wherever its parts run."""

import pyarrow as pa
import pytest
from hypothesis import assume, given

from limen import InvalidInput
from limen.cli.sql.local_select import RunningSelect
from limen.sql import Select, parse
from limen.sql.planning import make_plan
from tests.select_statements import (
    COLUMNS,
    FAVOURITES,
    SCHEMA,
    TAGS,
    Row,
    Statement,
    instants,
    is_refused,
    owners,
    reference,
    rows_of,
    statements,
    tagged,
)


@given(statements(), instants, owners, tagged)
def test_a_select_of_the_shell_says_what_plain_python_says(
    statement: Statement, instants: list[list[Row]], favourites: list[Row], tags: list[Row]
) -> None:
    assume(not is_refused(statement) and not any("(concat" in each for each in statement.on_id))
    tables = {"favourites": pa.Table.from_pylist(favourites, FAVOURITES), "tags": pa.Table.from_pylist(tags, TAGS)}
    parsed = parse(statement.text())
    assert isinstance(parsed, Select)
    plan = make_plan(parsed, {"m": COLUMNS}, {name: table.schema.names for name, table in tables.items()}.get)
    if {statement.favourites, statement.tags} & {"semi", "anti"}:
        with pytest.raises(InvalidInput, match="expected joins that this process can do"):
            RunningSelect(plan, COLUMNS, tables)
        return
    running = RunningSelect(plan, COLUMNS, tables)
    rows = rows_of(instants)
    tables_of_rows = [
        pa.Table.from_pylist([row for row in rows if row["t"] == time], SCHEMA)
        for time in sorted({row["t"] for row in rows})
    ]
    told = [running.begin(None), *map(running.take, tables_of_rows)]
    got = [tuple(row.values()) for table in told for row in table.to_pylist()]
    wanted = reference(statement, pa.Table.from_pylist(rows, SCHEMA), favourites, tags, {})
    assert sorted(map(repr, got)) == sorted(map(repr, wanted)), statement.text()
