"""Every example runs as a program of its own, and so does the README's first."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def run(*arguments):
    result = subprocess.run(
        [sys.executable, "-W", "error", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_example_prints_what_its_docstring_promises(example):
    promised = re.search(r'Prints::\n\n(.*?)"""', example.read_text(encoding="utf-8"), re.DOTALL)
    assert promised, f"{example.name}: expected a docstring that ends with 'Prints::' and the output"
    expected = [line.strip() for line in promised.group(1).strip().splitlines()]
    assert [line.strip() for line in run(example).strip().splitlines()] == expected


@pytest.mark.slow
def test_readme_example_prints_what_the_readme_shows():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"^```text\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert run(ROOT / "scripts/run_readme.py", ROOT / "README.md") == shown.group(1)
