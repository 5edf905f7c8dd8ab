"""A shard from one batch to the next: its pages read, the packets played, what changed written back."""

import os
import time
from collections.abc import Iterable
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import pandas as pd
import pyarrow as pa

from limen.checkpoint.journal import Journal
from limen.checkpoint.manifest import Manifest
from limen.checkpoint.pages import Pages, get_long, put_long
from limen.spark.batch_run import StreamingRun
from limen.spark.job import Job
from limen.spark.packet import Packet
from limen.spark.shard_output import COUNTS, ShardOutput

_NULLABLE = {pa.int64(): pd.Int64Dtype()}

MOST_COPIES = 16  # shards that a worker keeps in memory
_copies: dict[str, Journal] = {}  # by the shard's own name, the latest last


def take_batch(job: Job, key: int, contents: Iterable[bytes], pages: Pages) -> pd.DataFrame:
    """Take the packets of a batch for the shard of a key; return what goes on, as Spark takes it."""
    packets = [Packet.from_bytes(content, job.columns) for content in contents]
    output = advance(job, job.number_of(key), packets, pages)
    return output.to_batch().to_pandas(types_mapper=_NULLABLE.get)


def advance(job: Job, number: int, packets: list[Packet], pages: Pages) -> ShardOutput:
    """Bring a shard from one batch to the next."""
    clock = [time.perf_counter_ns()]
    found = Manifest.read(pages)
    facts: dict[str, Any] = {
        "job": job.facts(),
        "name": os.urandom(12).hex(),
        "list": "",
        "list_pages": 0,
        "totals": {},
    }
    journal = None
    if found is not None:
        manifest, written, repeats = found
        job.check(written["job"])
        facts |= {name: written[name] for name in ("name", "list", "list_pages", "totals")}
        journal = _copies.pop(facts["name"], None)
        if journal is None or not journal.can_catch_up(manifest) or journal.shard.options != job.options:
            journal = Journal(job.columns, job.options, job.arrow_types)
        journal.catch_up(pages, manifest, written, repeats)
    if journal is None:
        journal = Journal(job.columns, job.options, job.arrow_types)
    clock.append(time.perf_counter_ns())
    run = StreamingRun(job, number, journal.shard)
    if job.queries is not None and facts["list"] != job.queries_digest:
        earlier = get_long(pages, "list", facts["list_pages"]) if facts["list"] else None
        run.take_list(job.queries, earlier)
        facts["list_pages"] = put_long(pages, "list", job.queries, facts["list_pages"])
        facts["list"] = job.queries_digest
    run.take(packets)
    output = run.end()
    journal.shard.tidy()
    clock.append(time.perf_counter_ns())
    facts["totals"] = {name: facts["totals"].get(name, 0) + output.counts[name] for name in COUNTS}
    if job.options.keeps_significant:
        facts["options"] = asdict(job.options)  # for readers of the state
    journal.save(pages, facts)
    clock.append(time.perf_counter_ns())
    for phase, (begin, end) in zip(("reading", "playing", "writing"), pairwise(clock), strict=True):
        output.counts[f"microseconds_{phase}"] = (end - begin) // 1000
    output.counts["state_bytes_written"] = getattr(pages, "written", 0)
    _copies[facts["name"]] = journal
    while len(_copies) > MOST_COPIES:
        del _copies[next(iter(_copies))]
    return output
