"""Hypothesis strategies for scripts of rows and changes that look for trouble.

There are few distinct values, times and names, so that ties, border hits, duplicates and late rows abound,
and beside them the numbers on which careless arithmetic breaks.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.oracle import Oracle

SECOND = 1_000_000
STREAMS = ("a", "a", "b", "b", "é", "z" * 40)
QUERIES = ("q0", "q1", "q2", "q3", "q4", "ψ")
VALUES = ("x", "y", "z", "u", "v")
ATTRIBUTES = {
    "kind": ("car", "Car", "bus", "ünit", None),
    "level": (-3, 0, 1, 2, None),
    "flag": (True, False, None),
    "score": (0.0, 0.5, 1.0, -1.5, None, math.nan),
}
TYPES = ("border",) * 3 + ("transition",) * 3 + ("match",)
#: What a query that comes later knows as well as one that was there from the start, if it is not a calm one.
WITHOUT_MEMORY = ("border", "match")
TRANSITIONS = ["passed", "returned", "stayed", "gone"]
GRID = (0.0, 1.0, 2.0, 3.0, 4.0)
CORNERS = (*GRID, *GRID, math.nextafter(2, 0), math.nextafter(2, 3), 0.1 + 0.2, 0.3, 1e-9, -1.0, 5e-324)
EDGE_CASES = (
    -0.0, -1.0, 5e-324, -5e-324, 2.2250738585072014e-308, math.nextafter(2, 0), math.nextafter(2, 3),
    0.1 + 0.2, 0.3, 1e-9, 1e16, 1e16 + 2, -1e300, 1e300, 1.7976931348623157e308, -1.7976931348623157e308,
)  # fmt: skip
NUMBERS = st.sampled_from(GRID * 6 + EDGE_CASES)
MISSING = st.sampled_from((None, math.nan))
INFINITE = st.sampled_from((math.inf, -math.inf))
# The start of time lines: the epoch, long before it, and after 2200.
ORIGINS = st.sampled_from((0, 0, -(10**15), 7_300_000_000_000_000))
# Each uses only what sqlglot's Spark dialect and SQLite read alike.
CONDITIONS = (
    "kind = 'car'", "kind <> 'car'", "kind IN ('car', 'bus')", "kind LIKE 'c%'", "kind < 'd'", "kind IS NULL",
    "level >= 1", "level BETWEEN 0 AND 1", "level % 2 = 0", "level + 1 > 1", "-level < 0", "NOT level = 0",
    "flag", "NOT flag", "flag = TRUE", "flag IS NOT NULL", "score < 0.5", "score >= -1.5 AND score <> 1",
    "{value} > 1", "NOT ({value} > 1)", "{value} IS NULL", "{value} IS NOT NULL", "{value} * 2 <= 4",
    "{value} >= 0", "{value} > 0 AND kind = 'bus'", "{value} < level OR flag",
    "level > 0 OR kind = 'bus'", "NOT (flag AND {value} >= 2)", "kind = 'nobody'", "score IS NULL OR flag",
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One call of a script: the method and its arguments."""

    call: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Scenario:
    """How to build an engine, and the script to run on it."""

    columns: dict[str, Any]
    queries: list[dict[str, Any]]
    options: dict[str, Any]
    steps: list[Step]


def rarely(draw: st.DrawFn, one_in: int) -> bool:
    return draw(st.integers(1, one_in)) == one_in


@st.composite
def columns(draw: st.DrawFn, max_dimensions: int = 5) -> dict[str, Any]:
    dimensions = draw(st.integers(1, max_dimensions))
    return {"id": "s", "time": "t", "values": list(VALUES[:dimensions]), "attributes": list(ATTRIBUTES)}


@st.composite
def bounds(draw: st.DrawFn, infinite_one_in: int) -> tuple[float | None, float | None]:
    """Draw two ends, lower first; None is infinite."""
    lo, hi = sorted(draw(st.lists(NUMBERS, min_size=2, max_size=2, unique_by=lambda number: number + 0.0)))
    return (None if rarely(draw, infinite_one_in) else lo), (None if rarely(draw, infinite_one_in) else hi)


@st.composite
def boxes(draw: st.DrawFn, dimensions: int) -> dict[str, Any]:
    # A box of many dimensions would otherwise hardly ever contain a point.
    ends = [draw(bounds(8 if dimensions == 1 else 2)) for _ in range(dimensions)]
    if dimensions == 1 and draw(st.booleans()):
        return {"type": "range", "lo": ends[0][0], "hi": ends[0][1]}
    return {"type": "box", "lo": [lo for lo, _ in ends], "hi": [hi for _, hi in ends]}


@st.composite
def rings(draw: st.DrawFn) -> list[tuple[float, float]]:
    """Draw vertices that are not all on one line; edges may cross, touch and go back on themselves."""
    corner = st.tuples(st.sampled_from(CORNERS), st.sampled_from(CORNERS))
    ring = draw(st.lists(corner, min_size=3, max_size=6))
    (x, y), others = ring[0], ring[1:]
    if not any((a - x) * (d - y) != (b - y) * (c - x) for a, b in others for c, d in others):
        ring = [(0.0, 0.0), (4.0, 1.0), (1.0, 3.0)]
    return ring


@st.composite
def shapes(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a circle, through points of the grid if it can be, or a polygon between them."""
    kind = draw(st.sampled_from(("circle", "polygon", "polygon", "multipolygon")))
    if kind == "circle":
        center = [draw(st.sampled_from(CORNERS)), draw(st.sampled_from(CORNERS))]
        return {"type": kind, "center": center, "radius": draw(st.sampled_from((1.0, 2.0, 1.5, 5e-324, 0.3, 1e150)))}
    count = 1 if kind == "polygon" else draw(st.integers(1, 2))
    parts = [{"shell": draw(rings()), "holes": draw(st.lists(rings(), max_size=1))} for _ in range(count)]
    return {"type": kind, **parts[0]} if kind == "polygon" else {"type": kind, "polygons": parts}


@st.composite
def calmness(draw: st.DrawFn, margins: tuple[float, ...] = (0, 0.5, 1, 2), one_in: int = 3) -> dict[str, Any]:
    """Draw some arguments of a calm border, or none; whole seconds, so that a stay ends as a row comes."""
    form: dict[str, Any] = {}
    if rarely(draw, one_in):
        form["confirm"] = draw(st.sampled_from((1, 2, 2, 3)))
    if rarely(draw, one_in):
        form["min_stay"] = draw(st.sampled_from((0, 1, 1, 2, 2, 0.000001, 1.999999)))
    if rarely(draw, one_in):
        form["margin"] = draw(st.sampled_from(margins))
    return form


@st.composite
def queries(draw: st.DrawFn, columns: dict[str, Any], query_id: str, types: tuple[str, ...] = TYPES) -> dict[str, Any]:
    """Draw a query on all columns or some, in any order, in its JSON form."""
    form: dict[str, Any] = {"type": draw(st.sampled_from(types)), "id": query_id}
    on = columns["values"]
    if draw(st.booleans()):
        on = draw(st.permutations(on))[: draw(st.sampled_from((1, 2, len(on))))]
        form["on"] = on
    form["region"] = draw(shapes() if len(on) == 2 and draw(st.booleans()) else boxes(len(on)))
    if form["type"] == "border":
        form["initial"] = draw(st.sampled_from(("silent", "report")))
        if rarely(draw, 3):
            form["crossings"] = draw(st.booleans())
    if form["type"] != "match" and types != WITHOUT_MEMORY:
        form |= draw(calmness())
    if form["type"] == "transition":
        # Whole seconds, as the times of rows mostly are, so that deadlines are hit exactly; a microsecond beside; long.
        form["within"] = draw(st.sampled_from((1, 1, 2, 3, 0.000001, 1.000001, 1.999999, 1000)))
        form["kinds"] = draw(st.lists(st.sampled_from(TRANSITIONS), min_size=1, unique=True) | st.just(TRANSITIONS))
    if rarely(draw, 3):
        form["streams"] = draw(st.lists(st.sampled_from(("a", "b", "é", "nobody")), min_size=1, unique=True))
    if draw(st.booleans()):
        value = draw(st.sampled_from(columns["values"]))
        form["where"] = draw(st.sampled_from(CONDITIONS)).format(value=value)
    return form


@st.composite
def query_lists(draw: st.DrawFn, columns: dict[str, Any], types: tuple[str, ...] = TYPES) -> list[dict[str, Any]]:
    """Draw the queries an engine starts with."""
    query_ids = draw(st.lists(st.sampled_from(QUERIES), unique=True))
    return [draw(queries(columns, query_id, types)) for query_id in query_ids]


@st.composite
def rows(draw: st.DrawFn, columns: dict[str, Any], times: st.SearchStrategy[int]) -> dict[str, Any]:
    """Draw a sound row: no null id or time, no infinite value."""
    row: dict[str, Any] = {"s": draw(st.sampled_from(STREAMS)), "t": draw(times)}
    for name in columns["values"]:
        row[name] = draw(MISSING) if rarely(draw, 4) else draw(NUMBERS)
    for name in columns["attributes"]:
        row[name] = draw(st.sampled_from(ATTRIBUTES[name]))
    return row


@st.composite
def bad_rows(draw: st.DrawFn, columns: dict[str, Any], times: st.SearchStrategy[int]) -> dict[str, Any]:
    """Draw a row to be rejected for one reason or for several."""
    row = draw(rows(columns, times))
    for fault in draw(st.sets(st.sampled_from(("s", "t", "value")), min_size=1)):
        if fault == "value":
            row[draw(st.sampled_from(columns["values"]))] = draw(INFINITE)
        else:
            row[fault] = None
    return row


@st.composite
def times_near(draw: st.DrawFn, second: int, origin: int) -> int:
    """Draw a time around a second of the time line, now and then a microsecond off or far ahead."""
    offset = draw(st.sampled_from((0, 0, 0, 0, 0, 0, 1, -1)))
    ahead = 50 if rarely(draw, 60) else draw(st.integers(-3, 4))
    return origin + (second + ahead) * SECOND + offset


@st.composite
def steps(draw: st.DrawFn, columns: dict[str, Any], times: st.SearchStrategy[int], *, timed: bool) -> Step:
    """Draw one call; with `timed` a change may name the time at which it takes effect."""
    at = draw(times) if timed and draw(st.booleans()) else None
    call = draw(st.sampled_from(("process",) * 6 + ("register",) * 3 + ("deregister", "advance")))
    if call == "process":
        batch = draw(st.lists(rows(columns, times), max_size=8))
        batch += draw(st.lists(bad_rows(columns, times), max_size=1))
        return Step(call, {"rows": batch})
    if call == "register":
        return Step(call, {"query": draw(queries(columns, draw(st.sampled_from(QUERIES)))), "at": at})
    if call == "deregister":
        return Step(call, {"query_id": draw(st.sampled_from(QUERIES)), "at": at})
    return Step(call, {"to": draw(times)})


@st.composite
def scenarios(draw: st.DrawFn, max_dimensions: int = 5) -> Scenario:
    """Draw an engine and a script for it that ends with `close`."""
    names = draw(columns(max_dimensions))
    origin = draw(ORIGINS)
    options: dict[str, Any] = {"order": draw(st.sampled_from(("arrival", "event")))}
    options["lateness"] = draw(st.sampled_from((0, 0, 1, 2.5)))
    options["max_ahead"] = draw(st.sampled_from((None, None, 6)))
    options["expire_after"] = draw(st.sampled_from((None, 1, 2, 4)))
    # A batch in arrival order may go behind a waiting change when there is lateness: not specified.
    timed = options["order"] == "event" or options["lateness"] == 0
    first = draw(query_lists(names))
    script = []
    for position in range(draw(st.integers(2, 12))):
        times = times_near(2 * position, origin)
        script.append(draw(steps(names, times, timed=timed)))
    return without_mistakes(Scenario(names, first, options, [*script, Step("close")]))


LONGITUDES = (-180.0, 180.0, 179.5, -179.5, 170.0, -170.0, 175.0, 0.0, 10.0, -74.25, 181.0)
LATITUDES = (0.0, 1.0, 2.0, 5.0, -5.0, 40.7, 89.9, -89.9, 90.0, -90.0, 91.0)


@st.composite
def places_on_earth(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a region of longitude and latitude, more often than not across the antimeridian or near a pole."""
    kind = draw(st.sampled_from(("box", "circle", "polygon")))
    latitude = st.sampled_from(LATITUDES[:-1])
    if kind == "circle":
        center = [draw(st.sampled_from(LONGITUDES[:-1])), draw(latitude)]
        return {"type": kind, "center": center, "radius": draw(st.sampled_from((1e3, 6e4, 2e5, 2e6, 1.2e7, 3e7)))}
    if kind == "box":
        ends = st.sampled_from(LONGITUDES[:-1])
        pairs = st.tuples(ends, ends | st.just(190.0))
        west, east = draw(pairs.filter(lambda pair: -360 < pair[0] - pair[1] < 360 and pair[0] != pair[1]))
        south, north = sorted(draw(st.lists(latitude, min_size=2, max_size=2, unique=True)))
        return {"type": kind, "lo": [west, south], "hi": [east, north]}
    # Around the antimeridian, neighbours less than half round the world apart once they are taken together.
    corner = st.tuples(
        st.sampled_from((170.0, 175.0, 180.0, -180.0, -175.0, -170.0)), st.sampled_from((-5.0, 0.0, 1.0, 5.0))
    )
    return {"type": kind, "shell": [(160.0, -2.0), *draw(st.lists(corner, min_size=2, max_size=5)), (165.0, 3.0)]}


@st.composite
def earthly(draw: st.DrawFn) -> Scenario:
    """Draw streams that go round the world, and queries in their way."""
    names = {"id": "s", "time": "t", "values": ["lon", "lat"], "attributes": [], "crs": "lonlat"}
    place = st.fixed_dictionaries(
        {
            "s": st.sampled_from("ab"),
            "lon": st.sampled_from((*LONGITUDES, None)) | st.floats(-180, 180),
            "lat": st.sampled_from((*LATITUDES, None)) | st.floats(-90, 90),
        }
    )
    queries = []
    for query_id in QUERIES:
        kind = draw(st.sampled_from(("border", "border", "match", "transition")))
        more = {"border": {"initial": "report"}, "transition": {"within": 2}}.get(kind, {})
        if kind == "border":
            more |= {"crossings": draw(st.booleans())}
        if kind != "match":
            more |= draw(calmness(margins=(0, 1e3, 1e5)))
        queries.append({"type": kind, "id": query_id, "region": draw(places_on_earth()), **more})
    places = draw(st.lists(place, max_size=30))
    rows = [{**each, "t": second * SECOND} for second, each in enumerate(places)]
    return Scenario(names, queries, {}, [Step("process", {"rows": rows}), Step("close")])


@dataclass(frozen=True)
class Ground:
    """A few places that streams go to and fro between, and the few regions that queries have there."""

    values: list[str]
    places: st.SearchStrategy[dict[str, float | None]]
    regions: st.SearchStrategy[dict[str, Any]]  # as parts of a query, with `on` where it is not about all columns
    margins: tuple[float, ...]

    @property
    def columns(self) -> dict[str, Any]:
        return {"id": "s", "time": "t", "values": self.values, "attributes": []}

    def rows(self, times: st.SearchStrategy[int]) -> st.SearchStrategy[dict[str, Any]]:
        return st.builds(lambda s, t, place: {"s": s, "t": t, **place}, st.sampled_from("ab"), times, self.places)


#: In and out of `x ≥ 1`, and out by more than a margin or two.
DOORSTEP = Ground(
    ["x"],
    st.sampled_from((0.0, 1.0, 0.0, 1.0, 0.5, -1.0, None)).map(lambda x: {"x": x}),
    st.just({"region": {"type": "range", "lo": 1, "hi": None}}),
    (0, 0.5, 1, 2),
)

#: Regions about two wide all round (0, 0), some with ways through between their parts.
FENCES = (
    {"type": "box", "lo": [-2, -2], "hi": [2, 2]},
    {"type": "box", "lo": [-2, None], "hi": [2, None]},
    {"type": "circle", "center": [0, 0], "radius": 2},
    {"type": "polygon", "shell": [(-2, -2), (2, -2), (2, 2), (-2, 2)]},
    {"type": "polygon", "shell": [(-2, 0), (0, -2), (2, 0), (0, 2)]},
    {"type": "polygon", "shell": [(-2, -2), (2, -2), (0, 0), (2, 2), (-2, 2)]},
    {"type": "polygon", "shell": [(-2, -2), (2, -2), (2, 2), (-2, 2)], "holes": [[(-1, -1), (1, -1), (1, 1), (-1, 1)]]},
    # A hole that touches the shell along an edge, and a spike that goes back on itself in part.
    {"type": "polygon", "shell": [(-2, -2), (2, -2), (2, 2), (-2, 2)], "holes": [[(-2, -1), (1, -1), (1, 1), (-2, 1)]]},
    {"type": "polygon", "shell": [(-2, -2), (2, -2), (0, 0), (3, 3), (-1, -1), (-2, 2)]},
    {
        "type": "multipolygon",
        "polygons": [{"shell": [(-2, -2), (2, -2), (0, -0.5)]}, {"shell": [(-2, 2), (2, 2), (0, 0.5)]}],
    },
)
#: The same in one dimension and in three.
ROOMS = (
    {"on": ["y"], "region": {"type": "range", "lo": -2, "hi": 2}},
    {"on": ["x", "y", "z"], "region": {"type": "box", "lo": [-2, -2, -2], "hi": [2, 2, 2]}},
    {"on": ["z", "y", "x"], "region": {"type": "box", "lo": [-2, -2, None], "hi": [None, 2, 2]}},
)
#: Inside all or most of them, upon their borders, off by half, one and two, and on the far side; so that jumps go
#: through the middle, touch corners, run along borders and go past. (5, 6) is five from the corner (2, 2).
SPOTS = (
    (0, 0), (0, 0), (0.5, 1), (-1.5, 0.5), (-2, -2), (2, 2), (2, -2), (-2, 2), (2, 0), (-2, 0), (0, 2), (0, -2), (2, 1),
    (2.5, 0), (-2.5, 0), (0, 2.5), (3, 0), (-3, 0), (0, 3), (0, -3), (3, 3), (-3, 1), (1, -3), (3, 1), (-3, -3),
    (4, 0), (-4, 0), (0, -4), (4, 4), (-4, -4), (4, -4), (-4, 4), (5, 6), (5, 6.5), (2.1, 0.3),
    (math.nextafter(2, 3), 0),
)  # fmt: skip


@st.composite
def plazas(draw: st.DrawFn) -> Ground:
    """Draw few of the spots, so that a stream is often for a while on one side; others come rarely."""
    names = ["x", "y", *draw(st.sampled_from(((), (), ("z",))))]
    spot = st.tuples(st.sampled_from(SPOTS), st.sampled_from((0, 2, -2, 3, -4))).map(
        lambda spot: dict(zip(names, map(float, (*spot[0], spot[1])), strict=False))
    )
    half_known = st.tuples(spot, st.sets(st.sampled_from(names), min_size=1)).map(
        lambda pair: {**pair[0], **dict.fromkeys(pair[1])}
    )
    places = st.one_of(spot, spot, spot, spot, half_known)
    few = st.sampled_from(draw(st.lists(places, min_size=2, max_size=6)))
    regions = st.sampled_from(FENCES).map(lambda fence: {"on": ["x", "y"], "region": fence})
    if "z" in names:
        regions |= st.sampled_from(ROOMS)
    return Ground(names, st.one_of(few, few, few, places), regions, (0, 0.5, 1, 2, 5))


@st.composite
def queries_about(draw: st.DrawFn, ground: Ground, query_id: str) -> dict[str, Any]:
    """Draw a border or transition with time limits about as long as rows are apart."""
    form = {"type": draw(st.sampled_from(("transition", "border"))), "id": query_id, **draw(ground.regions)}
    form |= draw(calmness(ground.margins, one_in=2))
    if form["type"] == "border":
        form["initial"] = draw(st.sampled_from(("silent", "report")))
        form["crossings"] = draw(st.booleans())
    else:
        form["within"] = draw(st.sampled_from((1, 2, 3, 4, 1.000001)))
        form["kinds"] = draw(st.just(TRANSITIONS) | st.lists(st.sampled_from(TRANSITIONS), min_size=1, unique=True))
    if rarely(draw, 3):
        form["where"] = "x < 3"
    return form


def shuttles() -> st.SearchStrategy[Scenario]:
    """Draw streams that go in and out all the time, and queries on the one region they do it in."""
    return bursts(st.just(DOORSTEP))


def jitter() -> st.SearchStrategy[Scenario]:
    """Draw streams that jump among a few spots in, near, about and beyond regions of the plane."""
    return bursts(plazas())


@st.composite
def bursts(draw: st.DrawFn, grounds: st.SearchStrategy[Ground]) -> Scenario:
    """Draw two streams with many rows, and queries that come and go.

    Crossings, deadlines, expiries, late rows and changes of queries meet at the same times.
    """
    ground = draw(grounds)
    options: dict[str, Any] = {"order": draw(st.sampled_from(("arrival", "event")))}
    options["lateness"] = draw(st.sampled_from((0, 0, 2)))
    options["expire_after"] = draw(st.sampled_from((None, None, 2, 3)))
    timed = options["order"] == "event" or options["lateness"] == 0
    script = []
    for position in range(draw(st.integers(2, 10))):
        second = 3 * position
        times = st.integers(second - 4, second + 3).map(lambda each: each * SECOND)
        at = draw(times) if timed and draw(st.booleans()) else None
        call = draw(st.sampled_from(("process",) * 8 + ("register", "deregister", "advance")))
        if call == "process":
            script.append(Step(call, {"rows": draw(st.lists(ground.rows(times), max_size=10))}))
        elif call == "register":
            query = draw(queries_about(ground, draw(st.sampled_from(QUERIES[:3]))))
            script.append(Step(call, {"query": query, "at": at}))
        elif call == "deregister":
            script.append(Step(call, {"query_id": draw(st.sampled_from(QUERIES[:3])), "at": at}))
        else:
            script.append(Step(call, {"to": draw(times)}))
    first = [draw(queries_about(ground, query_id)) for query_id in QUERIES[:3]]
    return without_mistakes(Scenario(ground.columns, first, options, [*script, Step("close")]))


def without_mistakes(scenario: Scenario) -> Scenario:
    """Leave out calls that would end at once a query that does not exist: an error of the caller's."""
    oracle = Oracle(scenario.columns, scenario.queries, **scenario.options)
    sound = []
    for step in scenario.steps:
        ends_now = step.call == "deregister" and oracle.takes_effect_at_once(step.arguments["at"])
        if ends_now and step.arguments["query_id"] not in oracle.queries:
            continue
        getattr(oracle, step.call)(**step.arguments)
        sound.append(step)
    return replace(scenario, steps=sound)


def crowd(seed: int, queries: int, streams: int, ticks: int, dimensions: int, transitions: float = 0.3) -> Scenario:
    """Make thousands of queries and moves of every length, beyond what hypothesis would draw one by one.

    Widths are spread over orders of magnitude, bounds are rounded so that many are shared, one query in five
    is about a single stream, some are transitions, and a third of the queries come, change or go while streams move.
    """
    random = np.random.default_rng(seed)
    names = list(VALUES[:dimensions])

    def query(query_id: str) -> dict[str, Any]:
        lo = np.round(random.uniform(0, 1000, dimensions))
        hi = lo + np.maximum(1, np.round(1000 ** random.uniform(0, 1, dimensions)))
        form = {
            "type": "border",
            "id": query_id,
            "region": {"type": "box", "lo": lo.tolist(), "hi": hi.tolist()},
        }
        if random.random() < transitions:
            form |= {"type": "transition", "within": int(random.integers(1, 6))}
        else:
            form["initial"] = "report" if random.random() < 0.2 else "silent"
        if random.random() < 0.2:
            form["streams"] = [f"s{random.integers(streams)}"]
        return form

    start = [query(f"q{number}") for number in range(queries)]
    known = {form["id"] for form in start}
    position = random.uniform(0, 1000, (streams, dimensions))
    script = []
    for tick in range(ticks):
        # Steps from far below a width to the whole domain; borders are at whole numbers.
        position += random.normal(size=position.shape) * 1000 ** random.uniform(-1, 1, (streams, 1))
        on_a_border = random.random(position.shape) < 0.5
        position = np.clip(np.where(on_a_border, np.round(position), position), -5, 1005)
        batch = [
            {"s": f"s{stream}", "t": tick * SECOND, **dict(zip(names, values, strict=True))}
            for stream, values in enumerate(position.tolist())
        ]
        script.append(Step("process", {"rows": batch}))
        for _ in range(queries // (3 * ticks)):
            query_id = f"q{random.integers(queries + queries // 10)}"
            if query_id in known and random.random() < 0.3:
                known.remove(query_id)
                script.append(Step("deregister", {"query_id": query_id, "at": None}))
            else:
                known.add(query_id)
                script.append(Step("register", {"query": query(query_id), "at": None}))
    return Scenario({"id": "s", "time": "t", "values": names}, start, {}, [*script, Step("close")])


@dataclass(frozen=True)
class TimeLine:
    """Rows in order of time and the changes among them, all to be told before the first row."""

    columns: dict[str, Any]
    queries: list[dict[str, Any]]
    changes: list[Step]
    rows: list[dict[str, Any]]
    expire_after: float | None

    def instants(self) -> list[list[dict[str, Any]]]:
        """Group the rows by time."""
        groups: dict[int, list[dict[str, Any]]] = {}
        for row in self.rows:
            groups.setdefault(row["t"], []).append(row)
        return list(groups.values())


@st.composite
def time_lines(draw: st.DrawFn, max_dimensions: int = 2, types: tuple[str, ...] = TYPES) -> TimeLine:
    """Draw input for which the specification promises one answer however it is fed."""
    names = draw(columns(max_dimensions))
    origin = draw(ORIGINS)
    times = st.integers(0, 12).map(lambda second: origin + second * SECOND)
    start = draw(query_lists(names, types))
    changes = []
    for _ in range(draw(st.integers(0, 5))):
        query_id, at = draw(st.sampled_from(QUERIES)), draw(times)
        if rarely(draw, 4):
            changes.append(Step("deregister", {"query_id": query_id, "at": at}))
        else:
            changes.append(Step("register", {"query": draw(queries(names, query_id, types)), "at": at}))
    readings = sorted(draw(st.lists(rows(names, times), min_size=1, max_size=20)), key=lambda row: row["t"])
    return TimeLine(names, start, changes, readings, draw(st.sampled_from((None, 1, 3))))


@st.composite
def restless_lines(draw: st.DrawFn) -> TimeLine:
    """Draw the same with streams that go to and fro, and queries about that."""
    ground = draw(st.just(DOORSTEP) | plazas())
    times = st.integers(0, 12).map(lambda second: second * SECOND)
    changes = []
    for _ in range(draw(st.integers(0, 3))):
        query_id, at = draw(st.sampled_from(QUERIES[:3])), draw(times)
        if rarely(draw, 4):
            changes.append(Step("deregister", {"query_id": query_id, "at": at}))
        else:
            changes.append(Step("register", {"query": draw(queries_about(ground, query_id)), "at": at}))
    start = [draw(queries_about(ground, query_id)) for query_id in QUERIES[:3]]
    readings = sorted(draw(st.lists(ground.rows(times), min_size=1, max_size=24)), key=lambda row: row["t"])
    return TimeLine(ground.columns, start, changes, readings, draw(st.sampled_from((None, 2, 3))))
