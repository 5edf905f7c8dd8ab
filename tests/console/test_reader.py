"""Small parts: how the job is in words, series of figures, roads, shapes, and frames of bytes."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limen import Columns
from limen.console.background import read_background
from limen.console.health import health
from limen.console.map_shapes import box_of, drawn
from limen.console.series import Series
from limen.console.wire import counts, positions, roads
from limen.errors import InvalidInput

JOB: dict[str, Any] = {"state": "running", "reason": None}


def line(batch: int, written: str, **counters: Any) -> dict[str, Any]:
    return {"batch": batch, "written": written, "milliseconds": 500, "counters": counters}


def test_figures_of_batches() -> None:
    series = Series()
    series.add(line(0, "2026-01-01T00:00:00Z", rows=100, events={"enter": 5}, watermark="2025-12-31T23:59:50Z"))
    series.add(line(1, "2026-01-01T00:00:02Z", rows=100, events={"enter": 6, "exit": 4}, late=3, rejected={"x": 2}))
    assert series.add(line(1, "2026-01-01T00:00:03Z")) is None
    first, second = series.since(None)
    assert (first["rows_per_second"], first["lag"]) == (200, 10)
    assert (second["rows_per_second"], second["events_per_second"]) == (50, 5)
    assert (second["late"], second["rejected"], second["lag"]) == (3, 2, None)
    assert series.totals == {"rows": 200, "events": 15, "late": 3, "rejected": 2}
    assert series.since(0) == [second]
    assert series.watermark_before(1) == first["watermark"]


@pytest.mark.parametrize(
    ("job", "alive", "state", "text"),
    [
        (None, False, "waiting", "No job has written"),
        ({**JOB, "state": "starting"}, True, "starting", "Spark takes some seconds"),
        ({**JOB, "state": "failed", "reason": "no such topic"}, False, "failed", "no such topic"),
        ({**JOB, "state": "ended"}, False, "ended", "has ended"),
        (JOB, False, "killed", "no sign of life"),
        (JOB, True, "running", "is running"),
    ],
)
def test_how_the_job_is(job: dict[str, Any] | None, alive: bool, state: str, text: str) -> None:
    series = Series()
    series.add(line(0, "2026-01-01T00:00:00Z", rows=1))
    told = health(job, alive=alive, series=series, now=1767225601.0)
    assert told["state"] == state
    assert text in told["text"]


def test_a_job_without_rows_is_quiet() -> None:
    series = Series()
    assert health(JOB, alive=True, series=series)["state"] == "starting"
    series.add(line(0, "2026-01-01T00:00:00Z", rows=1))
    assert "for 60 seconds" in health(JOB, alive=True, series=series, now=1767225660.0)["text"]
    assert health({**JOB, "trigger": 30.0}, alive=True, series=series, now=1767225660.0)["state"] == "running"


def test_frames_are_what_the_page_reads() -> None:
    frame = positions(np.array([3, 4, 9]), np.array([[1.0, 2.0], [np.nan, 0.0], [5.0, 8.0]]))
    kind, length, x, y = struct.unpack_from("<BxxxIdd", frame)
    assert (kind, length, x, y) == (1, 2, 3.0, 5.0)
    assert struct.unpack_from("<2I4f", frame, 24) == (3, 9, -2.0, 2.0, -3.0, 3.0)
    frame = counts(np.array([7]), np.array([-2]))
    assert struct.unpack_from("<2I", frame, 24) == (7, 0)
    frame = roads(np.array([[0.0, 0.0, 2.0, 4.0]]), np.array([1], np.uint8))
    assert struct.unpack_from("<4fB", frame, 24) == (-1.0, -2.0, 1.0, 2.0, 1)
    assert positions(np.empty(0, int), np.empty((0, 2)))[4:8] == bytes(4)


def test_roads_of_a_file(tmp_path: Path) -> None:
    assert read_background(tmp_path) is None
    np.savez(tmp_path / "roads.npz", xy=[[0.0, 0.0], [1.0, 1.0]], ends=[[0, 1]], road_class=[5])
    lines, rank = read_background(tmp_path) or ([], [])
    assert (np.asarray(lines).tolist(), list(rank)) == ([[0, 0, 1, 1]], [2])
    path = tmp_path / "roads.geojson"
    shape = {"type": "LineString", "coordinates": [[0, 0], [1, 0], [1, 1]]}
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": shape}]}))
    lines, _ = read_background(tmp_path, path) or ([], [])
    assert np.asarray(lines).tolist() == [[0, 0, 1, 0], [1, 0, 1, 1]]
    path.write_text("{}")
    with pytest.raises(InvalidInput, match="expected GeoJSON with LineStrings"):
        read_background(tmp_path, path)
    with pytest.raises(InvalidInput, match="no such file"):
        read_background(tmp_path, tmp_path / "none.geojson")


def test_shapes_on_the_map() -> None:
    plane, globe = Columns("i", "t", ("x", "y")), Columns("i", "t", ("x", "y"), crs="lonlat")
    circle = {"type": "within", "id": "q", "region": {"type": "circle", "center": [10, 60], "radius": 111_195}}
    assert drawn(circle, plane) == {"ellipse": [10, 60, 111_195, 111_195]}
    _, _, across, up = (drawn(circle, globe) or {})["ellipse"]
    assert (across, up) == (pytest.approx(2, rel=1e-3), pytest.approx(1, rel=1e-3))
    wraps = {"type": "border", "id": "q", "region": {"type": "box", "lo": [170, -20], "hi": [-170, 0]}}
    assert box_of(drawn(wraps, globe)) == (170, -20, 190, 0)
    half = {"type": "border", "id": "q", "region": {"type": "box", "lo": [1, 1]}}
    assert box_of(drawn(half, plane))[:2] == (1, 1)
    assert drawn({"type": "nearest", "id": "q", "k": 1, "focal": "a"}, plane) is None
    assert drawn({**half, "on": ["y", "x"]}, plane) is None
    polygon = {"type": "polygon", "shell": [[0, 0], [4, 0], [0, 3]], "holes": [[[1, 1], [2, 1], [1, 2]]]}
    assert box_of(drawn({**half, "region": polygon}, plane)) == (0, 0, 4, 3)
    band = {"type": "border", "id": "q", "region": {"type": "range", "hi": 40}}
    assert box_of(drawn(band, Columns("i", "t", "price")))[3] == 40
