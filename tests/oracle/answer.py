"""Answers: who is in a region, around a stream, or nearest, from the definition (SEMANTICS §7).

Rules that the specification leaves to whoever asks in degrees. A moving box is a box of degrees about its focal:
`degrees(w / (R cos φ))` wide, φ being the focal's latitude, and `degrees(h / R)` high. Its west and south ends
belong to it, its east and north ends do not, also where it crosses the antimeridian: a place is in it when one of its
longitude and the longitudes one turn before and after lies from the west end up to the east end. A box of one turn
or more has every longitude, so one about a focal at a pole always has. It never reaches over a pole: with a north
end beyond 90 it has the pole, with a north end of exactly 90 it does not.
"""

import math
from collections.abc import Mapping

from tests.oracle import border
from tests.oracle.input_rows import Reading
from tests.oracle.query import Query
from tests.oracle.region import EARTH_RADIUS, Point, contains, haversine

ANSWER_TYPES = ("within", "nearest")

#: Of every stream that is known, all tuples since it appeared.
Picture = Mapping[str, list[Reading]]


def members(query: Query, picture: Picture) -> set[str]:
    """The whole answer, from the whole picture."""
    center = query.center
    if query.focal is not None:
        center = position(query, picture.get(query.focal, []))
        if center is None:
            return set()
    places = {
        stream_id: position(query, history)
        for stream_id, history in picture.items()
        if stream_id != query.focal and is_meant(query, history)
    }
    if query.type == "nearest":
        in_order = sorted(places, key=lambda each: (distance(query, center, places[each]), each.encode()))
        return set(in_order[: query.k])
    return {stream_id for stream_id, place in places.items() if is_within(query, center, place)}


def position(query: Query, history: list[Reading]) -> Point | None:
    """Where a stream is in the query's columns, if that is known; a focal need not be whom the query is about."""
    seen = border.last_seen(query, history)
    return None if seen is None else query.point(seen.known)


def is_meant(query: Query, history: list[Reading]) -> bool:
    """Whether a stream has a place, and the tuple that put it there satisfies `streams` and `where`."""
    seen = border.last_seen(query, history)
    return seen is not None and query.concerns(seen)


def is_within(query: Query, center: Point | None, place: Point) -> bool:
    if query.region is not None:
        return contains(query.region, place, lonlat=query.lonlat)
    if query.radius is not None:
        return distance(query, center, place) <= (query.radius if query.lonlat else query.radius * query.radius)
    if query.lonlat:
        return in_box_of_metres(center, place, query.width, query.height)
    sides = [side for side in (query.width, query.height) if side is not None]
    return all(c - side / 2 <= value < c + side / 2 for c, side, value in zip(center, sides, place, strict=True))


def in_box_of_metres(center: Point, place: Point, width: float, height: float) -> bool:
    wide = math.degrees(width / (EARTH_RADIUS * math.cos(math.radians(center[1]))))
    high = math.degrees(height / EARTH_RADIUS)
    west, east = center[0] - wide / 2, center[0] + wide / 2
    south, north = center[1] - high / 2, center[1] + high / 2
    between = wide >= 360 or any(west <= place[0] + turn < east for turn in (-360, 0, 360))
    return between and south <= place[1] < north


def distance(query: Query, center: Point, place: Point) -> float:
    """A number to compare distances by: metres, or on the plane the square."""
    if query.lonlat:
        # As places have it, longitudes of centers are below 180: the last bit of a distance may depend on it.
        return haversine((center[0] - 360 if center[0] >= 180 else center[0], center[1]), place)
    squares = 0.0
    # One after another, in the order of the columns: sums of floats depend on it.
    for value, middle in zip(place, center, strict=True):
        squares += (value - middle) * (value - middle)
    return squares
