"""Outlines as regions that queries watch; features that share an id are one region."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from limen.arrays import Floats
from limen.errors import InvalidQuery, shorten
from limen.formats.geo.feature_file import FeatureFile, Outline
from limen.formats.geo.from_shapely import polygons_in
from limen.formats.geo.library import load_shapely
from limen.model.shape import Circle, MultiPolygon, Polygon


def region_of(outline: Outline, radius: object) -> Circle | Polygon | MultiPolygon:
    """Make a region of a valid outline; of a point, a circle."""
    if outline.type == "Point":
        return _circle(outline, radius)
    if outline.type == "Polygon":
        return polygon_of(outline.polygons[0])
    return MultiPolygon([polygon_of(rings) for rings in outline.polygons])


def polygon_of(rings: Sequence[Floats]) -> Polygon:
    """Make a polygon of its shell and holes."""
    return Polygon(rings[0], rings[1:])


def radii_of(file: FeatureFile, radius: str | float | None) -> Sequence[object]:
    """Return the radius of each feature: a property, one number for all, or none."""
    if not isinstance(radius, str):
        return [radius] * len(file)
    if radius not in file.properties:
        raise file.no_property(radius, "radius", "a number, or ", "a number: the file has no properties")
    return file.column(radius)


def _circle(outline: Outline, radius: object) -> Circle:
    assert outline.point is not None
    if radius is None:
        raise InvalidQuery(
            expected="a Polygon, a MultiPolygon, or a Point with a radius",
            got="a Point",
            hint="radius= names the property that holds it, or gives one for all",
        )
    if isinstance(radius, bool) or not isinstance(radius, (int, float)) or not 0 < radius < math.inf:
        raise InvalidQuery(where="radius", expected="a number above 0", got=repr(radius))
    return Circle(outline.point.tolist(), radius)


@dataclass(frozen=True, slots=True)
class Merged:
    """A query that several features of a file are.

    Parameters
    ----------
    id
        The id that they share.
    features
        Their numbers, from 1.
    united
        Whether they overlap, so that their union had to be taken: rings alone would leave out what is in two of them.
    """

    id: str
    features: tuple[int, ...]
    united: bool

    def __str__(self) -> str:
        overlapping = ", which overlap and were united" if self.united else ""
        return f"{shorten(self.id, 60)} ({len(self.features)} features{overlapping})"


def merge(regions: Sequence[Polygon | MultiPolygon], geometries: npt.NDArray[np.object_]) -> tuple[MultiPolygon, bool]:
    """Merge several regions into one, and return whether they had to be united because they overlap."""
    if _overlap(geometries):
        whole = load_shapely().union_all(geometries)
        return MultiPolygon([polygon_of(rings) for rings in polygons_in(whole)]), True
    # Rings as they are: regions that only touch are separated by the edge rule, without any rounding.
    parts = [
        part for region in regions for part in (region.polygons if isinstance(region, MultiPolygon) else (region,))
    ]
    return MultiPolygon(parts), False


def _overlap(geometries: npt.NDArray[np.object_]) -> bool:
    """Return whether the interiors of any two geometries intersect."""
    shapely = load_shapely()
    one, other = shapely.STRtree(geometries).query(geometries, predicate="intersects")
    pairs = one < other
    return bool(shapely.relate_pattern(geometries[one[pairs]], geometries[other[pairs]], "T********").any())
