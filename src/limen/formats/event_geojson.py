"""Events on a map: points with the facts of each event, as GeoJSON."""

import math
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, overload

import pyarrow as pa
import pyarrow.compute as pc

from limen.errors import InvalidInput
from limen.formats.geo.write import json_value, write_collection
from limen.model.columns import Columns

_ROWS_AT_A_TIME = 10_000


@overload
def events_to_geojson(
    events: pa.Table | Iterable[pa.Table], path: None = None, *, columns: Columns | None = ..., on: Sequence[str] = ...
) -> dict[str, Any]: ...
@overload
def events_to_geojson(
    events: pa.Table | Iterable[pa.Table],
    path: str | PathLike[str],
    *,
    columns: Columns | None = ...,
    on: Sequence[str] = ...,
) -> int: ...
def events_to_geojson(
    events: pa.Table | Iterable[pa.Table],
    path: str | PathLike[str] | None = None,
    *,
    columns: Columns | None = None,
    on: Sequence[str] = (),
) -> dict[str, Any] | int:
    """Make a FeatureCollection of events: a point where each happened, and its other columns as properties.

    Columns that are missing or null are left out of the properties. An event whose place is not known has no geometry.

    Parameters
    ----------
    events
        A table of events, or several, one after the other: they need not fit into memory together. Further columns,
        such as those that a join with `load_properties` adds, become properties too.
    path
        The file to write, a feature at a time. By default nothing is written.
    columns, on
        Where events have more than two values: the columns of the data, and the names of the two that are longitude and
        latitude.

    Returns
    -------
    dict or int
        The collection, or how many events were written to the file.

    Examples
    --------
    >>> from limen.model.event import SCHEMA
    >>> event = {"query_id": "4", "kind": "enter", "stream_id": "taxi 7", "values": [-73.98, 40.72]}
    >>> events_to_geojson(pa.Table.from_pylist([event], schema=SCHEMA))["features"]
    [{'type': 'Feature', 'geometry': {'type': 'Point', 'coordinates': [-73.98, 40.72]},
    'properties': {'query_id': '4', 'kind': 'enter', 'stream_id': 'taxi 7'}}]
    """
    axes = _axes(columns, on)
    tables = (events,) if isinstance(events, (pa.Table, pa.RecordBatch)) else events
    if not isinstance(tables, Iterable):
        raise InvalidInput(where="events_to_geojson", expected="a table of events, or several", got=repr(events))
    features = (feature for table in tables for feature in _features(table, axes))
    if path is None:
        return {"type": "FeatureCollection", "features": list(features)}
    if not isinstance(path, (str, PathLike)):
        raise InvalidInput(where="events_to_geojson", expected="the path of a file", got=repr(path))
    return write_collection(Path(path), features)


def _axes(columns: Columns | None, on: Sequence[str]) -> tuple[int, int] | None:
    if columns is None and not on:
        return None
    if columns is None or isinstance(on, str) or len(on) not in (0, 2):
        raise InvalidInput(
            where="events_to_geojson",
            expected="columns, and on with the names of two of its values",
            got=f"columns={columns!r}, on={on!r}",
        )
    positions = columns.positions(tuple(on) or None)
    if len(positions) != 2:
        raise _other_dimensions(len(positions))
    return positions[0], positions[1]


def _features(table: object, axes: tuple[int, int] | None) -> Iterator[dict[str, Any]]:
    if not isinstance(table, (pa.Table, pa.RecordBatch)) or "values" not in table.schema.names:
        got = f"the columns {', '.join(table.schema.names)}" if hasattr(table, "schema") else repr(table)
        raise InvalidInput(where="events_to_geojson", expected="a table of events, with a column 'values'", got=got)
    plain = table if isinstance(table, pa.Table) else pa.Table.from_batches([table])
    for start in range(0, len(plain), _ROWS_AT_A_TIME):
        part = plain.slice(start, _ROWS_AT_A_TIME)
        names = [name for name in part.column_names if name != "values"]
        values = part["values"].to_pylist()
        for point, *facts in zip(values, *(_plain(part[name]) for name in names), strict=True):
            yield {
                "type": "Feature",
                "geometry": _point(point, axes),
                "properties": {name: fact for name, fact in zip(names, facts, strict=True) if fact is not None},
            }


def _plain(column: pa.ChunkedArray) -> list[Any]:
    """Return values that JSON has; times as text in UTC, of a whole column at once."""
    if pa.types.is_timestamp(column.type):
        utc = column.cast(pa.timestamp("us", "UTC"), safe=False)  # no zone means UTC; nanoseconds are not kept
        texts = pc.replace_substring(pc.strftime(utc, "%Y-%m-%dT%H:%M:%SZ"), ".000000Z", "Z")
        return list(texts.to_pylist())
    return [json_value(value) for value in column.to_pylist()]


def _point(values: list[float | None] | None, axes: tuple[int, int] | None) -> dict[str, Any] | None:
    if values is None:
        return None
    if len(values) != 2 if axes is None else len(values) <= max(axes):
        raise _other_dimensions(len(values))
    x, y = (values[axis] for axis in axes or (0, 1))
    if x is None or y is None or not (math.isfinite(x) and math.isfinite(y)):
        return None
    return {"type": "Point", "coordinates": [x, y]}


def _other_dimensions(count: int) -> InvalidInput:
    return InvalidInput(
        where="events_to_geojson",
        expected="events with two values, longitude and latitude",
        got=f"{count}",
        hint="columns= and on= select which two of several values are meant" if count > 2 else None,
    )
