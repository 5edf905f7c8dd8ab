"""Every Python file that the maps of the project name exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PATH = re.compile(r"`([^`\s]*/[^`\s]*\.py)`")


@pytest.mark.parametrize("page", ["docs/papers.md", "ARCHITECTURE.md"])
def test_every_path_exists(page):
    paths = set(PATH.findall((ROOT / page).read_text(encoding="utf-8")))
    assert paths
    assert [path for path in sorted(paths) if not (ROOT / path).is_file()] == []
