"""Doing things in the page: drop, edit, pause, SQL, filters, why; with the mouse and with the keyboard."""

from typing import Any

import pytest

from tests.ui.conftest import Pages, Rounds, until

pytestmark = pytest.mark.ui


def select(page: Any, query: str) -> None:
    page.click("#tab-queries")
    page.fill("#queries-text", query)
    page.click(f"#queries tbody button:has-text('{query}')")
    page.wait_for_selector(f"#detail h2:has-text('{query}')")


def only(part: str, text: str) -> str:
    """Say in JavaScript that the feed has events, and that a part of each has a text."""
    every = f"all.length && all.every(e => e.textContent.includes('{text}'))"
    return f"(all => {every})([...document.querySelectorAll('#feed {part}')])"


def test_drop_and_edit(pages: Pages) -> None:
    page = pages.open()
    select(page, "yard")
    page.click("#detail button:has-text('Edit')")
    page.get_by_label("Only rows where").fill("speed > 1")
    page.click("#register button[type=submit]")
    page.wait_for_selector("#requests li.in-force >> text=replace")
    until(page, "document.querySelector('#detail pre')?.textContent.includes('speed > 1')")
    page.click("#detail button:has-text('Drop')")
    page.wait_for_selector("#requests li.in-force >> text=drop")
    page.click("#tab-queries")
    until(page, "document.querySelectorAll('#queries tbody tr').length === 0")


def test_pause_and_resume(pages: Pages) -> None:
    page = pages.open()
    select(page, "school")
    page.click("#detail button:has-text('Pause')")
    page.wait_for_selector("#detail button:has-text('Resume')")
    page.wait_for_selector("#requests li.in-force >> text=pause")
    page.reload()
    select(page, "school")
    page.click("#detail button:has-text('Resume')")
    page.wait_for_selector("#detail button:has-text('Pause')")


def test_sql_with_its_mistakes_at_their_place(pages: Pages) -> None:
    page = pages.open()
    page.click("#tab-sql")
    page.fill(
        "#sql-text", "CREATE BORDER ok ON cars INSIDE BOX(0, 0, 9, 9);\nCREATE BODER b ON cars INSIDE BOX(0, 0, 9, 9)"
    )
    page.wait_for_selector("#sql-said .wrong")
    assert "line 2, column 8" in page.inner_text("#sql-said .wrong")
    assert page.inner_text("#sql-said .place").endswith("\n       ^")
    page.click("#sql-said button")
    assert page.evaluate("document.getElementById('sql-text').selectionStart") == 56
    page.fill("#sql-text", "CREATE BORDER typed ON cars INSIDE BOX(400, 400, 600, 600)")
    page.wait_for_selector("#sql-said .right >> text=would register typed")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#requests li.in-force >> text=typed")
    select(page, "typed")


@pytest.mark.parametrize("what", ["border", "transition", "within", "nearest"])
def test_sql_to_begin_with(pages: Pages, what: str) -> None:
    page = pages.open()
    page.wait_for_selector("#feed .event")
    page.click("#tab-sql")
    page.click(f"#sql .examples button:has-text('{what}')")
    page.wait_for_selector("#sql-said .right >> text=would register")
    page.click("#sql button.main")
    page.wait_for_selector("#requests li.in-force")


def test_the_nearest_of_a_vehicle(pages: Pages) -> None:
    page = pages.open()
    page.wait_for_selector("#feed .event")
    page.click("#feed .event >> nth=0")
    page.click("#detail button:has-text('Stream')")
    page.wait_for_selector("#detail h3:has-text('queries')")
    page.click("#detail button:has-text('Watch them')")
    page.wait_for_selector("#requests li.in-force >> text=nearest to")


def test_filters_of_the_feed(pages: Pages) -> None:
    page = pages.open()
    page.wait_for_selector("#feed .event")
    page.select_option("#feed-kind", "exit")
    until(page, only(".kind", "exit"))
    page.wait_for_timeout(800)  # news that come now are filtered too
    assert set(page.locator("#feed .kind").all_inner_texts()) == {"exit"}
    page.select_option("#feed-kind", "")
    page.fill("#feed-stream", "c7")
    until(page, only(".stream", "c7"))
    page.fill("#feed-query", "no such query")
    page.wait_for_selector("#feed .empty >> text=No event fits")
    page.fill("#feed-query", "")
    page.fill("#feed-stream", "")
    page.click("#feed button:has-text('Hold')")
    first = page.inner_text("#feed .event >> nth=0")
    page.wait_for_selector("#feed button:has-text('Go on (')")
    assert page.inner_text("#feed .event >> nth=0") == first
    page.click("#feed button:has-text('Go on')")
    until(page, f"document.querySelector('#feed .event').innerText !== {first!r}")


def test_why_an_event_fired_and_why_none_did(pages: Pages) -> None:
    page = pages.open()
    page.select_option("#feed-kind", "enter")
    page.fill("#feed-query", "yard")
    page.click("#feed .event:has-text('yard') >> nth=0")
    page.wait_for_selector("#detail .because")
    assert page.locator("#detail .tuples tbody tr").count() == 2
    page.click("#detail button:has-text('Query yard')")
    page.wait_for_selector("#detail h2:has-text('yard')")
    page.fill("#detail .why input", "nobody")
    page.click("#detail .why button")
    page.wait_for_selector("#detail .findings >> text=never seen")
    select(page, "calm")
    page.fill("#detail .why input", "c3")
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail .findings p")


def test_a_malformed_drawing_is_refused_with_words(pages: Pages) -> None:
    page = pages.open()
    page.wait_for_selector("#feed .event")
    page.click("[data-tool=polygon]")
    area = page.locator("#map").bounding_box()
    x, y = area["x"] + area["width"] / 2, area["y"] + area["height"] / 2
    for dx, dy in ((-90, -90), (90, 90), (90, -90), (-90, 90)):
        page.mouse.click(x + dx, y + dy)
    page.keyboard.press("Enter")
    page.fill("#register input >> nth=0", "bow tie")
    pages.problems.clear()
    page.click("#register button[type=submit]")
    page.wait_for_selector("#register .wrong >> text=does not cross itself")
    pages.problems.clear()  # a browser logs each answer that is no success
    page.keyboard.press("Escape")
    assert not page.is_visible("#register")


def test_a_click_on_the_map_selects(pages: Pages, rounds: Rounds) -> None:
    page = pages.open()
    until(page, "limen.vehicles.length >= 80")
    rounds.stop()
    page.wait_for_selector("#health[data-state=ended]")
    page.wait_for_timeout(1500)  # all have come to where they were last
    spot = page.evaluate(
        "(() => { const v = limen.vehicles, f = limen.view.frame(), now = performance.now() + 1e6;"
        " const [a, b] = v.place(5, now); return [a * f.scale + f.left, b * f.scale + f.top] })()"
    )
    page.click("#map", position={"x": spot[0], "y": spot[1]})
    page.wait_for_selector("#detail .head p:has-text('Stream')")
    assert page.evaluate("limen.vehicles.selected") >= 0


def test_everything_by_keyboard(pages: Pages) -> None:
    page = pages.open()
    page.wait_for_selector("#feed .event")
    page.focus("#tab-feed")
    for name in ("queries", "charts", "sql"):
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.getAttribute('aria-controls')") == name
        assert page.is_visible(f"#{name}")
    page.focus("[data-tool=circle]")
    page.keyboard.press("Enter")
    assert "circle" in page.inner_text("#hint")
    page.keyboard.press("Enter")
    page.wait_for_selector("#register[open]")
    page.keyboard.type("by hand")
    page.keyboard.press("Enter")
    page.wait_for_selector("#requests li.in-force >> text=by hand")
    page.focus("#map")
    before = page.evaluate("limen.view.bounds.west")
    page.keyboard.press("ArrowRight")
    until(page, f"limen.view.bounds.west !== {before}")
