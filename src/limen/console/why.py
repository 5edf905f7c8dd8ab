"""Why an event fired, and why none did: a stream's rows are replayed through an engine with one query."""

import numpy as np

from limen.console.live_state import LiveState
from limen.console.map_shapes import drawn
from limen.console.query_table import STATES
from limen.console.trails import Trail
from limen.console.views import bindings_of, finite, sql_of
from limen.console.why_not import findings
from limen.errors import InvalidInput
from limen.formats.query_json import Plain

_REASONS = {
    "moved": "The stream moved",
    "appeared": "The stream was seen for the first time, and the query reports streams inside from the start",
    "registered": "The query was registered while the stream was there",
    "changed": "The query was replaced, and the new one sees it otherwise",
    "deregistered": "The query was taken out",
    "expired": "The stream was silent for too long and was forgotten",
    "timer": "A deadline passed",
    "shed": "Memory was short, and the stream was left out of the answer",
}
_KINDS = {
    "enter": "from outside to inside",
    "exit": "from inside to outside",
    "cross": "through the region, with both ends outside",
    "match": "within the region",
    "passed": "out of the region soon enough after it had come in",
    "returned": "into the region soon enough after it had left",
    "stayed": "and stayed inside for the whole time",
    "gone": "and stayed away for the whole time",
    "add": "into the answer",
    "remove": "out of the answer",
}


def why_event(live: LiveState, event_id: str) -> Plain:
    """Return the cause of an event: the two rows, the query at that time, and an explanation."""
    event = live.feed.find(event_id)
    if event is None:
        raise InvalidInput(where="event", expected="one of the last events", got=repr(event_id))
    slot = live.query_table.slot(event["query_id"])
    query = live.query_table.query(slot, event["batch"]) or live.query_table.query(slot)
    explanation: Plain = {"event": event, "query": query, "shape": None, "rows": [], "text": _sentence(event)}
    explanation["now"] = None if slot < 0 else STATES[live.query_table.state[slot]]
    explanation["changed_since"] = query is not None and query != live.query_table.query(slot)
    if query is not None:
        explanation["shape"], explanation["sql"] = drawn(query, live.columns), sql_of(query, live.stream)
    if event["kind"] == "alert":
        explanation["bindings"] = bindings_of(live, event)
    elif event.get("stream_id") is not None:
        explanation["rows"] = _rows(live, event)
        if not explanation["rows"]:
            explanation["text"] += " Its rows of then are not kept any more, or the stream is not in the sample."
    return explanation


def _sentence(event: Plain) -> str:
    reason, kind = _REASONS.get(event["reason"], event["reason"]), _KINDS.get(event["kind"], event["kind"])
    if event["kind"] == "alert":
        return "These rows fit the pattern together; the last one completed it."
    text = f"{reason}: {kind}." if event["reason"] in ("moved", "timer") else f"{reason}."
    if event.get("started_at") is not None:
        text += f" It began {(event['time'] - event['started_at']) / 1e6:g} seconds before."
    return text


def _rows(live: LiveState, event: Plain) -> list[Plain]:
    """Return the rows of a stream around an event: the last one before it, and that at its time or before it."""
    slot = live.trails.slot(event["stream_id"])
    if slot < 0:
        return []
    trail = live.trails.trail(slot)
    until = int(np.searchsorted(trail.time, event["time"], side="right"))
    return [_row(live, trail, at) for at in range(max(until - 2, 0), until)]


def _row(live: LiveState, trail: Trail, at: int) -> Plain:
    values = finite(trail.values[at])
    return {
        "time": int(trail.time[at]),
        "batch": int(trail.batch[at]),
        "values": dict(zip(live.columns.values, values, strict=True)),
        "attributes": dict(zip(live.columns.attributes, trail.attributes[at], strict=True)),
        "place": values[:2],
    }


def why_not(live: LiveState, stream: str, query_id: str) -> Plain:
    """Return why a query emitted no event about a stream, the likeliest reason first, and the events it had."""
    slot = live.query_table.slot(query_id)
    query = live.query_table.query(slot) if slot >= 0 else None
    if query is None:
        raise InvalidInput(where="query", expected="one of this job", got=repr(query_id))
    if not stream:
        raise InvalidInput(where="stream", expected="the id of a stream", got="none")
    found = live.feed.latest(5, query_is=query_id, stream_is=stream)
    explanation = findings(live, slot, query, stream, found)
    return {"stream": stream, "query_id": query_id, "query": query, "events": found, "findings": explanation}
