"""Every interactive example of the documentation gives what the page says."""

import doctest
import re
from pathlib import Path

import pytest

from limen.queries.regional.operator import MOST_CONDITIONS
from limen.regions.boxes import BoxIndex
from limen.regions.kernels.crossings import WALK

DOCS = Path(__file__).parents[1] / "docs"
FENCE = re.compile(r"^```(\w*)")


def examples_only(page):
    """Return the page with everything but its `pycon` blocks blanked, so that line numbers stay."""
    lines, language = [], None
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = FENCE.match(line)
        lines.append("" if fence or language != "pycon" else line)
        if fence:
            language = fence.group(1) if language is None else None
    return "\n".join(lines) + "\n"


PAGES = [page for page in sorted(DOCS.rglob("*.md")) if ">>>" in examples_only(page)]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_page(page):
    test = doctest.DocTestParser().get_doctest(examples_only(page), {}, page.name, str(page), 0)
    report = []
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=report.append)
    assert result.attempted
    assert not result.failed, "".join(report)


def test_the_tutorial_is_among_the_pages():
    assert DOCS / "tutorial.md" in PAGES


def test_the_page_on_the_index_gives_its_real_sizes():
    page = " ".join((DOCS / "concepts/how-the-index-works.md").read_text(encoding="utf-8").split())
    assert f"up to {WALK} entries are passed one by one" in page
    assert f"(but at least {BoxIndex.SMALL:,}, and at most {BoxIndex.LARGE:,})" in page
    assert f"More than {BoxIndex.SMALL} dead queries" in page
    assert f"beyond {MOST_CONDITIONS} different conditions a family" in page
