"""Debounced borders: a change of side counts once it is confirmed ("Hysteresis and debouncing")."""

from dataclasses import dataclass, field

from tests.oracle.border import inside
from tests.oracle.distance import beyond
from tests.oracle.input_rows import Reading
from tests.oracle.query import Query


@dataclass
class Standing:
    """The side at which a stream counts for a query, and the latest tuples as far as they have left it."""

    inside: bool
    left: list[Reading] = field(default_factory=list)


def leaves(query: Query, standing: Standing, reading: Reading) -> bool:
    """Whether a tuple leaves the side of the stream."""
    if not standing.inside:
        return inside(query, reading)
    if not query.concerns(reading):
        return True
    if query.region_contains(reading.known):
        return False
    # Without a margin, outside is outside, also upon a border that does not belong to the region.
    return query.margin == 0 or beyond(query.region, query.point(reading.known), query.margin, lonlat=query.lonlat)


def confirmed_by_tuple(query: Query, standing: Standing) -> bool:
    """Whether the latest tuple is the last that was wanted, and came when the stay was long enough."""
    left = standing.left
    return len(left) == query.confirm and left[0].time + query.min_stay <= left[-1].time


def deadline(query: Query, standing: Standing) -> int | None:
    """When the change will be confirmed by time alone, if tuples enough have been there."""
    return standing.left[0].time + query.min_stay if len(standing.left) >= query.confirm else None


def turn(standing: Standing) -> tuple[str, int]:
    """Let the stream count at the other side; return the border event's kind and when the change began."""
    began = standing.left[0].time
    standing.inside, standing.left = not standing.inside, []
    return ("enter" if standing.inside else "exit"), began
