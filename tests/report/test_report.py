"""`limen report`: the page of events, however they are written, and what is said of what are none."""

import base64
import gzip
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from lab.tests.reproduce.test_reports import Tags
from limen.cli.main import app
from limen.report import event_files as reading
from limen.report.event_files import find_files, read_events
from limen.report.summary import Summary
from tests.report.events import EVIL, made, write_csv, write_json, write_parquet

EVENTS = made()


def compressed(folder: Path) -> Path:
    """Compress the files of a folder."""
    for file in list(folder.iterdir()):
        file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    return folder


FORMS = {
    "parquet": write_parquet,
    "json": write_json,
    "json in gzip": lambda folder, events: compressed(write_json(folder, events)),
    "csv in gzip": lambda folder, events: compressed(write_csv(folder, events, headed=False)),
    "csv": lambda folder, events: write_csv(folder, events, headed=True),
    "csv as Spark has it": lambda folder, events: write_csv(folder, events, headed=False),
}


def report(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["report", *map(str, arguments)])


def told(summary: Summary) -> dict[str, object]:
    """All that a summary has counted."""
    stays = summary.stays
    return {
        "events": summary.events, "span": (summary.first, summary.last), "kinds": summary.kinds,
        "reasons": summary.reasons, "queries": summary.queries.counts(), "streams": summary.streams.counts(),
        "timeline": summary.timeline.counts, "places": {axes: grid.counts for axes, grid in summary.places.items()},
        "stays": (stays.steps, stays.least, stays.most),
    }  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_events_are_read_in_every_form(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_ROWS", 50)  # some at a time
    monkeypatch.setattr(reading, "_BLOCK", 1 << 14)
    summary, whole = Summary(), Summary()
    for file in find_files(FORMS[form](tmp_path, EVENTS)):
        for table in read_events(file):
            summary.add(table)
    whole.add(EVENTS.select(list(reading.COLUMNS)))
    assert told(summary) == told(whole)
    assert summary.events == len(EVENTS) > 200
    assert "NA" in summary.streams.counts()["stream_id"].to_pylist()
    assert {"passed", "enter", "add"} <= set(summary.kinds)
    assert set(summary.stays.steps) <= {"passed", "returned", "stayed", "gone"}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("run")
    events, out, log = write_parquet(folder / "events", EVENTS), folder / "page.html", folder / "batches.jsonl"
    lines = [
        {"batch": number, "milliseconds": 100 + number % 7, "written": "2026-01-01T00:00:00Z", "counters": {
            "rows": 10, "late": 2, "rejected": {"no_id": 1}, "events": {"enter": 3}, "problems": ["a problem"],
            "left_out": 1, "kept": {"shed": 4, "least_accuracy": 87.5}}}
        for number in range(30)
    ]  # fmt: skip
    log.write_text("\n".join(map(json.dumps, lines)))
    result = report(events, "--out", out, "--batches", log, "--title", EVIL)
    assert (result.exit_code, result.stdout) == (0, f"{len(EVENTS):,} events: {out}\n"), result.output
    return out.read_text(encoding="utf-8")


def test_the_page_is_whole_and_loads_nothing_from_elsewhere(page: str) -> None:
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert {tag for tag, _ in tags.seen}.isdisjoint({"script", "link", "iframe", "object"})
    sources = [attributes["src"] for tag, attributes in tags.seen if tag == "img"]
    assert len(sources) == 4
    for source in sources:
        assert base64.b64decode(source.removeprefix("data:image/png;base64,")).startswith(b"\x89PNG")
    assert not re.search(r"https?://|//[a-z]", re.sub(r"base64,[^\"]*", "", page))
    assert not any(name.startswith("on") for _, attributes in tags.seen for name in attributes)


def test_the_page_tells_what_happened(page: str) -> None:
    tags = Tags()
    tags.feed(page)
    assert EVIL not in page  # but as text
    assert tags.text.count(EVIL) >= 4
    for words in (
        "What happened",
        "When",
        "Where",
        "How long",
        "Which streams",
        "Batches",
        "near, by",
        "depot",
        "moved",
    ):
        assert words in tags.text
    assert f"{len(EVENTS):,}" in tags.text
    assert "30: no_id 30" in tags.text
    assert "4; the least accurate answer had 87.5 % in the end" in tags.text
    assert tags.text.count("106 ms") == 4
    assert tags.text.count("105 ms") == 4


def test_streams_of_one_value_of_none_and_of_degrees(tmp_path: Path) -> None:
    one = pa.table({"query_id": ["q", "p"], "kind": ["enter", "whatever"], "values": [[3.5], None],
                    "time": pa.array([1, 2**52], pa.timestamp("us")), "stream_id": ["s", None]})  # fmt: skip
    path, out = tmp_path / "events.parquet", tmp_path / "page.html"
    pq.write_table(one, path)
    assert report(path, "--out", out).exit_code == 0
    assert "The fullest cell, from 3.5 to 3.5, has 1 of 1 events." in out.read_text()
    pq.write_table(one.set_column(2, "values", pa.array([[170.0, 60.0], [-170.0, -60.0]])), path)
    assert report(path, "--out", out, "--lonlat").exit_code == 0


def test_without_matplotlib_there_are_no_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limen.report.page.find_spec", lambda _: None)
    out = tmp_path / "page.html"
    assert report(write_parquet(tmp_path / "events", EVENTS), "--out", out).exit_code == 0
    text = out.read_text()
    assert "<img" not in text
    assert "There are no pictures" in text


def test_progress_of_spark_is_a_log_too(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    from limen.report.batches import read_batches  # noqa: PLC0415
    from limen.spark.shard_output import NUMBERS  # noqa: PLC0415

    metrics = {**dict.fromkeys(NUMBERS, 0), "rows": 7, "late": 1, "watermark": None, "lack": None, "problems": ""}
    progress = {"batchId": 3, "timestamp": "now", "durationMs": {"triggerExecution": 50},
                "observedMetrics": {"limen_1": metrics}}  # fmt: skip
    path = tmp_path / "progress.jsonl"
    path.write_text(json.dumps(progress) + "\n\n")
    found = read_batches(path)
    assert (found.number, found.rows, found.late, found.times) == (1, 7, 1, [(3, 50.0)])


def wrong(folder: Path) -> dict[str, tuple[list[object], str]]:
    """Arguments that cannot be, and what is said of each."""

    def file(name: str, content: bytes) -> Path:
        path = folder / name
        path.write_bytes(content)
        return path

    good, empty = folder / "good.parquet", folder / "empty.parquet"
    pq.write_table(EVENTS, good)
    pq.write_table(EVENTS.slice(0, 0), empty)
    other = folder / "other.parquet"
    pq.write_table(pa.table({"a": [1]}), other)
    text = folder / "text.parquet"
    pq.write_table(pa.table({"query_id": ["q"], "kind": ["k"], "time": ["soon"]}), text)
    (folder / "nothing").mkdir()
    (folder / "delta" / "_delta_log").mkdir(parents=True)
    needed = "expected events, with the columns query_id, kind, time, got"
    log = 'expected an object such as {"batch": 3, "milliseconds": 120, "counters": {…}}, or the progress of Spark, got'
    return {
        "nothing there": ([folder / "no"], "no: expected a folder or a file of events, got nothing there"),
        "empty folder": (
            [folder / "nothing"],
            "expected files of events (.parquet, .json, .jsonl, .csv), got a folder",
        ),
        "no events": ([empty], "empty.parquet: expected events, got none in 1 file"),
        "other columns": ([other], f"{needed} a. Hint: what sinks"),
        "other lines": ([file("x.jsonl", b'{"a": 1}\n')], f"{needed} lines without them"),
        "other csv": ([file("x.csv", b"a,b\n1,2\n")], f"{needed} a, b"),
        "no parquet": ([file("x.parquet", b"PAR1 no")], "x.parquet: expected events as parquet, got "),
        "no json": ([file("y.jsonl", b"nonsense\n")], "y.jsonl: expected events as jsonl, got JSON parse error"),
        "no suffix": ([file("z", b"")], "got no suffix"),
        "times as text": ([text], "text.parquet: column 'time': expected timestamp[us, tz=UTC], got "),
        "delta": ([folder / "delta"], "expected a folder of files, got a table of Delta"),
        "out is a folder": ([good, "--out", folder], "--out: expected a file to write, in a folder that is there"),
        "out is the events": ([good, "--out", good], "--out: expected a file to write"),
        "no log": ([good, "--batches", folder / "no"], "no: expected a log of batches, got No such file"),
        "empty log": ([good, "--batches", file("e", b"\n")], "got nothing in it"),
        "no object": ([good, "--batches", file("f", b"[]\n")], f"f line 1: {log} []"),
        "no numbers": ([good, "--batches", file("g", b'{"batch": "x"}\n')], f"g line 1: {log}"),
    }


def test_what_is_said_of_bad_input(tmp_path: Path) -> None:
    for name, (arguments, said) in wrong(tmp_path).items():
        result = report(*arguments, *([] if "--out" in arguments else ["--out", tmp_path / "page.html"]))
        assert result.exit_code == 2, (name, result.output)
        assert said in result.output.replace("\n", " "), (name, result.output)
        assert not (tmp_path / "page.html").exists()
