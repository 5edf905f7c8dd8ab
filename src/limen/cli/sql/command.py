"""`limen sql`: query a stream in SQL."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.syntax import Syntax

from limen.cli.check import read_columns
from limen.cli.error_text import errors_as_text
from limen.cli.sql.feeds import SIMULATED, ShellStream, read_table, replayed, simulated
from limen.cli.sql.job_stream import RunningJob
from limen.cli.sql.keywords import lexer
from limen.cli.sql.prompt import reader, statements
from limen.cli.sql.shell import SECONDS, Shell
from limen.errors import InvalidInput

_COLUMNS = 'Of a file of rows: its columns, as JSON or a JSON file: {"id": …, "time": …, "values": […]}.'


def sql(
    stream: Annotated[
        str,
        typer.Argument(
            help=f"The stream: {' or '.join(SIMULATED)}, which are synthetic; a file of rows (.parquet, .csv, .jsonl), "
            "which is replayed; or the job file (.toml) of a job that is running."
        ),
    ] = SIMULATED[0],
    columns: Annotated[str | None, typer.Option(help=_COLUMNS)] = None,
    table: Annotated[
        list[str] | None, typer.Option(help="A table that SELECT may join, as in --table favourites=cars.csv.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="How much of the stream a SELECT looks at.")] = SECONDS,
    command: Annotated[
        list[str] | None, typer.Option("--command", "-c", help="A statement to run in place of a shell.")
    ] = None,
) -> None:
    """Query a stream in SQL: a shell with history, completion and colour, or the statements of a pipe.

    Statements end with a semicolon. `.run` lets the stream go on and shows the events of queries that were created;
    `.help` lists the commands.
    """
    with errors_as_text():
        tables = dict(_table(each) for each in table or [])
        shell = Shell(_feed(stream, columns), tables, seconds)
        console = Console(highlight=False)
        if command:
            _play(shell, command, console, echo=len(command) > 1)
            return
        if console.is_terminal:
            console.print(f"the stream {shell.feed.stream}; .help for help", style="dim")
        _play(shell, statements(reader(shell)), console, echo=False)


def _play(shell: Shell, texts: Iterable[str], console: Console, *, echo: bool) -> None:
    for text in texts:
        if echo:
            console.print(Syntax(text, lexer(), background_color="default", word_wrap=True))
        for shown in shell.execute(text):
            console.print(shown, soft_wrap=True, markup=False)
        if shell.ended:
            return


def _feed(stream: str, columns: str | None) -> ShellStream:
    path = Path(stream)
    if path.suffix.lower() == ".toml":
        return RunningJob(path)
    if not path.suffix:
        return simulated(stream)
    given = read_columns(columns, None)
    if given is None:
        hint = '--columns \'{"id": "car", "time": "ts", "values": ["x", "y"]}\''
        raise InvalidInput(where="limen sql", expected="the columns of the file", got="none", hint=hint)
    return replayed(path, given)


def _table(text: str) -> tuple[str, object]:
    name, equals, path = text.partition("=")
    if not equals or not name.isidentifier():
        raise InvalidInput(where="--table", expected="name=file, such as favourites=cars.csv", got=text)
    return name, read_table(Path(path))
