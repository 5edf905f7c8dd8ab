"""Ways of feeding the same input that must give the same answer (SEMANTICS §10).

Each runs on the oracle as well: an equivalence that the oracle broke would be an error of the specification.
"""

import copy
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import Oracle
from tests.strategies import (
    WITHOUT_MEMORY,
    Scenario,
    Step,
    TimeLine,
    crowd,
    jitter,
    restless_lines,
    scenarios,
    shuttles,
    time_lines,
)
from tests.subject import Event, Subject, event_key

Rows = list[dict[str, Any]]


class RestartableOracle(Oracle):
    def restart(self) -> None:
        """Go on with a copy."""
        self.__dict__ = copy.deepcopy(self.__dict__)


Monitor = RestartableOracle | Subject
both = pytest.mark.parametrize("make", [RestartableOracle, Subject], ids=["oracle", "engine"])


def comparable(events: Iterable[Event]) -> Counter[tuple[Any, ...]]:
    """Make a multiset of whole events; the oracle has no event ids."""
    return Counter((*event_key(event), event.get("event_id")) for event in events)


def play(monitor: Monitor, step: Step) -> list[Event]:
    events: list[Event] = getattr(monitor, step.call)(**step.arguments)
    return events


def answer(make: type[Monitor], line: TimeLine, batches: Iterable[Rows], **options: Any) -> tuple[Any, Any]:
    """Feed a time line in the given batches; return all events and the counters."""
    monitor = make(line.columns, line.queries, expire_after=line.expire_after, **options)
    events = [event for change in line.changes for event in play(monitor, change)]
    for batch in batches:
        events += monitor.process(batch)
    events += monitor.close()
    return comparable(events), monitor.counters


def split(data: st.DataObject, parts: list[Any]) -> list[list[Any]]:
    """Cut a list anywhere, also into empty pieces."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(parts)), max_size=6), label="cuts"))
    return [parts[start:end] for start, end in zip([0, *cuts], [*cuts, len(parts)], strict=True)]


def joined(instants: Iterable[Rows]) -> Rows:
    return [row for instant in instants for row in instant]


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
    delays = st.integers(0, 3_000_000)
    delayed = sorted(((row["t"] + data.draw(delays), row) for row in line.rows), key=lambda pair: pair[0])
    batches = split(data, [row for _, row in delayed])
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
    steady = make(scenario.columns, scenario.queries, **scenario.options)
    restarted = make(scenario.columns, scenario.queries, **scenario.options)
    for number, step in enumerate(scenario.steps):
        if data.draw(st.booleans(), label=f"restart before step {number}"):
            restarted.restart()
        assert comparable(play(restarted, step)) == comparable(play(steady, step)), f"step {number}"
    assert restarted.counters == steady.counters


@both
@given(line=time_lines(types=WITHOUT_MEMORY), data=st.data())
def test_an_index_changed_step_by_step_equals_one_built_afresh(
    make: type[Monitor], line: TimeLine, data: st.DataObject
) -> None:
    instants = line.instants()
    half = data.draw(st.integers(0, len(instants)), label="rows before the changes")
    changes = [Step(step.call, {**step.arguments, "at": None}) for step in line.changes]
    script = [*(Step("process", {"rows": instant}) for instant in instants[:half]), *changes]
    rest = [Step("process", {"rows": instant}) for instant in instants[half:]]
    assert_changed_equals_fresh(make, line.columns, line.queries, script, rest)


@both
@settings(max_examples=max(2, settings().max_examples // 30))
@given(seed=st.integers(0, 2**32 - 1), dimensions=st.integers(1, 3))
def test_a_large_index_changed_step_by_step_equals_one_built_afresh(
    make: type[Monitor], seed: int, dimensions: int
) -> None:
    scenario = crowd(seed, queries=900, streams=10, ticks=6, dimensions=dimensions, transitions=0)
    last_batch = [step for step in scenario.steps if step.call == "process"][-1]
    script = [step for step in scenario.steps[:-1] if step is not last_batch]
    assert_changed_equals_fresh(make, scenario.columns, scenario.queries, script, [last_batch])


def assert_changed_equals_fresh(
    make: type[Monitor],
    columns: Mapping[str, Any],
    queries: list[dict[str, Any]],
    script: list[Step],
    rest: list[Step],
) -> None:
    """Reach a set of queries by a script or have it from the start: the rest must look the same."""
    changed = make(columns, queries)
    current = {form["id"]: form for form in queries}
    for step in script:
        if step.call == "register":
            current[step.arguments["query"]["id"]] = step.arguments["query"]
        elif step.call == "deregister" and current.pop(step.arguments["query_id"], None) is None:
            continue
        play(changed, step)
    fresh = make(columns, list(current.values()))
    for step in script:
        if step.call == "process":
            play(fresh, step)
    for step in rest:
        assert comparable(play(changed, step)) == comparable(play(fresh, step))
