"""The files of a simulated workload: tuples, `queries.jsonl` and `columns.json`, and the options that all share."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import pyarrow.compute as pc
import typer
from pyarrow import csv, parquet
from rich.console import Console
from rich.progress import track

from limen.errors import InvalidInput
from limen.formats.query_json import write_queries
from limen.model.columns import Columns
from limen.model.query import Query


class Format(StrEnum):
    """Formats of tuple files; each is also the suffix of its files."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"


# About this many rows are made and written at a time.
BATCH_ROWS = 100_000

Out = Annotated[Path, typer.Option(help="Folder to write to, or the file of tuples; the queries go beside it.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same files.")]
FormatOption = Annotated[
    Format | None,
    typer.Option("--format", help="Format of the tuples: by the file's suffix, else Parquet."),
]


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
    write_queries(folder / "queries.jsonl", track(queries, "queries", console=progress))
    (folder / "columns.json").write_text(json.dumps(columns.to_dict()) + "\n", encoding="utf-8")
    typer.echo(f"{rows:,} tuples in {tuples_path}, {len(queries):,} queries in {folder / 'queries.jsonl'}")


def destination(out: Path, file_format: Format | None) -> tuple[Path, Format]:
    """Return the file of tuples and its format, derived from what the user gave: a folder, a file, a format.

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
        raise InvalidInput(where="--format", expected=f"{suffix}, the suffix of --out", got=str(file_format))
    if suffix == Format.JSONL and out.stem == "queries":
        raise InvalidInput(
            where="--out",
            expected="another name than queries.jsonl",
            got=str(out),
            hint="the queries go there",
        )
    return out, Format(suffix)


@contextmanager
def table_file(path: Path, file_format: Format, schema: pa.Schema) -> Iterator[Callable[[pa.Table], None]]:
    """Open a file and give a function that appends a table to it."""
    if file_format is Format.PARQUET:
        with parquet.ParquetWriter(path, schema) as writer:
            yield writer.write_table
    elif file_format is Format.CSV:
        with csv.CSVWriter(path, schema) as writer:
            yield writer.write_table
    else:
        with path.open("w", encoding="utf-8") as lines:
            yield lambda table: lines.writelines(json_lines(table))


def json_lines(table: pa.Table) -> Iterator[str]:
    r"""Yield each row as a line of JSON, timestamps as ISO 8601 text.

    Examples
    --------
    >>> list(json_lines(pa.table({"x": [1.5], "time": pa.array([0], pa.timestamp("us", "UTC"))})))
    ['{"x": 1.5, "time": "1970-01-01T00:00:00.000000Z"}\n']
    """
    for position, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            text = pc.strftime(table.column(position), format="%Y-%m-%dT%H:%M:%SZ")
            table = table.set_column(position, field.name, text)
    for row in table.to_pylist():
        yield json.dumps(row, ensure_ascii=False) + "\n"
