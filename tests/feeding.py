"""Ways of feeding one time line to an engine or to the oracle, and what must come of it."""

import copy
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import strategies as st

from tests.oracle import Oracle
from tests.strategies import Scenario, Step, TimeLine
from tests.subject import Event, Subject, event_key

Rows = list[dict[str, Any]]


class RestartableOracle(Oracle):
    def restart(self) -> None:
        """Go on with a copy."""
        self.__dict__ = copy.deepcopy(self.__dict__)


Monitor = RestartableOracle | Subject
#: An equivalence that the oracle broke would be an error of the specification.
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
    events = feed(monitor, line, batches)
    return comparable(events), monitor.counters


def feed(monitor: Monitor, line: TimeLine, batches: Iterable[Rows]) -> list[Event]:
    """Tell all changes of a time line, then its rows in the given batches, then the end."""
    events = [event for change in line.changes for event in play(monitor, change)]
    for batch in batches:
        events += monitor.process(batch)
    return events + monitor.close()


def split(data: st.DataObject, parts: list[Any]) -> list[list[Any]]:
    """Cut a list anywhere, also into empty pieces."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(parts)), max_size=6), label="cuts"))
    return [parts[start:end] for start, end in zip([0, *cuts], [*cuts, len(parts)], strict=True)]


def joined(instants: Iterable[Rows]) -> Rows:
    return [row for instant in instants for row in instant]


def delayed(data: st.DataObject, rows: Rows, seconds: int) -> Rows:
    """Put rows into the order in which they come when each is under way for up to so many seconds."""
    delays = st.integers(0, seconds * 1_000_000)
    arrivals = sorted(((row["t"] + data.draw(delays), row) for row in rows), key=lambda pair: pair[0])
    return [row for _, row in arrivals]


def changed_step_by_step(data: st.DataObject, line: TimeLine) -> tuple[list[Step], list[Step]]:
    """Put the changes of a time line between its rows, to take effect at once; return all up to them, and the rest."""
    instants = line.instants()
    half = data.draw(st.integers(0, len(instants)), label="rows before the changes")
    changes = [Step(step.call, {**step.arguments, "at": None}) for step in line.changes]
    script = [*(Step("process", {"rows": instant}) for instant in instants[:half]), *changes]
    return script, [Step("process", {"rows": instant}) for instant in instants[half:]]


def assert_changed_equals_fresh(
    make: type[Monitor],
    columns: Mapping[str, Any],
    queries: list[dict[str, Any]],
    script: list[Step],
    rest: list[Step],
    **options: Any,
) -> None:
    """Reach a set of queries by a script or have it from the start: the rest must look the same."""
    changed = make(columns, queries, **options)
    current = {form["id"]: form for form in queries}
    for step in script:
        if step.call == "register":
            current[step.arguments["query"]["id"]] = step.arguments["query"]
        elif step.call == "deregister" and current.pop(step.arguments["query_id"], None) is None:
            continue
        play(changed, step)
    fresh = make(columns, list(current.values()), **options)
    for step in script:
        if step.call == "process":
            play(fresh, step)
    for step in rest:
        assert comparable(play(changed, step)) == comparable(play(fresh, step))


def assert_a_restart_changes_nothing(make: type[Monitor], scenario: Scenario, data: st.DataObject) -> None:
    """Play a scenario with restarts wherever they are drawn, and without any."""
    steady = make(scenario.columns, scenario.queries, **scenario.options)
    restarted = make(scenario.columns, scenario.queries, **scenario.options)
    for number, step in enumerate(scenario.steps):
        if data.draw(st.booleans(), label=f"restart before step {number}"):
            restarted.restart()
        assert comparable(play(restarted, step)) == comparable(play(steady, step)), f"step {number}"
    assert restarted.counters == steady.counters
