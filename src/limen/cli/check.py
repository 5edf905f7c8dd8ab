"""`limen check`: say whether a file of queries is right, and what is wrong in each line that is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from limen.cli.failure import errors_as_text
from limen.errors import InvalidInput
from limen.model.columns import Columns
from limen.model.load import check_queries


def read_columns(columns: str | None, values: str | None) -> Columns | None:
    """Return the columns given as JSON, as a JSON file, or as names of values; None when nothing is given."""
    if columns is not None and values is not None:
        raise InvalidInput(where="--columns", expected="either --columns or --values", got="both")
    if values is not None:
        return Columns(id="id", time="time", values=tuple(name.strip() for name in values.split(",")))
    if columns is None:
        return None
    text = columns if columns.lstrip().startswith("{") else Path(columns).read_text(encoding="utf-8")
    try:
        return Columns.from_dict(json.loads(text))
    except json.JSONDecodeError as error:
        raise InvalidInput(where="--columns", expected="a JSON object or a file with one", got=str(error)) from None


def check(
    queries: Annotated[Path, typer.Argument(help="File of queries, one JSON object a line (.jsonl).")],
    columns: Annotated[
        str | None,
        typer.Option(
            help='Columns the queries are about, as JSON or a JSON file: {"id": …, "time": …, "values": […]}.'
        ),
    ] = None,
    values: Annotated[
        str | None, typer.Option(help="Short for --columns when only values matter: their names, as in x,y.")
    ] = None,
) -> None:
    """Validate a file of queries and report every bad line. Exit code 1 if there is one."""
    with errors_as_text():
        good, problems = check_queries(queries, columns=read_columns(columns, values))
    for problem in problems:
        typer.echo(f"{queries}:{problem.line}: {problem.reason}")
    for remark in filter(None, (query.remark() for query in good)):
        typer.echo(f"{queries}: {remark}")
    typer.echo(f"{len(good):,} good, {len(problems):,} bad")
    if problems:
        raise typer.Exit(1)
