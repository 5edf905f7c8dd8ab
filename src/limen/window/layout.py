"""Which file of the window holds what, and how files are named."""

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

#: Folders of what workers tell; the driver makes `CHANGES` of what is in the last.
ROWS_FOLDER, EVENTS_FOLDER, CHANGES_FOLDER = FOLDERS = ("rows", "events", "arrived")

STARTING, RUNNING, ENDED, FAILED = STATES = ("starting", "running", "ended", "failed")

#: A job whose heartbeat is older than so many seconds is dead; it beats each second.
HEARTBEAT, DEAD_AFTER = 1.0, 5.0

_NAME = re.compile(r"(\d+)-(\d+)-(\d+)\.arrow")


class Part(NamedTuple):
    """What a task of a batch has told: there may be several parts of one task."""

    batch: int
    partition: int
    part: int

    @property
    def name(self) -> str:
        """The name of its file; names sort as batches do.

        Examples
        --------
        >>> Part(7, 1, 0).name
        '0000000007-0001-000.arrow'
        """
        return f"{self.batch:010}-{self.partition:04}-{self.part:03}.arrow"

    @classmethod
    def of(cls, name: str) -> Part | None:
        """Read the name of a file; None for what is none of ours, as one that is being written.

        Examples
        --------
        >>> Part.of("0000000007-0001-000.arrow")
        Part(batch=7, partition=1, part=0)
        """
        found = _NAME.fullmatch(name)
        return None if found is None else cls(*map(int, found.groups()))
