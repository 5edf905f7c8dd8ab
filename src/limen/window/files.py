"""Files that are there as a whole or not at all: written beside their place, then moved into it."""

from __future__ import annotations

import errno
import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: How the name of a file begins that is being written.
UNDER_WAY = ".writing-"


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Give a place to write a file at; when all went well, it takes its name, and a folder that it is missing."""
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
    """Add a line; one that was broken off before it stays a line of its own."""
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
    """Return the objects of JSON lines; what is none, as a line that was broken off, is left out."""
    for line in content.split(b"\n"):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found


def write_table(path: Path, table: pa.Table, facts: dict[str, int]) -> None:
    """Write a table of Arrow, with some numbers about it."""
    table = table.replace_schema_metadata({name: str(value) for name, value in facts.items()})
    with replaced(path) as beside, pa.OSFile(str(beside), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def read_table(path: Path) -> tuple[pa.Table, dict[str, int]]:
    """Read what `write_table` wrote; an OSError if it is gone or damaged."""
    try:
        with pa.OSFile(str(path), "rb") as file, pa.ipc.open_file(file) as reader:
            table = reader.read_all()
        return table, {name.decode(): int(value) for name, value in (table.schema.metadata or {}).items()}
    except (pa.ArrowException, ValueError) as error:
        raise OSError(f"{path}: not a table of the window: {error}") from error
