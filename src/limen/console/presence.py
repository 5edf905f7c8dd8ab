"""Current members of a query: from its events, and for queries without enter and exit events, from positions."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Ints
from limen.console.live_state import LiveState
from limen.console.query_table import HOLDS
from limen.console.replay import RowReplay
from limen.errors import LimenError
from limen.formats.query_json import Plain
from limen.model.time import seconds

_MOST_LOOKED_UP = 200  # streams for which the time of entry is looked up


def inside_now(live: LiveState, slot: int, query: Plain) -> tuple[Ints, Ints]:
    """Return the slots of the streams that are in a query, and since when each is.

    A transition emits no event when a stream enters, and a border with ``initial="silent"`` none for the streams that
    are inside at the start. For these the last rows of the sampled streams decide: a stream is inside since the first
    of its kept rows from which on all are inside.
    """
    members, since = live.inside.of_query(slot)
    # Events of a sample may lack the removals of an answer: then only its last k members are current.
    if query["type"] == "nearest" and len(members) > query["k"]:
        latest = np.argsort(since, kind="stable")[-int(query["k"]) :]
        return members[latest], since[latest]
    if query["type"] not in ("border", "transition") or live.query_table.state[slot] != HOLDS:
        return members, since
    keep: Plain = {key: query[key] for key in ("region", "on", "streams", "where") if key in query}
    place: Plain = {**keep, "type": "match", "id": "m"}
    found = RowReplay(live, _recent(live)).play(place)
    if found is None:
        return members, since
    streams = live.trails.ids.slots(found["stream_id"].combine_chunks()).astype(np.int64)
    known = dict(zip(members.tolist(), since.tolist(), strict=True))
    unknown = np.array([stream for stream in streams.tolist() if stream not in known][:_MOST_LOOKED_UP], np.int64)
    if len(unknown):
        reporting: Plain = {**keep, "type": "border", "id": "b", "initial": "report"}
        events = RowReplay(live, live.trails.table(unknown)).play(reporting)
        if events is not None:
            entered = events.filter(
                pc.equal(events["kind"], "enter")
            )  # the last of each stream stays in the dictionary
            slots = live.trails.ids.slots(entered["stream_id"].combine_chunks()).tolist()
            known |= dict(zip(slots, entered["time"].cast(pa.int64()).to_pylist(), strict=True))
    times = live.trails.time[streams]
    return streams, np.array([known.get(s, t) for s, t in zip(streams.tolist(), times.tolist(), strict=True)], np.int64)


def _recent(live: LiveState) -> pa.Table:
    """Return the last row of each stream that the job has not expired."""
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
