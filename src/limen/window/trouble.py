"""A window that cannot be written never stops a job: it is logged once, and counted."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator

log = logging.getLogger("limen")


class Trouble:
    """What could not be written by this process."""

    def __init__(self) -> None:
        self.count = 0
        self.latest: str | None = None

    @contextmanager
    def suppressed(self) -> Iterator[None]:
        """Go on when the disk is full, the folder is gone, or somebody else's."""
        try:
            yield
        except (OSError, pa.ArrowException) as error:
            self.note(str(error))

    def note(self, problem: str) -> None:
        """Count a problem; the first is logged."""
        if not self.count:
            log.warning("the window for the console cannot be written, and the job goes on without: %s", problem)
        self.count += 1
        self.latest = problem


#: Of a worker, which lives longer than its tasks.
OF_THIS_PROCESS = Trouble()
