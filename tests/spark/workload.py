"""Seeded workloads: many streams and queries in one time line, since a run on Spark costs seconds in any case."""

import random
from collections.abc import Iterable, Sequence
from typing import Any

import limen
from limen.formats.query_json import canonical_json
from limen.model.time import from_micros
from tests import subject
from tests.strategies import ATTRIBUTES, CONDITIONS, EDGE_CASES, GRID, SECOND, VALUES, Step, TimeLine
from tests.subject import Event, Subject

Row = dict[str, Any]
Rows = list[Row]

ORIGIN = 1_767_225_600 * SECOND  # 2026-01-01
SECONDS = 24
BEFORE = ORIGIN - 3600 * SECOND
FAR_FUTURE = ORIGIN + 86_400 * SECOND  # beyond every row and deadline
STREAMS = ("a", "b", "é", "z" * 40, *(f"s{number}" for number in range(26)))
QUERIES = tuple(f"q{number}" for number in range(30))


def busy(seed: int, dimensions: int = 1, expire_after: float | None = None, *, answers: bool = False) -> TimeLine:
    """Make a time line in which queries come, change and go, and rows tie, repeat themselves and lack values.

    With `answers`, half of the queries keep an answer.

    All changes have a time, and there is no more than one registration and one deregistration of an id at one time:
    an engine that takes them in the order of their calls then does what Spark does by their content.
    """
    chance = random.Random(seed)
    columns = {"id": "s", "time": "t", "values": list(VALUES[:dimensions]), "attributes": list(ATTRIBUTES)}
    latest = {
        name: query(chance, columns["values"], name, answers=answers) for name in QUERIES[: len(QUERIES) * 2 // 3]
    }
    changes = {
        (BEFORE, name, "register"): Step("register", {"query": form, "at": BEFORE}) for name, form in latest.items()
    }
    for second in sorted(chance.randrange(SECONDS) for _ in range(60)):
        at, name = ORIGIN + second * SECOND, chance.choice(QUERIES)
        if chance.random() < 0.3:
            step = Step("deregister", {"query_id": name, "at": at})
        else:
            new = query(chance, columns["values"], name, answers=answers)
            known = latest.get(name)
            both = known is not None and "region" in known and "region" in new
            if known and both and known.get("on") == new.get("on") and chance.random() < 0.7:
                new = {**known, "region": new["region"]}  # of the same type, so that it replaces the one there is
            latest[name] = new
            step = Step("register", {"query": new, "at": at})
        changes[at, name, step.call] = step
    in_order = [changes[key] for key in sorted(changes, key=lambda key: (key[0], key[2], key[1]))]
    return TimeLine(columns, [], in_order, list(_rows(chance, columns)), expire_after)


def query(chance: random.Random, names: Sequence[str], query_id: str, *, answers: bool = False) -> dict[str, Any]:
    """Make a query in its JSON form."""
    if answers and chance.random() < 0.5:
        return _answer(chance, names, query_id)
    form: dict[str, Any] = {"type": chance.choice(("border",) * 4 + ("transition",) * 3 + ("match",)), "id": query_id}
    on = list(names)
    if chance.random() < 0.3:
        on = form["on"] = chance.sample(on, chance.randint(1, len(on)))
    ends = [sorted(chance.sample(GRID, 2)) for _ in on]
    lo = [None if chance.random() < 0.2 else low for low, _ in ends]
    hi = [None if chance.random() < 0.2 else high for _, high in ends]
    form["region"] = {"type": "box", "lo": lo, "hi": hi}
    if len(on) == 2 and chance.random() < 0.5:
        form["region"] = _shape(chance)
    if form["type"] == "border":
        form["initial"] = chance.choice(("silent", "report"))
        form["crossings"] = chance.random() < 0.3
    if form["type"] == "transition":
        form["within"] = chance.choice((1, 2, 3, 3.000001, 8))
    if form["type"] != "match" and chance.random() < 0.4:
        form["confirm"] = chance.choice((1, 2, 3))
        form["min_stay"] = chance.choice((0, 0, 1, 2, 1.999999))
        form["margin"] = chance.choice((0, 0.5, 1))
    return form | _subject(chance, names)


def _subject(chance: random.Random, names: Sequence[str]) -> dict[str, Any]:
    subject: dict[str, Any] = {}
    if chance.random() < 0.25:
        subject["streams"] = chance.sample([*STREAMS, "nobody"], 8)
    if chance.random() < 0.3:
        subject["where"] = chance.choice(CONDITIONS).format(value=chance.choice(names))
    return subject


def _answer(chance: random.Random, names: Sequence[str], query_id: str) -> dict[str, Any]:
    """Make a query that keeps an answer, about all value columns."""
    form: dict[str, Any] = {"type": chance.choice(("within", "nearest")), "id": query_id}
    focal = {"focal": chance.choice([*STREAMS[:6], "nobody"])}
    if form["type"] == "nearest":
        place = focal if chance.random() < 0.6 else {"center": [chance.choice(GRID) for _ in names]}
        form |= {"k": chance.choice((1, 2, 5, 40)), **place}
    elif chance.random() < 0.3:
        ends = [sorted(chance.sample(GRID, 2)) for _ in names]
        form["region"] = {"type": "box", "lo": [low for low, _ in ends], "hi": [high for _, high in ends]}
    elif chance.random() < 0.5:
        form |= {**focal, "radius": chance.choice((0.5, 1, 2))}
    else:
        sides = dict(zip(("width", "height"), (chance.choice((1, 2, 4)) for _ in names), strict=False))
        form |= {**focal, **sides}
    return form | _subject(chance, names)


def _shape(chance: random.Random) -> dict[str, Any]:
    """Make a circle or a triangle through points of the grid."""
    if chance.random() < 0.4:
        center = [chance.choice(GRID), chance.choice(GRID)]
        return {"type": "circle", "center": center, "radius": chance.choice((1.0, 2.0, 2.5))}
    x, y = chance.sample(GRID, 2), chance.sample(GRID, 2)
    return {"type": "polygon", "shell": [[x[0], y[0]], [x[1], y[0]], [chance.choice(x), y[1]]]}


def _rows(chance: random.Random, columns: dict[str, Any]) -> Iterable[Row]:
    activity = {stream: chance.uniform(0.1, 0.9) for stream in STREAMS}
    for second in range(SECONDS):
        now = []
        for stream in STREAMS:
            if chance.random() < activity[stream]:
                now.append(_row(chance, columns, stream, ORIGIN + second * SECOND + chance.choice((0, 0, 0, 1))))
                if chance.random() < 0.05:
                    now.append(chance.choice((now[-1], _row(chance, columns, stream, now[-1]["t"]))))
        yield from sorted(now, key=lambda row: row["t"])


def _row(chance: random.Random, columns: dict[str, Any], stream: str, time: int) -> Row:
    row: Row = {"s": stream, "t": time}
    for name in columns["values"]:
        number = chance.choice(EDGE_CASES) if chance.random() < 0.05 else chance.choice(GRID)
        row[name] = chance.choice((None, float("nan"))) if chance.random() < 0.15 else number
    for name in columns["attributes"]:
        row[name] = chance.choice(ATTRIBUTES[name])
    return row


# ---- ways to feed it -------------------------------------------------------------------------------------------------


def delayed(chance: random.Random, rows: Rows, seconds: float) -> Rows:
    """Put rows into the order in which they come if each is under way for up to so many seconds."""
    arrivals = [row["t"] + chance.randint(0, round(seconds * SECOND)) for row in rows]
    return [rows[number] for number in sorted(range(len(rows)), key=arrivals.__getitem__)]


def cut(chance: random.Random, parts: Sequence[Any], pieces: int) -> list[list[Any]]:
    """Cut a list anywhere, with an empty piece among the pieces."""
    cuts = sorted(chance.randrange(1, len(parts)) for _ in range(pieces - 2))
    cuts = sorted([*cuts, chance.choice(cuts)])
    return [list(parts[start:end]) for start, end in zip([0, *cuts], [*cuts, len(parts)], strict=True)]


def told(chance: random.Random, changes: Iterable[Step], batches: Sequence[Rows], lateness: float) -> list[list[Step]]:
    """Tell each change with some batch before which its time was not complete, so that none is late."""
    watermarks: list[float] = [float("-inf")]
    for batch in batches:
        watermarks.append(max([watermarks[-1], *(row["t"] - lateness * SECOND for row in batch)]))
    by_batch: list[list[Step]] = [[] for _ in batches]
    for step in changes:
        in_time = [number for number in range(len(batches)) if watermarks[number] < step.arguments["at"]]
        by_batch[chance.choice(in_time)].append(step)
    return by_batch


def as_change(step: Step, **more: Any) -> Row:
    """Write a call as a row of the control stream."""
    arguments = dict(step.arguments)
    plain: dict[str, Any] = {"op": step.call, **more}
    if step.call == "advance":
        return {"change": canonical_json({**plain, "to": from_micros(arguments["to"])})}
    if arguments.get("at") is not None:
        plain["at"] = from_micros(arguments["at"])
    named = {"query": arguments["query"]} if step.call == "register" else {"id": arguments["query_id"]}
    return {"change": canonical_json({**plain, **named})}


ADVANCE = Step("advance", {"to": FAR_FUTURE})


def answer_of_engine(line: TimeLine, last: Step | None = ADVANCE) -> tuple[list[Event], limen.Engine]:
    """Return what the in-process engine makes of a time line, told everything at once, and the engine."""
    engine = Subject(line.columns, line.queries, order="event", expire_after=line.expire_after)
    steps = [*line.changes, Step("process", {"rows": line.rows}), *([last] if last else []), Step("close")]
    events = [event for step in steps for event in getattr(engine, step.call)(**step.arguments)]
    return events, engine.engine


def schema_of(line: TimeLine) -> Any:
    """Return the Arrow schema of a time line's rows."""
    return subject._table([], line.columns).schema
