"""Repair outlines with shapely."""

from typing import Any

from limen.formats.geo.feature_file import Outline
from limen.formats.geo.geometries import geometries_of, polygons_in
from limen.formats.geo.library import load_shapely


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
    mended = Outline(kind, tuple(polygons), has_z=outline.has_z)
    # The geometry was made one piece already, if it crosses the antimeridian.
    return mended, geometries_of([mended], lonlat=False)[0]


def describe_repair(outline: Outline) -> str:
    """Describe the repaired feature."""
    holes = sum(len(polygon) - 1 for polygon in outline.polygons)
    parts = [f"{len(outline.polygons):,} polygon{'s' if len(outline.polygons) > 1 else ''}"]
    if holes:
        parts.append(f"{holes:,} hole{'s' if holes > 1 else ''}")
    return f"repaired: {' with '.join(parts)}"
