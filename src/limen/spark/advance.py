"""A shard from one batch to the next: its pages read, the packets played, what changed written back."""

from __future__ import annotations

import os
import time
from dataclasses import asdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from limen.operators.directory import Directory
from limen.operators.housekeeping import tidy
from limen.operators.journal import Journal
from limen.spark.operator import COUNTS, Operation
from limen.spark.packet import Packet
from limen.state.pages import get_long, put_long

if TYPE_CHECKING:
    from collections.abc import Iterable

    from limen.spark.job import Job
    from limen.spark.operator import Outcome
    from limen.state.pages import Pages

_NULLABLE = {pa.int64(): pd.Int64Dtype()}

MOST_COPIES = 16  # shards that a worker keeps in memory
_copies: dict[str, Journal] = {}  # by the shard's own name, the latest last


def take_batch(job: Job, key: int, contents: Iterable[bytes], pages: Pages) -> pd.DataFrame:
    """Take the packets of a batch for the shard of a key; return what goes on, as Spark takes it."""
    packets = [Packet.from_bytes(content, job.columns) for content in contents]
    outcome = advance(job, job.number_of(key), packets, pages)
    return outcome.parcels().to_pandas(types_mapper=_NULLABLE.get)


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
    tidy(journal.shard)
    clock.append(time.perf_counter_ns())
    facts["totals"] = {name: facts["totals"].get(name, 0) + outcome.counts[name] for name in COUNTS}
    if job.options.keeps_significant:
        facts["options"] = asdict(job.options)  # for who reads what is kept
    journal.save(pages, facts)
    clock.append(time.perf_counter_ns())
    for phase, (begin, end) in zip(("reading", "playing", "writing"), pairwise(clock), strict=True):
        outcome.counts[f"microseconds_{phase}"] = (end - begin) // 1000
    outcome.counts["state_bytes_written"] = getattr(pages, "written", 0)
    _copies[facts["name"]] = journal
    while len(_copies) > MOST_COPIES:
        del _copies[next(iter(_copies))]
    return outcome
