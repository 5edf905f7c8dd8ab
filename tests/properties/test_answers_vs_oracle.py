"""Answers of the engine against those of the oracle, and all ways of feeding that must not matter to them."""

from itertools import accumulate
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.answer_strategies import answer_crowd, answer_lines, answer_scenarios, answer_swarm, globes, planes
from tests.feeding import (
    Monitor,
    RestartableOracle,
    answer,
    assert_a_restart_changes_nothing,
    assert_changed_equals_fresh,
    both,
    changed_step_by_step,
    comparable,
    delayed,
    feed,
    joined,
    play,
    split,
)
from tests.folding import Fold, answers_by_time, without_empty
from tests.oracle import Oracle
from tests.strategies import Scenario, TimeLine
from tests.subject import Subject, assert_same_events

# A crowd is worth many small scenarios, and costs as much.
CROWDS = max(2, settings().max_examples // 30)
# The swarms have more in them than what is drawn piece by piece, which is slow to draw.
SCENARIOS = max(2, settings().max_examples // 2)
# The equivalences are many, and each plays its input several times.
LINES = max(2, settings().max_examples // 5)


@settings(max_examples=SCENARIOS)
@given(scenario=answer_scenarios(planes()))
def test_the_plane(scenario: Scenario) -> None:
    compare(scenario)


@settings(max_examples=SCENARIOS)
@given(scenario=answer_scenarios(planes(odd=False)))
def test_ties_and_sides_that_are_hit(scenario: Scenario) -> None:
    compare(scenario)


@settings(max_examples=SCENARIOS)
@given(scenario=answer_scenarios(globes()))
def test_longitude_and_latitude(scenario: Scenario) -> None:
    compare(scenario)


@given(seed=st.integers(0, 2**32 - 1))
def test_much_at_once_on_few_spots(seed: int) -> None:
    compare(answer_swarm(seed))


@given(seed=st.integers(0, 2**32 - 1))
def test_much_at_once_about_the_antimeridian_and_a_pole(seed: int) -> None:
    compare(answer_swarm(seed, crs="lonlat"))


@settings(max_examples=CROWDS)
@given(seed=st.integers(0, 2**32 - 1))
def test_many_streams_and_queries(seed: int) -> None:
    compare(answer_crowd(seed, queries=60, streams=50, ticks=8))


@settings(max_examples=CROWDS)
@given(seed=st.integers(0, 2**32 - 1))
def test_many_queries_and_reports_with_times_of_their_own(seed: int) -> None:
    compare(answer_crowd(seed, queries=130, streams=14, ticks=3, together=False))


@settings(max_examples=CROWDS)
@given(seed=st.integers(0, 2**32 - 1))
def test_many_streams_and_queries_round_the_world(seed: int) -> None:
    compare(answer_crowd(seed, queries=40, streams=40, ticks=6, crs="lonlat"))


def compare(scenario: Scenario) -> None:
    """The same events after every step, which put together are the answers."""
    oracle = Oracle(scenario.columns, scenario.queries, **scenario.options)
    subject = Subject(scenario.columns, scenario.queries, **scenario.options)
    fold, event_ids = Fold(), []
    for number, step in enumerate(scenario.steps):
        expected, got = play(oracle, step), play(subject, step)
        assert_same_events(expected, got, f"step {number}, {step.call}")
        fold.take(got)
        assert fold.answers == without_empty(oracle.answers), f"step {number}, {step.call}"
        event_ids += [event["event_id"] for event in got]
    assert subject.counters == oracle.counters
    assert len(set(event_ids)) == len(event_ids)


@both
@settings(max_examples=LINES)
@given(line=answer_lines(planes() | globes()))
def test_events_in_canonical_order_are_the_answer_after_every_instant(make: type[Monitor], line: TimeLine) -> None:
    oracle = RestartableOracle(line.columns, line.queries, expire_after=line.expire_after)
    feed(oracle, line, [line.rows])
    monitor = make(line.columns, line.queries, expire_after=line.expire_after)
    told = answers_by_time(feed(monitor, line, [line.rows]))
    answers: dict[str, Any] = {}
    for time, expected in sorted(oracle.answers_after().items()):
        answers = told.pop(time, answers)
        assert answers == without_empty(expected), f"after {time}"
    assert told == {}


@both
@settings(max_examples=LINES)
@given(line=answer_lines(planes() | globes()), data=st.data())
def test_any_split_into_batches_equals_one_batch_in_arrival_order(
    make: type[Monitor], line: TimeLine, data: st.DataObject
) -> None:
    batches = [joined(instants) for instants in split(data, line.instants())]
    assert answer(make, line, batches) == answer(make, line, [line.rows])


@both
@settings(max_examples=LINES)
@given(line=answer_lines(planes() | globes()), data=st.data(), lateness=st.sampled_from((0, 1, 3)))
def test_any_split_into_batches_equals_one_batch_in_event_order(
    make: type[Monitor], line: TimeLine, data: st.DataObject, lateness: int
) -> None:
    options = {"order": "event", "lateness": lateness}
    in_one = answer(make, line, [line.rows], **options)
    assert answer(make, line, split(data, line.rows), **options) == in_one
    assert answer(make, line, [line.rows]) == in_one


@both
@settings(max_examples=LINES)
@given(line=answer_lines(planes() | globes()), data=st.data())
def test_rows_shuffled_within_the_lateness_equal_sorted_rows(
    make: type[Monitor], line: TimeLine, data: st.DataObject
) -> None:
    options = {"order": "event", "lateness": 3}
    batches = split(data, delayed(data, line.rows, seconds=3))
    assert answer(make, line, batches, **options) == answer(make, line, [line.rows], **options)


@both
@settings(max_examples=LINES)
@given(scenario=answer_scenarios(planes() | globes()), data=st.data())
def test_a_restart_at_any_point_changes_nothing(make: type[Monitor], scenario: Scenario, data: st.DataObject) -> None:
    assert_a_restart_changes_nothing(make, scenario, data)


@both
@settings(max_examples=LINES)
@given(line=answer_lines(planes() | globes()), data=st.data())
def test_an_index_changed_step_by_step_equals_one_built_afresh(
    make: type[Monitor], line: TimeLine, data: st.DataObject
) -> None:
    script, rest = changed_step_by_step(data, line)
    assert_changed_equals_fresh(make, line.columns, line.queries, script, rest, expire_after=line.expire_after)


@both
@settings(max_examples=LINES)
@given(line=answer_lines(planes()), data=st.data())
def test_rows_that_are_late_for_answers_are_as_if_they_had_never_come(
    make: type[Monitor], line: TimeLine, data: st.DataObject
) -> None:
    batches = split(data, delayed(data, line.rows, seconds=2))
    reached = accumulate((max((row["t"] for row in batch), default=0) for batch in batches), max, initial=0)
    in_time = [[row for row in batch if row["t"] >= before] for batch, before in zip(batches, reached, strict=False)]
    # There is always one who waits for an answer, so that the time line is theirs from the first row on.
    always = {"type": "within", "id": "always", "region": {"type": "box", "lo": [None], "hi": [3]}, "on": ["x"]}
    lines = TimeLine(line.columns, [*line.queries, always], [], line.rows, line.expire_after)
    made = [make(lines.columns, lines.queries, expire_after=lines.expire_after) for _ in range(2)]
    told = [feed(monitor, lines, parts) for monitor, parts in zip(made, (batches, in_time), strict=True)]
    with_late, without_late = ([event for event in each if event["kind"] in ("add", "remove")] for each in told)
    assert comparable(with_late) == comparable(without_late)
    late = sum(map(len, batches)) - sum(map(len, in_time))
    counters = made[0].counters
    assert late <= counters["late"]
