"""The stateful operator: a shard between Spark's state store and its batches."""

from __future__ import annotations

import os
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from limen.operators.directory import Directory
from limen.operators.journal import Journal
from limen.spark.operator import COUNTS, Operation
from limen.spark.packet import Packet
from limen.state.pages import get_long, put_long

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql.streaming.stateful_processor import MapState, StatefulProcessorHandle, TimerValues

    from limen.spark.job import Job
    from limen.spark.operator import Outcome
    from limen.state.pages import Pages

_NAME = StructType([StructField("name", StringType(), nullable=False)])
_PAGE = StructType([StructField("page", BinaryType(), nullable=False)])

_NULLABLE = {pa.int64(): pd.Int64Dtype()}

MOST_COPIES = 16  # shards that a worker keeps in memory
_copies: dict[str, Journal] = {}  # by the shard's own name, the latest last


class MapPages:
    """Pages in a map of Spark's state store."""

    def __init__(self, state: MapState) -> None:
        self._state = state
        self.written = 0  # bytes

    def get(self, name: str) -> bytes | None:
        """Return a page."""
        value = self._state.getValue((name,))
        return None if value is None else bytes(value[0])

    def put(self, name: str, page: bytes) -> None:
        """Write a page."""
        self._state.updateValue((name,), (page,))
        self.written += len(page)

    def remove(self, name: str) -> None:
        """Take a page out."""
        self._state.removeKey((name,))


class ShardProcessor(StatefulProcessor):
    """Plays each batch on the shard's state, and writes what has changed."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Name the state. Spark also calls this where there is none to look at."""
        self._state = handle.getMapState("pages", _NAME, _PAGE)

    def handleInputRows(  # noqa: N802  # Spark's name
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: ARG002, N803
    ) -> Iterator[pd.DataFrame]:
        """Take the packets of a batch."""
        number = self._job.number_of(int(key[0]))
        contents = [content for frame in rows for content in frame["packet"]]
        packets = [Packet.from_bytes(content, self._job.columns) for content in contents]
        outcome = advance(self._job, number, packets, MapPages(self._state))
        yield outcome.parcels().to_pandas(types_mapper=_NULLABLE.get)

    def close(self) -> None:
        """Leave nothing behind: what lasts is in the store."""


def advance(job: Job, number: int, packets: list[Packet], pages: Pages) -> Outcome:
    """Bring a shard from one batch to the next."""
    clock = [time.perf_counter_ns()]
    found = Directory.read(pages)
    facts: dict[str, Any] = {
        "job": job.facts(),
        "name": os.urandom(12).hex(),
        "list": "",
        "list_pages": 0,
        "totals": {},
    }
    journal = None
    if found is not None:
        directory, written, repeats = found
        job.check(written["job"])
        facts |= {name: written[name] for name in ("name", "list", "list_pages", "totals")}
        journal = _copies.pop(facts["name"], None)
        if journal is None or not journal.can_catch_up(directory) or journal.shard.options != job.options:
            journal = Journal(job.columns, job.options, job.arrow_types)
        journal.catch_up(pages, directory, written, repeats)
    if journal is None:
        journal = Journal(job.columns, job.options, job.arrow_types)
    clock.append(time.perf_counter_ns())
    operation = Operation(job, number, journal.shard)
    if job.queries is not None and facts["list"] != job.queries_digest:
        earlier = get_long(pages, "list", facts["list_pages"]) if facts["list"] else None
        operation.take_list(job.queries, earlier)
        facts["list_pages"] = put_long(pages, "list", job.queries, facts["list_pages"])
        facts["list"] = job.queries_digest
    operation.take(packets)
    outcome = operation.end()
    journal.shard.tidy()
    clock.append(time.perf_counter_ns())
    facts["totals"] = {name: facts["totals"].get(name, 0) + outcome.counts[name] for name in COUNTS}
    journal.save(pages, facts)
    clock.append(time.perf_counter_ns())
    for phase, (begin, end) in zip(("reading", "playing", "writing"), pairwise(clock), strict=True):
        outcome.counts[f"microseconds_{phase}"] = (end - begin) // 1000
    outcome.counts["state_bytes_written"] = getattr(pages, "written", 0)
    _copies[facts["name"]] = journal
    while len(_copies) > MOST_COPIES:
        del _copies[next(iter(_copies))]
    return outcome
