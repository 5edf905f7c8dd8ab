import json

import numpy as np

from limen.formats.geo import read_fences
from limen.formats.geo.write import write_fences
from tests.formats.geo.shapes import BOW, SQUARE, feature, moved, polygon, write


def test_good_and_mended_features_are_written_and_read_alike(tmp_path):
    several = {"type": "MultiPolygon", "coordinates": [[moved(SQUARE, 10)], [moved(SQUARE, 20)]]}
    path = write(
        tmp_path / "in.geojson",
        feature(polygon(SQUARE), id="a", zone="ü", size=float("nan")),
        feature(None, id="b"),
        feature(polygon(BOW), id="c"),
        feature(several, id="d"),
        feature({"type": "Point", "coordinates": [1, 2]}, id="e"),
    )
    fences = read_fences(path, "border", None, {}, radius=5, repair=True)
    assert write_fences(tmp_path / "out.geojson", fences) == 4
    again = read_fences(tmp_path / "out.geojson", "border", None, {}, radius=5)
    assert again.problems() == []
    assert [query.id for query in again.queries] == ["a", "c", "d", "e"]
    kept = [0, 2, 3]
    assert [again.queries[n] for n in kept] == [fences.queries[n] for n in kept]
    assert {len(part.shell) for part in again.queries[1].region.polygons} == {3}
    assert again.file.properties == {"zone": ["ü", None, None, None], "size": [None] * 4}


def test_shells_go_round_to_the_left_and_holes_to_the_right(tmp_path):
    hole = [[1, 1], [2, 1], [1, 2], [1, 1]]
    path = write(tmp_path / "in.geojson", feature(polygon(SQUARE[::-1], hole)))
    write_fences(tmp_path / "out.geojson", read_fences(path, "border", None, {}))
    shell, inner = json.loads((tmp_path / "out.geojson").read_text())["features"][0]["geometry"]["coordinates"]
    assert (shell, inner) == (SQUARE, hole[::-1])
    assert np.array(shell).shape == (5, 2)


def test_the_crs_of_coordinates_that_are_no_degrees_is_kept(tmp_path):
    crs = {"type": "name", "properties": {"name": "EPSG:2263"}}
    path = write(tmp_path / "in.geojson", feature(polygon(moved(SQUARE, 1000))), crs=crs)
    write_fences(tmp_path / "out.geojson", read_fences(path, "border", None, {}, crs="planar"))
    assert json.loads((tmp_path / "out.geojson").read_text())["crs"] == crs


def test_a_file_of_nothing(tmp_path):
    fences = read_fences(write(tmp_path / "in.geojson"), "border", None, {})
    assert write_fences(tmp_path / "out.geojson", fences) == 0
    assert json.loads((tmp_path / "out.geojson").read_text()) == {"type": "FeatureCollection", "features": []}
