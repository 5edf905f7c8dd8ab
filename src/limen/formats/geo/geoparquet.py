"""GeoParquet: a column of geometries beside others, described in the file's metadata."""

import json
from typing import Any

from limen.errors import InvalidInput
from limen.formats.geo.feature_file import FeatureFile
from limen.formats.geo.from_shapely import parse
from limen.formats.geo.library import load_shapely


def read_geoparquet(content: bytes, name: str) -> FeatureFile:
    """Read the primary geometry column, written as WKB, and the columns beside it."""
    table = _table(content, name)
    about = _metadata(table, name)
    column = about.get("primary_column")
    details = about["columns"].get(column) if isinstance(about.get("columns"), dict) else None
    if not isinstance(details, dict) or column not in table.column_names:
        raise InvalidInput(where=f"{name}: primary_column", expected="a column of geometries", got=repr(column))
    if details.get("encoding") != "WKB":
        got = repr(details.get("encoding"))
        raise InvalidInput(where=f"{name}: column {column!r}: encoding", expected="'WKB'", got=got)
    if details.get("edges", "planar") != "planar":
        raise InvalidInput(
            where=f"{name}: column {column!r}: edges",
            expected="'planar', edges that are straight in longitude and latitude",
            got=repr(details["edges"]),
            hint="give long edges more vertices, and write the file with planar ones",
        )
    outlines = parse(table[column].to_pylist(), load_shapely().from_wkb, "a geometry as WKB")
    geometries = {column, *about["columns"]}
    properties = {each: table[each] for each in table.column_names if each not in geometries}
    return FeatureFile(name=name, outlines=outlines, properties=properties, crs=details.get("crs"))


def _table(content: bytes, name: str) -> Any:  # pyarrow has no types
    import pyarrow as pa  # noqa: PLC0415  # other formats do without Arrow
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        return pq.read_table(pa.BufferReader(content))
    except (pa.ArrowInvalid, OSError) as error:
        raise InvalidInput(where=name, expected="a Parquet file", got=str(error).splitlines()[0]) from error


def _metadata(table: Any, name: str) -> dict[str, Any]:
    entry = (table.schema.metadata or {}).get(b"geo")
    if entry is None:
        expected = "GeoParquet, which has an entry 'geo' in its metadata"
        raise InvalidInput(where=name, expected=expected, got="none")
    try:
        about = json.loads(entry)
    except ValueError as error:
        raise InvalidInput(where=f"{name}: metadata 'geo'", expected="JSON", got=str(error)) from error
    if not isinstance(about, dict) or not isinstance(about.get("columns"), dict):
        raise InvalidInput(where=f"{name}: metadata 'geo'", expected="an object with 'columns'", got=repr(about))
    return about
