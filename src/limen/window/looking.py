"""The window as one who looks has it: what is new since the last look. Nothing here waits, or needs the job to live."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from limen.window import layout
from limen.window.files import read_lines, read_table, write_text
from limen.window.layout import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Told:
    """Rows or events that a task of a batch has told.

    Attributes
    ----------
    batch, partition, part
        Which.
    table
        Rows: `stream_id`, `time`, values as `v0`, `v1`, …, attributes as text in `a0`, `a1`, …. Events: as they are.
    seen
        How many there were, of which these are some.
    one_of
        The part of the streams that these are of: those whose bucket, of `limen.window.sample`, it divides.
    """

    batch: int
    partition: int
    part: int
    table: pa.Table
    seen: int
    one_of: int


@dataclass(slots=True)
class News:
    """What a look found.

    Attributes
    ----------
    anew
        The job has begun from nothing: what was seen before is of another one.
    job
        What `job.json` says; None while there is none.
    alive
        Whether the job's heart beats.
    batches
        Lines of `batches.jsonl`.
    rows, events
        In the order of batches. A batch that was repeated comes again, with the same ids of events.
    changes
        Lines of `changes.jsonl`.
    """

    anew: bool = False
    job: dict[str, Any] | None = None
    alive: bool = False
    batches: list[dict[str, Any]] = field(default_factory=list)
    rows: list[Told] = field(default_factory=list)
    events: list[Told] = field(default_factory=list)
    changes: list[dict[str, Any]] = field(default_factory=list)


class Window:
    """A window to look through, again and again.

    Parameters
    ----------
    folder
        The window; it need not exist yet.
    back
        Rows and events of so many batches before the first look are told.
    """

    def __init__(self, folder: str | Path, back: int = 60) -> None:
        self.folder, self._back = Path(folder), back
        self._origin: str | None = None
        self._forget()

    def _forget(self) -> None:
        self._batches = _Tail(self.folder / layout.BATCHES)
        self._changes = _Tail(self.folder / layout.CHANGES)
        self._seen: dict[str, dict[str, int]] = {layout.ROWS_FOLDER: {}, layout.EVENTS_FOLDER: {}}
        self._last_batch = -1
        self._first = True

    def look(self) -> News:
        """Return what is new."""
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
        news.rows = self._parts(layout.ROWS_FOLDER, "rows")
        news.events = self._parts(layout.EVENTS_FOLDER, "events")
        self._first = False
        return news

    def job(self) -> dict[str, Any] | None:
        """Return what the job says of itself."""
        try:
            found = json.loads((self.folder / layout.JOB).read_bytes())
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def alive(self) -> bool:
        """Tell whether the job's heart beats: it does until the job has ended, however that came."""
        job = self.job()
        if job is None or job.get("state") not in (layout.STARTING, layout.RUNNING):
            return False
        try:
            return time.time() - (self.folder / layout.JOB).stat().st_mtime < layout.DEAD_AFTER
        except OSError:
            return False

    def queries(self) -> Iterator[dict[str, Any]]:
        """Return the queries that the job file had at the start, as JSON has them."""
        yield from _lines_of(self.folder / layout.QUERIES)

    def paused(self) -> list[dict[str, Any]]:
        """Return the queries that somebody has paused."""
        return list(_lines_of(self.folder / layout.PAUSED))

    def keep_paused(self, queries: Iterable[dict[str, Any]]) -> None:
        """Write down which queries are paused."""
        write_text(self.folder / layout.PAUSED, "".join(json.dumps(query) + "\n" for query in queries))

    def _parts(self, folder: str, count: str) -> list[Told]:
        seen, now = self._seen[folder], _written(self.folder / folder)
        self._seen[folder] = now
        new = sorted(part for part, when in now.items() if seen.get(part) != when)
        if self._first and new:
            parts = [Part.of(name) for name in new]
            latest = max(part.batch for part in parts if part)
            new = [name for name, part in zip(new, parts, strict=True) if part and part.batch > latest - self._back]
        found = []
        for name in new:
            part = Part.of(name)
            assert part is not None
            try:
                table, facts = read_table(self.folder / folder / name)
            except OSError:
                continue  # it has gone meanwhile
            found.append(Told(*part, table, facts.get(count, len(table)), facts.get("one_of", 1)))
        return found


class _Tail:
    """A file of lines that grows, and now and then is replaced by a shorter one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._inode, self._offset = -1, 0

    def lines(self) -> Iterator[dict[str, Any]]:
        """Return the objects of whole lines that are new; of a file that was replaced, all."""
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
    """Return which parts are there, and when each was written."""
    found = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if Part.of(entry.name) is not None:
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
