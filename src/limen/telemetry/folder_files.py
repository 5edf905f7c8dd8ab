"""The files of a telemetry folder, and how they are named."""

from __future__ import annotations

import re
from typing import NamedTuple

VERSION = 1

JOB = "job.json"
QUERIES = "queries.jsonl"
BATCHES = "batches.jsonl"
CHANGES = "changes.jsonl"
SAMPLE = "sample.json"
PAUSED = "paused.jsonl"
ROADS = "roads.npz"

#: Folders that workers write to; the driver moves the content of the last one to `CHANGES`.
ROWS_FOLDER, EVENTS_FOLDER, CHANGES_FOLDER = FOLDERS = ("rows", "events", "arrived")

STARTING, RUNNING, ENDED, FAILED = ("starting", "running", "ended", "failed")

#: Seconds between heartbeats of a job, and the age of the last heartbeat from which the job counts as dead.
HEARTBEAT, DEAD_AFTER = 1.0, 5.0

_NAME = re.compile(r"(\d+)-(\d+)-(\d+)\.arrow")


class TaskFile(NamedTuple):
    """The batch, the partition and the sequence number of a file that a task has written."""

    batch: int
    partition: int
    part: int

    @property
    def name(self) -> str:
        """The file name; names sort in the order of batches.

        Examples
        --------
        >>> TaskFile(7, 1, 0).name
        '0000000007-0001-000.arrow'
        """
        return f"{self.batch:010}-{self.partition:04}-{self.part:03}.arrow"

    @classmethod
    def of(cls, name: str) -> TaskFile | None:
        """Parse a file name; return None for other files, such as one that is still being written.

        Examples
        --------
        >>> TaskFile.of("0000000007-0001-000.arrow")
        TaskFile(batch=7, partition=1, part=0)
        """
        found = _NAME.fullmatch(name)
        return None if found is None else cls(*map(int, found.groups()))
