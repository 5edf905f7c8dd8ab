# ruff: noqa: E501  # geometries are quoted whole
import pytest

from limen.errors import InvalidInput, InvalidQuery
from limen.formats import load_queries
from limen.formats.geo.wkt import read_wkt
from tests.formats.geo.shapes import SQUARE

TEXT = b"POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))"


def test_lines_with_ids_comments_and_windows_line_ends():
    file = read_wkt(b"# zones\r\n\r\na b\t" + TEXT + b"\r\n// more\n" + TEXT + b"\n", "z.wkt")
    assert [outline.rings[0].tolist() for outline in file.outlines] == [SQUARE, SQUARE]
    assert (file.ids, file.lines) == (["a b", None], [3, 5])


def test_other_geometries():
    lines = (b"MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5), (5.5 5.2, 5.7 5.2, 5.7 5.4, 5.5 5.2)))",
             b"POINT (3 4)", b"LINESTRING (0 0, 1 1)", b"POLYGON EMPTY", b"POINT EMPTY",
             b"POLYGON Z ((0 0 9, 4 0 9, 4 4 9, 0 4 9, 0 0 9))",
             b"GEOMETRYCOLLECTION (POLYGON ((0 0, 1 0, 1 1, 0 0)), GEOMETRYCOLLECTION (POLYGON ((2 0, 3 0, 3 1, 2 0))))",
             b"GEOMETRYCOLLECTION (POLYGON ((0 0, 1 0, 1 1, 0 0)), POINT (1 1))")  # fmt: skip
    multi, point, line, empty, nowhere, high, collection, mixed = read_wkt(b"\n".join(lines), "z.wkt").outlines
    assert [len(rings) for rings in multi.polygons] == [1, 2]
    assert (point.type, point.point.tolist()) == ("Point", [3, 4])
    assert (line.type, line.rings, empty.rings, nowhere.point) == ("LineString", (), (), None)
    assert (high.rings[0].tolist(), high.has_z) == (SQUARE, True)
    assert (collection.type, len(collection.polygons)) == ("GeometryCollection", 2)
    assert mixed.type == "GeometryCollection with a Point"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"POLYGON", "Expected word but encountered end of stream"),
        (b"TRIANGLE ((0 0, 1 0, 1 1, 0 0))", "Unknown type: 'TRIANGLE'"),
        (b"POLYGON ((0 0, 4 0, 4 4, 0 0)) x", "Unexpected text after end of geometry"),
    ],
)
def test_what_is_no_wkt_is_told_with_the_reason(line, reason):
    (outline,) = read_wkt(line, "z.wkt").outlines
    assert isinstance(outline, InvalidQuery)
    assert str(outline) == f"expected WKT such as POLYGON ((0 0, 4 0, 4 4, 0 0)), got {reason}"


def test_an_unclosed_ring_is_closed_and_told():
    (outline,) = read_wkt(b"POLYGON ((0 0, 4 0, 4 4, 0 4))", "z.wkt").outlines
    assert outline.rings[0].tolist() == SQUARE
    assert outline.unclosed == "its first and last vertex differ"


def test_srid_of_wgs84_is_read_and_others_are_refused():
    good, bad = read_wkt(b"SRID=4326;" + TEXT + b"\nsrid=2263; " + TEXT, "z.wkt").outlines
    assert good.rings[0].tolist() == SQUARE
    assert str(bad) == (
        "SRID: expected WGS84, longitude first (OGC:CRS84 or EPSG:4326), got EPSG:2263. Hint: transform the file first"
    )


def test_text_that_is_not_utf8():
    with pytest.raises(InvalidInput, match=r"^z.wkt line 2: expected UTF-8, got the byte 0xff$"):
        read_wkt(TEXT + b"\n\xff", "z.wkt")


def test_an_empty_file_has_no_features():
    assert len(read_wkt(b"", "z.wkt")) == 0


def test_curves_are_refused_and_hide_nobody(tmp_path):
    path = tmp_path / "curves.wkt"
    path.write_text("a\tPOLYGON((0 0,1 0,1 1,0 0))\nc\tCURVEPOLYGON((0 0,1 0,1 1,0 0))\n")
    with pytest.raises(InvalidQuery, match=r"line 2 \(id c\).*[Nn]onlinear"):
        load_queries(path)
    path.write_text("a\tPOLYGON((0 0,1 0,1 1,0 0))\n")
    assert [query.id for query in load_queries(path)] == ["a"]
