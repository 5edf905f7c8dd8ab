"""Regions as an index takes them: boxes as bounds, everything else as shapes of the plane."""

import numpy as np

from limen.arrays import Floats
from limen.model.columns import Columns
from limen.model.lonlat import circle_bounds, normalised, unwrapped
from limen.model.region import Box, Range, Region
from limen.model.shape import Circle, MultiPolygon, Polygon
from limen.regions.border_grid import BorderGrid
from limen.regions.boxes import BoxIndex
from limen.regions.contract import RegionIndex
from limen.regions.plane_boxes import PlaneBoxes
from limen.regions.shapes import BOX, CIRCLE, POLYGON, Shapes, edges_of_ring

NO_EDGES: Floats = np.empty((0, 4))
BEYOND = 1000.0  # degrees: further than any latitude


def is_shape(region: Region, *, lonlat: bool) -> bool:
    """Whether a region is more than a range in each dimension; with `lonlat`, on longitude and latitude."""
    if isinstance(region, (Range, Box)):
        return lonlat and isinstance(region, Box) and (region.wraps or region.hi[0] > 180)
    return True


def on_sphere(columns: Columns, positions: tuple[int, ...]) -> bool:
    """Whether regions on these columns are about longitude and latitude."""
    return columns.crs == "lonlat" and positions == (0, 1)


def new_index(dimensions: int, *, bound: bool, shapes: bool, lonlat: bool) -> RegionIndex:
    """Make an index for regions that are shapes, or boxes."""
    if shapes:
        return BorderGrid(lonlat=lonlat, bound=bound)
    return PlaneBoxes(lonlat=lonlat, bound=bound) if dimensions == 2 else BoxIndex(dimensions, bound=bound)


def regions_of(regions: list[Region], index: RegionIndex) -> Floats | Shapes:
    """Return regions as an index takes them."""
    return shapes_of(regions, lonlat=index.lonlat) if isinstance(index, BorderGrid) else bounds_of(regions)


def bounds_of(regions: list[Region]) -> Floats:
    """Return boxes as bounds (n, dimensions, 2)."""
    bounds = [region.lower + region.upper for region in regions]
    return np.array(bounds, np.float64).reshape(len(regions), 2, -1).transpose(0, 2, 1)


def shapes_of(regions: list[Region], *, lonlat: bool) -> Shapes:
    """Return regions of two dimensions as shapes."""
    n = len(regions)
    kind, bounds = np.zeros(n, np.int8), np.empty((n, 2, 2))
    center, radius = np.zeros((n, 2)), np.zeros(n)
    edges: list[Floats] = []
    plain = [number for number, region in enumerate(regions) if not is_shape(region, lonlat=lonlat)]
    if plain:
        kind[plain], bounds[plain] = BOX, bounds_of([regions[number] for number in plain])
    counts = np.zeros(n, np.int64)
    for number, region in enumerate(regions) if len(plain) < n else ():
        if isinstance(region, Circle):
            kind[number], radius[number] = CIRCLE, region.radius
            center[number] = (normalised(region.center[0]), region.center[1]) if lonlat else region.center
            bounds[number] = circle_bounds(region.center, region.radius) if lonlat else _around(region)
        elif is_shape(region, lonlat=lonlat):
            rings = _halves(region) if isinstance(region, Box) else _rings(region, lonlat=lonlat)
            kind[number], bounds[number] = POLYGON, _extent(rings)
            edges.append(np.concatenate([edges_of_ring(ring) for ring in rings]))
            counts[number] = len(edges[-1])
    return Shapes(kind, bounds, center, radius, np.concatenate([NO_EDGES, *edges]), counts)


def _around(circle: Circle) -> Floats:
    """Return what holds a circle; a little more, since the ends are rounded."""
    middle = np.array(circle.center)
    reach = np.nextafter(circle.radius, np.inf)
    return np.stack([np.nextafter(middle - reach, -np.inf), np.nextafter(middle + reach, np.inf)], axis=1)


def _rings(region: Region, *, lonlat: bool) -> tuple[Floats, ...]:
    assert isinstance(region, (Polygon, MultiPolygon))
    if not lonlat:
        return region.rings
    return tuple(copy for ring in region.rings for copy in _copies(unwrapped(ring, "polygon")))


def _extent(rings: tuple[Floats, ...]) -> Floats:
    points = np.concatenate(rings)
    return np.stack([points.min(axis=0), points.max(axis=0)], axis=1)


def _copies(ring: Floats) -> list[Floats]:
    """Return a ring as it is seen from all turns round the world from which it is seen at all."""
    shifted = [ring + np.array([shift, 0.0]) for shift in (-360.0, 0.0, 360.0)]
    return [copy for copy in shifted if copy[:, 0].max() > -180 and copy[:, 0].min() < 180]


def _halves(box: Box) -> tuple[Floats, ...]:
    """Cut a box in two where it crosses the antimeridian."""
    west, east = normalised(box.lo[0]), normalised(box.hi[0])
    south, north = np.clip([box.lo[1], box.hi[1]], -BEYOND, BEYOND)
    # One that only begins or ends at the antimeridian is whole.
    ends = [(west, east)] if west < east else [(left, right) for left, right in ((west, 180.0), (-180.0, east))]
    return tuple(
        np.array([[left, south], [right, south], [right, north], [left, north]]) for left, right in ends if left < right
    )
