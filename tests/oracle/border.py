"""Border queries: `enter`, `exit` and `cross` from their definition (SEMANTICS §4)."""

from tests.oracle.input_rows import Reading
from tests.oracle.query import Query
from tests.oracle.segment import meets


def inside(query: Query, reading: Reading) -> bool:
    return query.region_contains(reading.known) and query.concerns(reading)


def skips(query: Query, reading: Reading) -> bool:
    """A query skips a row in which all its columns are missing or one was never known."""
    all_missing = all(reading.own[name] is None for name in query.on)
    one_never_known = any(reading.known[name] is None for name in query.on)
    return all_missing or one_never_known


def last_seen(query: Query, history: list[Reading]) -> Reading | None:
    """The latest tuple of a stream's history that the query does not skip, or would not have skipped."""
    return next((reading for reading in reversed(history) if not skips(query, reading)), None)


def contained(query: Query, history: list[Reading]) -> bool:
    """Whether a stream with this history is inside the query now."""
    reading = last_seen(query, history)
    return reading is not None and inside(query, reading)


def event_of_step(query: Query, history: list[Reading], new: Reading) -> tuple[str, str] | None:
    """Kind and reason of the event that a stream's new tuple causes after its history, if any."""
    if skips(query, new):
        return None
    previous = last_seen(query, history)
    if previous is None:
        appears = query.initial == "report" and inside(query, new)
        return ("enter", "appeared") if appears else None
    was_inside, is_inside = inside(query, previous), inside(query, new)
    if is_inside and not was_inside:
        return ("enter", "moved")
    if was_inside and not is_inside:
        return ("exit", "moved")
    return None


def jumps_over(query: Query, history: list[Reading], new: Reading) -> bool:
    """Whether a stream's new tuple is the end of a step from outside to outside that meets the region."""
    previous = last_seen(query, history)
    if skips(query, new) or previous is None:
        return False
    if not (query.concerns(previous) and query.concerns(new)):
        return False
    if inside(query, previous) or inside(query, new):
        return False
    return meets(query.region, query.point(previous.known), query.point(new.known), lonlat=query.lonlat)
