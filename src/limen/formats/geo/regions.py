"""Outlines as regions that queries watch."""

import math
from collections.abc import Sequence

from limen.arrays import Floats
from limen.errors import InvalidInput, InvalidQuery, did_you_mean
from limen.formats.geo.feature_file import FeatureFile, Outline
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
    if radius in file.properties:
        return file.column(radius)
    names = list(file.properties)
    raise InvalidInput(
        where=f"{file.name}: radius",
        expected=f"a number, or a property among {', '.join(names)}"
        if names
        else "a number: the file has no properties",
        got=repr(radius),
        hint=did_you_mean(radius, names),
    )


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
