"""Where features overlap, and by how much."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from limen.arrays import Floats
from limen.formats.geo.library import load_shapely
from limen.kernels.earth import EARTH_RADIUS

# Intersections are made so many pairs at a time, and no more of them than a minute or so can take.
_AT_A_TIME = 100_000
MOST_PAIRS = 5_000_000


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Pairs of geometries whose interiors intersect.

    Parameters
    ----------
    pairs
        Positions of the two, a row each; largest area first.
    areas
        By how much they overlap: square metres for degrees, else in the units of the coordinates.
    unseen
        How many pairs of neighbours were not looked at because there are too many.
    """

    pairs: npt.NDArray[np.intp]
    areas: Floats
    unseen: int = 0


def find_overlaps(
    geometries: npt.NDArray[np.object_], groups: Sequence[object], *, lonlat: bool, most: int = MOST_PAIRS
) -> Overlaps:
    """Find which geometries overlap; those of one group may.

    Areas of degrees are those of a map that is true to scale along the meridians and at the latitude of the overlap,
    on a sphere: good to a part in a hundred. A shape that crosses the antimeridian is compared with those on its
    western side only.
    """
    shapely = load_shapely()
    group_numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    group = np.array([group_numbers[each] for each in groups], np.int64)
    one, other = shapely.STRtree(geometries).query(geometries, predicate="intersects")
    chosen = (one < other) & (group[one] != group[other])
    one, other = one[chosen], other[chosen]
    unseen = max(0, len(one) - most)
    one, other = one[:most], other[:most]
    areas = np.empty(len(one))
    for start in range(0, len(one), _AT_A_TIME):
        part = slice(start, start + _AT_A_TIME)
        shared = shapely.intersection(geometries[one[part]], geometries[other[part]])
        areas[part] = shapely.area(shared)
        if lonlat:
            areas[part] *= square_metres(shapely.get_y(shapely.centroid(shared)))
    found = np.flatnonzero(areas > 0)
    order = found[np.argsort(-areas[found], kind="stable")]
    return Overlaps(np.column_stack([one[order], other[order]]), areas[order], unseen)


def square_metres(latitude: Floats) -> Floats:
    """Return how many square metres a square degree has at a latitude.

    Examples
    --------
    >>> square_metres(np.array([0.0, 60.0])).round(-6).tolist()
    [12364000000.0, 6182000000.0]
    """
    metres: Floats = (np.pi * EARTH_RADIUS / 180) ** 2 * np.cos(np.radians(np.nan_to_num(latitude)))
    return metres
