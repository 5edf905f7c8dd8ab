"""Files that tables are written to, batch by batch: Parquet, CSV or JSON lines."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet


class Format(StrEnum):
    """Formats of tuple files; each is also the suffix of its files."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"


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
