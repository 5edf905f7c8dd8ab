"""The latest events, with filters."""

import math
from collections import deque
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from limen.formats.query_json import Plain

#: Events that are kept.
ROOM = 100_000


class EventFeed:
    """A ring buffer of events; each has a number, counted from the first one read.

    Attributes
    ----------
    seen
        How many events were read so far, which is the number of the next one.
    """

    def __init__(self, room: int = ROOM) -> None:
        self.seen = 0
        self._room = room
        self._kept = 0
        self._parts: deque[tuple[int, int, pa.Table]] = deque()  # number of the first event, batch, events

    def add(self, events: pa.Table, batch: int) -> None:
        """Append the events of a batch, or of a part of it."""
        if not len(events):
            return
        self._parts.append((self.seen, batch, events.combine_chunks()))
        self.seen += len(events)
        self._kept += len(events)
        while self._kept > self._room and len(self._parts) > 1:
            self._kept -= len(self._parts.popleft()[2])

    def latest(
        self,
        limit: int = 100,
        *,
        query: str = "",
        kind: str = "",
        stream: str = "",
        query_is: str = "",
        stream_is: str = "",
        since: int = 0,
        before: int | None = None,
    ) -> list[Plain]:
        """Return events, the newest first.

        Parameters
        ----------
        limit
            How many at most.
        query, stream
            Only events of queries and streams with this text in their ids, in either case of letters.
        kind, query_is, stream_is
            Only events of this kind, of the query and of the stream with just this id.
        since, before
            Only events with numbers from the one and below the other.
        """
        found: list[Plain] = []
        for first, batch, events in reversed(self._parts):
            if first + len(events) <= since or len(found) >= limit:
                break
            if before is not None and first >= before:
                continue
            numbers = pa.array(range(first, first + len(events)))
            mask = pc.greater_equal(numbers, since)
            if before is not None:
                mask = pc.and_(mask, pc.less(numbers, before))
            for name, text in (("query_id", query), ("stream_id", stream)):
                if text:
                    alike = pc.match_substring(events[name], text, ignore_case=True)
                    mask = pc.and_(mask, pc.fill_null(alike, False))  # noqa: FBT003
            for name, text in (("kind", kind), ("query_id", query_is), ("stream_id", stream_is)):
                if text:
                    mask = pc.and_(mask, pc.fill_null(pc.equal(events[name], text), False))  # noqa: FBT003
            at = pc.indices_nonzero(mask)
            at = at[max(len(at) - (limit - len(found)), 0) :]
            for number, event in zip(reversed(at.to_pylist()), reversed(events.take(at).to_pylist()), strict=True):
                found.append(plain(event, first + number, batch))
        return found

    def find(self, event_id: str) -> Plain | None:
        """Return the event of an id, if it is kept."""
        for first, batch, events in reversed(self._parts):
            at = pc.index(events["event_id"], event_id).as_py()
            if at >= 0:
                return plain(events.slice(at, 1).to_pylist()[0], first + at, batch)
        return None


def plain(event: Plain, number: int, batch: int) -> Plain:
    """Return an event as JSON can hold it, with its number and its batch; times in microseconds since 1970."""
    read: Plain = {"number": number, "batch": batch}
    for name, value in event.items():
        if value is not None:
            read[name] = micros(value) if name in ("time", "started_at") else value
    if event.get("values"):  # JSON has no word for a value that was never known
        read["values"] = [None if value is None or math.isnan(value) else value for value in event["values"]]
    if event.get("bindings"):
        read["bindings"] = [{**each, "time": micros(each["time"])} for each in event["bindings"]]
    return read


def micros(time: Any) -> int:
    """Return a time of Python as microseconds since 1970."""
    return int(pa.scalar(time, pa.timestamp("us", tz="UTC")).value)
