"""GeoJSON, the text of RFC 7946, as features."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from limen.arrays import Floats
from limen.errors import InvalidInput, InvalidQuery
from limen.formats.geo.feature_file import FeatureFile, Outline, point_text
from limen.formats.query_json import parse_json

_EMPTY = np.empty((0, 2))
_POLYGONS = ("Polygon", "MultiPolygon")
_GEOMETRIES = (*_POLYGONS, "Point", "MultiPoint", "LineString", "MultiLineString", "GeometryCollection")


def read_geojson(content: bytes, name: str) -> FeatureFile:
    """Read a FeatureCollection, a Feature or a geometry."""
    plain = _parsed(content, name)
    kind = plain.get("type") if isinstance(plain, dict) else None
    if kind == "FeatureCollection":
        features = plain.get("features")
        if not isinstance(features, list):
            raise InvalidInput(where=f"{name}: features", expected="a list", got=repr(features))
    elif kind == "Feature":
        features = [plain]
    elif isinstance(kind, str) and kind in _GEOMETRIES:
        features = [{"type": "Feature", "geometry": plain}]
    else:
        expected = "GeoJSON: an object of type FeatureCollection, Feature or a geometry"
        got = f"the type {kind!r}" if isinstance(plain, dict) else repr(plain)
        raise InvalidInput(where=name, expected=expected, got=got)
    members = [feature if isinstance(feature, dict) else {} for feature in features]
    ids = [member.get("id") for member in members]
    return FeatureFile(
        name=name,
        outlines=[_feature(feature) for feature in features],
        ids=ids,
        properties=_columns([member.get("properties") for member in members]),
        crs=plain.get("crs"),
    )


def _parsed(content: bytes, name: str) -> Any:
    try:
        return parse_json(content.decode())
    except UnicodeDecodeError as error:
        got = f"the byte {content[error.start]:#x} at position {error.start + 1}"
        raise InvalidInput(where=f"{name}: text", expected="UTF-8", got=got) from error
    except InvalidQuery as error:  # the file as a whole is invalid
        place = f"{name}: {error.where}"
        raise InvalidInput(error.problem, where=place, expected=error.expected, got=error.got) from error


def _columns(properties: list[Any]) -> dict[str, list[object]]:
    """Turn objects into a column for each key, in the order in which keys first come up."""
    rows: list[Mapping[str, object]] = [each if isinstance(each, dict) else {} for each in properties]
    keys = dict.fromkeys(key for row in rows for key in row)
    return {key: [row.get(key) for row in rows] for key in keys}


def _feature(feature: object) -> Outline | InvalidQuery:
    try:
        if not isinstance(feature, dict) or feature.get("type") != "Feature":
            got = f"the type {feature.get('type')!r}" if isinstance(feature, dict) else repr(feature)
            return InvalidQuery(expected="a Feature", got=got)
        properties = feature.get("properties")
        if properties is not None and not isinstance(properties, dict):
            return InvalidQuery(where="properties", expected="an object", got=repr(properties))
        return _outline(feature.get("geometry"))
    except InvalidQuery as error:
        return error
    except RecursionError:
        return InvalidQuery(expected="a geometry", got="endlessly nested ones")


def _outline(geometry: object) -> Outline:
    if geometry is None:
        raise InvalidQuery(expected="a geometry", got="none")
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    if not isinstance(geometry, dict) or kind not in _GEOMETRIES:
        got = repr(geometry) if kind is None else f"the type {kind!r}"
        raise InvalidQuery(where="geometry", expected=f"one of {', '.join(_GEOMETRIES)}", got=got)
    if kind == "GeometryCollection":
        parts = [_outline(part) for part in _list(geometry.get("geometries"), "geometries")]
        # For the error message: a collection counts as a MultiPolygon, or as its first part of another type.
        if other := next((part for part in parts if part.type not in (*_POLYGONS, kind)), None):
            return Outline(f"{kind} with a {other.type}")
        return _joined(kind, parts)
    coordinates = geometry.get("coordinates")
    if kind == "Point":
        position, has_z = _positions([coordinates], "point") if coordinates != [] else (_EMPTY, False)
        return Outline(kind, point=position[0] if len(position) else None, has_z=has_z)
    if kind == "Polygon":
        return _polygon(coordinates)
    if kind == "MultiPolygon":
        return _joined(kind, [_polygon(part) for part in _list(coordinates, "coordinates")])
    return Outline(kind)  # lines and the like have no inside, whatever their coordinates are


def _joined(kind: str, parts: list[Outline]) -> Outline:
    polygons = tuple(polygon for part in parts for polygon in part.polygons)
    unclosed = next((part.unclosed for part in parts if part.unclosed), None)
    return Outline(kind, polygons, has_z=any(part.has_z for part in parts), unclosed=unclosed)


def _polygon(coordinates: object) -> Outline:
    rings: list[Floats] = []
    has_z, unclosed = False, None
    for number, vertices in enumerate(_list(coordinates, "coordinates"), start=1):
        ring, z = _positions(vertices, f"ring {number}")
        has_z = has_z or z
        if len(ring) and (ring[0] != ring[-1]).any() and np.isfinite(ring[[0, -1]]).all():
            unclosed = unclosed or f"it starts at {point_text(ring[0])} and ends at {point_text(ring[-1])}"
            ring = np.concatenate([ring, ring[:1]])
        rings.append(ring)
    # A polygon without rings is an empty one, and no part of what is around it.
    return Outline("Polygon", (tuple(rings),) if rings else (), has_z=has_z, unclosed=unclosed)


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidQuery(where=where, expected="a list", got="none" if value is None else repr(value))
    return value


def _positions(vertices: object, where: str) -> tuple[Floats, bool]:
    """Read positions as an array (vertices, 2), and return whether they had further coordinates."""
    given = _list(vertices, where)
    if not given:
        return _EMPTY, False
    has_z = False
    try:
        array = np.array(given)
    except ValueError:  # positions of several lengths, perhaps some with a height
        has_z = True
        try:
            array = np.array([position[:2] for position in given])
        except (TypeError, ValueError):
            array = _EMPTY
    if array.dtype.kind == "O" or (array.dtype.kind in "iuf" and array.dtype != np.float64):
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            array = _EMPTY
    if array.dtype.kind != "f" or array.ndim != 2 or not len(array) or array.shape[1] < 2:
        raise InvalidQuery(where=where, expected="positions of two numbers", got=f"{given!r:.80}")
    return (array if array.shape[1] == 2 else np.ascontiguousarray(array[:, :2])), has_z or array.shape[1] > 2
