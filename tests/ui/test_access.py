"""Who cannot see well, or uses no mouse: what axe finds in every view, in both themes."""

from typing import Any

import pytest

from tests.ui.conftest import Pages, until

pytestmark = pytest.mark.ui
GRAVE = ("serious", "critical")


def problems(page: Any) -> list[str]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page.wait_for_timeout(300)  # what is fading in is in
    found = axe.run(page).response["violations"]
    return [
        f"{each['id']}: {node['html'][:120]}" for each in found if each["impact"] in GRAVE for node in each["nodes"]
    ]


@pytest.mark.parametrize("dark", [False, True])
def test_every_view(pages: Pages, dark: bool) -> None:
    page = pages.open()
    page.wait_for_selector("#feed .event")
    if dark:
        page.click("#theme")
    until(page, "limen.regions.shapes.length >= 5")
    page.click("#feed button:has-text('Hold')")
    assert problems(page) == []
    for tab in ("queries", "charts", "sql"):
        page.click(f"#tab-{tab}")
        assert problems(page) == [], tab
    page.fill("#sql-text", "CREATE NONSENSE")
    page.wait_for_selector("#sql-said .wrong")
    assert problems(page) == []
    page.click("#tab-queries")
    page.click("#queries tbody button >> nth=0")
    page.wait_for_selector("#detail h2")
    assert problems(page) == []
    page.click("#tab-feed")
    page.click("#feed .event >> nth=0")
    page.wait_for_selector("#detail .because")
    assert problems(page) == []
    page.click("[data-tool=box]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#register[open]")
    assert problems(page) == []


def test_a_narrow_window(pages: Pages) -> None:
    page = pages.open(390, 844)
    page.wait_for_selector("#feed .event")
    assert problems(page) == []
