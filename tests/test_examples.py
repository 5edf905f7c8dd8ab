"""Every example runs as a program of its own, and so does the README's first."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PICTURES = {
    "taxi_zones": ["taxi-zones.png", "taxi-stays.png"],
    "coupons": ["coupons.png"],
    "ride_hailing": ["ride-hailing.png"],
}


def run(*arguments, cwd=ROOT, env=None):
    result = subprocess.run(
        [sys.executable, "-W", "error", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=env,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


def promised(example):
    """Return what an example says it prints; some say it twice, the second time for where a real map is missing."""
    source = example.read_text(encoding="utf-8")
    found = re.findall(r"^Prints.*?::\n\n((?:    .*\n|\n)+)", source.split('"""')[1], re.MULTILINE)
    assert found, f"{example.name}: expected a docstring that ends with 'Prints::' and the output"
    return [lines(block) for block in found]


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_example_prints_what_its_docstring_promises(example):
    assert lines(run(example)) in promised(example)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["ride_hailing", *(pytest.param(name, marks=pytest.mark.soak) for name in ("taxi_zones", "coupons"))]
)
def test_a_story_without_its_map_draws_its_pictures(name, tmp_path):
    example = ROOT / "examples" / f"{name}.py"
    nowhere = {key: value for key, value in os.environ.items() if key != "LIMEN_DATA"}
    assert lines(run(example, tmp_path, cwd=tmp_path, env=nowhere)) == promised(example)[-1]
    for picture in PICTURES[name]:
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_readme_example_prints_what_the_readme_shows():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"^```text\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert run(ROOT / "scripts/run_readme.py", ROOT / "README.md") == shown.group(1)
