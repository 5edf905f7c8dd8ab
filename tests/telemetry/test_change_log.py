"""Which changes came with which batch, and what follows for who is in force."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from limen.telemetry import TelemetryReader, TelemetrySettings, folder_files
from limen.telemetry.change_log import ChangeLog
from limen.telemetry.publisher import JobPublisher
from limen.telemetry.task import TaskPublisher


def arrived(op: str, id: str, seq: int = 0, error: str | None = None, at: int | None = None) -> dict[str, Any]:
    return {"op": op, "id": id, "seq": seq, "at": at, "change": f"{op} {id} {seq}", "error": error}


def query(id: str, size: int = 1) -> str:
    return json.dumps({"id": id, "size": size})


def in_force(queries: list[str], changes: list[dict[str, Any]]) -> dict[str, Any]:
    """Say who is in force as a reader finds it."""
    found: dict[str, Any] = {json.loads(line)["id"]: line for line in queries}
    for change in changes:
        if change["error"] is None:
            found.pop(change["id"], None)
            if change["op"] == "register":
                found[change["id"]] = change["change"]
    return found


def test_changes_are_told_when_their_batch_has_ended(tmp_path: Path) -> None:
    settings = TelemetrySettings(str(tmp_path))
    job = JobPublisher(settings, {"changes": {"folder": "x"}}, [query("a")])
    job.begin(anew=True)
    TaskPublisher(settings, 4, 2).changes([arrived("register", "n", 17), arrived("register", "?", 18, "wrong")])
    TaskPublisher(settings, 5, 2).changes([arrived("deregister", "a", 19)])
    TaskPublisher(settings, 5, 0).changes([])
    look = TelemetryReader(tmp_path)
    assert look.look().changes == []
    job.batch(4, 1, {"rows": 0, "streams": 0, "events": {}})
    told = look.look().changes
    assert [(line["batch"], line["seq"], line["error"], line["from"]) for line in told] == [
        (4, 17, None, "changes"),
        (4, 18, "wrong", "changes"),
    ]
    problems = ["deregister: no query has the id 'b'"]
    TaskPublisher(settings, 5, 3).changes([arrived("deregister", "b", 20)])
    job.batch(5, 1, {"rows": 0, "streams": 0, "events": {}, "problems": problems})
    assert [(line["batch"], line["op"], line["id"], line["error"]) for line in look.look().changes] == [
        (5, "deregister", "a", None),
        (5, "deregister", "b", problems[0]),
    ]
    job.end()


def test_an_edited_job_file_changes_what_it_says_and_nothing_else(tmp_path: Path) -> None:
    first = [query("kept"), query("edited"), query("gone"), query("told")]
    now = [query("kept"), query("edited", 2), query("told"), query("new")]
    for queries in (first, now):
        job = JobPublisher(TelemetrySettings(str(tmp_path)), {"changes": {}}, queries)
        job.begin(anew=queries is first)
        if queries is first:
            TaskPublisher(TelemetrySettings(str(tmp_path)), 0, 0).changes(
                [arrived("register", "told", 1), arrived("deregister", "edited", 2), arrived("register", "kept", 3)]
            )
            job.batch(0, 1, {"rows": 0, "streams": 0, "events": {}})
        job.end()
    news = TelemetryReader(tmp_path).look()
    assert {line["id"] for line in news.changes if line["from"] == "job file"} == {"edited", "new", "gone"}
    found = in_force(now, news.changes)
    assert set(found) == {"kept", "edited", "told", "new"}
    assert (found["told"], found["kept"]) == ("register told 1", "register kept 3")
    assert json.loads(found["edited"])["query"]["size"] == 2


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["register", "deregister"]),
            st.sampled_from("abcd"),
            st.sampled_from([None, None, "wrong"]),
            st.sampled_from([None, None, None, 5, 9]),
        ),
        max_size=30,
    )
)
def test_a_compacted_log_says_the_same(
    tmp_path_factory: Any, lines: list[tuple[str, str, str | None, int | None]]
) -> None:
    folder = tmp_path_factory.mktemp("log")
    queries = [query("a"), query("b")]
    written = [arrived(op, id, seq, error, at) for seq, (op, id, error, at) in enumerate(lines)]
    (folder / folder_files.CHANGES).write_text("".join(json.dumps(line) + "\n" for line in written))
    ChangeLog(folder, queries).compact()
    kept = [json.loads(line) for line in (folder / folder_files.CHANGES).read_text().splitlines()]
    for until in (None, 5, 9):  # as they take hold one after the other
        came = [[line for line in log if line["at"] in (None, until)] for log in (written, kept)]
        assert in_force(queries, came[0]) == in_force(queries, came[1])
    assert len(kept) <= 12


def test_a_log_is_replaced_under_one_who_looks(tmp_path: Path) -> None:
    settings = TelemetrySettings(str(tmp_path))
    job, look = JobPublisher(settings, {}, []), TelemetryReader(tmp_path)
    job.begin(anew=True)
    for batch in range(3):
        TaskPublisher(settings, batch, 0).changes([arrived("register", "n", batch)])
        job.batch(batch, 1, {"rows": 0, "streams": 0, "events": {}})
        assert [line["seq"] for line in look.look().changes] == [batch]
    ChangeLog(tmp_path, []).compact()
    assert [line["seq"] for line in look.look().changes] == [2]
    job.end()
