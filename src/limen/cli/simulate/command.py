"""`limen simulate`: write a seeded workload, tuples and queries, to files."""

from typing import Annotated

import typer

from limen import simulate
from limen.cli.error_text import errors_as_text
from limen.cli.simulate import city as simulate_city
from limen.cli.simulate import live as simulate_live
from limen.cli.simulate.workload_files import BATCH_ROWS, FormatOption, Out, Seed, write
from limen.errors import InvalidInput
from limen.simulate.buoy_patterns import PatternQueries

app = typer.Typer(help="Write a simulated workload: tuples, queries.jsonl and columns.json.", no_args_is_help=True)

app.command()(simulate_city.traffic)
app.command()(simulate_city.garages)
app.command()(simulate_live.live)

Streams = Annotated[int, typer.Option(min=1, help="Number of streams.")]
Tuples = Annotated[int, typer.Option(min=1, help="Tuples of each stream, a second apart.")]
Fluctuation = Annotated[float, typer.Option(help="Average step, as a fraction of the domain.")]
Queries = Annotated[int, typer.Option(min=1, help="Number of queries.")]
Width = Annotated[float, typer.Option(help="Average width of a query, as a fraction of the domain.")]


@app.command()
def prices(
    out: Out,
    streams: Streams = 2_000,
    tuples: Tuples = 1_000,
    fluctuation: Fluctuation = 0.0001,
    queries: Queries = 100_000,
    width: Width = 0.001,
    seed: Seed = 0,
    file_format: FormatOption = None,
) -> None:
    """Stock prices, and ranges of prices watched on every stock."""
    with errors_as_text():
        lo, hi = simulate.price_queries(queries, width, seed=seed)
        ticks = batch_ticks(streams, tuples)
        batches = simulate.price_streams(streams, tuples, fluctuation, seed=seed, batch_ticks=ticks)
        write(out, file_format, simulate.PRICE_COLUMNS, batches, tuples / ticks, simulate.as_borders(lo, hi))


@app.command()
def boxes(
    out: Out,
    dimensions: Annotated[int, typer.Option(min=1, help="Number of dimensions.")] = 2,
    streams: Streams = 2_000,
    tuples: Tuples = 1_000,
    fluctuation: Fluctuation = 0.001,
    queries: Queries = 10_000,
    width: Width = 0.001,
    seed: Seed = 0,
    file_format: FormatOption = None,
) -> None:
    """Positions in any number of dimensions, and boxes to enter and leave."""
    with errors_as_text():
        lo, hi = simulate.box_queries(queries, dimensions, width, seed=seed)
        ticks = batch_ticks(streams, tuples)
        batches = simulate.box_streams(dimensions, streams, tuples, fluctuation, seed=seed, batch_ticks=ticks)
        columns = simulate.box_columns(dimensions)
        write(out, file_format, columns, batches, tuples / ticks, simulate.as_borders(lo, hi))


@app.command()
def alerts(
    out: Out,
    streams: Streams = 2_000,
    tuples: Tuples = 1_000,
    fluctuation: Fluctuation = 0.0001,
    queries: Queries = 40_000,
    width: Annotated[float, typer.Option(help="Width of the narrow alerts, as a fraction of the price.")] = 0.005,
    seed: Seed = 0,
    file_format: FormatOption = None,
) -> None:
    """Stock prices, and alerts that each watch one stock: the queries are shared out evenly."""
    with errors_as_text():
        if queries % streams:
            raise InvalidInput(where="--queries", expected=f"a multiple of the {streams} streams", got=str(queries))
        first_prices = simulate.price_values(streams, 1, fluctuation, seed=seed)[0]
        drawn = simulate.alert_queries(first_prices, queries // streams, width=width, seed=seed)
        ticks = batch_ticks(streams, tuples)
        batches = simulate.price_streams(streams, tuples, fluctuation, seed=seed, batch_ticks=ticks)
        borders = simulate.as_alerts(drawn, simulate.symbols(streams))
        write(out, file_format, simulate.PRICE_COLUMNS, batches, tuples / ticks, borders)


@app.command()
def buoys(
    out: Out,
    rows: Annotated[int, typer.Option(min=1, help="Number of readings.")] = 100_000,
    queries: Queries = 5,
    verbosity: Annotated[float, typer.Option(help="Alerts of each pattern for a reading.")] = 0.01,
    days: Annotated[float, typer.Option(help="Days after another that the next tuple may come.")] = 2.0,
    made: Annotated[bool, typer.Option(help="Make readings even if real ones are found.")] = False,
    seed: Seed = 0,
    file_format: FormatOption = None,
) -> None:
    """Readings of buoys in the Pacific, real ones where they are found, and patterns of several readings."""
    with errors_as_text():
        readings = simulate.Buoys(rows=rows, seed=seed, made=made)
        table = readings.table
        wanted = PatternQueries(count=queries, verbosity=verbosity, days=days, seed=seed)
        patterns = wanted.patterns(table)
        write(out, file_format, simulate.BUOY_COLUMNS, readings.batches(BATCH_ROWS), rows / BATCH_ROWS, patterns)


def batch_ticks(streams: int, tuples: int) -> int:
    """Return how many ticks make a batch of about `BATCH_ROWS` rows."""
    return min(max(1, BATCH_ROWS // streams), tuples)
