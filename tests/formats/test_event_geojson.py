# ruff: noqa: E501  # texts of errors are quoted whole
import json
from datetime import UTC, datetime

import pyarrow as pa
import pytest

from limen.errors import InvalidInput
from limen.formats.event_geojson import events_to_geojson
from limen.model import Columns
from limen.model.event import SCHEMA

AT = datetime(2026, 1, 1, 12, tzinfo=UTC)
EVENT = {
    "event_id": "e", "query_id": "4", "kind": "enter", "stream_id": "taxi", "time": AT, "reason": "moved",
    "values": [-73.98, 40.72],
}  # fmt: skip


def events(*changes):
    return pa.Table.from_pylist([EVENT | change for change in changes], schema=SCHEMA)


def test_a_point_with_the_other_columns_that_say_something():
    later = AT.replace(microsecond=500)
    found = events_to_geojson(events({}, {"started_at": later, "bindings": [{"variable": "a", "time": later}]}))
    assert found["type"] == "FeatureCollection"
    first, second = found["features"]
    assert first == {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [-73.98, 40.72]},
        "properties": {
            "event_id": "e", "query_id": "4", "kind": "enter", "stream_id": "taxi", "time": "2026-01-01T12:00:00Z",
            "reason": "moved",
        },
    }  # fmt: skip
    assert second["properties"]["started_at"] == "2026-01-01T12:00:00.000500Z"
    (binding,) = second["properties"]["bindings"]
    assert binding == {"variable": "a", "stream_id": None, "time": "2026-01-01T12:00:00.000500Z"}


def test_joined_columns_become_properties():
    table = events({}).append_column("zone", pa.array(["Alphabet City"])).append_column("x", pa.array([float("nan")]))
    properties = events_to_geojson(table)["features"][0]["properties"]
    assert properties["zone"] == "Alphabet City"
    assert "x" not in properties


@pytest.mark.parametrize("values", [None, [None, 1.0], [float("nan"), 1.0], [1.0, float("inf")]])
def test_an_event_whose_place_is_not_known_has_no_geometry(values):
    assert events_to_geojson(events({"values": values}))["features"][0]["geometry"] is None


def test_files_are_written_table_by_table(tmp_path):
    path = tmp_path / "events.geojson"
    tables = (events(*[{"query_id": f"{n}ü"}] * 7000) for n in range(3))
    assert events_to_geojson(tables, path) == 21_000
    plain = json.loads(path.read_text(encoding="utf-8"))
    assert [each["properties"]["query_id"] for each in plain["features"]] == [
        f"{n}ü" for n in range(3) for _ in range(7000)
    ]
    assert events_to_geojson(events(), str(path)) == 0
    assert json.loads(path.read_text()) == {"type": "FeatureCollection", "features": []}


def test_two_of_several_values():
    columns = Columns("id", "t", ("speed", "lat", "lon"))
    table = events({"values": [9.0, 40.0, -74.0]})
    (found,) = events_to_geojson(table, columns=columns, on=("lon", "lat"))["features"]
    assert found["geometry"]["coordinates"] == [-74.0, 40.0]
    assert events_to_geojson(events({}), columns=Columns("id", "t", ("lon", "lat")))["features"]


@pytest.mark.parametrize(
    ("table", "arguments", "text"),
    [
        (events({"values": [1.0]}), {}, "expected events with two values, longitude and latitude, got 1"),
        (
            events({"values": [1.0, 2.0, 3.0]}),
            {},
            "expected events with two values, longitude and latitude, got 3. Hint: columns= and on= select which two of several values are meant",
        ),
        (
            events({}),
            {"columns": Columns("id", "t", ("x", "y", "z")), "on": ("x", "z")},
            "expected events with two values, longitude and latitude, got 2",
        ),
        (
            events({}),
            {"columns": Columns("id", "t", "x")},
            "expected events with two values, longitude and latitude, got 1",
        ),
        (events({}), {"on": ("x", "y")}, "expected columns, and on with the names of two of its values, got columns=None, on=('x', 'y')"),
        (pa.table({"a": [1]}), {}, "expected a table of events, with a column 'values', got the columns a"),
        (3, {}, "expected a table of events, or several, got 3"),
        ([3], {}, "expected a table of events, with a column 'values', got 3"),
        (events({}), {"path": 3}, "expected the path of a file, got 3"),
    ],
)  # fmt: skip
def test_what_cannot_be_put_on_a_map(table, arguments, text):
    with pytest.raises(InvalidInput) as caught:
        events_to_geojson(table, **arguments)
    assert str(caught.value) == f"events_to_geojson: {text}"
