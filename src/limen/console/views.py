"""Responses of the API: pages of queries, shapes in view, a stream, a query. Each is built with the lock held."""

from typing import Any

import numpy as np
import pyarrow.compute as pc

from limen.console.control import way
from limen.console.live_state import LiveState
from limen.console.presence import inside_now
from limen.console.query_table import FAMILIES, GONE, HOLDS, STATES
from limen.console.slot_table import NEVER
from limen.errors import InvalidInput, LimenError
from limen.formats.query_json import Plain, query_from_dict
from limen.sql import to_sql

#: Shapes that a map shows; of more, it shows how many there are where.
MOST_SHAPES = 2_500
MOST_MEMBERS = 200
#: Shapes that move with a stream.
MOST_MOVING = 200
_CLUSTERS = 24  # across
_SORTS = {"id": None, "inside": "inside", "events": "events", "last": "last"}


def overview(live: LiveState, name: str, tiles: str | None) -> Plain:
    """Return what the page needs to begin with."""
    job = live.job or {}
    return {
        "name": job.get("name") or name,
        "stream": live.stream or "stream",
        "columns": live.columns.to_dict(),
        "crs": live.columns.crs,
        "families": FAMILIES,
        "tiles": tiles,
        "bounds": job.get("bounds") or live.trails.bounds or _bounds(live),
        "batches": live.series.since(None),
        **moving(live),
    }


def moving(live: LiveState) -> Plain:
    """Return what changes from batch to batch."""
    job = live.job or {}
    reading = [f"Reading the queries: {len(live.query_table):,} so far."] if live.reading else []
    return {
        "health": live.health,
        "control": way(live.job),
        "sample": live.sample,
        "streams": live.shown,
        "numbering": live.numbering,
        "streams_of_job": (live.series.latest or {}).get("streams", 0),
        "queries": len(live.query_table),
        "queries_version": live.query_table.version,
        "totals": live.series.totals,
        "requests": live.requests.latest(),
        "remarks": [
            *reading,
            *job.get("remarks", ()),
            *(f"batch {each['batch']}: {each['text']}" for each in list(live.series.problems)[-5:]),
        ],
        "origin": f"{live.look} {job['origin']}" if job.get("origin") else None,
    }


def _bounds(live: LiveState) -> list[float] | None:
    boxes = live.query_table.box[: len(live.query_table.ids)]
    boxes = boxes[np.isfinite(boxes).all(axis=1) & (np.abs(boxes) < 1e11).all(axis=1)]
    if not len(boxes):
        return None
    return [*map(float, boxes[:, :2].min(axis=0)), *map(float, boxes[:, 2:].max(axis=0))]


def page_of_queries(
    live: LiveState, *, page: int = 0, size: int = 50, text: str = "", family: str = "", sort: str = "events"
) -> Plain:
    """Return a page of the table of queries."""
    queries = live.query_table
    if sort not in _SORTS:
        raise InvalidInput(where="sort", expected=f"one of {', '.join(_SORTS)}", got=repr(sort))
    which = np.flatnonzero(queries.state[: len(queries.ids)] != GONE)
    if family in FAMILIES:
        which = which[queries.family[which] == FAMILIES.index(family)]
    if text:
        names = queries.ids.take(which.astype(np.int32))
        which = which[pc.match_substring(names, text, ignore_case=True).to_numpy(zero_copy_only=False)]
    if (column := _SORTS[sort]) is not None:
        which = which[np.argsort(-getattr(queries, column)[which].astype(np.float64), kind="stable")]
    else:
        names = queries.ids.take(which.astype(np.int32))
        which = which[pc.sort_indices(names).to_numpy()]
    shown = which[page * size : (page + 1) * size]
    rows = [_row(live, slot, id) for slot, id in zip(shown.tolist(), queries.names(shown), strict=True)]
    return {"total": len(which), "page": page, "size": size, "rows": rows}


def _row(live: LiveState, slot: int, id: str) -> Plain:
    queries = live.query_table
    last = int(queries.last[slot])
    return {
        "slot": slot,
        "id": id,
        "family": FAMILIES[queries.family[slot]],
        "state": STATES[queries.state[slot]],
        "inside": int(queries.inside[slot]),
        "events": int(queries.events[slot]),
        "last": None if last == NEVER else last,
    }


def shapes_in(live: LiveState, box: tuple[float, float, float, float], limit: int = MOST_SHAPES) -> Plain:
    """Return the shapes of queries that are in sight; of too many, where how many are."""
    queries = live.query_table
    west, south, east, north = box
    boxes = queries.box[: len(queries.ids)]
    within = (boxes[:, 0] <= east) & (boxes[:, 2] >= west) & (boxes[:, 1] <= north) & (boxes[:, 3] >= south)
    which = np.flatnonzero(within & (queries.state[: len(queries.ids)] != GONE))
    moving = _moving(live)
    if len(which) <= limit:
        return {
            "moving": moving,
            "total": len(which),
            "shapes": [_shape(live, *each) for each in zip(which.tolist(), queries.names(which), strict=True)],
        }
    middle = np.clip((boxes[which, :2] + boxes[which, 2:]) / 2, [west, south], [east, north])
    down = max(int(_CLUSTERS * (north - south) / max(east - west, 1e-300)), 1)
    column = np.minimum((middle[:, 0] - west) / (east - west) * _CLUSTERS, _CLUSTERS - 1).astype(np.int64)
    row = np.minimum((middle[:, 1] - south) / (north - south) * down, down - 1).astype(np.int64)
    cell = row * _CLUSTERS + column
    number, first, count = np.unique(cell, return_index=True, return_counts=True)
    inside = np.bincount(cell, queries.inside[which], minlength=int(number.max()) + 1)[number]
    x = np.bincount(cell, middle[:, 0], minlength=int(number.max()) + 1)[number] / count
    y = np.bincount(cell, middle[:, 1], minlength=int(number.max()) + 1)[number] / count
    clusters = [
        {
            "x": float(a),
            "y": float(b),
            "queries": int(n),
            "inside": int(i),
            "family": FAMILIES[queries.family[which[f]]],
        }
        for a, b, n, i, f in zip(x, y, count, inside, first, strict=True)
    ]
    return {"total": len(which), "clusters": clusters, "moving": moving}


def _moving(live: LiveState) -> list[Plain]:
    """Return the queries that move with a stream, the first so many: around which, and how far they look."""
    queries = live.query_table
    known = queries.family[: len(queries.ids)]
    around = np.isin(known, [FAMILIES.index("within"), FAMILIES.index("nearest")])
    nowhere = np.isnan(queries.box[: len(queries.ids), 0])
    which = np.flatnonzero(around & nowhere & (queries.state[: len(queries.ids)] != GONE))[:MOST_MOVING]
    found = []
    for slot, id in zip(which.tolist(), queries.names(which), strict=True):
        query = queries.query(slot) or {}
        if query.get("focal") is None:
            continue
        half = query.get("radius") or (query.get("width") or 0) / 2
        up = query.get("radius") or (query.get("height") or 0) / 2
        focal = live.trails.slot(str(query["focal"]))
        found.append({**_row(live, slot, id), "focal": focal, "across": half, "up": up, "round": "radius" in query})
    return found


def _shape(live: LiveState, slot: int, id: str) -> Plain:
    return {**_row(live, slot, id), "shape": live.query_table.shape(slot)}


def stream_of(live: LiveState, *, id: str | None = None, slot: int | None = None) -> Plain:
    """Return a stream: where it is and was, and what it is in."""
    trails = live.trails
    found = slot if slot is not None else trails.slot(id or "")
    if not 0 <= found < len(trails):
        raise InvalidInput(where="stream", expected="one that this console has seen", got=repr(id or slot))
    trail = trails.trail(found)
    queries, since = live.inside.of_stream(found)
    order = np.argsort(since)[::-1][:MOST_MEMBERS]
    members = [
        {"id": name, "family": FAMILIES[live.query_table.family[query]], "since": int(since[at])}
        for name, query, at in zip(live.query_table.names(queries[order]), queries[order], order, strict=True)
    ]
    return {
        "slot": found,
        "id": trails.names(np.array([found]))[0],
        "time": int(trails.time[found]) if trails.time[found] != NEVER else None,
        "place": finite(trails.place[found]),
        "values": dict(zip(live.columns.values, finite(trail.values[-1]), strict=True)) if len(trail.time) else {},
        "attributes": dict(zip(live.columns.attributes, trail.attributes[-1], strict=True)) if trail.attributes else {},
        "trail": [finite(place) for place in trail.values[:, :2]],
        "times": trail.time.tolist(),
        "inside": members,
        "inside_total": len(queries),
        "now": trails.now,
    }


def streams_like(live: LiveState, text: str, limit: int = 12) -> list[str]:
    """Return ids of streams with a text in them."""
    names = live.trails.ids.take(np.arange(len(live.trails), dtype=np.int32))
    alike = pc.indices_nonzero(pc.match_substring(names, text, ignore_case=True))[:limit]
    found: list[str] = names.take(alike).to_pylist()
    return found


def query_of(live: LiveState, id: str) -> Plain:
    """Return a query in JSON and in SQL, and its members with the times of their entry."""
    slot = live.query_table.slot(id)
    query = live.query_table.query(slot) if slot >= 0 else None
    if query is None:
        raise InvalidInput(where="query", expected="one of this job", got=repr(id))
    streams, since = inside_now(live, slot, query)
    order = np.argsort(since, kind="stable")[:MOST_MEMBERS]
    names = live.trails.names(streams[order])
    members = [
        {"id": name, "slot": int(stream), "since": int(when)}
        for name, stream, when in zip(names, streams[order], since[order], strict=True)
    ]
    focal = query.get("focal")
    return {
        **_row(live, slot, id),
        "query": query,
        "sql": sql_of(query, live.stream),
        "shape": live.query_table.shape(slot),
        "focal": None if focal is None else live.trails.slot(str(focal)),
        "members": members,
        "members_total": len(streams),
        "now": live.trails.now,
        "since_batch": live.query_table.since(slot),
        "paused": bool(live.query_table.state[slot] != HOLDS),
        "latest": [with_places(live, event) for event in live.feed.latest(8, query_is=id)],
    }


def sql_of(query: Plain, stream: str | None) -> str | None:
    """Return a query as a statement, if SQL has words for it."""
    try:
        return to_sql(query_from_dict(query), stream or "stream")
    except LimenError:
        return None


def finite(values: Any) -> list[float | None]:
    """Return numbers as JSON can hold them: None for a value that is not known."""
    return [None if value != value else float(value) for value in values]  # noqa: PLR0124


def with_places(live: LiveState, event: Plain) -> Plain:
    """Return an event; if it is an alert, with the places of its tuples."""
    return {**event, "places": bindings_of(live, event)} if event["kind"] == "alert" else event


def bindings_of(live: LiveState, event: Plain) -> list[Plain]:
    """Return the tuples of an alert with where they were, as far as that is kept."""
    found = []
    for each in event.get("bindings", ()):
        slot = live.trails.slot(each["stream_id"])
        found.append({**each, "place": None if slot < 0 else live.trails.place_at(slot, each["time"])})
    return found
