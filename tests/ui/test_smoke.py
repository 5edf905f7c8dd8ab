"""The page opens, lives and fires: short enough for `make test`."""

from tests.ui.conftest import SCRIPT, Pages, until


def test_the_page_lives_and_a_drawn_fence_fires(pages: Pages) -> None:
    page = pages.open()
    page.wait_for_selector("#health[data-state=running]")
    page.wait_for_selector("#feed .event")
    until(page, "limen.vehicles.length >= 80 && limen.regions.shapes.length >= 5")

    page.click("[data-tool=box]")
    area = page.locator("#map").bounding_box()
    x, y = area["x"] + area["width"] / 2, area["y"] + area["height"] / 2
    page.mouse.move(x - 150, y - 150)
    page.mouse.down()
    page.mouse.move(x + 150, y + 150, steps=4)
    page.mouse.up()
    page.fill("#register input[type=text] >> nth=0", "drawn")
    page.click("#register button[type=submit]")
    page.wait_for_selector("#requests li.in-force")
    page.fill("#feed-query", "drawn")
    page.wait_for_selector("#feed .event .query >> text=drawn")

    # Text from data is text.
    page.fill("#feed-query", "onerror")
    assert SCRIPT in page.inner_text("#feed .event:has-text('onerror') >> nth=0")
    assert page.title() == "Limen console"
