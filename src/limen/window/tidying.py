"""What is old goes, so that a window has a size that it never exceeds."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from limen.window.files import UNDER_WAY
from limen.window.layout import EVENTS_FOLDER, ROWS_FOLDER, Part

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: What is told of a batch is kept for so many batches, or so many seconds, whichever is longer …
KEPT_BATCHES, KEPT_SECONDS = 120, 900.0
#: … as long as the folder has fewer bytes than this; some are for what comes until the next look.
MOST_BYTES, MARGIN, LEAST_BYTES = 500_000_000, 50_000_000, 32_000_000
_ABANDONED = 600.0  # seconds after which a file that was never finished is nobody's


def parts_of(folder: Path) -> list[Part]:
    """Return what is in a folder of parts, in order; nothing if there is no such folder."""
    try:
        found = [Part.of(name) for name in os.listdir(folder)]  # noqa: PTH208  # names are all that is wanted
    except FileNotFoundError:
        return []
    return sorted(part for part in found if part is not None)


def tidy(folder: Path, latest: int, now: float | None = None) -> None:
    """Remove what is old, and what is too much.

    Parameters
    ----------
    folder
        The window.
    latest
        The batch that ended last.
    now
        Seconds since 1970, by the clock unless told.
    """
    now = time.time() if now is None else now
    kept: list[tuple[Part, str, int]] = []
    for name in (ROWS_FOLDER, EVENTS_FOLDER):
        for entry in _entries(folder / name):
            stat = entry.stat()
            part = Part.of(entry.name)
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
