"""Atomic file writes: each file is written under a temporary name, then renamed into place."""

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

#: Prefix of files that are still being written.
UNDER_WAY = ".writing-"


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to; on success rename it to `path`, whose folder is created if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{UNDER_WAY}{os.getpid()}-{path.name}")
    try:
        yield beside
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Write a text."""
    with replaced(path) as beside:
        beside.write_text(text, encoding="utf-8")


def append_line(path: Path, line: str) -> None:
    """Append a line; a truncated line before it stays a line of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        content = b"\n" * torn + line.encode() + b"\n"
        if os.write(descriptor, content) < len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    finally:
        os.close(descriptor)


def read_lines(content: bytes) -> Iterator[dict[str, Any]]:
    """Yield the objects of JSON lines; skip lines that are no JSON object, such as a truncated one."""
    for line in content.split(b"\n"):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found


def read_object(path: Path) -> dict[str, Any] | None:
    """Return the JSON object of a file; None if there is no such file, or another content."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def write_table(path: Path, table: pa.Table, facts: dict[str, int]) -> None:
    """Write an Arrow table, with some numbers as its metadata."""
    table = table.replace_schema_metadata({name: str(value) for name, value in facts.items()})
    with replaced(path) as beside, pa.OSFile(str(beside), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def read_table(path: Path) -> tuple[pa.Table, dict[str, int]]:
    """Read a table that `write_table` wrote; raise OSError if the file is missing or damaged."""
    try:
        with pa.OSFile(str(path), "rb") as file, pa.ipc.open_file(file) as reader:
            table = reader.read_all()
        return table, {name.decode(): int(value) for name, value in (table.schema.metadata or {}).items()}
    except (pa.ArrowException, ValueError) as error:
        raise OSError(f"{path}: not a telemetry table: {error}") from error
