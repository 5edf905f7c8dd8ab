"""Commands of other distributions, with and without limen-lab installed."""

from importlib.metadata import EntryPoint, EntryPoints

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from limen.cli import plugins
from limen.cli.main import app

several = typer.Typer(add_completion=False)


@several.callback()
def main() -> None:
    """Do several things."""


@several.command()
def one(number: int) -> None:
    """Do one thing."""
    typer.echo(f"one {number}")


def alone(number: int) -> None:
    """Do a single thing."""
    typer.echo(f"alone {number}")


@pytest.fixture
def install(monkeypatch):
    """Replace the installed entry points with the given ones: command → object of this module."""

    def install(**commands):
        installed = EntryPoints(EntryPoint(name, f"{__name__}:{at}", plugins.GROUP) for name, at in commands.items())
        monkeypatch.setattr(plugins, "entry_points", installed.select)
        monkeypatch.setattr(EntryPoint, "load", lambda entry: globals()[entry.attr])

    return install


def limen(*arguments):
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.parametrize("command", ["bench", "reproduce"])
@pytest.mark.parametrize("arguments", [(), ("--help",), ("border", "--only", "process")])
def test_without_the_lab_its_commands_name_the_package_to_install(install, command, arguments):
    install()
    result = limen(command, *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        f"limen {command} is not installed: it comes with limen-lab. Hint: pip install limen-lab"
    ]


def test_without_the_lab_the_help_lists_only_built_in_commands(install):
    install()
    result = limen("--help")
    assert result.exit_code == 0
    assert "check" in result.stdout
    assert "bench" not in result.stdout
    assert "reproduce" not in result.stdout


def test_the_help_lists_plugins_without_loading_them(install, monkeypatch):
    install(bench="several", other="alone")
    monkeypatch.setattr(EntryPoint, "load", lambda _: pytest.fail("loaded"))
    result = limen("--help")
    assert result.exit_code == 0
    for line in ("bench Measure what queries cost", f"other A command of {__name__.partition('.')[0]}."):
        assert line in " ".join(result.stdout.replace("│", " ").split())


@pytest.mark.parametrize("name", plugins.KNOWN)
def test_the_lines_of_the_lab_are_its_own(name):
    pytest.importorskip("limen_lab")
    command = get_command(app).get_command(None, name)
    assert command.loaded().help.startswith(command.help)


def test_a_plugin_is_an_application_or_a_function(install):
    install(bench="several", reproduce="alone")
    assert limen("bench", "one", "3").stdout == "one 3\n"
    assert limen("reproduce", "4").stdout == "alone 4\n"


def test_plugins_have_no_completion_options_of_their_own(install):
    install(bench="several", reproduce="alone")
    for command in ("bench", "reproduce"):
        assert "completion" not in limen(command, "--help").stdout


def test_a_plugin_does_not_replace_a_built_in_command(install):
    install(check="alone")
    assert "Do a single thing." not in limen("check", "--help").stdout


def test_an_unknown_command_is_a_usage_error(install):
    install(bench="several")
    result = limen("benhc")
    assert result.exit_code == 2
    assert "No such command" in result.stderr
