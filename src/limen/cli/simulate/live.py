"""`limen simulate live`: a live city, with a file of reports every second."""

import os
import threading
import time
from itertools import islice
from pathlib import Path  # typer reads annotations at run time
from typing import Annotated

import pyarrow as pa
import pyarrow.parquet as pq
import typer

from limen import simulate
from limen.cli.companion import WITH_PARENT, end_with_parent
from limen.cli.error_text import errors_as_text
from limen.cli.simulate.city import Edges, Nodes, Side, roads
from limen.cli.simulate.workload_files import Seed  # as above
from limen.engine import Engine
from limen.formats.query_json import write_queries
from limen.simulate.live_city import LiveCity, table_at
from limen.simulate.reports import TRAFFIC_COLUMNS
from limen.telemetry import TelemetryReader, folder_files

KEPT_SECONDS = 600  # that a file of reports is kept: readers have finished with it long before
_GLANCE = 0.2
_FIRST = 3  # batches by which a job has compiled all that it needs
_NICE = 10
_APART = 20.0  # seconds between files meanwhile: not so many that vehicles are taken for gone

Vehicles = Annotated[int, typer.Option(min=100, help="How many are under way at any time.")]
Fences = Annotated[int, typer.Option(min=1, help="Number of fences.")]
GaragesOption = Annotated[int, typer.Option(min=2, help="Number of garages.")]


def live(
    out: Annotated[Path, typer.Option(help="Folder for reports/, a file a second, and queries.jsonl.")],
    *,
    vehicles: Vehicles = 10_000,
    fences: Fences = 1_000,
    garages: GaragesOption = 60,
    seconds: Annotated[int | None, typer.Option(min=1, help="For how long; by default until interrupted.")] = None,
    nodes: Nodes = None,
    edges: Edges = None,
    side: Side = simulate.SIDE,
    seed: Seed = 0,
    window: Annotated[Path | None, typer.Option(hidden=True)] = None,
    with_parent: Annotated[bool, typer.Option(WITH_PARENT, hidden=True)] = False,
) -> None:
    """Simulate a live city: all vehicles report every second, in a file a second; old files are removed."""
    if with_parent:
        end_with_parent()
    with errors_as_text():
        city = LiveCity(network=roads(nodes, edges, side), vehicles=vehicles, fences=fences, garages=garages, seed=seed)
        try:
            if window is None:
                out.mkdir(parents=True, exist_ok=True)
                write_queries(out / "queries.jsonl", city.queries())
            job = None if window is None else TelemetryReader(window)  # the demo wrote the queries itself
            if job is not None:
                threading.Thread(target=_compile, args=[city], daemon=True).start()
            feed(city, out / "reports", seconds, job)
        except KeyboardInterrupt:
            typer.echo("ended")


def _compile(city: LiveCity) -> None:
    """Compile the kernels that a job needs while Spark is starting; the job loads them from the cache."""
    os.nice(_NICE)  # of this thread alone
    engine = Engine(TRAFFIC_COLUMNS, city.queries(), order="event", lateness=0, expire_after=60)
    for second, reports in enumerate(islice(city.seconds(), _FIRST)):
        engine.process(table_at(reports, second))


def feed(city: LiveCity, folder: Path, seconds: int | None, job: TelemetryReader | None = None) -> None:
    """Write a file of reports every second, by the clock; one that is late is written at once.

    A job that is given compiles what it needs with its first batches, for a minute or two: it gets few files meanwhile.
    """
    folder.mkdir(parents=True, exist_ok=True)
    due, missing = 0.0, 0 if job is None else _FIRST
    on_time = False
    for reports in islice(city.seconds(), seconds):
        due = due + 1 if on_time else max(due + 1, time.time())
        time.sleep(max(0.0, due - time.time()))
        second = int(due)
        _write(folder, table_at(reports, second), second)
        (folder / f"{second - KEPT_SECONDS}.parquet").unlink(missing_ok=True)
        on_time = missing <= 0
        if job is not None and not on_time:
            missing -= _batches(job)


def _write(folder: Path, table: pa.Table, second: int) -> None:
    """Write a file under a temporary name, then rename it: readers of the folder see complete files only."""
    beside = folder / f".{second}.parquet"
    pq.write_table(table, beside)
    beside.replace(folder / f"{second}.parquet")


def _batches(job: TelemetryReader) -> int:
    """Wait until a job has taken a batch, but not for long; return how many it took, and enough if it has ended."""
    end = time.time() + _APART
    while time.time() < end:
        news = job.look()
        if news.job is not None and news.job["state"] in (folder_files.ENDED, folder_files.FAILED):
            return _FIRST
        if news.batches:
            return len(news.batches)
        time.sleep(_GLANCE)
    return 0
