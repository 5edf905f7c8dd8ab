"""Who is in a query now: by its events, and for queries that do not tell all, by where streams are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from limen.console.asked import HOLDS
from limen.console.replay import Replay
from limen.errors import LimenError
from limen.model.time import seconds

if TYPE_CHECKING:
    from limen.console.live import Live

Plain = dict[str, Any]
Ints = npt.NDArray[np.int64]

_MOST_LOOKED_UP = 200  # streams of which it is looked up since when they are inside


def inside_now(live: Live, slot: int, query: Plain) -> tuple[Ints, Ints]:
    """Return the slots of the streams that are in a query, and since when each is.

    A transition does not tell who enters, nor a silent border who was inside at the start. For these the last rows of
    the streams that the console sees decide: a stream is inside since the first of its kept rows from which on it was.
    """
    told, since = live.inside.of_query(slot)
    if query["type"] == "nearest" and len(told) > query["k"]:  # who left was not always told: who came first has gone
        latest = np.argsort(since, kind="stable")[-int(query["k"]) :]
        return told[latest], since[latest]
    if query["type"] not in ("border", "transition") or live.asked.state[slot] != HOLDS:
        return told, since
    keep: Plain = {key: query[key] for key in ("region", "on", "streams", "where") if key in query}
    place: Plain = {**keep, "type": "match", "id": "m"}
    found = Replay(live, _recent(live)).play(place)
    if found is None:
        return told, since
    streams = live.trails.ids.slots(found["stream_id"].combine_chunks()).astype(np.int64)
    known = dict(zip(told.tolist(), since.tolist(), strict=True))
    unknown = np.array([stream for stream in streams.tolist() if stream not in known][:_MOST_LOOKED_UP], np.int64)
    if len(unknown):
        reporting: Plain = {**keep, "type": "border", "id": "b", "initial": "report"}
        events = Replay(live, live.trails.table(unknown)).play(reporting)
        if events is not None:
            entered = events.filter(
                pc.equal(events["kind"], "enter")
            )  # the last of each stream stays in the dictionary
            slots = live.trails.ids.slots(entered["stream_id"].combine_chunks()).tolist()
            known |= dict(zip(slots, entered["time"].cast(pa.int64()).to_pylist(), strict=True))
    times = live.trails.time[streams]
    return streams, np.array([known.get(s, t) for s, t in zip(streams.tolist(), times.tolist(), strict=True)], np.int64)


def _recent(live: Live) -> pa.Table:
    """Return the last rows of streams that the job has not forgotten."""
    rows = live.trails.latest()
    after = ((live.job or {}).get("options") or {}).get("expire_after")
    if not after or not len(rows):
        return rows
    try:
        longest = seconds(after, "expire_after")
    except LimenError:
        return rows
    time = rows[live.columns.time].cast(pa.int64())
    return rows.filter(pc.greater_equal(time, pc.max(time).as_py() - longest))
