"""Validation of regions that were drawn on the map."""

import math
from typing import Any

from limen.errors import InvalidQuery
from limen.formats.query_json import Plain

Point = tuple[float, float]

_MOST_CORNERS = 500


def check_drawing(region: Plain) -> Plain:
    """Return a drawn region if it has a size and does not cross itself.

    Examples
    --------
    >>> check_drawing({"type": "polygon", "shell": [[0, 0], [2, 2], [2, 0], [0, 2]]})
    Traceback (most recent call last):
    limen.errors.InvalidQuery: drawing: expected a polygon that does not cross itself, got sides 1 and 3 that cross. \
Hint: draw its corners one after the other round the place
    """
    kind = region.get("type")
    if kind == "box":
        low, high = _points([region.get("lo"), region.get("hi")])
        if not (low[0] < high[0] and low[1] < high[1]):
            raise InvalidQuery(where="drawing", expected="a box with a width and a height", got="one without")
    elif kind == "circle":
        _points([region.get("center")])
        radius = region.get("radius")
        if not isinstance(radius, int | float) or not 0 < radius < math.inf:
            raise InvalidQuery(where="drawing", expected="a circle with a radius", got="one without")
    elif kind == "polygon":
        _check_ring(_points(region.get("shell")))
    else:
        raise InvalidQuery(where="drawing", expected="a box, a circle or a polygon", got=repr(kind))
    return region


def _points(given: Any) -> list[Point]:
    points: list[Point] = []
    for point in given if isinstance(given, list) else []:
        if not isinstance(point, list) or len(point) != 2 or not all(_finite(value) for value in point):
            raise InvalidQuery(where="drawing", expected="corners of two numbers", got=repr(point))
        points.append((float(point[0]), float(point[1])))
    return points


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _check_ring(ring: list[Point]) -> None:
    if ring and ring[0] == ring[-1]:
        ring = ring[:-1]
    if len(set(ring)) < 3:
        raise InvalidQuery(where="drawing", expected="a polygon of three corners or more", got=str(len(set(ring))))
    if len(ring) > _MOST_CORNERS:
        expected = f"a polygon of {_MOST_CORNERS} corners at most"
        raise InvalidQuery(where="drawing", expected=expected, got=str(len(ring)), hint="SQL takes larger ones")
    sides = list(zip(ring, ring[1:] + ring[:1], strict=True))
    for one, (a, b) in enumerate(sides):
        for other in range(one + 1, len(sides)):
            neighbours = other == one + 1 or (one == 0 and other == len(sides) - 1)
            if not neighbours and _cross(a, b, *sides[other]):
                raise InvalidQuery(
                    where="drawing",
                    expected="a polygon that does not cross itself",
                    got=f"sides {one + 1} and {other + 1} that cross",
                    hint="draw its corners one after the other round the place",
                )


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return whether two sides have a point in common."""
    turns = [_turn(a, b, c), _turn(a, b, d), _turn(c, d, a), _turn(c, d, b)]
    if turns[0] * turns[1] < 0 and turns[2] * turns[3] < 0:
        return True
    ends = ((a, b, c), (a, b, d), (c, d, a), (c, d, b))
    return any(turn == 0 and _between(*three) for turn, three in zip(turns, ends, strict=True))


def _turn(a: Point, b: Point, c: Point) -> int:
    area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (area > 0) - (area < 0)


def _between(a: Point, b: Point, c: Point) -> bool:
    return min(a[0], b[0]) <= c[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= c[1] <= max(a[1], b[1])
