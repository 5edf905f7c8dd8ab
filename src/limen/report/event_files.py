"""Events as sinks write them, Parquet, JSON lines or CSV, file by file and some at a time."""

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv
from pyarrow import json as lines

from limen.errors import InvalidInput, shorten
from limen.model.event import SCHEMA

#: The columns that a report reads; the first three are required.
COLUMNS = ("query_id", "kind", "time", "stream_id", "started_at", "reason", "values")
NEEDED = COLUMNS[:3]
_TIMES = ("time", "started_at")
_ROWS = 1 << 18  # at a time
_BLOCK = 1 << 24  # bytes at a time; a line of JSON is shorter


def find_files(path: Path) -> list[Path]:
    """Return the files of events in a folder, and below it, or the one file.

    Raises
    ------
    InvalidInput
        When there are none.
    """
    if not path.exists():
        raise InvalidInput(where=str(path), expected="a folder or a file of events", got="nothing there")
    expected = f"files of events ({', '.join(_READERS)})"
    if path.is_file():
        if _form(path) not in _READERS:
            raise InvalidInput(
                where=str(path), expected=expected, got=repr(path.suffix) if path.suffix else "no suffix"
            )
        return [path]
    if (path / "_delta_log").is_dir():
        hint = "spark.read.format('delta').load(…).write.parquet(…) makes one"
        raise InvalidInput(where=str(path), expected="a folder of files", got="a table of Delta", hint=hint)
    # As for Spark: files with these prefixes are not part of the data.
    found = [file for file in sorted(path.rglob("*")) if _form(file) in _READERS and file.is_file()
             and not any(part.startswith(("_", ".")) for part in file.relative_to(path).parts)]  # fmt: skip
    if not found:
        raise InvalidInput(where=str(path), expected=expected, got="a folder without any")
    return found


def read_events(file: Path) -> Iterator[pa.Table]:
    """Yield the events of a file, with the columns of `COLUMNS` and the types of events.

    Raises
    ------
    InvalidInput
        When the file cannot be read, or what is in it are no events.
    """
    read = _READERS[_form(file)]
    try:
        with _opened(file) as content:
            if not content.read(1):  # as Spark leaves them where there is nothing to write
                return
        for table in read(file):
            yield _as_events(table, file)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        expected = f"events as {_form(file)[1:]}"
        raise InvalidInput(where=str(file), expected=expected, got=shorten(str(error).splitlines()[0])) from error


def _form(file: Path) -> str:
    """Return how a file is written, by its name; lines may be compressed by gzip."""
    name = file.name.lower()
    return Path(name.removesuffix(".gz") if not name.endswith(".parquet.gz") else name).suffix


def _opened(file: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(file)) if file.suffix.lower() == ".gz" else file.open("rb")


def _parquet(file: Path) -> Iterator[pa.Table]:
    with pq.ParquetFile(file) as content:
        names = [name for name in content.schema_arrow.names if name in COLUMNS]
        _check_columns(names, content.schema_arrow.names, file)
        for batch in content.iter_batches(_ROWS, columns=names):
            yield pa.Table.from_batches([batch])


def _json(file: Path) -> Iterator[pa.Table]:
    # Times are text here: Arrow itself would read only some forms of them.
    schema = pa.schema([(name, pa.string() if name in _TIMES else SCHEMA.field(name).type) for name in COLUMNS])
    found = False
    reader = lines.open_json(
        pa.input_stream(file, compression="detect"),
        lines.ReadOptions(block_size=_BLOCK),
        lines.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
    )
    for batch in reader:
        table = pa.Table.from_batches([batch])
        # A key that no line has comes out empty: then these are other things than events.
        found = found or all(table[name].null_count < len(table) for name in NEEDED)
        if not found and len(table):
            raise _no_events(file, "lines without them")
        yield table


def _csv(file: Path) -> Iterator[pa.Table]:
    """Read CSV with a head, or as Spark writes it by itself, without one and in the order of events."""
    with _opened(file) as content:
        first = content.readline().decode(errors="replace").strip().split(",")
    headed = "event_id" in first or all(name in first for name in NEEDED)
    if not headed and len(first) < len(SCHEMA.names):
        raise _no_events(file, ", ".join(first))
    names = first if headed else SCHEMA.names
    _check_columns(names, names, file)
    wanted = [name for name in names if name in COLUMNS]
    reader = csv.open_csv(
        pa.input_stream(file, compression="detect"),
        csv.ReadOptions(block_size=_BLOCK, column_names=None if headed else SCHEMA.names),
        csv.ParseOptions(escape_char="\\", newlines_in_values=True),
        csv.ConvertOptions(
            column_types=dict.fromkeys(wanted, pa.string()),
            include_columns=wanted,
            # An id may be called NA or null.
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    for batch in reader:
        yield pa.Table.from_batches([batch])


_READERS: dict[str, Callable[[Path], Iterator[pa.Table]]] = {
    ".parquet": _parquet, ".json": _json, ".jsonl": _json, ".csv": _csv,
}  # fmt: skip


def _check_columns(names: list[str], there: list[str], file: Path) -> None:
    if not set(NEEDED) <= set(names):
        raise _no_events(file, ", ".join(there) or "none")


def _no_events(file: Path, got: str) -> InvalidInput:
    return InvalidInput(
        where=str(file),
        expected=f"events, with the columns {', '.join(NEEDED)}",
        got=got,
        hint="what sinks of `limen run` and Engine.process give",
    )


def _as_events(table: pa.Table, file: Path) -> pa.Table:
    """Give all columns the types that events have; those that are not there are empty."""
    columns = {}
    for name in COLUMNS:
        kind = SCHEMA.field(name).type
        if name not in table.schema.names:
            columns[name] = pa.nulls(len(table), kind)
            continue
        column = table[name].combine_chunks()
        try:
            columns[name] = (
                _numbers(column) if name == "values" and pa.types.is_string(column.type) else _cast(column, kind)
            )
        except (pa.ArrowException, ValueError) as error:
            where = f"{file}: column {name!r}"
            got = shorten(str(error).splitlines()[0])
            raise InvalidInput(where=where, expected=str(kind), got=got) from error
    return pa.table(columns)


def _cast(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_timestamp(kind) and pa.types.is_timestamp(column.type) and column.type.tz is None:
        column = column.cast(pa.timestamp(column.type.unit, "UTC"), safe=False)
    return column.cast(kind, safe=False)


def _numbers(texts: pa.Array) -> pa.Array:
    """Read lists that CSV holds as text: ``[1.5,2.0]``."""
    plain = pc.replace_substring_regex(texts, r"[\[\]\"\s]", "")
    parts = pc.split_pattern(plain, ",")
    flat = pc.replace_substring_regex(parts.flatten(), "^(null)?$", "nan").cast(pa.float64())
    return pa.ListArray.from_arrays(parts.offsets, flat, mask=parts.is_null())
