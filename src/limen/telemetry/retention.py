"""Retention: old files are removed, so that a telemetry folder never exceeds its maximum size."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from limen.telemetry.atomic_files import UNDER_WAY
from limen.telemetry.folder_files import EVENTS_FOLDER, ROWS_FOLDER, TaskFile

#: Files of a batch are kept for so many batches, or so many seconds, whichever is longer …
KEPT_BATCHES, KEPT_SECONDS = 120, 900.0
#: … as long as the folder has fewer bytes than this; the margin is for files written until the next check.
MOST_BYTES, MARGIN, LEAST_BYTES = 500_000_000, 50_000_000, 32_000_000
_ABANDONED = 600.0  # seconds after which an unfinished file is removed


def files_of(folder: Path) -> list[TaskFile]:
    """Return the files of a folder in the order of batches; an empty list if there is no such folder."""
    try:
        found = [TaskFile.of(name) for name in os.listdir(folder)]  # noqa: PTH208  # names are all that is wanted
    except FileNotFoundError:
        return []
    return sorted(part for part in found if part is not None)


def tidy(folder: Path, latest: int, now: float | None = None) -> None:
    """Remove files that are too old, and the oldest ones when the folder is too large.

    Parameters
    ----------
    folder
        The telemetry folder.
    latest
        The number of the last completed batch.
    now
        Seconds since 1970; by default the current time.
    """
    now = time.time() if now is None else now
    kept: list[tuple[TaskFile, str, int]] = []
    for name in (ROWS_FOLDER, EVENTS_FOLDER):
        for entry in _entries(folder / name):
            stat = entry.stat()
            part = TaskFile.of(entry.name)
            age = now - stat.st_mtime
            if part is None:
                if entry.name.startswith(UNDER_WAY) and age > _ABANDONED:
                    os.unlink(entry.path)  # noqa: PTH108  # as it comes
            elif part.batch <= latest - KEPT_BATCHES and age > KEPT_SECONDS:
                os.unlink(entry.path)  # noqa: PTH108
            else:
                kept.append((part, entry.path, stat.st_size))
    others = sum(entry.stat().st_size for entry in _entries(folder) if entry.is_file())
    room = max(MOST_BYTES - MARGIN - others, LEAST_BYTES)
    size = sum(each[2] for each in kept)
    for _, path, own in sorted(kept):
        if size <= room:
            break
        os.unlink(path)  # noqa: PTH108
        size -= own


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except FileNotFoundError:
        return
