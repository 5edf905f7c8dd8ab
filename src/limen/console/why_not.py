"""Reasons why a query emitted no event about a stream."""

import numpy as np

from limen.console.live_state import LiveState
from limen.console.map_shapes import box_of, drawn
from limen.console.query_table import HOLDS, PAUSED
from limen.console.replay import RowReplay
from limen.console.trails import Trail
from limen.formats.query_json import Plain
from limen.telemetry.sample import buckets

#: A word for the reason, and a sentence.
Finding = dict[str, str]


def findings(live: LiveState, slot: int, query: Plain, stream: str, events: list[Plain]) -> list[Finding]:
    """Return the reasons, the conclusive ones first."""
    found = [*_standing(live, slot)]
    if events:
        found.append(_finding("fired", f"It did fire: {len(events)} of the last events are of this query and stream."))
    if streams := query.get("streams"):
        about = [str(each) for each in (streams if isinstance(streams, list) else [streams])]
        if stream not in about:
            return [*found, _finding("other streams", f"The query is about {_some(about)} only.")]
    at = live.trails.slot(stream)
    trail = live.trails.trail(at) if at >= 0 else None
    if trail is None or not len(trail.time):
        return [*found, _unseen(live, stream)]
    found += _late(live, trail)
    found += _later(live, slot, trail)
    found += _of_family(live, query, at, trail, fired=bool(events))
    least = (live.series.latest or {}).get("accuracy")
    if least is not None and least < 100 and query["type"] in ("within", "nearest"):
        found.append(
            _finding("shed", f"Memory is short: answers keep {least:.0f} % of their streams at least, not all.")
        )
    return found


def _finding(reason: str, text: str) -> Finding:
    return {"reason": reason, "text": text}


def _standing(live: LiveState, slot: int) -> list[Finding]:
    state = live.query_table.state[slot]
    if state == PAUSED:
        return [_finding("paused", "The query is paused.")]
    return [] if state == HOLDS else [_finding("dropped", "The query was dropped.")]


def _unseen(live: LiveState, stream: str) -> Finding:
    one_of = int(live.sample["one_of"])
    if one_of > 1 and int(buckets([stream])[0]) % one_of:
        text = f"The console sees 1 of {one_of} streams, and this is none of them. The job itself looks at all."
        return _finding("not in the sample", text)
    return _finding("never seen", "No row of this stream has come since the console looks. Is the id written so?")


def _late(live: LiveState, trail: Trail) -> list[Finding]:
    before = [live.series.watermark_before(int(batch)) for batch in trail.batch]
    late = sum(mark is not None and time < mark for mark, time in zip(before, trail.time.tolist(), strict=True))
    if not late:
        return []
    share = "All of its" if late == len(trail.time) else f"{late} of its last {len(trail.time)}"
    return [_finding("late", f"{share} rows came late, behind the watermark, and were not looked at.")]


def _later(live: LiveState, slot: int, trail: Trail) -> list[Finding]:
    since = live.query_table.since(slot)
    if since is None or since < 0:
        return []
    before = int((trail.batch < since).sum())
    if not before:
        return []
    if before == len(trail.batch):
        return [_finding("registered later", f"The query holds since batch {since}; all rows of the stream are older.")]
    return [_finding("registered later", f"The query holds since batch {since}; {before} of the rows are older.")]


def _of_family(live: LiveState, query: Plain, at: int, trail: Trail, *, fired: bool) -> list[Finding]:
    replay = RowReplay(live, live.trails.table(np.array([at])))
    if query["type"] == "pattern":
        return _of_pattern(replay, query, len(trail.time))
    if query.get("focal") is not None or query["type"] == "nearest":
        return _of_distance(live, query, at)
    return _of_region(live, replay, query, trail, fired=fired)


def _of_region(live: LiveState, replay: RowReplay, query: Plain, trail: Trail, *, fired: bool) -> list[Finding]:
    rows = len(trail.time)
    place: Plain = {key: query[key] for key in ("region", "on") if key in query}
    inside = replay.matches(place)
    if inside is None:
        return [_finding("unknown", "The rows that are kept cannot be played through this query.")]
    if inside == 0:
        near = _nearest_miss(live, query, trail)
        crossings = "" if not query.get("crossings") else " A step through it would count as a cross."
        return [_finding("outside", f"It was outside in all of its last {rows} rows{near}.{crossings}")]
    if query.get("where"):
        meeting = replay.matches({**place, "where": query["where"]})
        if meeting == 0:
            text = f"It was inside in {inside} of its last {rows} rows, but {query['where']} was true in none of them."
            return [_finding("condition", text)]
        inside = meeting or inside
    if query["type"] in ("border", "transition") and inside == rows:
        return [_finding("inside", f"It was inside in all of its last {rows} rows; no border was crossed.")]
    return _of_debounced(replay, query, inside, rows, fired=fired)


def _of_debounced(replay: RowReplay, query: Plain, inside: int, rows: int, *, fired: bool) -> list[Finding]:
    debounced = [f"{key} {query[key]}" for key in ("margin", "confirm", "min_stay") if query.get(key)]
    events = replay.events(query)
    if (
        debounced
        and not events
        and replay.events({k: v for k, v in query.items() if k not in ("margin", "confirm", "min_stay")})
    ):
        text = f"It changed sides, but no change was confirmed: the query requires {' and '.join(debounced)}."
        return [_finding("not confirmed", text)]
    if query["type"] == "transition" and not events:
        text = f"It was inside in {inside} of its last {rows} rows; none of {_kinds(query)} within {query['within']} s."
        return [_finding("no transition", text)]
    if events and not fired:
        text = f"Its last rows give {_counted(events)} when replayed; the job has not emitted them yet, or the "
        return [_finding("expected", text + "rows still wait for their time to be complete.")]
    if events:
        return [_finding("replayed", f"Its last {rows} rows give {_counted(events)} when replayed.")]
    return [_finding("no change", f"It was inside in {inside} of its last {rows} rows; nothing changed since.")]


def _kinds(query: Plain) -> str:
    return ", ".join(query.get("kinds") or ("passed", "returned", "stayed", "gone"))


def _counted(kinds: list[str]) -> str:
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds)))


def _of_distance(live: LiveState, query: Plain, at: int) -> list[Finding]:
    """Return the distance of a stream from the center of an answer, and how many streams are closer."""
    trails = live.trails
    center = query.get("center")
    if center is None:
        focal = trails.slot(str(query["focal"]))
        if focal < 0 or np.isnan(trails.place[focal]).any():
            return [_finding("no focal", f"The stream {query['focal']!r} that it is around was never seen.")]
        if focal == at:
            return [_finding("itself", "A stream is never in the answer that is around itself.")]
        center = trails.place[focal]
    distance = live.distances(np.asarray(center[:2], np.float64))
    mine = float(distance[at])
    if query["type"] == "nearest":
        closer = int((distance < mine).sum())
        text = f"It is {_far(mine)} away, and {closer:,} streams that the console sees are closer; k is {query['k']}."
        return [_finding("further away" if closer >= query["k"] else "close", text)]
    size = query.get("radius") or f"{query.get('width')} × {query.get('height')}"
    return [_finding("distance", f"It is {_far(mine)} away from {query['focal']!r}; the query looks {size} around.")]


def _of_pattern(replay: RowReplay, query: Plain, rows: int) -> list[Finding]:
    found = []
    variables = query["variables"]
    parts = (
        variables
        if isinstance(variables, list)
        else [{"name": name, "where": each} for name, each in variables.items()]
    )
    for part in parts:
        condition = {key: part[key] for key in ("where", "region") if part.get(key)}
        meeting = replay.matches(condition)
        if meeting is not None:
            text = f"{meeting} of its last {rows} rows meet variable {part['name']!r}."
            found.append(_finding("variable", text))
    found.append(
        _finding("pattern", "An alert also needs rows for the other variables, near enough in time and space.")
    )
    return found


def _nearest_miss(live: LiveState, query: Plain, trail: Trail) -> str:
    shape = drawn(query, live.columns)
    if shape is None or trail.values.shape[1] < 2:
        return ""
    west, south, east, north = box_of(shape)
    x, y = trail.values[:, 0], trail.values[:, 1]
    away = np.hypot(np.maximum(np.maximum(west - x, x - east), 0), np.maximum(np.maximum(south - y, y - north), 0))
    away = away[~np.isnan(away)]
    if not len(away) or away.min() == 0:
        return ""
    unit = " degrees" if live.columns.crs == "lonlat" else ""
    return f"; the closest it came was {away.min():,.4g}{unit} from the box around the region"


def _far(distance: float) -> str:
    return f"{distance:,.4g}"


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
