"""The live state that the console builds from telemetry."""

import json
import math
from collections.abc import Callable

import numpy as np
import pytest

from limen import Border, Box, Columns, Engine, Pair, Pattern, Range
from limen.console import live_state, push
from limen.console.live_state import LiveState
from limen.console.query_table import GONE
from limen.console.views import (
    bindings_of,
    moving,
    overview,
    page_of_queries,
    query_of,
    shapes_in,
    stream_of,
    streams_like,
)
from limen.errors import InvalidInput
from limen.telemetry.sample import buckets
from tests.console.city_job import EngineJob
from tests.console.conftest import SECOND, rows


def test_a_window_that_is_not_there_is_waited_for(tmp_path) -> None:
    live = LiveState(tmp_path / "window")
    assert not live.refresh()
    assert live.health["state"] == "waiting"
    assert overview(live, "mine", None)["name"] == "mine"


def test_positions_events_and_figures(live: LiveState) -> None:
    assert live.health["state"] == "running"
    assert live.trails.names(live.trails.since(0)) == ["a", "b", "c"]
    told = {(event["query_id"], event["kind"], event["stream_id"]) for event in live.feed.latest()}
    assert ("yard", "exit", "a") in told
    assert ("yard", "enter", "b") in told
    latest = live.series.latest
    assert latest is not None
    assert (latest["batch"], latest["rows"], latest["streams"]) == (1, 3, 3)
    assert moving(live)["sample"]["one_of"] == 1
    assert not live.refresh()  # nothing is new


def test_who_is_inside_since_when(live: LiveState, job: EngineJob) -> None:
    assert query_of(live, "yard")["members"] == [{"id": "b", "slot": 1, "since": SECOND}]
    assert {each["id"] for each in stream_of(live, id="b")["inside"]} >= {"yard", "near"}
    job.step(rows(("b", 2, 50, 5)))
    live.refresh()
    assert query_of(live, "yard")["members_total"] == 0
    assert live.query_table.inside[live.query_table.slot("yard")] == 0


def test_who_is_in_a_transition_since_when(live: LiveState, job: EngineJob) -> None:
    job.step(rows(("a", 2, 5, 5)))
    live.refresh()
    members = query_of(live, "garage")["members"]
    # That `a` came back is told by an event; that `b` came, by where it was.
    assert members == [{"id": "b", "slot": 1, "since": SECOND}, {"id": "a", "slot": 0, "since": 2 * SECOND}]


def test_a_silent_border_does_not_tell_who_was_inside_but_rows_do(job: EngineJob) -> None:
    job.step(rows(("a", 0, 5, 5), ("b", 0, 6, 5), ("c", 0, 50, 5)))
    job.step(rows(("a", 1, 5, 6), ("b", 1, 60, 5)))
    live = LiveState(job.folder)
    live.refresh()
    assert query_of(live, "yard")["members"] == [{"id": "a", "slot": 0, "since": 0}]
    assert query_of(live, "vans")["members"] == []


def test_events_of_a_repeated_batch_are_told_once(live: LiveState, job: EngineJob) -> None:
    seen = live.feed.seen
    told = live.reader.look
    again = LiveState(live.folder)
    again.refresh()
    live._take(again.reader.look())
    for part in (job.folder / "events").iterdir():
        part.touch()
    live.refresh()
    assert live.feed.seen == seen
    assert told is not None


def test_filters_of_the_feed(live: LiveState) -> None:
    assert {event["kind"] for event in live.feed.latest(kind="enter")} == {"enter"}
    assert {event["query_id"] for event in live.feed.latest(query="YAR")} == {"yard"}
    assert {event["stream_id"] for event in live.feed.latest(stream="b")} == {"b"}
    numbers = [event["number"] for event in live.feed.latest(limit=3)]
    assert numbers == sorted(numbers, reverse=True)
    assert [event["number"] for event in live.feed.latest(1, before=numbers[-1])] == [numbers[-1] - 1]
    assert live.feed.latest(query="no such") == []


def test_a_value_that_was_never_known_is_null(make_job: Callable[..., EngineJob]) -> None:
    job = make_job([Border("low", Range(0, 10), on="x", initial="report")])
    job.step(rows(("a", 0, 5.0, math.nan)))
    live = LiveState(job.folder)
    live.refresh()
    (event,) = live.feed.latest()
    assert event["values"] == [5.0, None]
    json.dumps([event, stream_of(live, id="a"), query_of(live, "low")], allow_nan=False)


def test_pages_of_the_table(live: LiveState) -> None:
    page = page_of_queries(live, size=3, sort="id")
    assert (page["total"], [row["id"] for row in page["rows"]]) == (7, ["around a", "calm", "garage"])
    assert [row["id"] for row in page_of_queries(live, page=2, size=3, sort="id")["rows"]] == ["yard"]
    assert {row["id"] for row in page_of_queries(live, family="within")["rows"]} == {"near", "around a"}
    assert [row["id"] for row in page_of_queries(live, text="Yar")["rows"]] == ["yard"]
    with pytest.raises(InvalidInput, match="sort: expected one of id, inside"):
        page_of_queries(live, sort="colour")


def test_shapes_in_sight_and_in_groups(live: LiveState) -> None:
    found = shapes_in(live, (-100, -100, 100, 100))
    assert {shape["id"] for shape in found["shapes"]} == {"yard", "calm", "vans", "garage", "near", "two"}
    assert [each["id"] for each in found["moving"]] == ["around a"]
    assert shapes_in(live, (200, 200, 300, 300))["total"] == 0
    grouped = shapes_in(live, (-100, -100, 100, 100), limit=3)
    assert "shapes" not in grouped
    assert sum(cluster["queries"] for cluster in grouped["clusters"]) == grouped["total"] == 6


def test_streams_by_a_part_of_their_name(live: LiveState) -> None:
    assert streams_like(live, "B") == ["b"]
    with pytest.raises(InvalidInput, match="stream: expected one that this console has seen, got 'zz'"):
        stream_of(live, id="zz")


def test_a_job_that_begins_anew(live: LiveState, make_job: Callable[..., EngineJob]) -> None:
    job = make_job([Border("other", Box((0, 0), (1, 1)))])
    job.step(rows(("z", 0, 5, 5)))
    live.refresh()
    assert live.trails.names(live.trails.since(0)) == ["z"]
    assert [row["id"] for row in page_of_queries(live)["rows"]] == ["other"]


def test_a_log_of_changes_that_is_rewritten_changes_nothing(live: LiveState, job: EngineJob) -> None:
    line = {"batch": 2, "op": "register", "id": "new", "seq": 5, "at": None, "error": None}
    query = {"type": "border", "id": "new", "region": {"type": "box", "lo": [0, 0], "hi": [1, 1]}}
    line["change"] = json.dumps({"op": "register", "query": query})
    live._change(line)
    version = live.query_table.version
    live._change(line)
    assert live.query_table.version == version
    assert live.query_table.query(live.query_table.slot("new")) == query
    assert live.query_table.query(live.query_table.slot("new"), batch=1) is None
    live._change({**line, "batch": 3, "op": "deregister", "seq": 6, "change": ""})
    assert live.query_table.state[live.query_table.slot("new")] == GONE
    assert live.query_table.query(live.query_table.slot("new"), batch=2) == query


def test_alerts_have_places(make_job: Callable[..., EngineJob]) -> None:
    pair = Pair("one", "other", after=(0, 5), distance=3.0, where="one.car <> other.car")
    job = make_job([Pattern("close", {"one": "kind = 'car'", "other": "kind = 'car'"}, [pair])])
    job.step(rows(("a", 0, 1, 1), ("b", 1, 2, 1)))
    live = LiveState(job.folder)
    live.refresh()
    (alert, *_) = live.feed.latest(kind="alert")
    assert {tuple(each["place"]) for each in bindings_of(live, alert)} == {(1, 1), (2, 1)}


def test_very_many_queries_are_read_part_by_part(
    make_job: Callable[..., EngineJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_state, "_AT_ONCE", 100)
    job = make_job([Border(f"q{n:03}", Box((n, 0), (n + 1, 1))) for n in range(350)])
    job.step(rows(("a", 0, 5.5, 0.5)))
    job.step(rows(("a", 1, 7.5, 0.5)))
    live = LiveState(job.folder)
    seen = []
    while live.refresh():
        seen.append((len(live.query_table), live.reading, live.feed.seen))
    assert seen == [(100, True, 0), (200, True, 0), (300, True, 0), (350, False, 2)]
    assert query_of(live, "q007")["members_total"] == 1
    assert page_of_queries(live, page=6)["rows"][0]["state"] == "in force"


def test_distances_on_the_globe(make_job: Callable[..., EngineJob]) -> None:
    job = make_job([], Columns("car", "t", ("lon", "lat"), ("kind",), crs="lonlat"))
    table = rows(("a", 0, 0, 0), ("b", 0, 0, 1)).rename_columns(["car", "t", "lon", "lat", "kind"])
    job.step(table)
    live = LiveState(job.folder)
    live.refresh()
    assert live.distances(np.zeros(2))[live.trails.slot("b")] == pytest.approx(111_195, rel=1e-4)


def test_streams_that_the_job_has_forgotten_are_forgotten(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_state, "_SPARE", 0)
    monkeypatch.setattr(live_state, "_LATELY", 2)
    columns = Columns("car", "t", ("x", "y"), ("kind",))
    job = EngineJob(tmp_path / "window", columns, [Border("yard", Box((0, 0), (10, 10)), initial="report")])
    job.step(rows(("left behind", 0, 5, 5), *((f"gone {n}", 0, 50, n) for n in range(9))))
    live = LiveState(job.folder)
    live.refresh()
    browser = push._Browser(live)
    browser.news()
    assert live.trails.streams_with_rows == 10
    job.engine = Engine(columns, [Border("yard", Box((0, 0), (10, 10)), initial="report")])  # has forgotten all
    job.step(rows(("new", 1, 5, 6), ("other", 1, 50, 6)))
    live.refresh()
    assert live.numbering == 0  # they were heard of lately
    job.step(rows(("new", 1, 5, 6)))
    live.refresh()
    assert live.numbering == 1
    assert live.trails.names(np.arange(len(live.trails))) == ["left behind", "new", "other"]
    assert [each["id"] for each in query_of(live, "yard")["members"]] == ["left behind", "new"]
    assert [each["id"] for each in stream_of(live, id="left behind")["inside"]] == ["yard"]
    assert stream_of(live, id="new")["trail"] == [[5, 6], [5, 6]]
    live.sample["one_of"] = 2
    assert live.shown == int((buckets(["left behind", "new", "other"]) % 2 == 0).sum())
    live.sample["one_of"] = 1
    assert live.shown == 3
    words, positions, *_ = browser.news()
    assert json.loads(words)["numbering"] == 1
    assert len(json.loads(words)["batches"]) == 2  # the job is the same
    assert len(positions) == 24 + 3 * 12  # and all streams come with their new slots
    job.step(rows(("new", 2, 50, 6), ("other", 2, 5, 6)))
    live.refresh()
    assert [each["id"] for each in query_of(live, "yard")["members"]] == ["left behind", "other"]
