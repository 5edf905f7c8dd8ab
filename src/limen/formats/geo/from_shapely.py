"""Geometries of shapely as outlines, all at once."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from limen.arrays import Floats
from limen.errors import InvalidQuery
from limen.formats.geo.feature_file import Outline
from limen.formats.geo.library import load_shapely

_POINT, _POLYGON, _COLLECTION = 0, 3, 7
# As shapely numbers them.
_NAMES = (
    "Point", "LineString", "LinearRing", "Polygon",
    "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection",
)  # fmt: skip
_NEVER_CLOSED = "do not form a closed linestring"


def parse(encoded: Sequence[object], parser: Callable[..., Any], language: str) -> list[Outline | InvalidQuery]:
    """Parse all at once where shapely can; otherwise one by one, to get the error of each.

    Parameters
    ----------
    encoded
        Text or bytes of each geometry; None is a geometry that is not there.
    parser
        ``shapely.from_wkt`` or ``shapely.from_wkb``.
    language
        What `encoded` is written in, for messages.
    """
    given = np.empty(len(encoded), object)
    given[:] = encoded
    with np.errstate(invalid="ignore", over="ignore"):  # what cannot be parsed, or is infinite, is reported later
        try:
            geometries = parser(given, on_invalid="ignore")
        except NotImplementedError:  # a curve among them, which shapely does not even pass over
            geometries = np.array([_parsed(each, parser) for each in given], object)
        found = outlines(geometries)
    return [
        outline if outline is not None else _explained(text, parser, language)
        for outline, text in zip(found, given, strict=True)
    ]


def _parsed(encoded: object, parser: Callable[..., Any]) -> Any:
    try:
        return parser(encoded, on_invalid="ignore")
    except NotImplementedError:
        return None


def _explained(encoded: object, parser: Callable[..., Any], language: str) -> Outline | InvalidQuery:
    shapely = load_shapely()
    if encoded is None:
        return InvalidQuery(expected="a geometry", got="none")
    try:
        with np.errstate(over="ignore"):
            parser(encoded)
    except (shapely.errors.ShapelyError, NotImplementedError, TypeError, ValueError) as error:
        reason = str(error)
    else:  # pragma: no cover  # what was refused among others is refused alone
        reason = "nothing"
    if _NEVER_CLOSED in reason:
        closed = _closed(encoded, parser)
        if closed is not None:
            return Outline(
                closed.type, closed.polygons, has_z=closed.has_z, unclosed="its first and last vertex differ"
            )
    return InvalidQuery(expected=language, got=reason.removeprefix("ParseException: ").rstrip("."))


def _closed(encoded: object, parser: Callable[..., Any]) -> Outline | None:
    with np.errstate(invalid="ignore", over="ignore"):
        return outlines(parser(np.array([encoded], object), on_invalid="fix"))[0]


def outlines(geometries: npt.NDArray[np.object_]) -> list[Outline | None]:
    """Make an outline of every geometry; none of what is missing."""
    shapely = load_shapely()
    kinds = shapely.get_type_id(geometries)
    has_z = shapely.has_z(geometries)
    parts, owner = _parts(geometries)
    types = shapely.get_type_id(parts)
    unsupported = {int(o): _NAMES[t] for o, t in zip(owner[::-1], types[::-1], strict=True) if t != _POLYGON}
    polygons = _polygons(parts, owner, len(geometries))
    found: list[Outline | None] = []
    for number, kind in enumerate(kinds.tolist()):
        if kind < 0:
            found.append(None)
        elif kind == _POINT:
            point = shapely.get_coordinates(geometries[number])
            found.append(Outline("Point", point=point[0] if len(point) else None, has_z=bool(has_z[number])))
        elif kind == _COLLECTION and number in unsupported:
            found.append(Outline(f"{_NAMES[kind]} with a {unsupported[number]}"))
        else:
            found.append(Outline(_NAMES[kind], polygons[number], has_z=bool(has_z[number])))
    return found


def _parts(geometries: npt.NDArray[np.object_]) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.intp]]:
    """Take collections apart, and what is within them, until nothing is left to take apart."""
    shapely = load_shapely()
    parts, owner = shapely.get_parts(geometries, return_index=True)
    while (shapely.get_type_id(parts) > _POLYGON).any():
        parts, within = shapely.get_parts(parts, return_index=True)
        owner = owner[within]
    return parts, owner


def polygons_in(geometry: Any) -> tuple[tuple[Floats, ...], ...]:  # shapely has no types
    """Return the rings of every polygon within a geometry, however deep; lines and points of it are left out."""
    parts, owner = _parts(np.array([geometry], object))
    return _polygons(parts, owner, 1)[0]


def _polygons(
    parts: npt.NDArray[np.object_], owner: npt.NDArray[np.intp], count: int
) -> list[tuple[tuple[Floats, ...], ...]]:
    """Return the rings of the polygons of each owner."""
    shapely = load_shapely()
    chosen = shapely.get_type_id(parts) == _POLYGON
    polygons, owner = parts[chosen], owner[chosen]
    rings, polygon_of = shapely.get_rings(polygons, return_index=True)
    coordinates, ring_of = shapely.get_coordinates(rings, return_index=True)
    ends = np.cumsum(np.bincount(ring_of, minlength=len(rings)))[:-1]
    arrays = np.split(coordinates, ends) if len(rings) else []
    by_polygon: list[list[Floats]] = [[] for _ in polygons]
    for array, polygon in zip(arrays, polygon_of.tolist(), strict=True):
        by_polygon[polygon].append(array)
    found: list[list[tuple[Floats, ...]]] = [[] for _ in range(count)]
    for polygon_rings, number in zip(by_polygon, owner.tolist(), strict=True):
        if polygon_rings:
            found[number].append(tuple(polygon_rings))
    return [tuple(each) for each in found]
