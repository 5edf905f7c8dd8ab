"""What a job file says, read as it is meant."""

from pathlib import Path

import pytest

from limen import Border, Circle, Columns, InvalidInput, Polygon, Range, Transition
from limen.jobfile import read_job
from limen.jobfile.document import Document
from limen.jobfile.endpoints import SOURCES, Files, Rate, Screen, Topic
from limen.jobfile.job_file import JobMistakes
from limen.jobfile.template import job_template
from tests.jobfile.test_mistakes import BOW_TIE, GOOD, SHAPES, SQUARE, lay_shapes, write


def test_every_key_is_read(tmp_path: Path) -> None:
    job = read_job(write(tmp_path, GOOD))
    folder = tmp_path.resolve()
    assert (job.name, job.checkpoint) == ("fleet", f"{folder}/checkpoint")
    assert job.source.place == Files("csv", f"{folder}/incoming", "vehicle string, ts timestamp, x double")
    assert job.columns == Columns(id="vehicle", time="ts", values="x")
    assert job.queries == (Border("depot", Range(0, 9)),)
    assert job.options == {"lateness": "10 seconds"}
    assert [sink.place for sink in job.sinks] == [Files("parquet", f"{folder}/events")]
    assert (job.available_now, job.every) == (False, 5_000_000)


def test_values_are_overridden(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)
    job = read_job(
        path, ["options.lateness=3", "name='other'", "spark.spark.master=local[3]", "source.files_per_batch=9"]
    )
    assert job.options == {"lateness": 3}
    assert job.name == "other"
    assert job.spark == {"spark.master": "local[3]"}
    assert isinstance(job.source.place, Files)
    assert job.source.place.per_batch == 9
    with pytest.raises(InvalidInput, match="--set: expected key=value"):
        read_job(path, ["lateness"])


def test_two_sinks_in_one_folder_would_replace_each_other(tmp_path: Path) -> None:
    again = '[[sink]]\nformat = "json"\npath = "events"\n\n[trigger]'
    with pytest.raises(JobMistakes, match=r"job.toml:28: sink.path: expected a folder of its own, got that of sink 1"):
        read_job(write(tmp_path, GOOD.replace("[trigger]", again)))
    with pytest.raises(JobMistakes, match=r"expected a \[\[sink\]\]: where events go, got none"):
        read_job(write(tmp_path, "sink = []\n" + GOOD.replace('[[sink]]\nformat = "parquet"\npath = "events"', "")))


def test_a_file_with_a_mark_of_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_text(GOOD.replace("\n", "\r\n"), encoding="utf-8-sig", newline="")
    assert read_job(path).name == "fleet"


def test_variables_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMEN_DATA", "/data")
    job = read_job(write(tmp_path, GOOD.replace('"incoming"', '"${LIMEN_DATA}/in"')))
    assert isinstance(job.source.place, Files)
    assert job.source.place.path == "/data/in"
    options = 'path = "events"\noptions = { "a.b" = "${LIMEN_DATA}", c = true }'
    job = read_job(write(tmp_path, GOOD.replace('path = "events"', options)))
    assert job.sinks[0].place == Files("parquet", f"{tmp_path.resolve()}/events", options={"a.b": "/data", "c": "true"})


def test_queries_from_a_file_and_changes_from_a_topic(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"type": "match", "id": "m", "region": {"type": "range", "lo": 1, "hi": 2}}\n')
    more = '[queries]\nfile = "q.jsonl"\nkafka = { servers = "h:1", topic = "t" }\n\n[[queries.inline]]'
    job = read_job(write(tmp_path, GOOD.replace("[[queries.inline]]", more)))
    assert [query.id for query in job.queries] == ["depot", "m"]
    assert job.changes == Topic("h:1", "t")


def test_queries_from_a_file_of_shapes(tmp_path: Path) -> None:
    lay_shapes(tmp_path, "zones.geojson", (12, SQUARE), (13, [5.0, 5.0]))
    text = SHAPES.replace("within =", 'kinds = "stayed"\nradius = "reach"\ncrs = "lonlat"\nwithin =')
    square = Transition("12", Polygon(SQUARE), within=180, kinds="stayed")
    circle = Transition("13", Circle((5, 5), 650), within=180, kinds="stayed")
    assert read_job(write(tmp_path, text)).queries == (square, circle)
    assert read_job(write(tmp_path, text), ["queries.radius=650", "queries.within=180"]).queries == (square, circle)


def test_shapes_are_borders_with_ids_of_their_own_unless_told(tmp_path: Path) -> None:
    lay_shapes(tmp_path, "zones.geojson", (12, SQUARE))
    told = 'kind = "transition"\nid = "LocationID"\nwithin = "3 minutes"\n'
    job = read_job(write(tmp_path, SHAPES.replace(told, "")))
    assert job.queries == (Border("1", Polygon(SQUARE)),)


def test_shapes_are_mended_where_asked(tmp_path: Path) -> None:
    lay_shapes(tmp_path, "zones.geojson", (12, BOW_TIE))
    job = read_job(write(tmp_path, SHAPES.replace("within =", "repair = true\nwithin =")))
    assert str(job.queries[0].region) == "MultiPolygon of 2 polygons"


def test_shapes_of_plain_columns_are_taken_as_they_are(tmp_path: Path) -> None:
    far = [[x * 1000, y * 1000] for x, y in SQUARE]
    lay_shapes(tmp_path, "zones.geojson", (12, far))
    job = read_job(write(tmp_path, SHAPES.replace('crs = "lonlat"', "")))
    assert job.queries == (Transition("12", Polygon(far), within=180),)


def test_a_query_and_a_shape_of_one_id(tmp_path: Path) -> None:
    lay_shapes(tmp_path, "zones.geojson", (12, SQUARE))
    inline = '[[queries.inline]]\ntype = "match"\nid = "12"\nregion = { type = "box", hi = [9, 9] }\n\n[options]'
    with pytest.raises(JobMistakes, match=r"job.toml:15: queries: expected each id once, got '12' twice"):
        read_job(write(tmp_path, SHAPES.replace("[options]", inline)))


def test_changes_from_a_folder_are_enough(tmp_path: Path) -> None:
    inline = '[[queries.inline]]\ntype = "border"\nid = "depot"\nregion = { type = "range", lo = 0, hi = 9 }'
    job = read_job(write(tmp_path, GOOD.replace(inline, '[queries]\nfolder = "changes"')))
    assert job.queries == ()
    assert job.changes == Files("text", f"{tmp_path.resolve()}/changes")


@pytest.mark.parametrize("source", SOURCES)
def test_the_file_that_init_writes_is_good(source: str, tmp_path: Path) -> None:
    job = read_job(write(tmp_path, job_template(source, "trial")))
    assert job.name == "trial"
    assert job.source.place.format == source
    assert [type(sink.place) for sink in job.sinks] == [Files, Screen]
    assert isinstance(job.source.place, Rate) == (source == "rate")


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("a",), 1),
        (("t", "b", "c"), 4),
        (("t", "quoted key"), 5),
        (("l", 1, "d"), 9),
        (("l", 1, "nothing"), 8),
        ((), 0),
    ],
)
def test_lines_of_keys(place: tuple[str | int, ...], line: int) -> None:
    text = 'a = 1\n\n[t]  # comment\nb.c = 2\n"quoted key" = 3\n[[l]]\nd = 4\n[[l]]\nd = 5\n'
    assert Document("f", text).line(place) == line
