"""The table `console` of a job file."""

from pathlib import Path

import pytest

from limen.jobfile import read_job, read_page
from limen.jobfile.console import ConsolePlace
from limen.jobfile.job_file import JobMistakes
from limen.telemetry import TelemetrySettings
from tests.jobfile.test_mistakes import GOOD


def file(folder: Path, *lines: str, job: str = GOOD) -> Path:
    path = folder / "job.toml"
    path.write_text("\n".join([job, "[console]", *lines]) if lines else job)
    return path


def mistakes(folder: Path, *lines: str, job: str = GOOD) -> list[str]:
    with pytest.raises(JobMistakes) as caught:
        read_job(file(folder, *lines, job=job))
    return [str(problem) for problem in caught.value.problems]


def test_by_default_the_window_is_beside_the_checkpoint_and_not_written(tmp_path: Path) -> None:
    place = read_job(file(tmp_path)).console
    assert place == ConsolePlace(telemetry=False, settings=TelemetrySettings(str(tmp_path / "checkpoint-window")))
    assert (place.host, place.port) == ("127.0.0.1", 8080)


def test_all_that_can_be_said(tmp_path: Path) -> None:
    (tmp_path / "roads.geojson").touch()
    lines = (
        "window = true", 'folder = "glass"', 'host = "0.0.0.0"', "port = 81", 'roads = "roads.geojson"',
        'tiles = "https://{s}.tiles.example.org/{z}/{x}/{y}.png"', "streams = 100", "events = 7",
    )  # fmt: skip
    place = read_job(file(tmp_path, *lines)).console
    assert place == ConsolePlace(
        telemetry=True,
        settings=TelemetrySettings(str(tmp_path / "glass"), 100, 7),
        host="0.0.0.0",
        port=81,
        tiles="https://{s}.tiles.example.org/{z}/{x}/{y}.png",
        roads=str(tmp_path / "roads.geojson"),
    )
    assert read_page(tmp_path / "job.toml") == ("fleet", place)


def test_every_mistake_is_told(tmp_path: Path) -> None:
    found = mistakes(
        tmp_path, "port = 70000", 'folder = "s3://bucket/glass"', 'tiles = "ftp://x"', 'roads = "none.geojson"',
        'token = "secret"', "strems = 3",
    )  # fmt: skip
    assert [problem.split(": ", 1)[1] for problem in found] == [
        "console.port: expected a whole number from 1 to 65,535, got 70,000",
        "console.folder: expected a folder on a disk that driver and workers share, got s3://bucket/glass",
        "console.tiles: expected the address of map tiles, such as https://tiles.example.org/{z}/{x}/{y}.png, got ftp://x",
        "console.roads: expected a file that exists: GeoJSON lines, or nodes and edges, got none.geojson",
        (
            "console.token: expected no secrets in a job file, got a key 'token'. "
            "Hint: the environment variable LIMEN_CONSOLE_TOKEN holds it"
        ),
        (
            "console.strems: expected one of folder, window, token, streams, events, host, port, tiles, roads, "
            "got an unknown key. Hint: did you mean 'streams'?"
        ),
    ]


def test_a_window_needs_a_folder_when_the_checkpoint_is_elsewhere(tmp_path: Path) -> None:
    elsewhere = GOOD.replace('checkpoint = "checkpoint"', 'checkpoint = "s3://bucket/checkpoint"')
    assert read_job(file(tmp_path, job=elsewhere)).console.settings is None
    (problem,) = mistakes(tmp_path, "window = true", job=elsewhere)
    assert "expected a key 'folder': where the job publishes its status" in problem
    given = read_job(file(tmp_path, "window = true", 'folder = "/shared/glass"', job=elsewhere)).console
    assert given.settings == TelemetrySettings("/shared/glass")


def test_the_window_has_a_folder_of_its_own(tmp_path: Path) -> None:
    (problem,) = mistakes(tmp_path, 'folder = "incoming"')
    assert "console.folder: expected a folder of its own, got that of the source" in problem


def test_a_page_does_not_mind_mistakes_elsewhere(tmp_path: Path) -> None:
    path = file(tmp_path, "port = 81", job=GOOD.replace('type = "border"', 'type = "boder"'))
    name, place = read_page(path, ["console.port=82"])
    assert (name, place.port) == ("fleet", 82)
    with pytest.raises(JobMistakes, match=r"console\.port"):
        read_page(path, ["console.port=0"])
