"""The engine against the oracle: the same script, the same events after every step."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import Oracle
from tests.strategies import Scenario, crowd, earthly, jitter, scenarios, shuttles
from tests.subject import Subject, assert_same_events

# Few in `make test`, always the same ones; `make soak` draws thousands, other ones each time.
SCENARIOS = settings().max_examples
# A crowd is worth many small scenarios, and costs as much.
CROWDS = max(2, settings().max_examples // 30)
MANY = 400 if CROWDS < 10 else 1200  # the oracle looks at every one


@settings(max_examples=SCENARIOS)
@given(scenario=scenarios(max_dimensions=1))
def test_one_dimension(scenario: Scenario) -> None:
    compare(scenario)


@settings(max_examples=SCENARIOS)
@given(scenario=scenarios())
def test_one_to_five_dimensions(scenario: Scenario) -> None:
    compare(scenario)


@settings(max_examples=SCENARIOS)
@given(scenario=shuttles())
def test_bursts_of_crossings(scenario: Scenario) -> None:
    compare(scenario)


@settings(max_examples=SCENARIOS)
@given(scenario=jitter())
def test_jitter_about_borders(scenario: Scenario) -> None:
    compare(scenario)


@given(scenario=earthly())
def test_longitude_and_latitude(scenario: Scenario) -> None:
    compare(scenario)


@settings(max_examples=CROWDS)
@given(seed=st.integers(0, 2**32 - 1))
def test_very_many_queries_in_one_dimension(seed: int) -> None:
    compare(crowd(seed, queries=MANY, streams=12, ticks=12, dimensions=1))


@settings(max_examples=CROWDS)
@given(seed=st.integers(0, 2**32 - 1), dimensions=st.integers(2, 5))
def test_very_many_queries_in_more_dimensions(seed: int, dimensions: int) -> None:
    compare(crowd(seed, queries=MANY, streams=12, ticks=12, dimensions=dimensions))


def compare(scenario: Scenario) -> None:
    oracle = Oracle(scenario.columns, scenario.queries, **scenario.options)
    subject = Subject(scenario.columns, scenario.queries, **scenario.options)
    event_ids: list[str] = []
    for number, step in enumerate(scenario.steps):
        expected = getattr(oracle, step.call)(**step.arguments)
        got = getattr(subject, step.call)(**step.arguments)
        assert_same_events(expected, got, f"step {number}, {step.call}")
        event_ids += [event["event_id"] for event in got]
    assert subject.counters == oracle.counters
    assert all(re.fullmatch("[0-9a-f]{32}", event_id) for event_id in event_ids)
    assert len(set(event_ids)) == len(event_ids)
