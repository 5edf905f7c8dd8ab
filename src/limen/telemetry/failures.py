"""Failed telemetry writes never stop a job: the first one is logged, and all are counted."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

log = logging.getLogger("limen")


class WriteFailures:
    """The failed telemetry writes of this process."""

    def __init__(self) -> None:
        self.count = 0
        self.latest: str | None = None

    @contextmanager
    def suppressed(self) -> Iterator[None]:
        """Count an error and continue: the disk is full, or the folder is missing or not writable."""
        try:
            yield
        except (OSError, pa.ArrowException) as error:
            self.note(str(error))

    def note(self, problem: str) -> None:
        """Count a problem; log the first one."""
        if not self.count:
            log.warning("the telemetry cannot be written, and the job goes on without: %s", problem)
        self.count += 1
        self.latest = problem


#: Of a worker process, which outlives its tasks.
OF_THIS_PROCESS = WriteFailures()
