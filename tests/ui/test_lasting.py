"""A page that stays: over reloads, jobs that are killed and come back, a console that goes; browsers and phones."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.console.conftest import Consoles
from tests.ui.conftest import Pages, Rounds, until

pytestmark = pytest.mark.ui


def test_reload(pages: Pages) -> None:
    page = pages.open()
    page.wait_for_selector("#feed .event")
    page.reload()
    page.wait_for_selector("#health[data-state=running]")
    page.wait_for_selector("#feed .event")
    until(page, "limen.vehicles.length >= 80")


def test_a_job_that_is_killed_and_started_again(pages: Pages, rounds: Rounds) -> None:
    page = pages.open()
    page.wait_for_selector("#health[data-state=running]")
    rounds.stop(kill=True)
    page.wait_for_selector("#health[data-state=killed]", timeout=20_000)
    assert "no sign of life" in page.inner_text("#notice")
    seen = page.evaluate("limen.vehicles.length")
    assert seen >= 80  # what is known stays on the map
    assert page.inner_text("#now-rows") == "–"  # and what is not now is not said to be
    rounds.begin(anew=False)
    page.wait_for_selector("#health[data-state=starting]")
    assert "Spark takes some seconds" in page.inner_text("#notice")
    assert page.inner_text("#now-rows") == "–"
    rounds.go()
    page.wait_for_selector("#health[data-state=running]")
    assert not page.is_visible("#notice")
    until(page, "document.getElementById('now-rows').textContent !== '–'")
    newest = page.get_attribute("#feed li >> nth=0", "data-event")
    until(page, f"document.querySelector('#feed li').dataset.event !== {newest!r}")


def test_a_job_that_begins_anew(pages: Pages, rounds: Rounds) -> None:
    page = pages.open()
    page.wait_for_selector("#feed .event")
    rounds.stop()
    page.wait_for_selector("#health[data-state=ended]")
    page.click("#tab-charts")
    page.wait_for_selector("#charts figure")
    rounds._vehicles = 30
    rounds.begin(anew=True)  # as with a checkpoint that was removed
    page.wait_for_selector("#health[data-state=starting]")
    until(page, "limen.vehicles.length === 0")
    assert page.inner_text("#now-rows") == page.inner_text("#charts output >> nth=0") == "–"
    assert page.inner_text("#now-streams") == "0"
    assert "The checkpoint of before is gone: the job has begun anew." in page.inner_text("#notice")
    page.click("#tab-feed")
    assert page.locator("#feed .event").count() == 0
    rounds.go()
    page.wait_for_selector("#health[data-state=running]")
    until(page, "limen.vehicles.length > 0 && limen.vehicles.length <= 40")
    page.click("#notice-close")  # one has read it
    page.wait_for_timeout(500)
    assert not page.is_visible("#notice")


def test_a_job_that_failed_says_why(pages: Pages, rounds: Rounds) -> None:
    page = pages.open()
    rounds.stop()
    rounds.job.publisher.end("the topic 'reports' does not exist. Hint: create it")
    page.wait_for_selector("#health[data-state=failed]")
    assert "the topic 'reports' does not exist" in page.inner_text("#notice")


def test_two_browsers_see_the_same(pages: Pages) -> None:
    one, other = pages.open(), pages.open()
    one.click("#tab-sql")
    one.fill("#sql-text", "CREATE BORDER shared ON cars INSIDE BOX(400, 400, 600, 600)")
    one.click("#sql button.main")
    other.wait_for_selector("#requests li.in-force >> text=shared")
    other.fill("#feed-query", "shared")
    other.wait_for_selector("#feed .event")


def test_the_console_may_go_and_come_back(
    browser: Any, rounds: Rounds, served: Callable[..., int], tmp_path: Path
) -> None:
    port = served(rounds.folder)
    pages = Pages(browser, port)
    page = pages.open()
    page.wait_for_selector("#health[data-state=running]")
    page.context.set_offline(True)
    page.evaluate("limen.link.wait = 4000; limen.link.socket.close()")  # so long that one sees it
    # A browser may wait for the other side to close as well; the page takes silence for an answer.
    page.wait_for_selector("#health[data-state=lost]", timeout=30_000)
    assert "The page tries again by itself" in page.inner_text("#notice")
    page.context.set_offline(False)
    page.wait_for_selector("#health[data-state=running]")
    pages.close()


def test_a_console_that_is_started_again(browser: Any, rounds: Rounds, served: Consoles) -> None:
    port = served(rounds.folder)
    pages = Pages(browser, port)
    page = pages.open()
    until(page, "limen.vehicles.length >= 80")
    page.click("#tab-sql")
    page.fill("#sql-text", "CREATE BORDER")
    page.click("#tab-feed")
    served.stop(port)
    page.wait_for_selector("#health[data-state=lost]")
    rounds._vehicles = 40  # of which some have other places in the new console's books
    served(rounds.folder, port=port)
    page.wait_for_selector("#health[data-state=running]")
    newest = page.get_attribute("#feed li >> nth=0", "data-event")
    until(page, f"document.querySelector('#feed li')?.dataset.event !== {newest!r}")
    until(page, "limen.vehicles.length >= 40 && limen.vehicles.u1.slice(0, 40).every(u => u > 0)")
    assert page.input_value("#sql-text") == "CREATE BORDER"  # what one was writing is still there
    pages.close()


def test_read_only(browser: Any, served: Callable[..., int], tmp_path: Path, compiled: None) -> None:
    job = Rounds(tmp_path / "window", changes=None)
    job.start()
    pages = Pages(browser, served(job.folder))
    page = pages.open()
    page.wait_for_selector("#feed .event")
    page.keyboard.press("Escape")
    page.click("[data-tool=box]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#register[open]")
    assert "takes no changes" in page.inner_text("#register .wrong")
    assert 'folder = "changes"' in page.inner_text("#register pre")
    assert page.is_disabled("#register button[type=submit]")
    pages.close()
    job.stop()


def test_a_token_is_asked_for(browser: Any, rounds: Rounds, served: Callable[..., int]) -> None:
    pages = Pages(browser, served(rounds.folder, token="a long token"))
    page = pages.open()
    page.fill("#token", "wrong")
    page.click("button")
    page.wait_for_selector("[role=alert]")
    page.fill("#token", "a long token")
    page.click("button")
    page.wait_for_selector("#health[data-state=running]")
    pages.close()


@pytest.mark.parametrize("tab", ["feed", "queries", "charts", "sql"])
def test_a_phone(pages: Pages, tab: str) -> None:
    page = pages.open(390, 844, has_touch=True, is_mobile=True)
    page.wait_for_selector("#feed .event")
    page.click(f"#tab-{tab}")
    page.wait_for_timeout(300)
    wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1]
    hidden = page.evaluate(
        "[...document.querySelectorAll('header *, #tabs *')]"
        ".filter(e => e.getBoundingClientRect().right > innerWidth + 1).length"
    )
    assert hidden == 0
    assert page.locator("#map").bounding_box()["height"] > 200
