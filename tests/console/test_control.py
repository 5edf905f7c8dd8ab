"""Changes from the page: through the job's control stream, and back."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from limen.console.control import Control, as_problem, way
from limen.console.drawn_region import check_drawing
from limen.console.live_state import LiveState
from limen.console.views import page_of_queries
from limen.errors import InvalidInput, InvalidQuery, InvalidStatement
from tests.console.city_job import EngineJob
from tests.console.conftest import rows

BOX = {"type": "box", "lo": [0, 0], "hi": [3, 3]}
FENCE = {"type": "border", "id": "fence", "region": BOX, "initial": "report"}


def states(live: LiveState) -> dict[str, str]:
    return {row["id"]: row["state"] for row in page_of_queries(live)["rows"]}


def step(live: LiveState, job: EngineJob, *found: tuple[str, int, float, float]) -> None:
    job.step(rows(*found))
    live.refresh()


def test_a_fence_is_sent_is_in_force_and_fires(live: LiveState, job: EngineJob) -> None:
    sent = Control(live).register(FENCE, drawn=True)
    assert (sent["state"], sent["what"]) == ("sent", "register")
    assert "fence" not in states(live)
    step(live, job, ("c", 2, 1, 1))
    (request,) = live.requests.latest()
    assert (request["state"], request["batch"]) == ("in force", 2)
    assert states(live)["fence"] == "in force"
    assert [event["stream_id"] for event in live.feed.latest(query_is="fence")] == ["c"]


def test_pause_resume_edit_and_drop(live: LiveState, job: EngineJob) -> None:
    control = Control(live)
    control.pause("yard")
    step(live, job, ("c", 2, 1, 1))
    assert states(live)["yard"] == "paused"
    assert LiveState(live.folder).refresh()
    with pytest.raises(InvalidInput, match="expected one in force, got a paused one"):
        control.pause("yard")
    control.resume("yard")
    step(live, job, ("c", 3, 1, 1))
    assert states(live)["yard"] == "in force"
    assert live.reader.paused() == []
    edited = {"type": "border", "id": "yard", "region": {**BOX, "hi": [4, 4]}}
    assert control.register(edited)["what"] == "replace"
    step(live, job, ("c", 4, 1, 1))
    query = live.query_table.query(live.query_table.slot("yard"))
    assert query is not None
    assert query["region"]["hi"] == [4, 4]
    control.drop("yard")
    step(live, job, ("c", 5, 1, 1))
    assert "yard" not in states(live)
    with pytest.raises(InvalidInput, match="expected the id of a query of this job, got 'yard'"):
        control.drop("yard")


def test_a_paused_query_is_paused_for_a_console_that_comes_later_and_can_be_dropped(
    live: LiveState, job: EngineJob
) -> None:
    Control(live).pause("yard")
    step(live, job, ("c", 2, 1, 1))
    later = LiveState(live.folder)
    later.refresh()
    assert states(later)["yard"] == "paused"
    assert Control(later).drop("yard")["state"] == "in force"
    assert "yard" not in states(later)
    assert later.reader.paused() == []


def test_what_the_job_rejects_is_told(live: LiveState, job: EngineJob) -> None:
    control = Control(live)
    control._send({"op": "deregister", "id": "nobody"}, "nobody", "drop")
    step(live, job, ("c", 2, 1, 1))
    (request,) = live.requests.latest()
    assert request["state"] == "rejected"
    assert "nobody" in request["error"]


def test_a_job_without_a_control_stream_is_read_only(make_job: Callable[..., EngineJob]) -> None:
    job = make_job(changes=None, job_file="city.toml")
    live = LiveState(job.folder)
    step(live, job, ("a", 0, 1, 1))
    told = way(live.job)
    assert not told["open"]
    assert "city.toml" in told["why"]
    assert told["add"] == '[queries]\nfolder = "changes"'
    with pytest.raises(InvalidInput, match="takes no changes"):
        Control(live).register(FENCE)


def test_sql_is_checked_and_sent(live: LiveState, job: EngineJob) -> None:
    control = Control(live)
    text = "CREATE REGION here AS BOX(0, 0, 3, 3);\nCREATE BORDER b1 ON cars INSIDE here;\nDROP QUERY calm"
    checked = control.sql(text, send=False)
    assert [(each["op"], each["id"]) for each in checked] == [("register", "b1"), ("drop", "calm")]
    assert not list(job.changes.glob("*")) if job.changes.exists() else True
    control.sql(text, send=True)
    step(live, job, ("c", 2, 1, 1))
    assert "b1" in states(live)
    assert "calm" not in states(live)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("CREATE BODER x ON s INSIDE BOX(0, 0, 1, 1)", 1, 8),
        ("CREATE BORDER x ON s\nINSIDE BOX(0, 0, 1)", 2, None),
        ("CREATE BORDER ok ON s INSIDE BOX(0,0,1,1);\nDROP QUERY nobody", 2, 1),
        ("SELECT id FROM s INSIDE BOX(0, 0, 1, 1)", 1, 1),
    ],
)
def test_mistakes_in_sql_have_a_place(live: LiveState, text: str, line: int, column: int | None) -> None:
    with pytest.raises(InvalidStatement) as caught:
        Control(live).sql(text, send=True)
    problem = as_problem(caught.value)
    assert problem["line"] == line
    assert column is None or problem["column"] == column


def test_statements_are_about_the_stream_of_the_job(live: LiveState) -> None:
    assert live.job is not None
    live.job["stream"] = "cars"
    assert Control(live).sql("CREATE BORDER x ON Cars INSIDE BOX(0, 0, 1, 1)", send=False)[0]["id"] == "x"
    with pytest.raises(InvalidStatement, match=r"expected the stream 'cars', got 'cras'.*did you mean 'cars'"):
        Control(live).sql("CREATE BORDER x ON cras INSIDE BOX(0, 0, 1, 1)", send=False)


@pytest.mark.parametrize(
    ("region", "text"),
    [
        ({"type": "box", "lo": [1, 1], "hi": [1, 5]}, "a box with a width and a height"),
        ({"type": "circle", "center": [1, 1], "radius": 0}, "a circle with a radius"),
        ({"type": "polygon", "shell": [[0, 0], [1, 1]]}, "three corners or more"),
        ({"type": "polygon", "shell": [[0, 0], [4, 4], [4, 0], [0, 4]]}, "does not cross itself"),
        ({"type": "polygon", "shell": [[0, 0], [4, 0], [2, 0], [2, 3]]}, "does not cross itself"),
        ({"type": "polygon", "shell": [[0, 0], [1, "x"], [1, 1]]}, "corners of two numbers"),
        ({"type": "star"}, "a box, a circle or a polygon"),
    ],
)
def test_malformed_drawings(live: LiveState, region: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidQuery, match=text):
        Control(live).register({**FENCE, "region": region}, drawn=True)


def test_good_drawings() -> None:
    for region in (
        BOX,
        {"type": "circle", "center": [0, 0], "radius": 3},
        {"type": "polygon", "shell": [[0, 0], [4, 0], [4, 4], [2, 1], [0, 4], [0, 0]]},
    ):
        assert check_drawing(region) == region


def test_files_of_changes_are_whole_lines_of_json(live: LiveState, job: EngineJob) -> None:
    control = Control(live)
    control.register(FENCE)
    control.drop("yard")
    files = sorted(job.changes.iterdir())
    assert len(files) == 2
    changes = [json.loads(path.read_text()) for path in files]
    assert [change["op"] for change in changes] == ["register", "deregister"]
    assert changes[0]["seq"] < changes[1]["seq"]
