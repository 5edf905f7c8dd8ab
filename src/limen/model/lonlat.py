"""Longitude and latitude: the sphere that distances are measured on, and shapes that cross the antimeridian.

Edges are straight in longitude and latitude, as GeoJSON has them. Longitudes of positions lie in [-180, 180).
"""

import math

import numpy as np

from limen.arrays import Floats
from limen.errors import InvalidQuery
from limen.kernels.earth import EARTH_RADIUS
from limen.model.region import Region


def normalised(longitude: float) -> float:
    """Return the longitude in [-180, 180) of a place.

    Examples
    --------
    >>> normalised(180), normalised(190), normalised(-74.25)
    (-180.0, -170.0, -74.25)
    """
    if -180 <= longitude < 180:
        return float(longitude)
    return float(math.fmod(math.fmod(longitude + 180, 360) + 360, 360) - 180)


def unwrapped(ring: Floats, where: str) -> Floats:
    """Return a ring whose neighbours are less than half round the world apart, so that it is one piece.

    An edge between longitudes more than 180 degrees apart crosses the antimeridian, unless it runs along a pole: so
    rings round a pole are closed that are cut at the antimeridian.

    Examples
    --------
    >>> unwrapped(np.array([[170.0, 0], [-170, 0], [-170, 5], [170, 5]]), "polygon")[:, 0].tolist()
    [170.0, 190.0, 190.0, 170.0]
    """
    steps = np.diff(ring[:, 0], append=ring[:1, 0])
    along_pole = (np.abs(ring[:, 1]) == 90) & (ring[:, 1] == np.roll(ring[:, 1], -1))
    turns = np.where((np.abs(steps) <= 180) | along_pole, 0.0, np.where(steps > 180, -360.0, 360.0))
    following = np.roll(ring[:, 0], -1)
    # 180 and -180 are one longitude: an edge between them goes nowhere, but all of a ring must have a width.
    two_names = (np.abs(ring[:, 0]) == 180) & (np.abs(following) == 180)
    round_the_world = ~along_pole & (np.abs(steps) >= 360)
    too_long = "add vertices: an edge takes the short way, of 180 degrees at most"
    if turns.sum() != 0:
        raise InvalidQuery(
            where=where,
            expected="a ring that does not go round a pole",
            got=f"{ring.shape[0]} vertices that do",
            hint=too_long
            if round_the_world.any()
            else "cut the polygon at the antimeridian, and close it along the pole",
        )
    if not turns.any():
        return ring
    moved = ring.copy()
    moved[1:, 0] += np.cumsum(turns)[:-1]
    if np.ptp(moved[:, 0]) == 0 or (round_the_world & ~two_names).any():
        raise InvalidQuery(
            where=where,
            expected="edges that go less than once round the world",
            got=f"one from longitude {ring[np.argmax(round_the_world), 0]:g} that does not",
            hint=too_long,
        )
    return moved


def circle_bounds(center: tuple[float, float], radius: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return ranges of longitude and latitude that hold a circle, with a little to spare; the whole width if need be.

    Examples
    --------
    >>> [[round(end, 3) for end in ends] for ends in circle_bounds((10, 60), 1000)]
    [[9.982, 10.018], [59.991, 60.009]]
    """
    spare = 1 + 1e-9
    angle = radius / EARTH_RADIUS * spare
    longitude, latitude = normalised(center[0]), math.radians(center[1])
    south, north = math.degrees(latitude - angle), math.degrees(latitude + angle)
    whole = (-180.0, 180.0)
    if south <= -90 or north >= 90 or math.sin(angle) >= math.cos(latitude):
        return whole, (max(south, -90.0), min(north, 90.0))
    reach = math.degrees(math.asin(math.sin(angle) / math.cos(latitude))) * spare + 1e-12
    west, east = longitude - reach, longitude + reach
    return (whole if west < -180 or east >= 180 else (west, east)), (south - 1e-12, north + 1e-12)


def check_degrees(points: Floats, where: str) -> None:
    """Refuse points that are no longitudes and latitudes; longitudes up to 360 are taken as such."""
    beyond = (points[:, 0] < -180) | (points[:, 0] > 360) | (np.abs(points[:, 1]) > 90)
    if not beyond.any():
        return
    got = points[int(np.argmax(beyond))].tolist()
    swapped = np.abs(points[:, 0]).max() <= 90 and np.abs(points[:, 1]).max() <= 180
    raise InvalidQuery(
        where=where,
        expected="longitude from -180 to 180 and latitude from -90 to 90",
        got=str(got),
        hint="longitude comes first" if swapped else None,
    )


def check_on_sphere(region: Region, where: str) -> None:
    """Refuse a region that is not one of longitude and latitude."""
    corners = [region.center] if hasattr(region, "center") else None
    if corners is not None:
        check_degrees(np.array(corners), where)
        return
    if hasattr(region, "rings"):
        for ring in region.rings:
            check_degrees(ring, where)
            unwrapped(ring, where)
        return
    # A side that is left open lies at the end of the world.
    limits = np.array([[-180.0, -90.0], [180.0, 90.0]])
    given = np.array([region.lower, region.upper])
    ends = np.where(np.isfinite(given), given, limits)
    check_degrees(ends, where)
    (west, _), (east, _) = ends.tolist()
    if (west > east and normalised(west) == normalised(east)) or east - west > 360:
        raise InvalidQuery(
            where=where,
            expected="a box of some width, and not more than once round the world",
            got=f"from {west} to {east}",
        )
