"""Outlines as geometries of shapely, which validates them, finds overlaps and repairs."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from limen.arrays import Floats
from limen.formats.geo.feature_file import Outline
from limen.formats.geo.library import load_shapely
from limen.model.lonlat import unwrapped


def geometries_of(outlines: Sequence[Outline], *, lonlat: bool) -> npt.NDArray[np.object_]:
    """Make a MultiPolygon of each outline; it must have polygons, of three vertices or more.

    What crosses the antimeridian is made one piece, so that some of its longitudes are beyond 180.
    """
    shapely = load_shapely()
    rings: list[Floats] = []
    polygon_of: list[int] = []
    outline_of: list[int] = []
    for number, outline in enumerate(outlines):
        for polygon in outline.polygons:
            rings += in_one_piece(polygon) if lonlat else polygon
            polygon_of += [len(outline_of)] * len(polygon)
            outline_of.append(number)
    if not rings:
        return np.empty(len(outlines), object)
    vertices = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
    closed = shapely.linearrings(np.concatenate(rings), indices=vertices)
    polygons = shapely.polygons(closed, indices=np.array(polygon_of))
    made: npt.NDArray[np.object_] = shapely.multipolygons(polygons, indices=np.array(outline_of))
    return made


def in_one_piece(polygon: Sequence[Floats]) -> list[Floats]:
    """Let the rings of a polygon run on beyond the antimeridian, eastward, with holes within their shell.

    Examples
    --------
    >>> shell = np.array([[-170.0, 0], [170, 0], [170, 5], [-170, 0]])
    >>> [ring[:, 0].tolist() for ring in in_one_piece([shell])]
    [[190.0, 170.0, 170.0, 190.0]]
    """
    longitude = polygon[0][:, 0]
    if longitude.max() <= 180 and longitude.max() - longitude.min() <= 180:
        return list(polygon)
    rings = [unwrapped(ring, "polygon") for ring in polygon]
    first = rings[0][:, 0].min()
    shell_middle = _middle(rings[0]) + (360.0 if first < -180 else 0.0)
    return [ring + np.array([360.0 * round((shell_middle - _middle(ring)) / 360), 0.0]) for ring in rings]


def _middle(ring: Floats) -> float:
    return float(ring[:, 0].min() + ring[:, 0].max()) / 2
