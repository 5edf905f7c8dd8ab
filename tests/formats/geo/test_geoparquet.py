# ruff: noqa: E501  # texts of errors are quoted whole
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from limen.errors import InvalidInput, InvalidQuery
from limen.formats import load_queries
from limen.formats.geo.geoparquet import read_geoparquet
from limen.formats.geo.properties import load_properties
from tests.formats.geo.shapes import SQUARE

COLUMN = {"encoding": "WKB", "geometry_types": ["Polygon"]}


def parquet(geometries, metadata=None, **columns):
    about = {"version": "1.1.0", "primary_column": "shape", "columns": {"shape": COLUMN}}
    table = pa.table({**columns, "shape": pa.array(geometries, pa.binary())})
    entry = metadata if isinstance(metadata, bytes) else json.dumps(about | (metadata or {})).encode()
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata({b"geo": entry}), sink)
    return sink.getvalue().to_pybytes()


def wkb(*rings):
    return shapely.to_wkb(shapely.Polygon(*rings))


def test_geometries_and_the_columns_beside_them():
    file = read_geoparquet(parquet([wkb(SQUARE), None, b"\x01\x02"], n=[1, 2, 3]), "z.parquet")
    square, missing, broken = file.outlines
    assert square.rings[0].tolist() == SQUARE
    assert str(missing) == "expected a geometry, got none"
    assert isinstance(broken, InvalidQuery)
    assert str(broken).startswith("expected a geometry as WKB, got ")
    assert (list(file.properties), file.column("n")) == (["n"], [1, 2, 3])


def test_queries_and_properties_keep_the_types_of_the_columns(tmp_path):
    path = tmp_path / "zones.geoparquet"
    day = pa.array([20_000, 20_001], pa.date32())
    path.write_bytes(parquet([wkb(SQUARE), wkb(SQUARE)], zone=[4.0, 7.0], day=day))
    assert [query.id for query in load_queries(path, id="zone")] == ["4", "7"]
    table = load_properties(path, id="zone")
    assert table.schema.names == ["query_id", "zone", "day"]
    assert table["day"].combine_chunks() == day


def test_an_unclosed_ring_is_told():
    content = wkb(SQUARE)
    last = content[-16:]
    moved = content[:-16] + b"".join([last[:8], bytes([0, 0, 0, 0, 0, 0, 0xF0, 0x3F])])  # (0, 1) instead of (0, 0)
    (outline,) = read_geoparquet(parquet([moved]), "z.parquet").outlines
    assert outline.unclosed == "its first and last vertex differ"


@pytest.mark.parametrize(
    "crs",
    [None, {"id": {"authority": "OGC", "code": "CRS84"}}, {"id": {"authority": "EPSG", "code": 4326}}],
)
def test_wgs84_by_its_names(crs, tmp_path):
    path = tmp_path / "z.parquet"
    path.write_bytes(parquet([wkb(SQUARE)], {"columns": {"shape": COLUMN | {"crs": crs}}}))
    assert len(load_queries(path)) == 1


def test_another_crs_is_refused_unless_coordinates_are_taken_as_they_are(tmp_path):
    path = tmp_path / "z.parquet"
    crs = {"type": "ProjectedCRS", "name": "NAD83 / New York", "id": {"authority": "EPSG", "code": 2263}}
    path.write_bytes(parquet([wkb(SQUARE)], {"columns": {"shape": COLUMN | {"crs": crs}}}))
    with pytest.raises(InvalidInput, match=r"z.parquet: crs: expected WGS84, .*, got EPSG:2263. Hint: transform"):
        load_queries(path)
    assert len(load_queries(path, crs="planar")) == 1


@pytest.mark.parametrize(
    ("metadata", "text"),
    [
        ({"primary_column": "other"}, "z.parquet: primary_column: expected a column of geometries, got 'other'"),
        (
            {"columns": {"shape": {"encoding": "polygon"}}},
            "z.parquet: column 'shape': encoding: expected 'WKB', got 'polygon'",
        ),
        (
            {"columns": {"shape": COLUMN | {"edges": "spherical"}}},
            "z.parquet: column 'shape': edges: expected 'planar', edges that are straight in longitude and latitude, got 'spherical'. Hint: give long edges more vertices, and write the file with planar ones",
        ),
        (b"{", "z.parquet: metadata 'geo': expected JSON, got Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        (b"3", "z.parquet: metadata 'geo': expected an object with 'columns', got 3"),
    ],
)  # fmt: skip
def test_files_that_are_not_as_they_should_be(metadata, text):
    with pytest.raises(InvalidInput) as caught:
        read_geoparquet(parquet([wkb(SQUARE)], metadata), "z.parquet")
    assert str(caught.value) == text


def test_plain_parquet_is_refused():
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"a": [1]}), sink)
    with pytest.raises(InvalidInput) as caught:
        read_geoparquet(sink.getvalue().to_pybytes(), "z.parquet")
    assert str(caught.value) == "z.parquet: expected GeoParquet, which has an entry 'geo' in its metadata, got none"


def test_what_is_no_parquet_is_refused():
    with pytest.raises(InvalidInput, match=r"^z.parquet: expected a Parquet file, got "):
        read_geoparquet(b"PAR2", "z.parquet")
