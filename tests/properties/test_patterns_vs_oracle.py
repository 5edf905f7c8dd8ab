"""Patterns of the engine against those of the oracle, for all strategies, and ways of feeding that do not matter."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limen.queries.registry import OPERATORS
from tests.feeding import (
    Monitor,
    RestartableOracle,
    assert_a_restart_changes_nothing,
    comparable,
    delayed,
    feed,
    joined,
    play,
    split,
)
from tests.oracle import Oracle
from tests.pattern_strategies import pattern_lines, pattern_scenarios, pattern_swarm
from tests.strategies import Scenario, TimeLine
from tests.subject import Subject, assert_same_events

PATTERN = list(OPERATORS).index("pattern")

EXPIRIES = ("loose", "tight", "no-index")
strategies = pytest.mark.parametrize("expiry", EXPIRIES)
SCENARIOS = max(5, settings().max_examples)
LINES = max(3, settings().max_examples // 3)


def compare(scenario: Scenario, expiry: str) -> None:
    """The same events after every step."""
    oracle = Oracle(scenario.columns, scenario.queries, **scenario.options)
    subject = Subject(scenario.columns, scenario.queries, **scenario.options, expiry=expiry)
    event_ids: list[str] = []
    for number, step in enumerate(scenario.steps):
        expected, got = play(oracle, step), play(subject, step)
        assert_same_events(expected, got, f"step {number}, {step.call}")
        event_ids += [event["event_id"] for event in got]
    assert subject.counters == oracle.counters
    assert len(set(event_ids)) == len(event_ids)


@strategies
@settings(max_examples=SCENARIOS)
@given(scenario=pattern_scenarios())
def test_the_plane(expiry: str, scenario: Scenario) -> None:
    compare(scenario, expiry)


@strategies
@settings(max_examples=2 * SCENARIOS)
@given(seed=st.integers(0, 2**32 - 1))
def test_much_at_once_on_few_spots(expiry: str, seed: int) -> None:
    compare(pattern_swarm(seed), expiry)


@strategies
@settings(max_examples=SCENARIOS)
@given(seed=st.integers(0, 2**32 - 1))
def test_much_at_once_about_the_antimeridian_and_a_pole(expiry: str, seed: int) -> None:
    compare(pattern_swarm(seed, metres=True), expiry)


@settings(max_examples=SCENARIOS)
@given(seed=st.integers(0, 2**32 - 1))
def test_all_strategies_tell_the_same_and_none_keeps_what_is_of_no_use(seed: int) -> None:
    scenario = pattern_swarm(seed)
    subjects = {
        expiry: Subject(scenario.columns, scenario.queries, **scenario.options, expiry=expiry) for expiry in EXPIRIES
    }
    for step in scenario.steps:
        told = {expiry: comparable(play(subject, step)) for expiry, subject in subjects.items()}
        assert told["loose"] == told["tight"] == told["no-index"]
        stored = {expiry: subject.engine.counters["stored"] for expiry, subject in subjects.items()}
        assert stored["tight"] <= stored["loose"]
        for subject in subjects.values():
            assert_of_use(subject)


def assert_of_use(subject: Subject) -> None:
    """Nothing is kept whose time is over, nor longer than anything could come to it."""
    now = subject.engine._shard.timeline.clock
    for group in subject.engine._shard.catalogue.operators[PATTERN].groups:
        index, kept = group.index, group.index.kept()
        longest = index.tuples.record["time"][kept.tuple] + index.patterns.variable["longest"][kept.variable]
        assert (kept.until >= now).all()
        assert (kept.until <= longest).all()
        assert set(kept.tuple) == set(index.taken.nonzero()[0])


def answer(make: type[Monitor], line: TimeLine, batches: Any, **options: Any) -> Any:
    monitor = make(line.columns, line.queries, expire_after=line.expire_after, **options)
    events = comparable(feed(monitor, line, batches))
    return events, monitor.counters


both = pytest.mark.parametrize(
    ("make", "options"),
    [(RestartableOracle, {}), *((Subject, {"expiry": expiry}) for expiry in EXPIRIES)],
    ids=["oracle", *EXPIRIES],
)


@both
@settings(max_examples=LINES)
@given(line=pattern_lines(), data=st.data())
def test_any_split_into_batches_equals_one_batch(make: Any, options: Any, line: TimeLine, data: st.DataObject) -> None:
    in_one = answer(make, line, [line.rows], **options)
    batches = [joined(instants) for instants in split(data, line.instants())]
    assert answer(make, line, batches, **options) == in_one
    by_time = {**options, "order": "event", "lateness": data.draw(st.sampled_from((0, 1, 3)))}
    assert answer(make, line, split(data, line.rows), **by_time) == in_one


@both
@settings(max_examples=LINES)
@given(line=pattern_lines(), data=st.data())
def test_rows_shuffled_within_the_lateness_equal_sorted_rows(
    make: Any, options: Any, line: TimeLine, data: st.DataObject
) -> None:
    options = {**options, "order": "event", "lateness": 3}
    batches = split(data, delayed(data, line.rows, seconds=3))
    assert answer(make, line, batches, **options) == answer(make, line, [line.rows], **options)


@strategies
@settings(max_examples=LINES)
@given(seed=st.integers(0, 2**32 - 1), data=st.data())
def test_a_restart_at_any_point_changes_nothing(expiry: str, seed: int, data: st.DataObject) -> None:
    scenario = pattern_swarm(seed)
    scenario = Scenario(scenario.columns, scenario.queries, {**scenario.options, "expiry": expiry}, scenario.steps)
    assert_a_restart_changes_nothing(Subject, scenario, data)
