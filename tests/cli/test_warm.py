"""`limen warm`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from limen.cli.main import app


def test_an_unknown_family_is_one_clear_line():
    result = CliRunner().invoke(app, ["warm", "boarder"])
    assert result.exit_code == 2
    assert "boarder" in result.output
    assert "did you mean 'border'?" in result.output


@pytest.mark.slow
def test_a_family_is_compiled_once_with_progress(tmp_path: Path):
    environment = {**os.environ, "LIMEN_CACHE_DIR": str(tmp_path)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    said = [
        subprocess.run(
            [str(Path(sys.executable).with_name("limen")), "warm", "pattern"],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        for _ in range(2)
    ]
    assert "kernels compiled" in said[0].stdout
    assert "all kernels were there" in said[1].stdout
    assert all(str(tmp_path) in each.stdout.replace("\n", "") for each in said)
    assert all("100%" in each.stderr for each in said)
