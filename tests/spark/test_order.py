"""Event time: rows out of order within the lateness change nothing, and what comes later is counted, row by row."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import limen
import limen.spark
from limen.formats.query_json import query_from_dict
from limen.model.time import to_micros
from tests.oracle import Oracle
from tests.spark.local_job import LocalJob
from tests.spark.running import (
    CHANGES,
    MicroBatches,
    RunStream,
    as_the_oracle_counts,
    assert_equal_events,
    total,
)
from tests.spark.workload import ADVANCE, BEFORE, Rows, as_change, busy, cut, delayed, schema_of
from tests.strategies import TimeLine, time_lines
from tests.subject import Subject, assert_same_events

LATENESS = 3


@pytest.mark.soak
def test_rows_shuffled_within_the_lateness_give_the_events_of_sorted_rows(
    micro_batches: MicroBatches, run_stream: RunStream
) -> None:
    line = busy(seed=21, expire_after=4)
    chance = random.Random(21)
    shuffled = delayed(chance, line.rows, LATENESS)
    assert shuffled != line.rows

    def answer(batches: list[Rows]) -> tuple[list[dict[str, object]], dict[str, object]]:
        changes: list[Rows] = [[] for _ in batches]
        changes[0] = [as_change(step) for step in line.changes]
        changes[-1].append(as_change(ADVANCE))
        job = run_stream(
            limen.spark.monitor(
                micro_batches(batches, schema_of(line)),
                micro_batches(changes, CHANGES),
                limen.Columns(**line.columns),
                lateness=LATENESS,
                expire_after=line.expire_after,
            )
        )
        return job.events, total(*job.batches)

    events, counted = answer([line.rows])
    events_of_shuffled, counted_of_shuffled = answer(cut(chance, shuffled, 4))
    assert_equal_events(events, events_of_shuffled, "shuffled")
    assert counted_of_shuffled == counted
    assert len(events) > 100


@pytest.mark.slow
@pytest.mark.parametrize(("order", "lateness"), [("event", 1), pytest.param("arrival", 0, marks=pytest.mark.soak)])
def test_rows_that_come_too_late_are_counted_exactly(
    order: str, lateness: float, micro_batches: MicroBatches, run_stream: RunStream
) -> None:
    line = busy(seed=22, dimensions=2, expire_after=4)
    chance = random.Random(22)
    batches = cut(chance, delayed(chance, line.rows, 5), 4)
    options = {"order": order, "lateness": lateness, "expire_after": line.expire_after}
    queries = [step.arguments["query"] for step in line.changes if step.arguments["at"] == BEFORE]
    oracle, engine = Oracle(line.columns, queries, **options), Subject(line.columns, queries, **options)
    expected = [event for batch in batches for event in oracle.process(batch)]
    from_engine = [event for batch in batches for event in engine.process(batch)]
    job = run_stream(
        limen.spark.monitor(
            micro_batches(batches, schema_of(line)),
            [query_from_dict(form) for form in queries],
            limen.Columns(**line.columns),
            shards=3,
            **options,
        )
    )
    assert_same_events(expected, job.events, "against the oracle")
    assert_equal_events(from_engine, job.events, "against the engine")
    assert as_the_oracle_counts(total(*job.batches)) == oracle.counters
    assert oracle.counters["late"] > 20
    # What is not complete when the input pauses is kept.
    kept = ("held", "streams", "queries", "starts", "unconfirmed")
    assert {name: job.batches[-1][name] for name in kept} == {name: engine.engine.counters[name] for name in kept}
    assert (job.batches[-1]["held"] > 0) == (order == "event")
    assert to_micros(job.batches[-1]["watermark"]) == engine.engine.watermark


@given(
    line=time_lines(),
    shards=st.sampled_from((1, 2, 5)),
    routing=st.sampled_from(("by_stream", "by_query")),
    order=st.sampled_from(("event", "arrival")),
    lateness=st.sampled_from((0, 1, 3)),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_delay_is_counted_as_the_oracle_counts_it(
    line: TimeLine, shards: int, routing: str, order: str, lateness: float, seed: int
) -> None:
    chance = random.Random(seed)
    options = {"order": order, "lateness": lateness, "expire_after": line.expire_after}
    oracle = Oracle(line.columns, line.queries, **options)
    job = LocalJob(line.columns, line.queries, shards, routing, **options)
    arrived = delayed(chance, line.rows, 5)
    cuts = sorted(chance.randint(0, len(arrived)) for _ in range(3))
    for first, last in pairwise([0, *cuts, len(arrived)]):
        rows = arrived[first:last]
        assert_same_events(
            oracle.process(rows), job.take(rows, partitions=chance.randint(1, 3)), f"rows {first}…{last}"
        )
    assert as_the_oracle_counts(total(*job.batches)) == oracle.counters
