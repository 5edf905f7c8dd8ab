"""The `limen` command: registers what the other files of this package define."""

from importlib.metadata import version
from typing import Annotated

import typer

from limen.cli import check, console, explain, init, report, run
from limen.cli.demo import command as demo
from limen.cli.plugins import PluginGroup
from limen.cli.simulate import command as simulate
from limen.cli.sql import command as sql

app = typer.Typer(
    name="limen",
    cls=PluginGroup,
    help="Very many continuous queries over very many data streams.",
    no_args_is_help=True,
    # Limen's own errors contain all that a user needs. A traceback is for developers: Python's plain one.
    pretty_exceptions_enable=False,
)

app.command("check")(check.check)
app.command("console")(console.console)
app.command("demo")(demo.demo)
app.command("explain")(explain.explain)
app.command("init")(init.init)
app.command("report")(report.report)
app.command("run")(run.run)
app.command("sql")(sql.sql)
app.add_typer(simulate.app, name="simulate")


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
