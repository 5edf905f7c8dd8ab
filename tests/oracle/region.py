"""Which points are inside a region, in its JSON form (SEMANTICS §3)."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

Point = Sequence[float]
Ring = list[tuple[float, float]]

EARTH_RADIUS = 6_371_008.8


def contains(region: Mapping[str, Any], point: Point, *, lonlat: bool = False) -> bool:
    kind = region["type"]
    if kind == "circle":
        return distance_at_most(region["center"], point, region["radius"], lonlat=lonlat)
    if kind == "polygon":
        return crossed_to_the_right(rings_of([region]), point, lonlat=lonlat) % 2 == 1
    if kind == "multipolygon":
        return crossed_to_the_right(rings_of(region["polygons"]), point, lonlat=lonlat) % 2 == 1
    return in_ranges(region, point, lonlat=lonlat)


def in_ranges(region: Mapping[str, Any], point: Point, *, lonlat: bool) -> bool:
    lows, highs = (
        ([region.get("lo")], [region.get("hi")]) if region["type"] == "range" else (region["lo"], region["hi"])
    )
    for axis, (value, lo, hi) in enumerate(zip(point, lows, highs, strict=True)):
        low, high = -math.inf if lo is None else lo, math.inf if hi is None else hi
        if lonlat and axis == 0:
            inside = any(low <= value + turn < far_end(low, high) for turn in (0, 360))
        else:
            inside = low <= value < high
        if not inside:
            return False
    return True


def far_end(west: float, east: float) -> float:
    """The east end of a box, counted on from its west end where it crosses the antimeridian."""
    return east + 360 if east < west else east


def rings_of(polygons: Sequence[Mapping[str, Any]]) -> list[Ring]:
    return [[(x, y) for x, y in ring] for polygon in polygons for ring in (polygon["shell"], *polygon.get("holes", ()))]


def crossed_to_the_right(rings: list[Ring], point: Point, *, lonlat: bool) -> int:
    """Count the edges, of all rings, with min y ≤ py < max y and the point strictly left of the edge."""
    px, py = map(Fraction, point)
    count = 0
    for ring in copies(rings) if lonlat else rings:
        for one, other in zip(ring, [*ring[1:], ring[0]], strict=True):
            (ya, xa), (yb, xb) = sorted(
                ((Fraction(one[1]), Fraction(one[0])), (Fraction(other[1]), Fraction(other[0])))
            )
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
    half = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_RADIUS * math.asin(math.sqrt(half))
