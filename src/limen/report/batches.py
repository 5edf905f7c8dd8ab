"""The log of a job's batches: how long each took, and what of its rows was late, rejected or left out.

A line is an object: `{"batch", "milliseconds", "written", "counters"}`, as in the telemetry of a job, or the progress
of a batch as Spark reports it.
"""

import heapq
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from limen.errors import InvalidInput, shorten

SLOWEST = 10


class BatchRecord(NamedTuple):
    """A batch: how long it took, and what it counted."""

    milliseconds: float
    number: int
    when: str
    counters: dict[str, Any]

    @property
    def events(self) -> int:
        """How many events it had."""
        return sum(self.counters.get("events", {}).values())


class Batches:
    """The aggregates of a log of batches."""

    def __init__(self) -> None:
        self.number = 0
        self.rows = self.late = self.left_out = 0
        self.rejected: Counter[str] = Counter()
        self.problems = 0
        self.kept: dict[str, Any] = {}  # the last counters of answers under a memory budget
        self.times: list[tuple[int, float]] = []  # of batches, in milliseconds
        self._slowest: list[tuple[float, int, BatchRecord]] = []

    def add(self, batch: BatchRecord) -> None:
        """Add a batch."""
        self.number += 1
        self.rows += batch.counters.get("rows", 0)
        self.late += batch.counters.get("late", 0)
        self.left_out += batch.counters.get("left_out", 0)
        self.rejected.update(batch.counters.get("rejected", {}))
        self.problems += len(batch.counters.get("problems", []))
        self.kept = batch.counters.get("kept", self.kept)
        self.times.append((batch.number, batch.milliseconds))
        kept = (batch.milliseconds, -self.number, batch)
        (heapq.heappush if len(self._slowest) < SLOWEST else heapq.heappushpop)(self._slowest, kept)

    def slowest(self) -> list[BatchRecord]:
        """Return the slowest, the slowest first."""
        return [batch for *_, batch in sorted(self._slowest, reverse=True)]


def read_batches(path: Path) -> Batches:
    """Read a log of batches."""
    found = Batches()
    for batch in _batches(path):
        found.add(batch)
    if not found.number:
        raise InvalidInput(where=str(path), expected="a log of batches, one JSON object a line", got="nothing in it")
    return found


def _batches(path: Path) -> Iterator[BatchRecord]:
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _batch(line, f"{path} line {number}")
    except (OSError, UnicodeDecodeError) as error:
        got = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(where=str(path), expected="a log of batches", got=got) from error


def _batch(line: str, where: str) -> BatchRecord:
    expected = 'an object such as {"batch": 3, "milliseconds": 120, "counters": {…}}, or the progress of Spark'
    try:
        plain = json.loads(line)
        if "batchId" in plain:
            # Only such a log needs Spark.
            from limen.spark.progress import counters  # noqa: PLC0415

            taken = plain.get("durationMs", {}).get("triggerExecution", 0)
            return BatchRecord(float(taken), int(plain["batchId"]), str(plain.get("timestamp", "")), counters(plain))
        return BatchRecord(
            float(plain["milliseconds"]), int(plain["batch"]), str(plain.get("written", "")), dict(plain["counters"])
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidInput(where=where, expected=expected, got=shorten(line.strip(), 80)) from error
