"""`limen demo --console`: a simulated city, live through Spark streaming, in a web page."""

from pathlib import Path

import numpy as np
import typer
from rich.console import Console

from limen.cli.companion import Companion
from limen.cli.console_process import ConsoleProcess
from limen.cli.run import play_with_page
from limen.formats.query_json import write_queries
from limen.jobfile import read_job
from limen.simulate.city import city_roads
from limen.simulate.live_city import LiveCity
from limen.telemetry import folder_files

JOB = """\
name = "city"
checkpoint = "checkpoint"

[source]
format = "parquet"
path = "reports"                   # limen simulate live writes a file a second
schema = "vehicle string, time timestamp, x double, y double, kind string, speed double"

[columns]
id = "vehicle"
time = "time"
values = ["x", "y"]
attributes = ["kind", "speed"]

[queries]
file = "queries.jsonl"
folder = "changes"                 # changes made in the page are written here

[options]
lateness = "0 seconds"             # reports come in order
expire_after = "1 minute"          # a trip has ended
routing = "by_query"               # since some queries look at many vehicles at once

[[sink]]
format = "parquet"
path = "events"

[trigger]
every = "1 second"

[console]
window = true
folder = "window"
"""


def demo_city(
    out: Path, console: Console, *, vehicles: int, fences: int, garages: int, seed: int, port: int | None
) -> None:
    """Make a city, feed it to a job, and show it until interrupted."""
    city = LiveCity(network=city_roads(), vehicles=vehicles, fences=fences, garages=garages, seed=seed)
    for name in ("reports", "changes", "window"):
        (out / name).mkdir(parents=True)
    write_queries(out / "queries.jsonl", city.queries())
    network = city.network
    np.savez(out / "window" / folder_files.ROADS, xy=network.xy, ends=network.ends, road_class=network.road_class)
    job, log = read_job(out / "job.toml"), out / "demo.log"
    console.print(
        f"{vehicles:,} vehicles in {network.name}, {fences:,} fences, {garages:,} garages; everything is in {out}.\n"
        "At the first start a job compiles what it needs, which takes a minute or two; then the city lives. "
        "Ctrl-C ends it.",
        soft_wrap=True,
    )
    feeder = Companion(
        "simulate", "live", "--out", str(out), "--vehicles", str(vehicles), "--fences", str(fences),
        "--garages", str(garages), "--seed", str(seed), "--window", str(out / "window"), log=log,
    )  # fmt: skip
    with ConsoleProcess(job, port, log=log) as page, feeder:
        code = play_with_page(job, console, log, page)
    if code:
        raise typer.Exit(code)
