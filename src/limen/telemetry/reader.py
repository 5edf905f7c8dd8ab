"""Reader of a telemetry folder: returns what is new since the last read, without waiting, also when the job is dead."""

import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from limen.telemetry import folder_files
from limen.telemetry.atomic_files import read_lines, read_object, read_table, write_text
from limen.telemetry.folder_files import TaskFile


@dataclass(frozen=True, slots=True)
class TaskSample:
    """Sampled rows or events of one task of a batch.

    Attributes
    ----------
    batch, partition, part
        Which file they are of.
    table
        Rows: `stream_id`, `time`, values as `v0`, `v1`, …, attributes as text in `a0`, `a1`, …. Events: the columns
        of `limen.SCHEMA`.
    seen
        How many rows or events the task had; the table holds a sample of them.
    one_of
        The sampling rate: the table holds the streams whose bucket (`limen.telemetry.sample`) it divides.
    """

    batch: int
    partition: int
    part: int
    table: pa.Table
    seen: int
    one_of: int


@dataclass(slots=True)
class News:
    """What is new since the last read.

    Attributes
    ----------
    anew
        The job has a new checkpoint: what was read before belongs to another job.
    job
        The content of `job.json`; None while there is none.
    alive
        Whether the job's heartbeat is recent.
    batches
        Lines of `batches.jsonl`.
    rows, events
        In the order of batches. A repeated batch is returned again, with the same event ids.
    changes
        Lines of `changes.jsonl`.
    """

    anew: bool = False
    job: dict[str, Any] | None = None
    alive: bool = False
    batches: list[dict[str, Any]] = field(default_factory=list)
    rows: list[TaskSample] = field(default_factory=list)
    events: list[TaskSample] = field(default_factory=list)
    changes: list[dict[str, Any]] = field(default_factory=list)


class TelemetryReader:
    """Read a telemetry folder incrementally: each `look` returns what is new.

    Parameters
    ----------
    folder
        The telemetry folder; it need not exist yet.
    back
        How many of the latest batches the first `look` returns rows and events of.
    """

    def __init__(self, folder: str | Path, back: int = 60) -> None:
        self.folder, self._back = Path(folder), back
        self._origin: str | None = None
        self._forget()

    def _forget(self) -> None:
        self._batches = _Tail(self.folder / folder_files.BATCHES)
        self._changes = _Tail(self.folder / folder_files.CHANGES)
        self._seen: dict[str, dict[str, int]] = {folder_files.ROWS_FOLDER: {}, folder_files.EVENTS_FOLDER: {}}
        self._last_batch = -1
        self._first = True

    def look(self) -> News:
        """Return what is new since the last call."""
        news = News(job=self.job(), alive=self.alive())
        if news.job is not None and news.job.get("origin") != self._origin:
            news.anew = self._origin is not None
            self._origin = news.job.get("origin")
            self._forget()
        if news.job is None:
            return news
        for line in self._batches.lines():
            if isinstance(line.get("batch"), int) and line["batch"] > self._last_batch:
                self._last_batch = line["batch"]
                news.batches.append(line)
        news.changes = list(self._changes.lines())
        news.rows = self._parts(folder_files.ROWS_FOLDER, "rows")
        news.events = self._parts(folder_files.EVENTS_FOLDER, "events")
        self._first = False
        return news

    def job(self) -> dict[str, Any] | None:
        """Return the status of the job; None if there is none."""
        return read_object(self.folder / folder_files.JOB)

    def alive(self) -> bool:
        """Return whether the job is alive: it has not ended, and its heartbeat is recent."""
        job = self.job()
        if job is None or job.get("state") not in (folder_files.STARTING, folder_files.RUNNING):
            return False
        try:
            return time.time() - (self.folder / folder_files.JOB).stat().st_mtime < folder_files.DEAD_AFTER
        except OSError:
            return False

    def queries(self) -> Iterator[dict[str, Any]]:
        """Yield the queries of the job file at the start, in JSON form."""
        yield from _lines_of(self.folder / folder_files.QUERIES)

    def paused(self) -> list[dict[str, Any]]:
        """Return the paused queries."""
        return list(_lines_of(self.folder / folder_files.PAUSED))

    def keep_paused(self, queries: Iterable[dict[str, Any]]) -> None:
        """Store which queries are paused."""
        write_text(self.folder / folder_files.PAUSED, "".join(json.dumps(query) + "\n" for query in queries))

    def _parts(self, folder: str, count: str) -> list[TaskSample]:
        seen, now = self._seen[folder], _written(self.folder / folder)
        self._seen[folder] = now
        new = sorted(part for part, when in now.items() if seen.get(part) != when)
        if self._first and new:
            parts = [TaskFile.of(name) for name in new]
            latest = max(part.batch for part in parts if part)
            new = [name for name, part in zip(new, parts, strict=True) if part and part.batch > latest - self._back]
        found = []
        for name in new:
            part = TaskFile.of(name)
            assert part is not None
            try:
                table, facts = read_table(self.folder / folder / name)
            except OSError:
                continue  # removed meanwhile
            found.append(TaskSample(*part, table, facts.get(count, len(table)), facts.get("one_of", 1)))
        return found


class _Tail:
    """A reader of a growing file of lines, which is now and then replaced by a shorter one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._inode, self._offset = -1, 0

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the objects of new complete lines; of a replaced file, all of them."""
        try:
            with self._path.open("rb") as file:
                stat = os.fstat(file.fileno())
                if stat.st_ino != self._inode or stat.st_size < self._offset:
                    self._inode, self._offset = stat.st_ino, 0
                file.seek(self._offset)
                content = file.read()
        except OSError:
            return
        whole = content[: content.rfind(b"\n") + 1]
        self._offset += len(whole)
        yield from read_lines(whole)


def _written(folder: Path) -> dict[str, int]:
    """Return the names of the files in a folder, and when each was written."""
    found = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if TaskFile.of(entry.name) is not None:
                    try:
                        found[entry.name] = entry.stat().st_mtime_ns
                    except OSError:
                        continue
    except OSError:
        return found
    return found


def _lines_of(path: Path) -> Iterator[dict[str, Any]]:
    try:
        content = path.read_bytes()
    except OSError:
        return
    yield from read_lines(content)
