"""Hypothesis strategies for answers: streams that meet on a few spots, and queries about them and around them.

Coordinates are mostly whole and few, so that many streams are equally near, sides of moving boxes go through them,
and several stand on one spot; every stream may be a focal, and the focals are each other's members.
"""

import math
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.oracle.region import EARTH_RADIUS
from tests.strategies import (
    GRID,
    LATITUDES,
    LONGITUDES,
    QUERIES,
    SECOND,
    Scenario,
    Step,
    TimeLine,
    boxes,
    places_on_earth,
    rarely,
    shapes,
    without_mistakes,
)

#: Ids whose order by bytes is not that by UTF-16 units, by letters without case, or by length.
POPULATION = ("a", "b", "c", "B", "é", "｡", "𝄞", "z" * 40)
FOCALS = ("a", "a", "b", "b", "c", "é", "nobody")
CONDITIONS = (
    "kind = 'car'", "kind <> 'car'", "kind IS NULL", "{value} > 1", "NOT ({value} > 2)", "{value} IS NOT NULL",
    "{value} >= 1 OR kind = 'bus'",
)  # fmt: skip
#: Halves of the whole ones are on the grid or midway.
SIDES = (1.0, 2.0, 2.0, 3.0, 4.0)
RADII = (1.0, 1.0, 2.0, 1.5, math.sqrt(2), 5.0)
#: Beside the grid: just off it, sums that are not what they seem, and numbers whose squares are 0 or infinite.
ODD_PLACES = (math.nextafter(2, 0), math.nextafter(2, 3), 0.1 + 0.2, 0.3, 0.5, -1.0, 5e-324, 1e16, 1e300, -1e300)
ODD_SIDES = (0.6, 1e-9, 5e-324, 1e16, 1e150)
ODD_RADII = (0.3, 5e-324, 1e150)
MOST_ROWS = 40


@dataclass(frozen=True)
class Field:
    """Where streams are, and what may be asked about them there."""

    values: list[str]
    places: st.SearchStrategy[dict[str, float | None]]
    questions: st.SearchStrategy[dict[str, Any]]  # queries without id, `streams` and `where`
    crs: str = "planar"

    @property
    def columns(self) -> dict[str, Any]:
        return {"id": "s", "time": "t", "values": self.values, "attributes": ["kind"], "crs": self.crs}

    def rows(self, times: st.SearchStrategy[int]) -> st.SearchStrategy[dict[str, Any]]:
        kind = st.sampled_from(("car", "car", "bus", None))
        return st.builds(
            lambda s, t, kind, place: {"s": s, "t": t, "kind": kind, **place},
            st.sampled_from(POPULATION),
            times,
            kind,
            self.places,
        )


@st.composite
def queries_in(draw: st.DrawFn, field: Field, query_id: str) -> dict[str, Any]:
    """Draw a query, in its JSON form."""
    form = {"id": query_id, **draw(field.questions)}
    if rarely(draw, 4):
        form["streams"] = draw(st.lists(st.sampled_from((*POPULATION, "nobody")), min_size=1, unique=True))
    if rarely(draw, 3):
        value = draw(st.sampled_from(field.values))
        form["where"] = draw(st.sampled_from(CONDITIONS)).format(value=value)
    return form


def others(regions: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw queries of other families, which must not notice, and whose ids answers take over."""
    border = {"type": st.just("border"), "initial": st.sampled_from(("silent", "report")), "region": regions}
    return st.fixed_dictionaries(border) | st.fixed_dictionaries({"type": st.just("match"), "region": regions})


def around(sizes: dict[str, st.SearchStrategy[float]]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw a `within` about a focal."""
    return st.fixed_dictionaries({"type": st.just("within"), "focal": st.sampled_from(FOCALS), **sizes})


def within(regions: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"type": st.just("within"), "region": regions})


def nearest(centers: st.SearchStrategy[list[float]]) -> st.SearchStrategy[dict[str, Any]]:
    few = {"type": st.just("nearest"), "k": st.sampled_from((1, 1, 2, 3, 100))}
    moving = st.fixed_dictionaries({**few, "focal": st.sampled_from(FOCALS)})
    return st.fixed_dictionaries({**few, "center": centers}) | moving


@st.composite
def questions_in(draw: st.DrawFn, dimensions: int, *, odd: bool) -> dict[str, Any]:
    """Draw a question on a line, the plane or in space."""
    sides = st.sampled_from((*SIDES, *SIDES, *ODD_SIDES) if odd else SIDES)
    radii = st.sampled_from((*RADII, *ODD_RADII) if odd else RADII)
    coordinates = st.sampled_from((*GRID, *GRID, *ODD_PLACES) if odd else GRID)
    kinds = [
        within(boxes(dimensions)),
        around({"radius": radii}),
        nearest(st.lists(coordinates, min_size=dimensions, max_size=dimensions)),
        nearest(st.lists(coordinates, min_size=dimensions, max_size=dimensions)),
        others(boxes(dimensions)),
    ]
    if dimensions == 2:
        kinds += [within(shapes()), around({"radius": radii})]
    if dimensions <= 2:
        kinds += [around(dict.fromkeys(("width", "height")[:dimensions], sides))] * 2
    return draw(st.one_of(*kinds))


@st.composite
def questions_on(draw: st.DrawFn, names: list[str], *, odd: bool) -> dict[str, Any]:
    """Draw a question about some of the columns, in any order; all of them need not be named."""
    dimensions = min(len(names), draw(st.sampled_from((2, 2, 2, 1, 3))))
    on = draw(st.permutations(names))[:dimensions] if len(names) != dimensions or rarely(draw, 3) else None
    question = draw(questions_in(dimensions, odd=odd))
    return question if on is None else {**question, "on": on}


def known_in_part(
    places: st.SearchStrategy[dict[str, float | None]], names: list[str]
) -> st.SearchStrategy[dict[str, float | None]]:
    """Let a few rows lack some values, or all."""
    missing = st.dictionaries(st.sampled_from(names), st.sampled_from((None, math.nan)), min_size=1)
    in_part = st.builds(lambda place, gaps: {**place, **gaps}, places, missing)
    return st.integers(1, 8).flatmap(lambda number: in_part if number == 8 else places)


@st.composite
def planes(draw: st.DrawFn, *, odd: bool = True) -> Field:
    """Draw one to three columns; with `odd`, not all coordinates and sizes are on the grid."""
    names = ["x", "y", "z"][: draw(st.sampled_from((2, 2, 2, 3, 1)))]
    coordinates = st.sampled_from((*GRID * 6, *ODD_PLACES) if odd else GRID)
    places = st.fixed_dictionaries(dict.fromkeys(names, coordinates))
    return Field(names, known_in_part(places, names), questions_on(names, odd=odd))


#: Two degrees, as exactly as metres can say it: sides of moving boxes go through places of whole degrees, or just not.
TWO_DEGREES = EARTH_RADIUS * math.radians(2)
METRES = (1e3, 5e4, 3e5, 2.5e6, 5e7, TWO_DEGREES, TWO_DEGREES)


@st.composite
def globes(draw: st.DrawFn) -> Field:
    """Draw places about the antimeridian and the poles, some of them out of range, and sometimes a height."""
    names = ["lon", "lat", *draw(st.sampled_from(((), (), ("z",))))]
    longitudes = st.sampled_from((*LONGITUDES, *LONGITUDES[:-1], 179.0, -179.0, 178.5))
    latitudes = st.sampled_from((*LATITUDES, *LATITUDES[:-1], 0.0, 0.0, 1.0, -1.0))
    coordinates = {"lon": longitudes, "lat": latitudes, "z": st.sampled_from(GRID)}
    places = st.fixed_dictionaries({name: coordinates[name] for name in names})
    metres = st.sampled_from(METRES)
    centers = st.tuples(st.sampled_from((*LONGITUDES[:-1], 190.0)), st.sampled_from(LATITUDES[:-1])).map(list)
    on_earth = st.one_of(
        within(places_on_earth()),
        around({"width": metres, "height": metres}),
        around({"width": metres, "height": metres}),
        around({"radius": metres}),
        nearest(centers),
        nearest(centers),
        others(places_on_earth()),
    )
    if len(names) == 2:
        return Field(names, known_in_part(places, names), on_earth, crs="lonlat")
    on_earth = on_earth.map(lambda question: {**question, "on": ["lon", "lat"]})
    # Beside longitude and latitude there are no distances.
    upwards = (within(boxes(1)) | others(boxes(1))).map(lambda question: {**question, "on": ["z"]})
    return Field(names, known_in_part(places, names), on_earth | upwards, crs="lonlat")


@st.composite
def replacements(draw: st.DrawFn, field: Field, forms: list[dict[str, Any]]) -> dict[str, Any]:
    """Draw a query in place of one of those there are: another one, or the same with one thing changed."""
    old = draw(st.sampled_from(forms))
    changes: list[dict[str, Any]] = [draw(queries_in(field, old["id"]))]
    changes += [{**old, "streams": list(POPULATION[:3])}, {**old, "where": "kind = 'car'"}]
    if "focal" in old:
        changes += [{**old, "focal": focal} for focal in ("a", "b")]
    if "k" in old:
        changes += [{**old, "k": k} for k in (1, 2, 3)]
    return draw(st.sampled_from(changes))


@st.composite
def some_queries(draw: st.DrawFn, field: Field) -> list[dict[str, Any]]:
    query_ids = draw(st.lists(st.sampled_from(QUERIES), unique=True, min_size=3))
    return [draw(queries_in(field, query_id)) for query_id in query_ids]


@st.composite
def answer_scenarios(draw: st.DrawFn, fields: st.SearchStrategy[Field]) -> Scenario:
    """Draw a script in which rows, expiries and changes of queries meet at the same times, and some come late."""
    field = draw(fields)
    options: dict[str, Any] = {"order": draw(st.sampled_from(("arrival", "arrival", "event")))}
    options["lateness"] = draw(st.sampled_from((0, 0, 2)))
    options["expire_after"] = draw(st.sampled_from((None, 1, 2, 3)))
    # A batch in arrival order may go behind a waiting change when there is lateness: not specified.
    timed = options["order"] == "event" or options["lateness"] == 0
    forms = draw(some_queries(field))
    # Often some come later, or all of them.
    first = forms[: draw(st.integers(0, len(forms)))] if rarely(draw, 3) else list(forms)
    script: list[Step] = []
    room = MOST_ROWS
    for position in range(draw(st.integers(2, 9))):
        seconds = st.sampled_from([2 * position + each for each in (-2, -1, 0, 0, 1, 1, 1, 2, 2)])
        times = seconds.map(lambda second: second * SECOND)
        at = draw(times) if timed and draw(st.booleans()) else None
        call = draw(st.sampled_from(("process",) * 6 + ("register", "register", "deregister", "advance")))
        if call == "process":
            batch = draw(st.lists(field.rows(times), min_size=min(4, room), max_size=min(10, room)))
            room -= len(batch)
            script.append(Step(call, {"rows": batch}))
        elif call == "register":
            forms.append(draw(replacements(field, forms)))
            script.append(Step(call, {"query": forms[-1], "at": at}))
        elif call == "deregister":
            script.append(Step(call, {"query_id": draw(st.sampled_from(QUERIES)), "at": at}))
        else:
            script.append(Step(call, {"to": draw(times)}))
    return without_mistakes(Scenario(field.columns, first, options, [*script, Step("close")]))


@st.composite
def answer_lines(draw: st.DrawFn, fields: st.SearchStrategy[Field]) -> TimeLine:
    """Draw input for which the specification promises one answer however it is fed."""
    field = draw(fields)
    times = st.integers(0, 8).map(lambda second: second * SECOND)
    forms = draw(some_queries(field))
    first = forms[: draw(st.integers(0, len(forms)))] if rarely(draw, 3) else list(forms)
    changes = []
    for _ in range(draw(st.integers(0, 4))):
        at = draw(times)
        if rarely(draw, 4):
            changes.append(Step("deregister", {"query_id": draw(st.sampled_from(forms))["id"], "at": at}))
        else:
            forms.append(draw(replacements(field, forms)))
            changes.append(Step("register", {"query": forms[-1], "at": at}))
    rows = sorted(draw(st.lists(field.rows(times), min_size=8, max_size=30)), key=lambda row: row["t"])
    return TimeLine(field.columns, first, changes, rows, draw(st.sampled_from((None, 1, 3))))


#: Names of columns, a few places along each, and sizes that reach from one to another.
SPOTS_AND_SIZES = {
    "planar": (["x", "y"], GRID, GRID, SIDES),
    "lonlat": (["lon", "lat"], (178.0, 179.0, -180.0, -179.0, -178.0), (-1.0, 0.0, 1.0, 60.0, 90.0), METRES),
}


def question_in_a_swarm(
    random: Random, number: int, first: tuple[float, ...], second: tuple[float, ...], sizes: tuple[float, ...]
) -> dict[str, Any]:
    """Draw a query without an id, mostly of the kind that has the number."""
    about = {"focal": random.choice(FOCALS)}
    spot = [random.choice(first), random.choice(second)]
    few = {"type": "nearest", "k": random.choice((1, 2, 3, 100))}
    one, other = random.choice(sizes), random.choice(sizes)
    kinds: tuple[dict[str, Any], ...] = (
        {"type": "within", **about, "width": one, "height": other},
        {**few, **about},
        {"type": "within", **about, "radius": one},
        {**few, "center": spot},
        {"type": "within", "region": {"type": "circle", "center": spot, "radius": one}},
        {"type": "within", "region": {"type": "box", "lo": [first[1], second[1]], "hi": [first[3], second[3]]}},
    )
    return kinds[number % len(kinds)] if random.random() < 0.8 else random.choice(kinds)


def answer_swarm(seed: int, *, crs: str = "planar") -> Scenario:
    """Make a scenario in which much happens: all kinds of queries, all streams on few spots, most of them at any time.

    Hypothesis draws small scenarios and much of the same; here every one has ties, sides that are hit, focals that
    meet, expire and come again, and rows that are late.
    """
    random = Random(seed)
    names, first, second, sizes = SPOTS_AND_SIZES[crs]

    def query(number: int) -> dict[str, Any]:
        form = question_in_a_swarm(random, number, first, second, sizes)
        if random.random() < 0.15:
            form["streams"] = random.sample(POPULATION, 5)
        if random.random() < 0.15:
            form["where"] = random.choice(CONDITIONS).format(value=names[0])
        return {"id": f"q{number}", **form}

    def row(stream: str, tick: int) -> dict[str, Any]:
        place = {names[0]: random.choice(first), names[1]: random.choice(second)}
        if random.random() < 0.1:
            place[random.choice(names)] = random.choice((None, math.nan))
        late = random.random() < 0.05
        return {
            "s": stream,
            "t": (tick - 2 * late) * SECOND,
            "kind": random.choice(("car", "car", "bus", None)),
            **place,
        }

    start = [query(number) for number in range(8)]
    script: list[Step] = []
    for tick in range(8):
        batch = [row(stream, tick) for stream in POPULATION if random.random() < 0.6]
        if script and script[-1].call == "process" and random.random() < 0.4:
            script[-1].arguments["rows"].extend(batch)
        else:
            script.append(Step("process", {"rows": batch}))
        number, at = random.randrange(8), random.choice(((tick + 1) * SECOND, None))
        others = {
            "register": {"query": query(number), "at": at},
            "deregister": {"query_id": f"q{number}", "at": None},
            "advance": {"to": (tick + 1) * SECOND + 1},
        }
        call = random.choice(("register",) * 4 + ("deregister", "advance") + ("",) * 4)
        script += [Step(call, others[call])] if call else []
    columns = {"id": "s", "time": "t", "values": names, "attributes": ["kind"], "crs": crs}
    options = {"order": random.choice(("arrival", "event")), "expire_after": random.choice((None, 2, 3))}
    return without_mistakes(Scenario(columns, start, options, [*script, Step("close")]))


def question_in_a_crowd(
    random: np.random.Generator, streams: int, reach: np.ndarray[Any, Any], metres: float
) -> dict[str, Any]:
    """Draw a query of any kind, without an id, up to `reach` away from the middle."""
    about = {"focal": f"s{random.integers(streams + 2)}"}
    spot = np.round(random.uniform(-reach, reach)).tolist()
    few = {"type": "nearest", "k": int(random.integers(1, 12))}
    one, other = (np.round(100 ** random.uniform(0, 1, 2), 1) * metres).tolist()
    lo = np.round(random.uniform(-reach, reach - 1))
    hi = np.minimum(lo + np.round(100 ** random.uniform(0.1, 1, 2)), reach)
    kinds: tuple[dict[str, Any], ...] = (
        {"type": "within", "region": {"type": "circle", "center": spot, "radius": one}},
        {"type": "within", "region": {"type": "box", "lo": lo.tolist(), "hi": hi.tolist()}},
        {"type": "within", **about, "width": one, "height": other},
        {"type": "within", **about, "radius": one},
        {**few, "center": spot},
        {**few, **about},
    )
    form = kinds[random.integers(len(kinds))]
    if random.random() < 0.1:
        form["streams"] = [f"s{each}" for each in sorted(set(random.integers(streams, size=streams // 2).tolist()))]
    return form


def answer_crowd(
    seed: int, queries: int, streams: int, ticks: int, *, crs: str = "planar", together: bool = True
) -> Scenario:
    """Make more streams and queries than one cell of a grid would hold, some far from all others, some all on one spot.

    Sizes are spread over orders of magnitude, and a third of the queries come, change or go while streams move. Those
    that report in a second do so `together`, or each at a time of its own and then most queries are about ranges that
    move, of which very many are needed for much to be done at once.
    """
    random = np.random.default_rng(seed)
    names = ["lon", "lat"] if crs == "lonlat" else ["x", "y"]
    reach = np.array([180.0, 90.0]) if crs == "lonlat" else np.array([100.0, 100.0])
    metres = 1e5 if crs == "lonlat" else 1.0

    def query(query_id: str) -> dict[str, Any]:
        form = question_in_a_crowd(random, streams, reach, metres)
        while not together and random.random() < 0.9 and not ("focal" in form and form["type"] == "within"):
            form = question_in_a_crowd(random, streams, reach, metres)
        return {"id": query_id, **form}

    start = [query(f"q{number}") for number in range(queries)]
    known = {form["id"] for form in start}
    position = random.uniform(-reach, reach, (streams, 2)) * random.choice((0.05, 1.0))
    script = []
    for tick in range(ticks):
        # Most stand still or move a little; some jump, and on the plane a few go far away.
        step = random.normal(size=position.shape) * 100 ** random.uniform(-1, 1, (streams, 1))
        position = np.where(random.random((streams, 1)) < 0.6, position + step, position)
        position = np.where(random.random(position.shape) < 0.5, np.round(position), position)
        if crs == "planar":
            position = np.where(random.random((streams, 1)) < 0.02, position * 1e6, position)
        else:
            position = np.clip(position, -reach, reach)
        later = random.permutation(streams) * (0 if together else SECOND // (2 * streams))
        batch = [
            {"s": f"s{stream}", "t": tick * SECOND + int(later[stream]), **dict(zip(names, values, strict=True))}
            for stream, values in enumerate(position.tolist())
            if random.random() < 0.8
        ]
        batch.sort(key=lambda row: row["t"])
        script.append(Step("process", {"rows": batch}))
        for _ in range(queries // (3 * ticks)):
            query_id = f"q{random.integers(queries + queries // 10)}"
            if query_id in known and random.random() < 0.3:
                known.remove(query_id)
                script.append(Step("deregister", {"query_id": query_id, "at": None}))
            else:
                known.add(query_id)
                script.append(Step("register", {"query": query(query_id), "at": None}))
    columns = {"id": "s", "time": "t", "values": names, "crs": crs}
    return Scenario(columns, start, {"expire_after": 2}, [*script, Step("close")])
