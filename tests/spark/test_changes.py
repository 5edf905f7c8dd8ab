"""Queries that change while a job runs: in which order, from when on, and what becomes of those that are no good."""

import logging
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import Observation, SparkSession

import limen
import limen.spark
from limen import Border, Columns, InvalidInput, InvalidQuery, Range
from limen.formats.query_json import canonical_json
from limen.model.time import from_micros
from limen.spark.job import pack_queries
from limen.spark.spark_session import check_list
from tests.spark.running import (
    CHANGES,
    MicroBatches,
    RunStream,
    collected,
    read_batches,
    run,
    wait_for_listeners,
    write_batches,
)
from tests.strategies import SECOND
from tests.subject import MICROS_UTC, Event

COLUMNS = Columns("s", "t", "x")
SCHEMA = pa.schema([("s", pa.string()), ("t", MICROS_UTC), ("x", pa.float64())])

Row = dict[str, Any]


def row(second: float, x: float, stream: str = "a") -> Row:
    return {"s": stream, "t": round(second * SECOND), "x": x}


def at(second: float) -> str:
    return from_micros(round(second * SECOND))


def change(op: str, **parts: Any) -> Row:
    return {"change": canonical_json({"op": op, **parts})}


def query(kind: str, id: str, lo: float, hi: float, **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": id, "region": {"type": "range", "lo": lo, "hi": hi}, **more}


def brief(events: list[Event]) -> list[tuple[Any, ...]]:
    """Say of each event when it happened, to which query, and what."""
    return sorted((event["time"] / SECOND, event["query_id"], event["kind"], event["reason"]) for event in events)


# What is wrong with a change, and what is said of it.
BAD = {
    "{oops": "JSON: expected one object, got Expecting property name enclosed in double quotes at character 2",
    '{"op": "register", "query": {"type": "boarder", "id": "b", "region": {"type": "range"}}}': (
        "query: expected type 'border', 'match', 'transition', 'within', 'nearest' or 'pattern', got 'boarder'. "
        "Hint: did you mean 'border'?"
    ),
    '{"op": "register", "query": {"type": "border", "id": "b", "on": ["z"], "region": {"type": "range"}}}': (
        "query 'b': on: expected a column among x, got 'z'"
    ),
    None: "change: expected one JSON object, got null",
}
UNKNOWN = "deregister: no query has the id 'nobody'"


@pytest.mark.slow
def test_a_bad_change_is_counted_and_told_while_the_stream_goes_on(
    spark: SparkSession,
    micro_batches: MicroBatches,
    run_stream: RunStream,
    caplog: pytest.LogCaptureFixture,
) -> None:
    rows = micro_batches([[row(0, 0), row(1, 5)], [row(2, 0)], [row(3, 5)]], SCHEMA)
    changes = micro_batches(
        [
            [change("register", query=query("border", "q", 4, 6), at=at(0))],
            [*({"change": text} for text in BAD), change("deregister", id="nobody")],
            [change("advance", to=at(10))],
        ],
        CHANGES,
    )
    wait_for_listeners(spark)  # who may still tell of jobs before
    with caplog.at_level(logging.INFO, logger="limen"):
        job = run_stream(limen.spark.monitor(rows, changes, COLUMNS, shards=2, lateness=0))
        wait_for_listeners(spark)
    assert brief(job.events) == [
        (1, "q", "enter", "moved"),
        (2, "q", "exit", "moved"),
        (3, "q", "enter", "moved"),
    ]
    told = sorted([*(f"{problem} in {text}" for text, problem in BAD.items()), UNKNOWN])
    assert [batch["changes"]["rejected"] for batch in job.batches] == [0, len(told), 0]
    assert [sorted(batch["problems"]) for batch in job.batches] == [[], told, []]
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert sorted(warnings) == [f"batch 1: change rejected: {problem}" for problem in told]
    lines = [record.getMessage() for record in caplog.records if record.levelno == logging.INFO]
    assert [line.split("; ")[0] for line in lines] == [
        "batch 0: 2 rows, 0 events",
        "batch 1: 1 rows, 1 events",
        "batch 2: 1 rows, 2 events",
    ]


@pytest.mark.slow
def test_changes_apply_by_time_and_place_however_they_come(micro_batches: MicroBatches, run_stream: RunStream) -> None:
    # A query that matches 1 is to win each time, so its match tells; the other one would have stayed silent.
    # In canonical JSON, where `hi` comes before `lo`, the one that wins is the later one.
    wins, loses = (0, 2), (-3, -1)
    rows = micro_batches([[row(second, 1) for second in range(6)], [row(6, 1)], [row(7, 1)]], SCHEMA)
    changes = micro_batches(
        [
            [
                change("register", query=query("match", "by seq", *wins), at=at(6), seq=2),
                change("register", query=query("match", "both", *wins), at=at(6)),
                change("register", query=query("match", "by content", *wins), at=at(6)),
            ],
            [
                change("register", query=query("match", "by seq", *loses), at=at(6), seq=1),
                change("deregister", id="both", at=at(6)),
                change("register", query=query("match", "by content", *loses), at=at(6)),
                # The second 5 is not complete yet, and all before it are.
                change("register", query=query("match", "late", *wins), at=at(1)),
            ],
            [change("deregister", id="late", at=at(7)), change("advance", to=at(8))],
        ],
        CHANGES,
    )
    job = run_stream(limen.spark.monitor(rows, changes, COLUMNS, shards=2, lateness=0))
    assert brief(job.events) == [
        (5, "late", "match", "moved"),
        (6, "both", "match", "moved"),
        (6, "by content", "match", "moved"),
        (6, "by seq", "match", "moved"),
        (6, "late", "match", "moved"),
        (7, "both", "match", "moved"),
        (7, "by content", "match", "moved"),
        (7, "by seq", "match", "moved"),
    ]
    names = ("applied", "late", "superseded", "rejected", "waiting")
    assert [tuple(batch["changes"][name] for name in names) for batch in job.batches] == [
        (0, 0, 0, 0, 3),
        (1, 1, 0, 0, 6),
        (4, 0, 3, 0, 0),
    ]


@pytest.mark.slow
def test_a_change_without_a_time_holds_from_the_watermark_after_its_batch(
    micro_batches: MicroBatches, run_stream: RunStream
) -> None:
    #   batch 0: rows at 0, 4 and 10, so that W becomes 5; both queries hold from 5 on
    #   batch 1: rows at 7 and 11; time is told to be 10.5, so that the row at 11 waits
    rows = micro_batches([[row(0, 1), row(4, 1), row(10, 1)], [row(7, 9), row(11, 9)]], SCHEMA)
    changes = micro_batches(
        [
            [
                change("register", query=query("border", "border", 0, 2, initial="report")),
                change("register", query=query("match", "match", 0, 20)),
            ],
            [change("advance", to=at(10.5))],
        ],
        CHANGES,
    )
    job = run_stream(limen.spark.monitor(rows, changes, COLUMNS, shards=2, lateness=5))
    assert brief(job.events) == [
        (5, "border", "enter", "registered"),
        (7, "border", "exit", "moved"),
        (7, "match", "match", "moved"),
        (10, "border", "enter", "moved"),
        (10, "match", "match", "moved"),
    ]
    assert [(batch["held"], batch["watermark"]) for batch in job.batches] == [(1, at(5)), (1, at(10.5))]


@pytest.mark.slow
@pytest.mark.parametrize("routing", [pytest.param("by_stream", marks=pytest.mark.soak), "by_query"])
def test_another_list_at_a_restart_is_applied_as_its_difference(
    spark: SparkSession, routing: str, tmp_path: Path
) -> None:
    def go_on(rows: list[Row], *queries: Border) -> list[tuple[Any, ...]]:
        source = read_batches(spark, write_batches(tmp_path / "rows", [rows], SCHEMA))
        events = limen.spark.monitor(source, queries, COLUMNS, shards=3, routing=routing, lateness=0)
        return brief(run(events, tmp_path / "sink", tmp_path / "checkpoint").events)

    stays, ends = (Border(id, Range(0, 2), initial="report") for id in ("stays", "ends"))
    before, after = (Border("moves", Range(lo, lo + 2), initial="report") for lo in (0, 5))
    comes = Border("comes", Range(0, 2), initial="report")
    # The row at 1 waits in the first run for its time to be complete, and so is seen by the list of the second.
    first = go_on([row(0, 1), row(1, 1)], stays, ends, before)
    assert first == [(0, id, "enter", "appeared") for id in ("ends", "moves", "stays")]
    second = go_on([row(2, 6), row(3, 6)], stays, after, comes)
    assert second == sorted(
        [
            *first,
            (1, "ends", "exit", "deregistered"),
            (1, "moves", "exit", "changed"),
            (1, "comes", "enter", "registered"),
            (2, "stays", "exit", "moved"),
            (2, "comes", "exit", "moved"),
            (2, "moves", "enter", "moved"),
        ]
    )


def test_a_table_of_changes_rules_a_batch(spark: SparkSession, tmp_path: Path) -> None:
    changes = [
        change("register", query=query("border", "always", 4, 6, initial="report")),
        change("register", query=query("border", "later", 4, 6, initial="report"), at=at(1.5)),
        change("deregister", id="always", at=at(2)),
        change("deregister", id="nobody", at=at(2)),
        change("advance", to=at(100)),
        {"change": "{oops"},
    ]
    observation = Observation("a table of changes")
    events = limen.spark.monitor(
        spark.read.parquet(str(write_batches(tmp_path / "rows", [[row(3, 0), row(0, 5), row(2, 5)]], SCHEMA))),
        spark.read.parquet(str(write_batches(tmp_path / "changes", [changes[::2], changes[1::2]], CHANGES))),
        COLUMNS,
        shards=3,
        expire_after=10,
        observation=observation,
    )
    assert brief(collected(events)) == [
        (0, "always", "enter", "appeared"),
        (1.5, "later", "enter", "registered"),
        (2, "always", "exit", "deregistered"),
        (3, "later", "exit", "moved"),
    ]
    counted = limen.spark.counters(observation)
    assert counted["changes"] == {"applied": 3, "late": 0, "superseded": 0, "rejected": 2, "refused": 0, "waiting": 0}
    assert counted["expired"] == 1  # by the advance
    assert sorted(counted["problems"]) == [f"{BAD['{oops']} in {{oops", UNKNOWN]


def test_every_shard_of_queries_tells_its_problems(spark: SparkSession, tmp_path: Path) -> None:
    names = [f"nobody{number}" for number in range(4)]
    observation = Observation("problems in several shards")
    events = limen.spark.monitor(
        spark.read.parquet(str(write_batches(tmp_path / "rows", [[row(0, 0)]], SCHEMA))),
        spark.read.parquet(
            str(write_batches(tmp_path / "changes", [[change("deregister", id=name) for name in names]], CHANGES))
        ),
        COLUMNS,
        shards=5,
        routing="by_query",
        observation=observation,
    )
    assert collected(events) == []
    counted = limen.spark.counters(observation)
    assert counted["changes"]["rejected"] == len(names)
    assert sorted(counted["problems"]) == [f"deregister: no query has the id {name!r}" for name in names]


def test_a_table_of_registrations_starts_a_stream(
    spark: SparkSession, micro_batches: MicroBatches, run_stream: RunStream, tmp_path: Path
) -> None:
    table = [change("register", query=query("border", "q", 4, 6, initial="report"))]
    job = run_stream(
        limen.spark.monitor(
            micro_batches([[row(0, 5), row(1, 0)]], SCHEMA),
            spark.read.parquet(str(write_batches(tmp_path / "changes", [table], CHANGES))),
            COLUMNS,
            lateness=0,
        )
    )
    assert brief(job.events) == [(0, "q", "enter", "appeared")]


def test_a_table_of_changes_with_times_is_refused_for_a_stream(
    spark: SparkSession, micro_batches: MicroBatches, tmp_path: Path
) -> None:
    text = change("deregister", id="q", at=at(1))
    table = spark.read.parquet(str(write_batches(tmp_path / "changes", [[text]], CHANGES)))
    with pytest.raises(InvalidQuery) as caught:
        limen.spark.monitor(micro_batches([[]], SCHEMA), table, COLUMNS)
    assert str(caught.value) == (
        "monitor: queries: expected registrations without a time, since the table is a batch and the data a stream, "
        f"got {text['change']}. "
        "Hint: read the changes with spark.readStream, and they take effect while the job runs"
    )


def test_a_stream_of_changes_is_refused_for_a_batch(
    spark: SparkSession, micro_batches: MicroBatches, tmp_path: Path
) -> None:
    rows = spark.read.parquet(str(write_batches(tmp_path / "rows", [[row(0, 0)]], SCHEMA)))
    with pytest.raises(InvalidInput) as caught:
        limen.spark.monitor(rows, micro_batches([[]], CHANGES), COLUMNS)
    assert str(caught.value) == (
        "monitor: queries: expected a list, a path or a batch DataFrame, since the data is a batch, "
        "got a streaming DataFrame"
    )


@pytest.mark.soak
def test_a_list_of_very_many_queries(spark: SparkSession, micro_batches: MicroBatches, run_stream: RunStream) -> None:
    """Packed it is larger than what Spark by itself carries to a stateful operator in Python."""
    chance = random.Random(3)
    queries = [Border(f"query {number}", Range(chance.random(), 2)) for number in range(80_000)]
    assert len(pack_queries(queries)) > 1 << 20
    rows = [row(0, 3.0), row(1, 1.5), row(2, 3.0)]
    job = run_stream(limen.spark.monitor(micro_batches([rows], SCHEMA), queries, COLUMNS, lateness=0))
    assert job.batches[-1]["queries"] == 80_000
    assert len(job.events) == 80_000


def test_a_list_that_the_session_cannot_carry(spark: SparkSession) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_list(spark, 1 << 30)
    assert "spark.broadcast.UDFCompressionThreshold=1g, as limen.spark.session() does" in str(caught.value)
