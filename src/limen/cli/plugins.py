"""Add the commands of other distributions, found through the entry-point group `limen.commands`.

A plugin is loaded when its command is called or listed in the help, so that other commands start without it.
"""

from importlib.metadata import EntryPoint, entry_points
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

GROUP = "limen.commands"
#: Command → the distribution that adds it; the error message names it when it is not installed.
KNOWN = {"bench": "limen-lab", "reproduce": "limen-lab"}


class PluginGroup(TyperGroup):
    """Command group that also lists and runs the commands of installed plugins."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the built-in and the installed commands."""
        return sorted({*super().list_commands(ctx), *(plugin.name for plugin in entry_points(group=GROUP))})

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name; None if no distribution has it."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        for plugin in entry_points(group=GROUP, name=cmd_name):
            return _command(plugin)
        if cmd_name in KNOWN:
            typer.echo(
                f"limen {cmd_name} is not installed: it comes with {KNOWN[cmd_name]}. "
                f"Hint: pip install {KNOWN[cmd_name]}",
                err=True,
            )
            raise typer.Exit(2)
        return None


def _command(plugin: EntryPoint) -> Any:
    """Load a plugin: a Typer application, or a function that becomes a single command."""
    loaded = plugin.load()
    if isinstance(loaded, typer.Typer):
        application = loaded
    else:
        application = typer.Typer(add_completion=False)
        application.command(plugin.name)(loaded)
    command = get_command(application)
    command.name = plugin.name
    return command
