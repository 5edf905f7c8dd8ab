"""Which points are inside a region, in its JSON form (SEMANTICS §3)."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

Point = Sequence[float]
Edge = tuple[tuple[float, float], tuple[float, float]]
Ring = list[tuple[float, float]]

EARTH_RADIUS = 6_371_008.8


def contains(region: Mapping[str, Any], point: Point, *, lonlat: bool = False) -> bool:
    kind = region["type"]
    if kind == "circle":
        return distance_at_most(region["center"], point, region["radius"], lonlat=lonlat)
    if kind in ("polygon", "multipolygon"):
        return crossed_to_the_right(region, point, lonlat=lonlat) % 2 == 1
    return in_ranges(region, point, lonlat=lonlat)


def in_ranges(region: Mapping[str, Any], point: Point, *, lonlat: bool) -> bool:
    for axis, (value, (low, high)) in enumerate(zip(point, ends_of(region, lonlat=lonlat), strict=True)):
        turns = (0, 360) if lonlat and axis == 0 else (0,)
        if not any(low <= value + turn < high for turn in turns):
            return False
    return True


def ends_of(region: Mapping[str, Any], *, lonlat: bool) -> list[tuple[float, float]]:
    """Both ends of a range, or of a box in each dimension."""
    lows, highs = (
        ([region.get("lo")], [region.get("hi")]) if region["type"] == "range" else (region["lo"], region["hi"])
    )
    ends = [
        (-math.inf if lo is None else lo, math.inf if hi is None else hi) for lo, hi in zip(lows, highs, strict=True)
    ]
    if lonlat:
        (west, east), *others = ends
        return [(west, far_end(west, east)), *others]
    return ends


def far_end(west: float, east: float) -> float:
    """The east end of a box, counted on from its west end where it crosses the antimeridian."""
    return east + 360 if east < west else east


def rings_of(region: Mapping[str, Any]) -> list[Ring]:
    polygons = region["polygons"] if region["type"] == "multipolygon" else [region]
    return [[(x, y) for x, y in ring] for polygon in polygons for ring in (polygon["shell"], *polygon.get("holes", ()))]


def edges_of(region: Mapping[str, Any], *, lonlat: bool) -> Iterator[Edge]:
    """Go through the edges of all rings of a polygon or several; in degrees, of all copies of the rings."""
    rings = rings_of(region)
    for ring in copies(rings) if lonlat else rings:
        yield from zip(ring, [*ring[1:], ring[0]], strict=True)


def crossed_to_the_right(region: Mapping[str, Any], point: Point, *, lonlat: bool) -> int:
    """Count the edges, of all rings, with min y ≤ py < max y and the point strictly left of the edge."""
    px, py = map(Fraction, point)
    count = 0
    for one, other in edges_of(region, lonlat=lonlat):
        (ya, xa), (yb, xb) = sorted(((Fraction(one[1]), Fraction(one[0])), (Fraction(other[1]), Fraction(other[0]))))
        if ya <= py < yb:
            count += (xb - xa) * (py - ya) - (px - xa) * (yb - ya) > 0
    return count


def copies(rings: list[Ring]) -> Iterator[Ring]:
    """Go through rings in one piece, and as they are seen from one turn round the world before and after."""
    for ring in rings:
        turns, piece = 0.0, [ring[0]]
        for (before, at), (x, y) in pairwise(ring):
            along_pole = at == y and abs(y) == 90
            turns += 0 if along_pole else -360 if x - before > 180 else 360 if x - before < -180 else 0
            piece.append((x + turns, y))
        for shift in (-360.0, 0.0, 360.0):
            yield [(x + shift, y) for x, y in piece]


def distance_at_most(center: Point, point: Point, radius: float, *, lonlat: bool) -> bool:
    if lonlat:
        return haversine(center, point) <= radius
    return (
        sum((value - middle) * (value - middle) for value, middle in zip(point, center, strict=True)) <= radius * radius
    )


def haversine(one: Point, other: Point) -> float:
    """Metres between two places of longitude and latitude."""
    (lon1, lat1), (lon2, lat2) = (map(math.radians, place) for place in (one, other))
    up, along = math.sin((lat2 - lat1) / 2), math.sin((lon2 - lon1) / 2)
    # Products: a power may be off in the last bit, and of two that are nearly as far away one is nearer.
    half = up * up + math.cos(lat1) * math.cos(lat2) * (along * along)
    return 2 * EARTH_RADIUS * math.asin(min(math.sqrt(half), 1.0))
