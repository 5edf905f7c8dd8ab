"""The pictures of docs/console.md, with 10,000 vehicles and 1,000 fences; and how smoothly they move."""

import json
import logging
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.ui.conftest import Pages, until

pytestmark = pytest.mark.ui
log = logging.getLogger("limen")
FOLDER = Path(__file__).parents[2] / "docs" / "images" / "console"
BUILD = Path(__file__).parents[2] / "build"
#: What the documentation shows; all are in build/console.
SHOWN = ("overview", "query", "figures", "register", "sql", "in-force", "why", "why-alert", "why-not", "phone")


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("city") / "window"
    command = [sys.executable, "-m", "tests.console.city_job", str(folder), "--vehicles", "10000", "--fences", "1000"]
    job = subprocess.Popen(command, cwd=Path(__file__).parents[2])
    end = time.monotonic() + 240  # kernels may have to be compiled
    while not (folder / "batches.jsonl").exists() or (folder / "batches.jsonl").read_bytes().count(b"\n") < 8:
        assert job.poll() is None, "the simulated job has ended"
        assert time.monotonic() < end, "the simulated job has not begun"
        time.sleep(0.5)
    yield folder
    job.terminate()
    job.wait()


def picture(page: Any, name: str) -> None:
    page.wait_for_timeout(400)
    for folder in (FOLDER, BUILD / "console"):
        folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=BUILD / "console" / f"{name}.png")
    if name in SHOWN:
        with Image.open(BUILD / "console" / f"{name}.png") as taken:  # a fifth of the size
            taken.convert("RGB").save(FOLDER / f"{name}.webp", quality=85, method=6)


def lived(pages: Pages, **options: Any) -> Any:
    page = pages.open(**options)
    until(page, "limen.vehicles.length >= 10000 && limen.regions.shapes.length >= 900 && limen.latency.length > 2", 60)
    page.wait_for_selector("#feed .event")
    return page


@pytest.fixture
def pages(browser: Any, city: Path, served: Callable[..., int]) -> Iterator[Pages]:
    pages = Pages(browser, served(city))
    yield pages
    pages.close()
    assert pages.problems == []


def test_pictures(pages: Pages) -> None:
    page = lived(pages)
    picture(page, "overview")
    page.click("#tab-queries")
    page.wait_for_selector("#queries tbody tr")
    picture(page, "queries")
    page.fill("#queries-text", "zone")
    page.click("#queries tbody button:has-text('zone') >> nth=0")
    page.wait_for_selector("#detail .members")
    picture(page, "query")
    page.click("#detail .members button >> nth=0")
    page.wait_for_selector("#detail .head p:has-text('Stream')")
    picture(page, "stream")
    page.click("#tab-feed")
    page.select_option("#feed-kind", "enter")
    page.click("#feed .event:has-text('zone') >> nth=0")
    page.wait_for_selector("#detail .tuples")
    picture(page, "why")
    page.click("#detail button:has-text('Query')")
    page.fill("#detail .why input", "V17")
    page.click("#detail .why button")
    page.wait_for_selector("#detail .findings p")
    page.locator("#detail .findings").scroll_into_view_if_needed()
    picture(page, "why-not")
    page.click("#tab-charts")
    page.wait_for_timeout(1500)
    picture(page, "figures")
    page.click("#tab-sql")
    page.fill(
        "#sql-text",
        "CREATE BORDER centre ON city\nINSIDE CIRCLE(5000, 7000, 800);\n\nCREATE BODER east ON city\nINSIDE x > 9000;",
    )
    page.wait_for_selector("#sql-said .wrong")
    picture(page, "sql")


def test_pictures_of_drawing(pages: Pages) -> None:
    page = lived(pages)
    area = page.locator("#map").bounding_box()
    x, y = area["x"] + area["width"] * 0.5, area["y"] + area["height"] * 0.5
    page.click("[data-tool=polygon]")
    for dx, dy in ((-120, -60), (40, -130), (150, 10), (60, 120), (-90, 90)):
        page.mouse.click(x + dx, y + dy)
    page.mouse.move(x - 118, y - 58)
    picture(page, "drawing")
    page.keyboard.press("Enter")
    page.fill("#register input >> nth=0", "old town")
    picture(page, "register")
    page.click("#register button[type=submit]")
    page.wait_for_selector("#requests li.in-force")
    page.fill("#feed-query", "old town")
    page.wait_for_selector("#feed .event:has-text('old town')")
    picture(page, "in-force")


def test_pictures_of_each_family(pages: Pages) -> None:
    page = lived(pages)
    page.click("#tab-queries")
    for family in ("transition", "nearest", "pattern"):
        page.select_option("#queries-family", family)
        page.click(f"#queries tbody button:has(.key.{family}) >> nth=0")
        page.wait_for_selector("#detail h2")
        page.wait_for_timeout(1000)
        picture(page, family)
        page.click("#tab-queries")
    page.click("#tab-feed")
    page.select_option("#feed-kind", "alert")
    page.click("#feed .event:has-text('fast and close') >> nth=0")
    page.wait_for_selector("#detail .tuples")
    picture(page, "why-alert")
    page.click("#tab-feed")
    page.select_option("#feed-kind", "enter")
    page.fill("#feed-query", "no such query")
    page.wait_for_selector("#feed .empty >> text=No event fits")
    picture(page, "empty")


def test_pictures_of_other_looks(pages: Pages) -> None:
    phone = lived(pages, width=390, height=844, device_scale_factor=1.5, is_mobile=True, has_touch=True)
    picture(phone, "phone")
    for tab in ("queries", "charts", "sql"):
        phone.click(f"#tab-{tab}")
        phone.wait_for_timeout(1000)
        picture(phone, f"phone-{tab}")
    phone.click("#tab-queries")
    phone.click("#queries tbody button >> nth=0")
    phone.wait_for_selector("#detail .members")
    picture(phone, "phone-query")
    phone.click("#detail .members button >> nth=0")
    phone.wait_for_selector("#detail .head p:has-text('Stream')")
    picture(phone, "phone-stream")
    phone.click("#tab-feed")
    phone.click("#feed .event >> nth=0")
    phone.wait_for_selector("#detail .because")
    picture(phone, "phone-why")
    dark = lived(pages)
    dark.click("#theme")
    picture(dark, "dark")
    dark.click("#tab-charts")
    dark.wait_for_timeout(1000)
    picture(dark, "dark-figures")


def test_a_picture_of_the_door(browser: Any, city: Path, served: Callable[..., int]) -> None:
    pages = Pages(browser, served(city, token="a long token"))
    page = pages.open()
    page.fill("#token", "wrong")
    page.click("button")
    page.wait_for_selector("[role=alert]")
    picture(page, "login")
    pages.close()


def test_movement_is_smooth(pages: Pages) -> None:
    page = lived(pages)
    frames = page.evaluate(
        """() => new Promise(done => {
            const seen = [], first = performance.now();
            let last;
            limen.view.times.length = limen.latency.length = 0;
            const look = now => {
                if (last) seen.push(now - last);
                last = now;
                if (now - first < 8000) requestAnimationFrame(look);
                else done({ between: seen, drawing: limen.view.times, latency: limen.latency });
            };
            requestAnimationFrame(look);
        })"""
    )
    figures = {
        name: {
            "median": sorted(values)[len(values) // 2],
            "p95": sorted(values)[int(len(values) * 0.95)],
            "n": len(values),
        }
        for name, values in frames.items()
    }
    log.info("10,000 vehicles, 1,000 fences, milliseconds: %s", json.dumps(figures))
    BUILD.mkdir(exist_ok=True)
    (BUILD / "console-figures.json").write_text(json.dumps(figures, indent=1))
    assert figures["drawing"]["n"] > 60  # it moves, and not in jumps
