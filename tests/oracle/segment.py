"""Whether the straight way from one point to another meets a region ("Jumps: `cross`").

A way meets a region when a point of it is in the region. Along a way that can change at a few places only: at the ends
of a range, where the way meets an edge, and at the height of an edge's end. So all these places are tried, and one
between any two neighbours, in rational numbers.
"""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tests.oracle.region import Point, contains, edges_of, ends_of

#: A way is less than half round the world, so no copy of a region is further from it than this.
TURNS = (-720, -360, 0, 360, 720)


def meets(region: Mapping[str, Any], before: Point, after: Point, *, lonlat: bool) -> bool:
    end = the_short_way(before, after) if lonlat else after
    if region["type"] == "circle":
        return nearest_is_in_circle(region, before, end, lonlat=lonlat)
    start = [Fraction(value) for value in before]
    steps = [Fraction(value) - first for value, first in zip(end, start, strict=True)]
    if region["type"] in ("polygon", "multipolygon"):
        changes = shares_at_edges(region, start, steps, lonlat=lonlat)
    else:
        changes = shares_at_ends(region, start, steps, lonlat=lonlat)
    places = sorted({Fraction(0), Fraction(1), *(share for share in changes if 0 < share < 1)})
    between = [(one + other) / 2 for one, other in pairwise(places)]
    for share in (*places, *between):
        point = [first + share * step for first, step in zip(start, steps, strict=True)]
        if contains(region, as_longitude(point) if lonlat else point, lonlat=lonlat):
            return True
    return False


def the_short_way(before: Point, after: Point) -> list[float]:
    """The end of a way in degrees, its longitude counted on where the way goes over the antimeridian."""
    x0, x1 = before[0], after[0]
    turn = -360.0 if x1 - x0 > 180 else 360.0 if x1 - x0 < -180 else 0.0
    return [x1 + turn, *after[1:]]


def as_longitude(point: list[Fraction]) -> list[Fraction]:
    return [(point[0] + 180) % 360 - 180, *point[1:]]


def shares_at_ends(
    region: Mapping[str, Any], start: list[Fraction], steps: list[Fraction], *, lonlat: bool
) -> Iterator[Fraction]:
    """The shares of the way after which a column has the value of an end of its range."""
    for axis, ends in enumerate(ends_of(region, lonlat=lonlat)):
        for end in ends:
            for turn in TURNS if lonlat and axis == 0 else (0,):
                if steps[axis] != 0 and math.isfinite(end):
                    yield (Fraction(end) + turn - start[axis]) / steps[axis]


def shares_at_edges(
    region: Mapping[str, Any], start: list[Fraction], steps: list[Fraction], *, lonlat: bool
) -> Iterator[Fraction]:
    """The shares of the way after which it meets an edge, or is as high as an end of it."""
    (x0, y0), (dx, dy) = start, steps
    for edge in edges_of(region, lonlat=lonlat):
        (xa, ya), (xb, yb) = (tuple(map(Fraction, end)) for end in edge)
        for height in (ya, yb):
            if dy != 0:
                yield (height - y0) / dy
        across = dx * (yb - ya) - dy * (xb - xa)
        for turn in TURNS if lonlat else (0,):
            if across != 0:
                share = ((xa + turn - x0) * (yb - ya) - (ya - y0) * (xb - xa)) / across
                if min(ya, yb) <= y0 + share * dy <= max(ya, yb):
                    yield share


def nearest_is_in_circle(region: Mapping[str, Any], before: Point, end: Point, *, lonlat: bool) -> bool:
    """Test the point of the way that is nearest to the center, which in degrees is there once a turn."""
    (x0, y0), (x1, y1), (center_x, center_y) = before, end, region["center"]
    dx, dy = x1 - x0, y1 - y0
    # Sought where degrees of longitude are as long as at the center.
    width = math.cos(math.radians(center_y)) if lonlat else 1.0
    whole = dx * dx * width * width + dy * dy
    for turn in (-360.0, 0.0, 360.0) if lonlat else (0.0,):
        share = dx * (center_x + turn - x0) * width * width + dy * (center_y - y0)
        along = clamped(share / whole, 0.0, 1.0) if whole > 0 else 0.0
        # Rounding must not take the point off the way: 1e16 + 1 * (1 - 1e16) is 0.
        nearest = clamped(x0 + along * dx, x0, x1), clamped(y0 + along * dy, y0, y1)
        if contains(region, nearest, lonlat=lonlat):
            return True
    return False


def clamped(value: float, one: float, other: float) -> float:
    return min(max(value, min(one, other)), max(one, other))
