"""A browser, a console and a job for it: vehicles on circles, driven by a thread."""

import contextlib
import math
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from limen import Border, Box, Circle, Columns, Nearest, Pair, Pattern, Polygon, Transition, Within
from limen.model.query import Query
from tests.console.city_job import EngineJob
from tests.console.conftest import served

__all__ = ["served"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
COLUMNS = Columns("car", "t", ("x", "y"), ("kind", "speed"))
SCRIPT = "<img src=x onerror=\"document.title='taken'\">"
QUERIES: list[Query] = [
    Border("yard", Box((420, 420), (640, 560)), initial="report"),
    Border("calm", Box((420, 420), (640, 560)), confirm=50),
    Border(SCRIPT, Polygon([(100, 700), (300, 700), (200, 900)]), initial="report"),
    Transition("garage", Box((300, 300), (500, 500)), within=5),
    Within("school", Circle((700, 300), 90)),
    Nearest("stand", 3, center=(500, 500)),
    Within("around c1", focal="c1", radius=80),
    Pattern(
        "close",
        {"a": "speed > 60", "b": "speed > 60"},
        [Pair("a", "b", after=(0, 1), distance=9.0, where="a.car <> b.car")],
    ),
]


def chromium() -> str:
    for name in NAMES:
        if path := shutil.which(name):
            return path
    pytest.skip("no Chromium here; `make test-ui` installs one where it can")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    path = chromium()
    sync = pytest.importorskip("playwright.sync_api", reason="Playwright drives the browser")
    with sync.sync_playwright() as playwright:
        # As root, which containers often are, Chromium has no sandbox of its own.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Rounds:
    """A job whose vehicles go round, a batch each so many seconds, until it is stopped."""

    def __init__(self, folder: Path, vehicles: int = 80, every: float = 0.2, **facts: Any) -> None:
        self.folder, self._vehicles, self._every, self._facts = folder, vehicles, every, facts
        self.turn = 0
        self._job: EngineJob | None = None
        self._stop = threading.Event()

    @property
    def job(self) -> EngineJob:
        assert self._job is not None
        return self._job

    def begin(self, *, anew: bool = True) -> None:
        """Have a job, without any batch yet."""
        batch = 0 if self._job is None or anew else self._job.batch
        self._job = EngineJob(self.folder, COLUMNS, QUERIES, anew=anew, **self._facts)
        self._job.batch = batch
        self._job._taken = {path.name for path in self._job.changes.glob("*")}

    def start(self, *, anew: bool = True) -> None:
        self.begin(anew=anew)
        self.go()

    def go(self) -> None:
        """Take batch after batch."""
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(self._every):
            self.job.step(self.table())

    def table(self) -> pa.Table:
        self.turn += 1
        ids = [f"c{n}" for n in range(self._vehicles)]
        turns = [0.03 * self.turn * (1 + n % 5) + n for n in range(self._vehicles)]
        reach = [60 + 430 * ((n * 37) % self._vehicles) / self._vehicles for n in range(self._vehicles)]
        x = [500 + r * math.cos(a) for r, a in zip(reach, turns, strict=True)]
        y = [500 + r * math.sin(a) for r, a in zip(reach, turns, strict=True)]
        now = pa.array([time.time_ns() // 1000] * len(ids), pa.timestamp("us", "UTC"))
        speed = [20.0 + 10 * (n % 6) for n in range(self._vehicles)]
        ids[0] = SCRIPT
        return pa.table({"car": ids, "t": now, "x": x, "y": y, "kind": ["car"] * len(ids), "speed": speed})

    def stop(self, *, kill: bool = False) -> None:
        """End the job, or have it end as one that is killed: without a word."""
        self._stop.set()
        self._thread.join()
        if kill:
            publisher = self.job.publisher
            publisher._stopped.set()
        else:
            self.job.publisher.end()


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Have all kernels compiled before anybody waits for a page: from nothing, that takes minutes."""
    job = Rounds(tmp_path_factory.mktemp("compiled") / "window")
    job.begin()
    for _ in range(20):
        job.job.step(job.table())
    job.job.publisher.end()


@pytest.fixture
def rounds(tmp_path: Path, compiled: None) -> Iterator[Rounds]:
    job = Rounds(tmp_path / "window")
    job.start()
    yield job
    with contextlib.suppress(Exception):
        job.stop()


class Pages:
    """Pages of a browser that see a console; what goes wrong in one fails the test."""

    def __init__(self, browser: Any, port: int) -> None:
        self._browser, self._port = browser, port
        self.problems: list[str] = []
        self._open: list[Any] = []

    def open(self, width: int = 1440, height: int = 900, path: str = "/", **options: Any) -> Any:
        context = self._browser.new_context(viewport={"width": width, "height": height}, **options)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda said: self.problems.append(said.text) if said.type == "error" else None)
        page.on("request", lambda asked: self._ours(asked.url))
        page.goto(f"http://localhost:{self._port}{path}")
        self._open.append(context)
        if page.locator("#token").count() == 0:
            until(page, "true", 60)  # what is pressed before the page lives is lost
        return page

    def _ours(self, url: str) -> None:
        if not url.startswith((f"http://localhost:{self._port}/", "data:", "blob:")):
            self.problems.append(f"loaded from elsewhere: {url}")

    def close(self) -> None:
        for context in self._open:
            context.close()


@pytest.fixture
def pages(browser: Any, rounds: Rounds, served: Callable[..., int]) -> Iterator[Pages]:
    pages = Pages(browser, served(rounds.folder))
    yield pages
    pages.close()
    assert pages.problems == []


def until(page: Any, condition: str, seconds: float = 15.0) -> None:
    """Wait for a condition in the page; the page's own policy forbids what Playwright waits with."""
    end = time.monotonic() + seconds
    while not page.evaluate(f"Boolean(window.limen) && ({condition})"):
        assert time.monotonic() < end, f"not so after {seconds} s: {condition}"
        time.sleep(0.05)
