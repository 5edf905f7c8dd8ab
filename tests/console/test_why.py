"""Why an event fired, and why none did."""

from collections.abc import Callable
from typing import Any

import pytest

from limen import Border, Box, Pattern
from limen.console.control import Control
from limen.console.live_state import LiveState
from limen.console.why import why_event, why_not
from limen.errors import InvalidInput
from limen.telemetry.sample import buckets
from tests.console.city_job import EngineJob
from tests.console.conftest import rows


def reasons(live: LiveState, stream: str, query: str) -> dict[str, str]:
    return {each["reason"]: each["text"] for each in why_not(live, stream, query)["findings"]}


def test_an_event_has_its_two_rows_and_its_query(live: LiveState) -> None:
    event = next(event for event in live.feed.latest(kind="enter", query="yard"))
    found = why_event(live, event["event_id"])
    assert [row["place"] for row in found["rows"]] == [[20, 5], [5, 5]]
    assert found["shape"] == {"box": [0, 0, 10, 10]}
    assert "from outside to inside" in found["text"]
    assert found["query"]["id"] == "yard"
    assert not found["changed_since"]
    with pytest.raises(InvalidInput, match="one of the last events"):
        why_event(live, "no such")


def test_the_query_is_told_as_it_was_then(live: LiveState, job: EngineJob) -> None:
    event = next(event for event in live.feed.latest(kind="enter", query="yard"))
    Control(live).register({"type": "border", "id": "yard", "region": {"type": "box", "lo": [0, 0], "hi": [2, 2]}})
    job.step(rows(("c", 2, 1, 1)))
    live.refresh()
    found = why_event(live, event["event_id"])
    assert found["query"]["region"]["hi"] == [10, 10]
    assert found["changed_since"]


def test_outside_inside_and_never_seen(live: LiveState, job: EngineJob) -> None:
    assert "the closest it came was" in reasons(live, "c", "yard")["outside"]
    assert "Is the id written so" in reasons(live, "nobody", "yard")["never seen"]
    job.step(rows(("d", 2, 5, 5)))
    job.step(rows(("d", 3, 6, 5)))
    live.refresh()
    assert "no border was crossed" in reasons(live, "d", "yard")["inside"]


def test_what_fired_is_said(live: LiveState) -> None:
    assert "fired" in reasons(live, "b", "yard")


def test_a_change_that_was_not_confirmed(live: LiveState, job: EngineJob) -> None:
    assert "confirm 3" in reasons(live, "b", "calm")["not confirmed"]


def test_a_condition_that_was_not_true(live: LiveState) -> None:
    assert "kind = 'van' was true in none" in reasons(live, "b", "vans")["condition"]


def test_not_in_the_sample(live: LiveState) -> None:
    live.sample["one_of"] = 4
    other = next(name for name in (f"x{n}" for n in range(100)) if buckets([name])[0] % 4)
    assert "1 of 4 streams" in reasons(live, other, "yard")["not in the sample"]


def test_late_rows(live: LiveState, job: EngineJob) -> None:
    job.step(rows(("a", 100, 15, 5)))
    job.step(rows(("e", 50, 15, 5)))
    live.refresh()
    assert "came late" in reasons(live, "e", "yard")["late"]


def test_registered_later(live: LiveState, job: EngineJob) -> None:
    Control(live).register({"type": "border", "id": "new", "region": {"type": "box", "lo": [0, 0], "hi": [9, 9]}})
    job.step(rows(("c", 2, 500, 500)))
    live.refresh()
    assert "since batch 2; all rows of the stream are older" in reasons(live, "b", "new")["registered later"]


def test_paused_and_about_others(live: LiveState, job: EngineJob) -> None:
    Control(live).pause("yard")
    query = {"type": "border", "id": "mine", "streams": ["a"], "region": {"type": "box", "lo": [0, 0], "hi": [9, 9]}}
    Control(live).register(query)
    job.step(rows(("c", 2, 500, 500)))
    live.refresh()
    assert "paused" in reasons(live, "c", "yard")
    assert reasons(live, "b", "mine")["other streams"] == "The query is about a only."


def test_answers_tell_how_far(live: LiveState) -> None:
    assert "k is 2" in reasons(live, "c", "two")["further away"]
    assert "20" in reasons(live, "c", "around a")["distance"]
    assert "itself" in reasons(live, "a", "around a")


def test_answers_under_shedding(live: LiveState) -> None:
    latest = live.series.latest
    assert latest is not None
    latest["accuracy"] = 60.0
    assert "60 %" in reasons(live, "c", "two")["shed"]


def test_patterns_tell_which_variables_are_met(make_job: Callable[..., EngineJob]) -> None:
    pattern = Pattern("p", {"v": "kind = 'van'", "c": "kind = 'car'"}, [], retain=10)
    job = make_job([pattern, Border("b", Box((0, 0), (1, 1)))])
    job.step(rows(("a", 0, 1, 1)))
    live = LiveState(job.folder)
    live.refresh()
    found: list[dict[str, Any]] = why_not(live, "a", "p")["findings"]
    assert [each["text"][:1] for each in found if each["reason"] == "variable"] == ["0", "1"]


def test_a_query_that_is_not_there(live: LiveState) -> None:
    with pytest.raises(InvalidInput, match="one of this job"):
        why_not(live, "a", "no such")
