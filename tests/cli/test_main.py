from importlib.metadata import version

from typer.testing import CliRunner

from limen.cli.main import app


def test_version():
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"limen {version('limen')}\n")


def test_help_names_the_commands():
    output = CliRunner().invoke(app, ["--help"]).stdout
    for command in ("check", "simulate"):
        assert command in output
