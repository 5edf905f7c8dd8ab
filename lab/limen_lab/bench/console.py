"""`limen bench console`: a job with open consoles, beside the same job without.

Each runs over the same files at full speed, by turns: once alone, once with its window, a console and browsers. The
browsers are websocket clients in a process of their own, which draws nothing and works only when a processor has
nothing else to do: in life, browsers are on machines of their own. The console counts.

A batch takes what it takes from its beginning to that of the next one. Of each batch the median of all turns is taken,
and then the sum: a moment in which the machine did something else is in one turn of one batch, and does not count.
"""

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from limen.formats.query_json import canonical_json, query_to_dict
from limen.jobfile import read_job
from limen.model.query import Query
from limen.simulate.city import city_roads
from limen.simulate.live_city import LiveCity, table_at
from limen.spark.run import Run
from limen_lab.bench.cpu_time import processor_seconds
from limen_lab.bench.record import Record
from limen_lab.bench.spark import PER_SECOND, Ticker, quiet_session

BROWSERS = 3
TURNS = 4
WARM = 2  # batches of each run that are not counted
LEAST = 0.95  # of the throughput without
_PATIENCE = 60.0

_JOB = """\
name = "bench"
checkpoint = "checkpoint"
source = {{ format = "parquet", path = "in", files_per_batch = 1 }}
columns = {columns}
queries = {{ file = "queries.jsonl", folder = "changes" }}
options = {{ lateness = "0 seconds", routing = "{routing}" }}
sink = [{{ format = "parquet", path = "events" }}]
trigger = {{ available_now = true }}
console = {{ window = {window}, port = {port} }}
"""


@dataclass(frozen=True)
class Turn:
    """What a run took.

    Attributes
    ----------
    rows, seconds
        Of each batch that counts.
    processors
        What processors worked in all for Spark and its workers, in seconds; None where it is not known.
    """

    rows: list[int]
    seconds: list[float]
    processors: float | None

    @property
    def rate(self) -> float:
        """Rows a second."""
        return sum(self.rows) / sum(self.seconds)


class Jobs:
    """A folder with files and two job files, alike but for the window."""

    def __init__(self, folder: Path, queries: Sequence[Query], columns: str, routing: str) -> None:
        self.folder, self.port = folder, _free_port()
        (folder / "changes").mkdir()
        lines = (canonical_json(query_to_dict(query)) + "\n" for query in queries)
        (folder / "queries.jsonl").write_text("".join(lines), encoding="utf-8")
        for name, window in (("alone", "false"), ("seen", "true")):
            text = _JOB.format(columns=columns, routing=routing, window=window, port=self.port)
            (folder / f"{name}.toml").write_text(text, encoding="utf-8")

    def alone(self) -> tuple[Turn, dict[str, Any]]:
        """Run the job alone."""
        return self._turn("alone"), {}

    def seen(self) -> tuple[Turn, dict[str, Any]]:
        """Run the job with a console and browsers; say also what the browsers got."""
        with self._console() as got:
            turn = self._turn("seen")
        return turn, got

    def _turn(self, name: str) -> Turn:
        for made in ("checkpoint", "checkpoint-window", "events"):
            shutil.rmtree(self.folder / made, ignore_errors=True)
        batches: list[dict[str, Any]] = []
        before = _processors()
        with Run(read_job(self.folder / f"{name}.toml"), show=lambda *_: None) as run:
            run.start()
            ended = False
            while not ended:
                ended = run.wait(0.2)
                batches += [progress for progress in run.progress() if progress["numInputRows"]]
            if run.failure is not None:
                raise run.failure
        after = _processors()
        worked = None if before is None or after is None else after - before
        began = [datetime.fromisoformat(each["timestamp"]).timestamp() for each in batches]
        ends = [*began[1:], began[-1] + batches[-1]["durationMs"]["triggerExecution"] / 1000]
        seconds = [end - begin for begin, end in zip(began, ends, strict=True)]
        return Turn([each["numInputRows"] for each in batches[WARM:]], seconds[WARM:], worked)

    @contextmanager
    def _console(self) -> Iterator[dict[str, Any]]:
        """Start a console and browsers, wait until all of them are connected, and give what they got in the end."""
        words = ["console", str(self.folder / "seen.toml")]
        console = subprocess.Popen([sys.executable, "-m", "limen", *words])  # noqa: S603  # ourselves
        browsers = None
        got: dict[str, Any] = {}
        try:
            _wait_for(self.port)
            browsers = subprocess.Popen(  # noqa: S603
                [sys.executable, "-m", "limen_lab.bench.browsers", f"127.0.0.1:{self.port}", str(BROWSERS)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            assert browsers.stdout is not None
            browsers.stdout.readline()  # all are connected
            yield got
            output, _ = browsers.communicate("")
            got |= json.loads(output)
        finally:
            if browsers is not None:
                browsers.terminate()
                browsers.wait()
            console.terminate()
            _, console.returncode, used = os.wait4(console.pid, 0)
            got["processor seconds of the console"] = used.ru_utime + used.ru_stime


def city() -> Iterator[Record]:
    """The demo's city at full speed: 10,000 vehicles, 1,075 queries of all families, ten seconds a batch."""
    with tempfile.TemporaryDirectory(prefix="limen-bench-") as name:
        folder = Path(name)
        (folder / "in").mkdir()
        live = LiveCity(network=city_roads())
        seconds, batches, tables = 10, 12, []
        for reports in live.seconds():
            tables.append(table_at(reports, 1_800_000_000 + reports.second))
            if len(tables) == seconds:
                number = reports.second // seconds
                _write(pa.concat_tables(tables), folder / "in", number)
                tables = []
                if number == batches - 1:
                    break
        columns = '{ id = "vehicle", time = "time", values = ["x", "y"], attributes = ["kind", "speed"] }'
        jobs = Jobs(folder, live.queries(), columns, "by_query")
        workload = {"vehicles": live.vehicles, "queries": len(live.queries()), "rows a batch": seconds * live.vehicles}
        yield _beside("city", jobs, {**workload, "batches": batches})


def ticker() -> Iterator[Record]:
    """Large batches of many streams: 100,000 price streams, 10,000 ranges, a million rows a batch."""
    with tempfile.TemporaryDirectory(prefix="limen-bench-") as name:
        folder = Path(name)
        (folder / "in").mkdir()
        prices = Ticker(rows=1_000_000, batches=8)
        prices.write(folder / "in")
        columns = '{ id = "symbol", time = "time", values = ["price"] }'
        yield _beside("ticker", Jobs(folder, prices.borders, columns, "by_stream"), prices.workload)


MEASURES = {"city": city, "ticker": ticker}


def _beside(name: str, jobs: Jobs, workload: dict[str, Any]) -> Record:
    quiet_session()
    turns: dict[str, list[Turn]] = {"alone": [], "seen": []}
    got: dict[str, Any] = {}
    for number in range(TURNS + 1):
        # The order changes from turn to turn.
        for which in ("alone", "seen") if number % 2 else ("seen", "alone"):
            turn, counted = jobs.seen() if which == "seen" else jobs.alone()
            got = counted or got
            if number:  # the first is for compilers, of Spark and of ours
                turns[which].append(turn)
    seen, alone = typical(turns["seen"]), typical(turns["alone"])
    facts = {
        **workload,
        "browsers": BROWSERS,
        "turns": {which: [round(turn.rate) for turn in each] for which, each in turns.items()},
        "processor seconds of Spark": {which: [turn.processors for turn in each] for which, each in turns.items()},
        "a browser got": got,
        "cores": os.cpu_count(),
    }
    claim = f"at least {LEAST} of the job alone"
    return Record(name, facts, PER_SECOND, seen, {"alone": alone}, claim, seen >= LEAST * alone)


def typical(turns: Sequence[Turn]) -> float:
    """Return rows a second, of each batch with the median of its times.

    Examples
    --------
    >>> typical([Turn([6, 6], [1.0, 2.0], None), Turn([6, 6], [9.0, 2.0], None), Turn([6, 6], [1.0, 7.0], None)])
    4.0
    """
    seconds: list[float] = [statistics.median(times) for times in zip(*(turn.seconds for turn in turns), strict=True)]
    return sum(turns[0].rows) / sum(seconds)


def _processors() -> float | None:
    """Return what Spark and its workers have cost so far."""
    return processor_seconds(quiet_session().sparkContext._gateway.proc.pid)  # type: ignore[union-attr]


def _write(table: pa.Table, folder: Path, number: int) -> None:
    path = folder / f"{number:03}.parquet"
    pq.write_table(table, path)
    os.utime(path, (1_000_000_000 + number,) * 2)  # Spark takes files in order of their age


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


def _wait_for(port: int) -> None:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        with socket.socket() as visitor:
            if visitor.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"no console at port {port}")
