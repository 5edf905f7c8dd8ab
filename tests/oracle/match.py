"""Match queries: one `match` for every processed tuple inside the region (SEMANTICS §6)."""

from tests.oracle.input_rows import Reading
from tests.oracle.query import Query


def event_of_tuple(query: Query, new: Reading) -> tuple[str, str] | None:
    """Kind and reason of the event; a tuple is judged by its own values, so a missing one is no match."""
    matches = query.region_contains(new.own) and query.concerns(new)
    return ("match", "moved") if matches else None
