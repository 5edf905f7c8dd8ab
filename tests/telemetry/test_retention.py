"""Retention: old files are removed, and the folder never exceeds its maximum size."""

import os
from pathlib import Path

import pytest

from limen.telemetry import retention as tidying
from limen.telemetry.folder_files import TaskFile
from limen.telemetry.retention import files_of, tidy


def put(folder: Path, batch: int, *, age: float, size: int = 10, kind: str = "rows") -> Path:
    path = folder / kind / TaskFile(batch, 0, 0).name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"x" * size)
    os.utime(path, (1e9 - age,) * 2)
    return path


def batches(folder: Path, kind: str = "rows") -> list[int]:
    return [part.batch for part in files_of(folder / kind)]


def test_what_is_old_in_batches_and_in_time_goes(tmp_path: Path) -> None:
    for batch in range(200):
        put(tmp_path, batch, age=10.0 * (199 - batch))
    tidy(tmp_path, latest=199, now=1e9)
    assert batches(tmp_path)[0] == 80  # 120 batches are longer than 15 minutes here
    tidy(tmp_path, latest=1_000, now=1e9)
    assert batches(tmp_path)[0] == 109  # and here 15 minutes are more than 120 batches


def test_the_oldest_go_when_there_is_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tidying, "MOST_BYTES", 1_500)
    monkeypatch.setattr(tidying, "MARGIN", 300)
    monkeypatch.setattr(tidying, "LEAST_BYTES", 250)
    for batch in range(10):
        put(tmp_path, batch, age=0, size=100)
        put(tmp_path, batch, age=0, size=100, kind="events")
    (tmp_path / "queries.jsonl").write_bytes(b"x" * 400)
    tidy(tmp_path, latest=9, now=1e9)
    assert batches(tmp_path) == batches(tmp_path, "events") == [6, 7, 8, 9]
    (tmp_path / "queries.jsonl").write_bytes(b"x" * 5_000)
    tidy(tmp_path, latest=9, now=1e9)
    assert batches(tmp_path) + batches(tmp_path, "events") == [9, 9]


def test_files_of_others_stay_and_abandoned_ones_go(tmp_path: Path) -> None:
    mine = put(tmp_path, 0, age=0).with_name("mine.arrow")
    left, under_way = mine.with_name(".writing-1-a"), mine.with_name(".writing-2-b")
    for path, age in ((mine, 1e6), (left, 700), (under_way, 5)):
        path.write_bytes(b"x")
        os.utime(path, (1e9 - age,) * 2)
    tidy(tmp_path, latest=1_000, now=1e9)
    assert mine.exists()
    assert under_way.exists()
    assert not left.exists()


def test_nothing_is_there_yet(tmp_path: Path) -> None:
    tidy(tmp_path / "none", latest=3)
    assert files_of(tmp_path / "none") == []
