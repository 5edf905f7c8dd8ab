"""Ways of feeding the same input that must give the same answer (SEMANTICS §10).

Each runs on the oracle as well: an equivalence that the oracle broke would be an error of the specification.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.feeding import (
    Monitor,
    answer,
    assert_a_restart_changes_nothing,
    assert_changed_equals_fresh,
    both,
    changed_step_by_step,
    delayed,
    joined,
    split,
)
from tests.strategies import (
    WITHOUT_MEMORY,
    Scenario,
    TimeLine,
    crowd,
    jitter,
    restless_lines,
    scenarios,
    shuttles,
    time_lines,
)


@both
@given(line=time_lines() | restless_lines(), data=st.data())
def test_any_split_into_batches_equals_one_batch_in_arrival_order(
    make: type[Monitor], line: TimeLine, data: st.DataObject
) -> None:
    batches = [joined(instants) for instants in split(data, line.instants())]
    assert answer(make, line, batches) == answer(make, line, [line.rows])


@both
@given(line=time_lines() | restless_lines(), data=st.data(), lateness=st.sampled_from((0, 1, 3)))
def test_any_split_into_batches_equals_one_batch_in_event_order(
    make: type[Monitor], line: TimeLine, data: st.DataObject, lateness: int
) -> None:
    options = {"order": "event", "lateness": lateness}
    assert answer(make, line, split(data, line.rows), **options) == answer(make, line, [line.rows], **options)


@both
@given(line=time_lines() | restless_lines(), data=st.data())
def test_rows_shuffled_within_the_lateness_equal_sorted_rows(
    make: type[Monitor], line: TimeLine, data: st.DataObject
) -> None:
    batches = split(data, delayed(data, line.rows, seconds=3))
    options = {"order": "event", "lateness": 3}
    assert answer(make, line, batches, **options) == answer(make, line, [line.rows], **options)


@both
@given(line=time_lines() | restless_lines(), data=st.data())
def test_event_order_equals_arrival_order_when_batches_are_in_order_of_time(
    make: type[Monitor], line: TimeLine, data: st.DataObject
) -> None:
    batches = [joined(instants) for instants in split(data, line.instants())]
    assert answer(make, line, batches, order="event") == answer(make, line, batches, order="arrival")


@both
@given(scenario=scenarios(max_dimensions=2) | shuttles() | jitter(), data=st.data())
def test_a_restart_at_any_point_changes_nothing(make: type[Monitor], scenario: Scenario, data: st.DataObject) -> None:
    assert_a_restart_changes_nothing(make, scenario, data)


@both
@given(line=time_lines(types=WITHOUT_MEMORY), data=st.data())
def test_an_index_changed_step_by_step_equals_one_built_afresh(
    make: type[Monitor], line: TimeLine, data: st.DataObject
) -> None:
    script, rest = changed_step_by_step(data, line)
    assert_changed_equals_fresh(make, line.columns, line.queries, script, rest)


@both
@settings(max_examples=max(2, settings().max_examples // 30))
@given(seed=st.integers(0, 2**32 - 1), dimensions=st.integers(1, 3))
def test_a_large_index_changed_step_by_step_equals_one_built_afresh(
    make: type[Monitor], seed: int, dimensions: int
) -> None:
    scenario = crowd(seed, queries=300, streams=10, ticks=6, dimensions=dimensions, transitions=0)
    last_batch = [step for step in scenario.steps if step.call == "process"][-1]
    script = [step for step in scenario.steps[:-1] if step is not last_batch]
    assert_changed_equals_fresh(make, scenario.columns, scenario.queries, script, [last_batch])
