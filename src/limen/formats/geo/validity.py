"""Faults of outlines, and their repair.

Clockwise rings, repeated vertices and heights are fine: whether a point is inside does not depend on them.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from limen.arrays import Floats, Mask
from limen.errors import InvalidQuery
from limen.formats.geo.feature_file import Outline, point_text
from limen.formats.geo.from_shapely import polygons_in
from limen.formats.geo.geometries import geometries_of
from limen.formats.geo.library import load_shapely
from limen.model.lonlat import unwrapped

ACCEPTED = ("Polygon", "MultiPolygon", "GeometryCollection")
_REASON = re.compile(r"(.*?)\[(\S+) (\S+).*\]")


def faults(outlines: Sequence[Outline], *, lonlat: bool) -> tuple[list[InvalidQuery | None], npt.NDArray[np.object_]]:
    """Judge polygons and points.

    Returns
    -------
    tuple of list and array
        For each outline what is wrong with it; and its geometry, where it has polygons that shapely can hold.
    """
    shapely = load_shapely()
    found: list[InvalidQuery | None] = [None] * len(outlines)
    geometries = np.empty(len(outlines), object)
    suspect = _suspects(outlines, lonlat=lonlat)
    for number in np.flatnonzero(suspect).tolist():
        found[number] = _plain_fault(outlines[number], lonlat=lonlat)
    whole = np.array([error is None and bool(outlines[n].polygons) for n, error in enumerate(found)], bool)
    numbers = np.flatnonzero(whole)
    geometries[numbers] = geometries_of([outlines[number] for number in numbers.tolist()], lonlat=lonlat)
    for number in numbers.tolist():
        unclosed = outlines[number].unclosed
        if unclosed is not None:
            found[number] = InvalidQuery(f"unclosed ring: {unclosed}")
    for number in numbers[~shapely.is_valid(geometries[numbers])].tolist():
        found[number] = found[number] or _explained(geometries[number])
    return found, geometries


def _suspects(outlines: Sequence[Outline], *, lonlat: bool) -> Mask:
    """Return which outlines need a full check, by testing all vertices at once."""
    rings = [outline.rings for outline in outlines]
    suspect = np.array([not each or outline.point is not None for each, outline in zip(rings, outlines, strict=True)])
    flat = [ring for each in rings for ring in each]
    owner = np.repeat(np.arange(len(outlines)), [len(each) for each in rings])
    sizes = np.array([len(ring) for ring in flat], np.int64)
    suspect[owner[sizes < 4]] = True
    if not flat or not sizes.any():
        return suspect
    vertices = np.concatenate(flat)
    beyond = ~np.isfinite(vertices).all(axis=1)
    if lonlat:
        beyond |= (np.abs(vertices) > (180, 90)).any(axis=1)
    suspect[np.repeat(owner, sizes)[beyond]] = True
    # A ring that is wide may go round a pole; starts of empty rings would read their neighbour's vertices.
    filled = sizes > 0
    starts = (np.cumsum(sizes) - sizes)[filled]
    width = np.maximum.reduceat(vertices[:, 0], starts) - np.minimum.reduceat(vertices[:, 0], starts)
    suspect[owner[filled][~(width <= 180)]] |= lonlat
    return suspect


def _plain_fault(outline: Outline, *, lonlat: bool) -> InvalidQuery | None:
    """Find faults that need no geometry library."""
    try:
        if outline.point is not None:
            _check_points(outline.point[np.newaxis], "point", lonlat=lonlat)
        elif outline.type != "Point" and outline.type not in ACCEPTED:
            return InvalidQuery(expected="a Polygon, a MultiPolygon, or a Point with radius=", got=f"a {outline.type}")
        elif not outline.rings or not any(len(ring) for ring in outline.rings):
            return InvalidQuery(expected="a geometry", got=f"an empty {outline.type}")
        for number, ring in enumerate(outline.rings, start=1):
            _check_ring(ring, f"ring {number}" if len(outline.rings) > 1 else None, lonlat=lonlat)
    except InvalidQuery as error:
        return error
    return None


def _check_ring(ring: Floats, where: str | None, *, lonlat: bool) -> None:
    _check_points(ring, where, lonlat=lonlat)
    different = len(ring) - 1 if len(ring) else 0
    if different < 3:
        raise InvalidQuery(where=where, expected="three different vertices or more", got=str(different))
    if lonlat:
        unwrapped(ring[:-1], where or "ring")


def _check_points(points: Floats, where: str | None, *, lonlat: bool) -> None:
    finite = np.isfinite(points).all(axis=1)
    if not finite.all():
        got = point_text(points[int(np.argmin(finite))])
        raise InvalidQuery(where=where, expected="finite numbers", got=got)
    if not lonlat or not len(points):
        return
    # Longitudes up to 360 are those of files that count eastward, or go on beyond the antimeridian.
    beyond = (points[:, 0] < -180) | (points[:, 0] > 360) | (np.abs(points[:, 1]) > 90)
    if beyond.any():
        swapped = np.abs(points[:, 0]).max() <= 90 and np.abs(points[:, 1]).max() > 90
        raise InvalidQuery(
            where=where,
            expected="longitude from -180 to 180 and latitude from -90 to 90",
            got=point_text(points[int(np.argmax(beyond))]),
            hint="longitude comes first: are the two swapped?"
            if swapped
            else "crs='planar' is for coordinates that are no degrees",
        )


def _explained(geometry: Any) -> InvalidQuery:  # shapely has no types
    """Return why shapely does not accept a geometry."""
    shapely = load_shapely()
    # A ring that goes there and back intersects itself everywhere; what is wrong is that nothing is inside.
    if not polygons_in(shapely.make_valid(geometry)):
        return InvalidQuery("zero area")
    text = str(shapely.is_valid_reason(geometry))
    reason = _REASON.fullmatch(text)
    if reason is None:
        return InvalidQuery(text[:1].lower() + text[1:])
    return InvalidQuery(f"{reason[1].lower()} at {point_text((float(reason[2]), float(reason[3])))}")


def repaired(outline: Outline, geometry: Any) -> tuple[Outline, Any] | None:
    """Return a valid outline of what the geometry encloses, and its geometry; None where that is nothing.

    Rings are closed, loops become polygons of their own, spikes, which have no area, go, and parts that overlap or
    share an edge are united.
    """
    shapely = load_shapely()
    polygons = polygons_in(shapely.union_all(shapely.make_valid(shapely.get_parts(geometry))))
    if not polygons:
        return None
    kind = "Polygon" if len(polygons) == 1 else "MultiPolygon"
    result = Outline(kind, polygons, has_z=outline.has_z)
    # The geometry was made one piece already, if it crosses the antimeridian.
    return result, geometries_of([result], lonlat=False)[0]


def describe_repair(outline: Outline) -> str:
    """Describe the repaired feature."""
    holes = sum(len(polygon) - 1 for polygon in outline.polygons)
    parts = [f"{len(outline.polygons):,} polygon{'s' if len(outline.polygons) > 1 else ''}"]
    if holes:
        parts.append(f"{holes:,} hole{'s' if holes > 1 else ''}")
    return f"repaired: {' with '.join(parts)}"
