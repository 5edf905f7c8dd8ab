"""`limen simulate`: write a seeded workload, tuples and queries, to files."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import track

from limen import workloads
from limen.cli.failure import errors_as_text
from limen.cli.sinks import Format, table_file
from limen.errors import InvalidInput
from limen.model.wire import canonical_json, query_to_dict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from limen.model.columns import Columns
    from limen.model.query import Query

app = typer.Typer(help="Write a simulated workload: tuples, queries.jsonl and columns.json.", no_args_is_help=True)

# About this many rows are made and written at a time.
BATCH_ROWS = 100_000

Out = Annotated[Path, typer.Option(help="Folder to write to, or the file of tuples; the queries go beside it.")]
Streams = Annotated[int, typer.Option(min=1, help="Number of streams.")]
Tuples = Annotated[int, typer.Option(min=1, help="Tuples of each stream, a second apart.")]
Fluctuation = Annotated[float, typer.Option(help="Average step, as a fraction of the domain.")]
Queries = Annotated[int, typer.Option(min=1, help="Number of queries.")]
Width = Annotated[float, typer.Option(help="Average width of a query, as a fraction of the domain.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same files.")]
FormatOption = Annotated[
    Format | None,
    typer.Option("--format", help="Format of the tuples: as the file's suffix says, or Parquet."),
]


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
        lo, hi = workloads.price_queries(queries, width, seed=seed)
        ticks = batch_ticks(streams, tuples)
        batches = workloads.price_streams(streams, tuples, fluctuation, seed=seed, batch_ticks=ticks)
        write(out, file_format, workloads.PRICE_COLUMNS, batches, tuples / ticks, workloads.as_borders(lo, hi))


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
        lo, hi = workloads.box_queries(queries, dimensions, width, seed=seed)
        ticks = batch_ticks(streams, tuples)
        batches = workloads.box_streams(dimensions, streams, tuples, fluctuation, seed=seed, batch_ticks=ticks)
        columns = workloads.box_columns(dimensions)
        write(out, file_format, columns, batches, tuples / ticks, workloads.as_borders(lo, hi))


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
        first_prices = workloads.price_values(streams, 1, fluctuation, seed=seed)[0]
        drawn = workloads.alert_queries(first_prices, queries // streams, width=width, seed=seed)
        ticks = batch_ticks(streams, tuples)
        batches = workloads.price_streams(streams, tuples, fluctuation, seed=seed, batch_ticks=ticks)
        borders = workloads.as_alerts(drawn, workloads.symbols(streams))
        write(out, file_format, workloads.PRICE_COLUMNS, batches, tuples / ticks, borders)


def batch_ticks(streams: int, tuples: int) -> int:
    """Return how many ticks make a batch of about `BATCH_ROWS` rows."""
    return min(max(1, BATCH_ROWS // streams), tuples)


def write(
    out: Path,
    file_format: Format | None,
    columns: Columns,
    batches: Iterator[pa.Table],
    total: float,
    queries: Sequence[Query],
) -> None:
    """Write tuples, queries and columns, with progress on the terminal."""
    tuples_path, file_format = destination(out, file_format)
    folder = tuples_path.parent
    folder.mkdir(parents=True, exist_ok=True)
    progress = Console(stderr=True)
    first = next(batches)
    with table_file(tuples_path, file_format, first.schema) as append:
        rows = 0
        for batch in track(chain([first], batches), "tuples", total=max(total, 1), console=progress):
            append(batch)
            rows += batch.num_rows
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as lines:
        for query in track(queries, "queries", console=progress):
            lines.write(canonical_json(query_to_dict(query)) + "\n")
    (folder / "columns.json").write_text(json.dumps(columns.to_dict()) + "\n", encoding="utf-8")
    typer.echo(f"{rows:,} tuples in {tuples_path}, {len(queries):,} queries in {folder / 'queries.jsonl'}")


def destination(out: Path, file_format: Format | None) -> tuple[Path, Format]:
    """Tell the file of tuples and its format from what the user gave: a folder, a file, a format.

    Examples
    --------
    >>> destination(Path("data"), None)[0].as_posix()
    'data/tuples.parquet'
    >>> destination(Path("data/prices.csv"), None)
    (PosixPath('data/prices.csv'), <Format.CSV: 'csv'>)
    """
    suffix = out.suffix.removeprefix(".")
    if suffix not in list(Format):
        file_format = file_format or Format.PARQUET
        return out / f"tuples.{file_format}", file_format
    if file_format not in (None, Format(suffix)):
        raise InvalidInput(where="--format", expected=f"{suffix}, as --out says", got=str(file_format))
    if suffix == Format.JSONL and out.stem == "queries":
        raise InvalidInput(
            where="--out",
            expected="another name than queries.jsonl",
            got=str(out),
            hint="the queries go there",
        )
    return out, Format(suffix)
