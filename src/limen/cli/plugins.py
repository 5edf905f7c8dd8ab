"""The commands of `limen` and of other distributions, which add theirs through the entry-point group `limen.commands`.

A command is loaded when it is called. The help lists it by a line that is given here, so neither the help nor a command
waits for the libraries that only other commands use.
"""

from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import entry_points
from pkgutil import resolve_name
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

GROUP = "limen.commands"
#: Command → the distribution that adds it, named by the error message when it is not installed; its line of help.
KNOWN = {
    "bench": ("limen-lab", "Measure what queries cost, beside what they are compared with."),
    "reproduce": ("limen-lab", "Measure the papers' figures again, and say what came out of what the papers claim."),
}


class LateCommand(TyperCommand):
    """Command that is loaded when it is called; until then it has a name and a line of help."""

    def __init__(self, name: str, line: str, load: Callable[[], Any]) -> None:
        super().__init__(name, help=line)
        self._load = load

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Return the context of the loaded command, which runs in place of this one."""
        return self.loaded().make_context(*arguments, **options)

    def loaded(self) -> Any:
        """Load the command: a Typer application, or a function that becomes a single command."""
        found = self._load()
        if isinstance(found, typer.Typer):
            application = found
        else:
            application = typer.Typer(add_completion=False)
            application.command(self.name)(found)
        command = get_command(application)
        command.name = self.name
        return command


class PluginGroup(TyperGroup):
    """Command group that also lists and runs the commands of installed plugins."""

    #: Command → its module in `limen.cli` and its name there; its line of help.
    own: ClassVar[Mapping[str, tuple[str, str]]] = {}

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, (place, line) in self.own.items():
            self.add_command(LateCommand(name, line, partial(resolve_name, f"limen.cli.{place}")))

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the built-in and the installed commands."""
        return sorted({*super().list_commands(ctx), *(plugin.name for plugin in entry_points(group=GROUP))})

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name; None if no distribution has it."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        distribution, line = KNOWN.get(cmd_name, (None, None))
        for plugin in entry_points(group=GROUP, name=cmd_name):
            return LateCommand(cmd_name, line or f"A command of {plugin.module.partition('.')[0]}.", plugin.load)
        if distribution is not None:
            typer.echo(
                f"limen {cmd_name} is not installed: it comes with {distribution}. Hint: pip install {distribution}",
                err=True,
            )
            raise typer.Exit(2)
        return None
