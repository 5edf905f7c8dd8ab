"""`limen simulate traffic` and `limen simulate garages`: moving objects on the roads of a city."""

from __future__ import annotations

from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from limen import simulate
from limen.cli.failure import errors_as_text
from limen.cli.simulate import city_picture
from limen.cli.simulate.sketch import Sketch
from limen.cli.simulate.workload_files import BATCH_ROWS, FormatOption, Out, Seed, destination, write
from limen.errors import InvalidInput
from limen.simulate.reports import report_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from limen.cli.simulate.table_files import Format
    from limen.model.query import Query
    from limen.simulate.roads import RoadNetwork


class VehicleKind(StrEnum):
    """What moves."""

    FAST = "fast"
    SLOW = "slow"
    BOTH = "both"


Objects = Annotated[int, typer.Option(min=2, help="How many are under way at any time.")]
ReportsOption = Annotated[int, typer.Option(min=1, help="Reports of each.")]
Interval = Annotated[int, typer.Option(min=1, help="Seconds between two reports of one.")]
Nodes = Annotated[Path | None, typer.Option(help="File of nodes, with --edges: the roads to use.")]
Edges = Annotated[Path | None, typer.Option(help="File of roads between the nodes.")]
Side = Annotated[float, typer.Option(help="Metres that the city's longer side is scaled to.")]
Picture = Annotated[bool, typer.Option(help="Draw the roads and what happens on them.")]


def traffic(
    out: Out,
    *,
    objects: Objects = 10_000,
    reports: ReportsOption = 20,
    interval: Interval = 30,
    kind: Annotated[VehicleKind, typer.Option(help="Vehicles, pedestrians, or half of each.")] = VehicleKind.FAST,
    queries: Annotated[int, typer.Option(min=1, help="Number of square regions.")] = 500,
    width: Annotated[float, typer.Option(help="Metres of a region's side.")] = 500.0,
    nodes: Nodes = None,
    edges: Edges = None,
    side: Side = simulate.SIDE,
    seed: Seed = 0,
    file_format: FormatOption = None,
    picture: Picture = True,
) -> None:
    """Objects that travel on the roads of a city, and regions to enter and leave."""
    with errors_as_text():
        network = roads(nodes, edges, side)
        share = {VehicleKind.FAST: 1.0, VehicleKind.SLOW: 0.0, VehicleKind.BOTH: 0.5}[kind]
        moving = simulate.Traffic(
            network=network, objects=objects, reports=reports, interval=interval, kind=share, seed=seed
        )
        regions = simulate.traffic_queries(network, queries, width, seed)
        sketch = _write(out, file_format, moving, objects, regions)
        if picture:
            _draw(out, file_format, "traffic.png", lambda path: city_picture.draw_traffic(path, network, sketch))


def garages(
    out: Out,
    *,
    vehicles: Objects = 10_000,
    reports: ReportsOption = 20,
    interval: Interval = 30,
    garages: Annotated[int, typer.Option(min=2, help="Number of garages.")] = 200,
    within: Annotated[float, typer.Option(help="The garages' time limit in seconds.")] = simulate.WITHIN,
    nodes: Nodes = None,
    edges: Edges = None,
    side: Side = simulate.SIDE,
    seed: Seed = 0,
    file_format: FormatOption = None,
    picture: Picture = True,
) -> None:
    """Vehicles in a city, and parking garages that some of them pass through, return to, and stay in."""
    with errors_as_text():
        network = roads(nodes, edges, side)
        city = simulate.Garages(
            network=network,
            vehicles=vehicles,
            reports=reports,
            interval=interval,
            garages=garages,
            within=within,
            seed=seed,
        )
        sketch = _write(out, file_format, city, vehicles, city.queries())
        if picture:
            _draw(
                out,
                file_format,
                "garages.png",
                lambda path: city_picture.draw_garages(path, network, city.sites, sketch),
            )


def roads(nodes: Path | None, edges: Path | None, side: float) -> RoadNetwork:
    """Take the roads that the user named, or those of the city; say which, and what of them is left out."""
    if (nodes is None) != (edges is None):
        raise InvalidInput(where="--nodes and --edges", expected="both or neither", got="one of them")
    if nodes is not None and edges is not None:
        network = simulate.read_roads(nodes, edges, side)
    else:
        network = simulate.city_roads(side=side)
    typer.echo(f"roads of {network}; left out: {network.left_out}")
    return network


def _write(
    out: Path,
    file_format: Format | None,
    moving: simulate.Traffic | simulate.Garages,
    objects: int,
    queries: Sequence[Query],
) -> Sketch:
    """Write what moves and is asked, and keep enough of it for a picture."""
    length = moving.reports * moving.interval
    seconds = min(max(1, BATCH_ROWS * moving.interval // objects), length)
    sketch = Sketch(objects * moving.reports, moving.interval)
    batches = report_tables(sketch.watching(moving.seconds()), seconds)
    write(out, file_format, simulate.TRAFFIC_COLUMNS, batches, length / seconds, queries)
    return sketch


def _draw(out: Path, file_format: Format | None, name: str, draw: Callable[[Path], None]) -> None:
    """Draw into a file beside the others, if what draws is installed."""
    if find_spec("matplotlib") is None:
        typer.echo("no picture: pip install 'limen[plots]'")
        return
    path = destination(out, file_format)[0].parent / name
    draw(path)
    typer.echo(f"a picture of it in {path}")
