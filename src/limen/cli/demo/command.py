"""`limen demo`: a market through Spark, from files to events on screen and on disk, and a picture of it."""

import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Annotated

import pyarrow as pa
import pyarrow.parquet as pq
import typer
from rich.console import Console
from rich.progress import track

from limen.cli.demo.market_picture import draw
from limen.cli.error_text import errors_as_text
from limen.cli.picture import drawn
from limen.cli.run import messages_to, play
from limen.cli.simulate.live import Fences, GaragesOption, Vehicles  # typer reads annotations
from limen.errors import InvalidInput
from limen.jobfile import read_job
from limen.model import Border, Columns, Range
from limen.simulate.market import Market
from limen.warm import start_job

_MADE = "# made by limen demo, which replaces it and what is beside it\n"
_JOB = f"""\
{_MADE}
name = "demo"
checkpoint = "checkpoint"

[source]
format = "parquet"
path = "prices"
files_per_batch = 1

[columns]
id = "symbol"
time = "time"
values = ["price"]

[queries]
file = "queries.jsonl"
folder = "changes"                 # one alert is registered halfway, and emits the streams inside

[options]
lateness = "0 seconds"             # prices come in order

[[sink]]
format = "parquet"
path = "events"

[[sink]]
format = "console"
rows = 4

[trigger]
available_now = true
"""


def demo(
    *,
    streams: Annotated[int, typer.Option(min=1, help="Number of price streams.")] = 3_000,
    alerts: Annotated[int, typer.Option(min=1, help="Number of alerts: half on all streams, half on one.")] = 30_000,
    ticks: Annotated[int, typer.Option(min=2, help="Prices of each stream, a second apart.")] = 480,
    batches: Annotated[int, typer.Option(min=2, help="Into how many batches they are cut.")] = 12,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same prices and alerts.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for everything: job file, prices, events, picture.")] = Path(
        "limen-demo"
    ),
    with_console: Annotated[
        bool, typer.Option("--console", help="Instead, a city that lives until Ctrl-C, in a web page.")
    ] = False,
    vehicles: Vehicles = 10_000,
    fences: Fences = 1_000,
    garages: GaragesOption = 60,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="The page's port, 8080 by default.")] = None,
) -> None:
    """Watch alerts go off: simulated prices through Spark to events on screen, on disk and in a picture.

    With --console: vehicles on the roads of a city, fences, garages, the nearest taxis and a pattern, live in a page.
    """
    console = Console(highlight=False)
    with errors_as_text():
        began = perf_counter()
        _make_room(out)
        if with_console:
            from limen.cli.demo.city_demo import JOB, demo_city  # noqa: PLC0415  # not for prices

            out.mkdir(parents=True)
            (out / "job.toml").write_text(f"{_MADE}\n{JOB}", encoding="utf-8")
            demo_city(out, console, vehicles=vehicles, fences=fences, garages=garages, seed=seed, port=port)
            return
        out.mkdir(parents=True)
        log = out / "spark.log"
        with messages_to(log):
            _start_spark()
            market = Market(streams, alerts, ticks, batches, seed)
            rows = sum(track(market.write(out), "writing prices", total=batches, console=console))
        (out / "job.toml").write_text(_JOB, encoding="utf-8")
        console.print(
            f"{rows:,} prices of {streams:,} streams, {alerts:,} alerts in {out}; now: limen run {out}/job.toml"
        )
        job = read_job(out / "job.toml")
        code, watch = play(job, console, log)
        if code:
            raise typer.Exit(code)
        events = _events(out / "events")
        console.print(f"{len(events):,} events in {out / 'events'}, Spark's own messages in {log}")
        console.print(drawn(lambda: draw(out, events, list(watch.batch_seconds))))
        console.print(f"done after {perf_counter() - began:.0f} s")


def _start_spark() -> None:
    """Begin to start Spark, and to compile, while prices are written."""
    # Java's second compiler is for programs that run longer than this.
    os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1")
    price = Columns(id="symbol", time="time", values="price")
    start_job(price, [Border("all", Range(0, 1)), Border("own", Range(0, 1), streams="S0001")], {"order": "event"})
    threading.Thread(target=_session, daemon=True).start()


def _session() -> None:
    from limen.spark import session  # noqa: PLC0415  # in the thread: Spark takes a while to load

    with suppress(Exception):  # the job meets it again, and says it
        session(**{"spark.ui.enabled": "false"})


def _make_room(out: Path) -> None:
    """Remove what an earlier demo left; anything else is not touched."""
    if not out.exists():
        return
    job = out / "job.toml"
    if any(out.iterdir()) and not (job.exists() and job.read_text(encoding="utf-8").startswith(_MADE)):
        raise InvalidInput(where="--out", expected="a new folder, or one of an earlier demo", got=str(out))
    shutil.rmtree(out)


def _events(folder: Path) -> pa.Table:
    columns = ["event_id", "query_id", "kind", "stream_id", "time", "values"]
    return pq.read_table(folder, columns=columns, partitioning=None)
