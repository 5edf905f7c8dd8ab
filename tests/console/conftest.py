"""A small job with its telemetry: three streams on a line, some queries, batches by hand."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from limen import Border, Box, Circle, Columns, Nearest, Transition, Within
from limen.console import application
from limen.console.live_state import LiveState
from limen.console.server import web_server
from limen.model.query import Query
from tests.console.city_job import EngineJob

COLUMNS = Columns("car", "t", ("x", "y"), ("kind",))
SECOND = 1_000_000
QUERIES: list[Query] = [
    Border("yard", Box((0, 0), (10, 10))),
    Border("calm", Box((0, 0), (10, 10)), confirm=3),
    Border("vans", Box((0, 0), (10, 10)), where="kind = 'van'"),
    Transition("garage", Box((0, 0), (10, 10)), within=60),
    Within("near", Circle((5, 5), 8)),
    Nearest("two", 2, center=(0, 0)),
    Within("around a", focal="a", radius=20),
]


def rows(*found: tuple[str, int, float, float], kind: str = "car") -> pa.Table:
    ids, seconds, x, y = zip(*found, strict=True)
    times = pa.array([second * SECOND for second in seconds], pa.timestamp("us", "UTC"))
    return pa.table({"car": list(ids), "t": times, "x": list(x), "y": list(y), "kind": [kind] * len(ids)})


@pytest.fixture
def make_job(tmp_path: Path) -> Any:
    made: list[EngineJob] = []

    def make(queries: list[Query] | None = None, columns: Columns = COLUMNS, **facts: Any) -> EngineJob:
        job = EngineJob(tmp_path / "window", columns, QUERIES if queries is None else queries, **facts)
        made.append(job)
        return job

    yield make
    for job in made:
        job.publisher.end()


@pytest.fixture
def job(make_job: Callable[..., EngineJob]) -> EngineJob:
    return make_job()


@pytest.fixture
def live(job: EngineJob) -> LiveState:
    live = LiveState(job.folder)
    job.step(rows(("a", 0, 5, 5), ("b", 0, 20, 5), ("c", 0, 500, 500)))
    job.step(rows(("a", 1, 15, 5), ("b", 1, 5, 5), ("c", 1, 501, 500)))
    live.refresh()
    return live


class Consoles:
    """Consoles that are served as `limen console` serves them."""

    def __init__(self) -> None:
        self._running: dict[int, tuple[Any, threading.Thread]] = {}

    def __call__(self, folder: Path, *, port: int | None = None, **options: Any) -> int:
        """Serve the console of a folder; return its port."""
        if port is None:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = int(probe.getsockname()[1])
        server = web_server(application(folder, "city", **options), "127.0.0.1", port)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        self._running[port] = server, thread
        return port

    def stop(self, port: int) -> None:
        server, thread = self._running.pop(port)
        server.should_exit = True
        thread.join()

    def close(self) -> None:
        for port in list(self._running):
            self.stop(port)


@pytest.fixture
def served() -> Iterator[Consoles]:
    consoles = Consoles()
    yield consoles
    consoles.close()
