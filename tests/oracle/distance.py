"""Whether a point outside a region is further from it than a margin ("Hysteresis and debouncing")."""

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tests.oracle.region import Point, distance_at_most, edges_of, ends_of, haversine


def beyond(region: Mapping[str, Any], point: Point, margin: float, *, lonlat: bool) -> bool:
    kind = region["type"]
    if kind == "circle":
        return not distance_at_most(region["center"], point, region["radius"] + margin, lonlat=lonlat)
    if kind in ("polygon", "multipolygon"):
        return metres_to_edges(region, point) > margin if lonlat else far_from_edges(region, point, margin)
    return metres_to_box(region, point) > margin if lonlat else far_from_ranges(region, point, margin)


def far_from_ranges(region: Mapping[str, Any], point: Point, margin: float) -> bool:
    squares = 0.0
    # One after another, in the order of the columns: sums of floats depend on it.
    for value, (low, high) in zip(point, ends_of(region, lonlat=False), strict=True):
        off = max(low - value, value - high, 0.0)
        squares += off * off
    return squares > margin * margin


def far_from_edges(region: Mapping[str, Any], point: Point, margin: float) -> bool:
    """Whether all of a polygon's border is further away, in rational numbers."""
    px, py = map(Fraction, point)
    for (xa, ya), (xb, yb) in border_of(region):
        dx, dy = xb - xa, yb - ya
        whole = dx * dx + dy * dy
        along = min(max(((px - xa) * dx + (py - ya) * dy) / whole, Fraction(0)), Fraction(1)) if whole else Fraction(0)
        off_x, off_y = xa + along * dx - px, ya + along * dy - py
        if off_x * off_x + off_y * off_y <= Fraction(margin) ** 2:
            return False
    return True


def border_of(region: Mapping[str, Any]) -> list[tuple[tuple[Fraction, ...], tuple[Fraction, ...]]]:
    """Cut edges wherever a vertex lies on them; what then is there an even number of times is no border."""
    edges = [tuple(tuple(map(Fraction, end)) for end in edge) for edge in edges_of(region, lonlat=False)]
    vertices = {end for edge in edges for end in edge}
    pieces: Counter[Any] = Counter()
    for (xa, ya), (xb, yb) in edges:
        on_edge = [
            (x, y)
            for x, y in vertices
            if (xb - xa) * (y - ya) == (x - xa) * (yb - ya)
            and min(xa, xb) <= x <= max(xa, xb)
            and min(ya, yb) <= y <= max(ya, yb)
        ]
        pieces.update(pairwise(sorted(on_edge)))
    return [piece for piece, times in pieces.items() if times % 2 == 1]


def metres_to_box(region: Mapping[str, Any], point: Point) -> float:
    (west, east), (south, north) = ends_of(region, lonlat=True)
    nearest_latitude = min(max(point[1], south), north)
    return min(
        haversine((point[0] + turn, point[1]), (min(max(point[0] + turn, west), east), nearest_latitude))
        for turn in (-360.0, 0.0, 360.0)
    )


def metres_to_edges(region: Mapping[str, Any], point: Point) -> float:
    """Metres to the nearest edge, whose nearest point is sought where longitude is as long as at the tuple."""
    px, py = point
    width = math.cos(math.radians(py))
    distances = []
    # The edges are those of copies of the rings, one turn round the world before and after, so the point needs no turn.
    for (xa, ya), (xb, yb) in edges_of(region, lonlat=True):
        dx, dy = xb - xa, yb - ya
        whole = dx * dx * width * width + dy * dy
        share = (px - xa) * dx * width * width + (py - ya) * dy
        along = min(max(share / whole, 0.0), 1.0) if whole > 0 else 0.0
        distances.append(haversine(point, (xa + along * dx, ya + along * dy)))
    return min(distances)
