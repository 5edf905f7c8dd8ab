"""`limen simulate traffic` and `limen simulate garages`: moving objects on the roads of a city."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from limen import simulate
from limen.cli.error_text import errors_as_text
from limen.cli.picture import drawn
from limen.cli.simulate import city_picture
from limen.cli.simulate.sketch import Sketch
from limen.cli.simulate.workload_files import BATCH_ROWS, Format, FormatOption, Out, Seed, destination, write
from limen.errors import InvalidInput
from limen.model.query import Query
from limen.simulate.reports import report_tables
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
            path = destination(out, file_format)[0].parent / "traffic.png"
            typer.echo(drawn(lambda: city_picture.draw_traffic(path, network, sketch)))


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
            path = destination(out, file_format)[0].parent / "garages.png"
            typer.echo(drawn(lambda: city_picture.draw_garages(path, network, city.sites, sketch)))


def roads(nodes: Path | None, edges: Path | None, side: float) -> RoadNetwork:
    """Read the roads that the user named, or those of the city; print which, and what is left out of them."""
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
    """Write the reports and the queries, and return a sample of the reports for a picture."""
    length = moving.reports * moving.interval
    seconds = min(max(1, BATCH_ROWS * moving.interval // objects), length)
    sketch = Sketch(objects * moving.reports, moving.interval)
    batches = report_tables(sketch.watching(moving.seconds()), seconds)
    write(out, file_format, simulate.TRAFFIC_COLUMNS, batches, length / seconds, queries)
    return sketch
