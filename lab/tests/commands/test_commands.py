"""The commands as `limen` offers them where limen-lab is installed."""

import subprocess
import sys
from importlib.metadata import entry_points

import pytest
from typer.testing import CliRunner

from limen.cli.main import app
from limen_lab.commands.bench import app as bench
from limen_lab.commands.reproduce import reproduce


def limen(*arguments):
    return CliRunner().invoke(app, list(arguments))


def test_the_entry_points_name_the_commands():
    loaded = {plugin.name: plugin.load() for plugin in entry_points(group="limen.commands")}
    assert (loaded["bench"], loaded["reproduce"]) == (bench, reproduce)


def test_help_lists_both_commands():
    output = limen("--help").stdout
    assert "bench" in output
    assert "reproduce" in output


@pytest.mark.parametrize("command", ["bench", "reproduce"])
def test_commands_have_help(command):
    result = limen(command, "--help")
    assert result.exit_code == 0
    assert f"Usage: limen {command}" in result.stdout


def test_other_commands_do_not_load_the_lab():
    script = (
        "import sys; from typer.testing import CliRunner; from limen.cli.main import app; "
        "code = CliRunner().invoke(app, ['--version']).exit_code; print(code, 'limen_lab' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["0", "False"]
