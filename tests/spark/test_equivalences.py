"""Batch = streaming = in-process engine, whatever the shards, the routing and the split into micro-batches."""

import random
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import Observation, SparkSession

import limen
import limen.spark
from tests.answer_strategies import answer_scenarios, answer_swarm, globes, planes
from tests.oracle import Oracle
from tests.oracle.answer_line import LINE_TYPES
from tests.pattern_strategies import pattern_swarm
from tests.spark.local_job import LocalJob
from tests.spark.running import (
    CHANGES,
    MicroBatches,
    RunStream,
    SetConf,
    as_the_oracle_counts,
    assert_equal_events,
    collected,
    total,
    write_batches,
)
from tests.spark.workload import ADVANCE, answer_of_engine, as_change, busy, cut, delayed, schema_of, told
from tests.strategies import Scenario, scenarios, shuttles
from tests.subject import Subject, assert_same_events

LATENESS = 3


@dataclass(frozen=True)
class Case:
    """A way to run a workload. Few, since each costs seconds; scripts below are run every way without a JVM."""

    shards: int
    routing: str
    order: str
    dimensions: int
    expire_after: float | None
    zone: str = "UTC"

    def __str__(self) -> str:
        expiry = "never" if self.expire_after is None else f"{self.expire_after}s"
        return f"{self.shards}-{self.routing}-{self.order}-{self.dimensions}d-{expiry}"


CASES = [
    Case(1, "by_stream", "event", dimensions=1, expire_after=3),
    Case(2, "by_stream", "arrival", dimensions=2, expire_after=None, zone="America/St_Johns"),
    Case(5, "by_stream", "event", dimensions=2, expire_after=3),
    Case(2, "by_query", "event", dimensions=1, expire_after=None),
    Case(5, "by_query", "arrival", dimensions=2, expire_after=3),
]
SEEDS = (0, 1, 2, 3, 5)  # of workloads in which everything happens


@pytest.fixture
def small_chunks(set_conf: SetConf) -> None:
    """Have rows come to Python in many chunks, as large input does."""
    set_conf("spark.sql.execution.arrow.maxRecordsPerBatch", "37")


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    ("seed", "case"),
    [
        pytest.param(
            seed, case, id=str(case), marks=[] if case.expire_after and case.dimensions > 1 else [pytest.mark.soak]
        )
        for seed, case in zip(SEEDS, CASES, strict=True)
    ],
)
def test_streaming_equals_batch_equals_engine(
    seed: int,
    case: Case,
    spark: SparkSession,
    micro_batches: MicroBatches,
    run_stream: RunStream,
    set_conf: SetConf,
    tmp_path: Path,
) -> None:
    set_conf("spark.sql.session.timeZone", case.zone)
    chance = random.Random(seed)
    line = busy(seed, case.dimensions, case.expire_after, answers=case.routing == "by_query")
    columns, schema = limen.Columns(**line.columns), schema_of(line)
    how = {"shards": case.shards, "routing": case.routing, "order": case.order, "expire_after": case.expire_after}
    expected, engine = answer_of_engine(line)
    reasons = {"moved", "appeared", "registered", "changed", "deregistered", "timer"} | (
        {"expired"} if case.expire_after else set()
    )
    assert {event["reason"] for event in expected} == reasons
    kinds = {"add", "remove"} if case.routing == "by_query" else {"passed", "returned", "stayed", "gone", "cross"}
    assert kinds <= {event["kind"] for event in expected}
    confirmed = any(event["kind"] == "exit" and event["started_at"] is not None for event in expected)
    assert confirmed or case.routing == "by_query", "calm borders"
    assert total(engine.counters)["late"] > 0, "ties and duplicates are late"

    if case.order == "event":  # any split of rows that are out of order within the lateness
        lateness, batches = LATENESS, cut(chance, delayed(chance, line.rows, LATENESS), 4)
    else:  # batches in order of time, no time in two of them
        lateness = 0
        batches = [[row for instant in piece for row in instant] for piece in cut(chance, line.instants(), 4)]
    changes = told(chance, line.changes, batches, lateness)
    changes[-1].append(ADVANCE)
    streaming = run_stream(
        limen.spark.monitor(
            micro_batches(batches, schema).repartition(3),
            micro_batches([list(map(as_change, steps)) for steps in changes], CHANGES),
            columns,
            lateness=lateness,
            **how,
        )
    )
    assert_equal_events(expected, streaming.events, "streaming")
    assert len(streaming.batches) == len(batches)
    assert total(*streaming.batches) == total(engine.counters)

    anyhow = cut(chance, chance.sample(line.rows, len(line.rows)), 4)
    observation = Observation()
    batch = limen.spark.monitor(
        spark.read.parquet(str(write_batches(tmp_path / "rows", anyhow, schema))),
        spark.read.parquet(
            str(write_batches(tmp_path / "changes", [list(map(as_change, [*line.changes, ADVANCE]))], CHANGES))
        ),
        columns,
        observation=observation,
        **how,
    )
    assert_equal_events(expected, collected(batch), "batch")
    assert total(limen.spark.counters(observation)) == total(engine.counters)


@pytest.mark.parametrize("routing", ["by_stream", "by_query"])
def test_a_batch_ends_as_a_closed_engine_does(spark: SparkSession, routing: str, tmp_path: Path) -> None:
    line = busy(seed=11, expire_after=3)
    expected, _ = answer_of_engine(line, last=None)
    batch = limen.spark.monitor(
        spark.read.parquet(str(write_batches(tmp_path / "rows", [line.rows], schema_of(line)))),
        spark.read.parquet(str(write_batches(tmp_path / "changes", [list(map(as_change, line.changes))], CHANGES))),
        limen.Columns(**line.columns),
        shards=3,
        routing=routing,
        expire_after=3,
    )
    assert_equal_events(expected, collected(batch), "batch")


# A scenario here is played by several shards, and on two engines beside them.
@settings(max_examples=max(2, settings().max_examples // 2))
@given(
    scenario=scenarios(max_dimensions=2) | shuttles(),
    shards=st.sampled_from((1, 2, 5)),
    routing=st.sampled_from(("by_stream", "by_query")),
    data=st.data(),
)
def test_every_script_is_played_as_the_oracle_plays_it(
    scenario: Scenario, shards: int, routing: str, data: st.DataObject
) -> None:
    play_on_shards(scenario, shards, routing, data)


@settings(max_examples=max(2, settings().max_examples // 2))
@given(scenario=answer_scenarios(planes() | globes()), shards=st.sampled_from((1, 2, 5)), data=st.data())
def test_every_script_with_answers_is_played_as_the_oracle_plays_it(
    scenario: Scenario, shards: int, data: st.DataObject
) -> None:
    play_on_shards(scenario, shards, "by_query", data)


@settings(max_examples=max(2, settings().max_examples // 4))
@given(seed=st.integers(0, 2**32), shards=st.sampled_from((1, 2, 5)), data=st.data())
def test_much_that_happens_at_once_is_played_as_the_oracle_plays_it(
    seed: int, shards: int, data: st.DataObject
) -> None:
    play_on_shards(answer_swarm(seed), shards, "by_query", data)


@settings(max_examples=max(3, settings().max_examples // 2))
@given(
    seed=st.integers(0, 2**32),
    shards=st.sampled_from((1, 2, 5)),
    expiry=st.sampled_from(("loose", "tight", "no-index")),
    data=st.data(),
)
def test_patterns_are_played_as_the_oracle_plays_them(seed: int, shards: int, expiry: str, data: st.DataObject) -> None:
    play_on_shards(pattern_swarm(seed), shards, "by_query", data, expiry=expiry)


def play_on_shards(scenario: Scenario, shards: int, routing: str, data: st.DataObject, **more: str) -> None:
    oracle = Oracle(scenario.columns, scenario.queries, **scenario.options)
    engine = Subject(scenario.columns, scenario.queries, **scenario.options, **more)
    job = LocalJob(scenario.columns, scenario.queries, shards, routing, **scenario.options, **more)
    for number, step in enumerate(scenario.steps[:-1]):  # a stream is never closed
        if data.draw(st.booleans(), label=f"another worker for step {number}"):
            job.forget_copies()
        expected = getattr(oracle, step.call)(**step.arguments)
        from_engine = getattr(engine, step.call)(**step.arguments)
        if step.call == "process":
            got = job.take(step.arguments["rows"], partitions=data.draw(st.integers(1, 3), label="partitions"))
        else:
            got = job.take([], [as_change(step, **({} if step.call == "advance" else {"seq": number}))])
        assert_same_events(expected, got, f"step {number}, {step.call}, against the oracle")
        assert_equal_events(from_engine, got, f"step {number}, {step.call}, against the engine")
    counted, expected_counts = total(*job.batches), total(engine.engine.counters)
    registered = [step.arguments["query"] for step in scenario.steps if step.call == "register"]
    on_line = any(form["type"] in LINE_TYPES for form in (*scenario.queries, *registered))
    if on_line and scenario.options.get("order") == "arrival" and shards > 1:
        # A row that is late for answers alone is counted by the first shard, for the queries that are there.
        assert counted.pop("late") <= expected_counts.pop("late")
    else:
        assert as_the_oracle_counts(counted) == oracle.counters
    assert counted == expected_counts
