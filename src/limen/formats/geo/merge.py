"""Features that share an id, as one region."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from limen.errors import shorten
from limen.formats.geo.geometries import polygons_in
from limen.formats.geo.library import load_shapely
from limen.formats.geo.regions import polygon_of
from limen.model.shape import MultiPolygon, Polygon


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
    """Return whether the insides of any two geometries meet."""
    shapely = load_shapely()
    one, other = shapely.STRtree(geometries).query(geometries, predicate="intersects")
    pairs = one < other
    return bool(shapely.relate_pattern(geometries[one[pairs]], geometries[other[pairs]], "T********").any())
