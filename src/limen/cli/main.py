"""The `limen` command: its commands, which are defined by the other files of this package."""

from importlib.metadata import version
from typing import Annotated

import typer

from limen.cli.plugins import PluginGroup


class Commands(PluginGroup):
    """The commands of `limen`, and those of plugins."""

    own = {  # noqa: RUF012  # read only
        "check": ("check:check", "Validate a file of queries or shapes and report everything bad."),
        "console": ("console:console", "Show a job in a web page: streams, queries, events, throughput and lateness."),
        "demo": ("demo.command:demo", "Watch alerts go off: simulated prices through Spark to events on screen."),
        "explain": ("explain:explain", "Show the constraints between each two tuples of a pattern."),
        "init": ("init:init", "Write a commented job file for a source, to be edited and given to `limen run`."),
        "report": ("report:report", "Make a page of a finished run."),
        "run": ("run:run", "Run a job: from its source, by its queries, to its sinks."),
        "simulate": ("simulate.command:app", "Write a simulated workload: tuples, queries.jsonl and columns.json."),
        "sql": ("sql.command:sql", "Query a stream in SQL: a shell with history, completion and colour."),
        "warm": ("warm:warm", "Compile kernels now, on all cores, so that no user waits for them."),
    }


app = typer.Typer(
    name="limen",
    cls=Commands,
    help="Very many continuous queries over very many data streams.",
    no_args_is_help=True,
    # Limen's own errors contain all that a user needs. A traceback is for developers: Python's plain one.
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"limen {version('limen')}")
        raise typer.Exit


@app.callback()
def main(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    pass
