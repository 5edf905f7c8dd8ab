"""Hypothesis strategies for patterns: few times, places and kinds, so that much happens at once and on borders."""

from itertools import combinations
from random import Random
from typing import Any

from hypothesis import strategies as st

from limen import InvalidQuery
from limen.formats.query_json import query_from_dict
from tests.strategies import QUERIES, SECOND, Scenario, Step, TimeLine, rarely, without_mistakes

STREAMS = ("a", "b", "B", "é", "｡", "𝄞", "z" * 40)
PREDICATES = (
    "kind = 'A'", "kind = 'B'", "kind = 'C'", "kind <> 'A'", "kind IN ('A', 'B')", "x >= 1", "y < 2", "x + y > 2",
    "level BETWEEN 0 AND 1", "kind LIKE 'A%'", "x >= 0", "NOT (kind = 'C')", "s <> 'b'", "kind = 'A' AND level >= 0",
)  # fmt: skip
COMPARISONS = (
    "{a}.s = {b}.s", "{a}.s <> {b}.s", "{a}.kind = {b}.kind", "{a}.kind <> {b}.kind", "{a}.x <= {b}.x",
    "{a}.x < {b}.y", "{a}.level = {b}.level", "{a}.level < {b}.level", "{a}.t < {b}.t", "{a}.score <> {b}.score",
    "{a}.kind < {b}.kind", "{a}.flag = {b}.flag", "{a}.s = {b}.kind", "{a}.level >= {b}.x",
    # None of these is the same with a and b exchanged.
    "{a}.x - {b}.x > 0.5", "{a}.x * 2 <= {b}.y + 1", "NOT ({a}.x > {b}.x + 1)", "- {a}.x < {b}.x - 2.5",
    "{a}.kind LIKE 'A%' OR {b}.x > {a}.level", "{a}.level < {b}.level OR {a}.flag", "{a}.x / {b}.x >= 1.0",
    "NOT ({a}.level = {b}.level) AND {b}.kind LIKE 'B%'", "({a}.x - {b}.y) IS NULL OR {a}.t <= {b}.t",
    "{a}.x - {b}.y IN (0, 1, 2)", "NOT ({a}.s = {b}.s OR {a}.kind LIKE 'A%')", "{a}.level <> {b}.level OR {a}.x > 1",
    "NOT ({a}.x - {b}.x > 0 AND {b}.score >= 0)", "{a}.t > {b}.t OR {a}.kind = {b}.kind", "{b}.kind LIKE 'A%'",
    "{a}.level + {b}.x > {b}.level AND {a}.kind <> {b}.kind", "NOT ({a}.flag > {b}.flag) OR {a}.level >= {b}.level",
)  # fmt: skip
REGIONS = (
    {"type": "box", "lo": [0, 0], "hi": [2, 3]},
    {"type": "circle", "center": [1, 1], "radius": 1},
    {"type": "polygon", "shell": [(0, 0), (3, 0), (0, 3)]},
)
DISTANCES = (1.0, 1.5, 2.0, 3.0)
METRES = (1.0, 112_000.0, 250_000.0, 111_195.08023353292)
PLACES = (0.0, 0.0, 1.0, 2.0, 3.0, None)
COLUMNS = {
    "id": "s", "time": "t", "values": ["x", "y"], "attributes": ["kind", "level", "flag", "score"],
}  # fmt: skip


@st.composite
def intervals(draw: st.DrawFn) -> list[float | None]:
    low = draw(st.integers(-3, 3))
    return [None if rarely(draw, 8) else low, None if rarely(draw, 8) else draw(st.integers(low, low + 4))]


@st.composite
def variables(draw: st.DrawFn) -> Any:
    """Draw a predicate; now and then with a region, or about some streams only."""
    text = draw(st.sampled_from(PREDICATES))
    if not rarely(draw, 5):
        return text
    form: dict[str, Any] = {"where": text} if draw(st.booleans()) else {}
    if draw(st.booleans()):
        form["region"] = draw(st.sampled_from(REGIONS))
    if draw(st.booleans()):
        form["streams"] = draw(st.lists(st.sampled_from((*STREAMS, "nobody")), min_size=2, unique=True))
    return form


@st.composite
def patterns(draw: st.DrawFn, query_id: str) -> dict[str, Any]:
    """Draw a pattern, in its JSON form; some are impossible, and for others to refuse."""
    if rarely(draw, 5):
        return draw(crowds(query_id))
    names = list("vwabc"[: draw(st.sampled_from((1, 2, 2, 3, 3, 3, 4, 5)))])
    few = draw(st.lists(variables(), min_size=1, max_size=3))
    form: dict[str, Any] = {
        "type": "pattern", "id": query_id, "variables": {name: draw(st.sampled_from(few)) for name in names},
    }  # fmt: skip
    pairs = []
    for a, b in combinations(draw(st.permutations(names)), 2):
        if len(names) > 2 and rarely(draw, 3):
            continue
        pair: dict[str, Any] = {"a": a, "b": b}
        if not rarely(draw, 5):
            pair["after"] = draw(intervals())
        if draw(st.booleans()):
            pair["distance"] = draw(st.sampled_from(DISTANCES))
        if rarely(draw, 6):
            pair["beyond"] = draw(st.sampled_from(DISTANCES))
        if rarely(draw, 3):
            pair["where"] = draw(st.sampled_from(COMPARISONS)).format(a=a, b=b)
        pairs.append(pair)
    form["pairs"] = pairs
    return form | draw(wishes(always_retain=draw(st.booleans())))


@st.composite
def wishes(draw: st.DrawFn, *, always_retain: bool) -> dict[str, Any]:
    form: dict[str, Any] = {}
    if always_retain:
        form["retain"] = draw(st.sampled_from((0, 1, 3, 5)))
    if rarely(draw, 5):
        form |= draw(st.sampled_from(({"report": "first"}, {"cap": 1}, {"cap": 2}, {"cap": 5})))
    if rarely(draw, 8):
        form["where"] = draw(st.sampled_from(PREDICATES))
    return form


@st.composite
def crowds(draw: st.DrawFn, query_id: str) -> dict[str, Any]:
    """Draw several variables that are interchangeable, all or some of them."""
    names = list("vwabc"[: draw(st.integers(2, 4))])
    text = draw(st.sampled_from(PREDICATES))
    after = draw(st.integers(0, 3))
    pair: dict[str, Any] = {"after": [-after, after]}
    if draw(st.booleans()):
        pair["distance"] = draw(st.sampled_from(DISTANCES))
    compared = draw(st.sampled_from((None, None, "{a}.s <> {b}.s", "{a}.kind = {b}.kind", "{a}.x <= {b}.x")))
    pairs = []
    for a, b in combinations(names, 2):
        own = {"a": a, "b": b, **pair}
        if compared is not None:
            own["where"] = compared.format(a=a, b=b)
        pairs.append(own)
    odd = {names[-1]: draw(st.sampled_from(PREDICATES))} if rarely(draw, 3) else {}
    form = {"type": "pattern", "id": query_id, "variables": {**dict.fromkeys(names, text), **odd}, "pairs": pairs}
    return form | draw(wishes(always_retain=False))


def possible(form: dict[str, Any]) -> bool:
    """Whether Limen takes it: its times do not contradict each other, and none is without a limit."""
    try:
        query_from_dict(form)
    except InvalidQuery:
        return False
    return True


@st.composite
def rows(draw: st.DrawFn, times: st.SearchStrategy[int]) -> dict[str, Any]:
    return {
        "s": draw(st.sampled_from(STREAMS)),
        "t": draw(times),
        "x": draw(st.sampled_from(PLACES)),
        "y": draw(st.sampled_from(PLACES)),
        "kind": draw(st.sampled_from(("A", "A", "B", "C", "a", None))),
        "level": draw(st.sampled_from((0, 1, 2, None))),
        "flag": draw(st.sampled_from((True, False, None))),
        "score": draw(st.sampled_from((0.5, -0.0, 0.0, None))),
    }


@st.composite
def pattern_scenarios(draw: st.DrawFn) -> Scenario:
    """Draw patterns and a script for them: batches, changes, time that goes on."""
    options: dict[str, Any] = {"order": draw(st.sampled_from(("arrival", "event")))}
    options["lateness"] = draw(st.sampled_from((0, 0, 1)))
    options["expire_after"] = draw(st.sampled_from((None, None, 2)))
    timed = options["order"] == "event" or options["lateness"] == 0
    ids = draw(st.lists(st.sampled_from(QUERIES[:4]), unique=True, max_size=3))
    first = [draw(patterns(query_id).filter(possible)) for query_id in ids]
    script = []
    for position in range(draw(st.integers(1, 6))):
        times = st.integers(2 * position - 1, 2 * position + 3).map(lambda second: second * SECOND)
        at = draw(times) if timed and draw(st.booleans()) else None
        call = draw(st.sampled_from(("process",) * 6 + ("register", "register", "deregister", "advance")))
        if call == "process":
            script.append(Step(call, {"rows": draw(st.lists(rows(times), max_size=10))}))
        elif call == "register":
            query = draw(patterns(draw(st.sampled_from(QUERIES[:4]))).filter(possible))
            script.append(Step(call, {"query": query, "at": at}))
        elif call == "deregister":
            script.append(Step(call, {"query_id": draw(st.sampled_from(QUERIES[:4])), "at": at}))
        else:
            script.append(Step(call, {"to": draw(times)}))
    return without_mistakes(Scenario(COLUMNS, first, options, [*script, Step("close")]))


@st.composite
def pattern_lines(draw: st.DrawFn) -> TimeLine:
    """Draw input for which the specification promises one answer however it is fed."""
    times = st.integers(0, 8).map(lambda second: second * SECOND)
    start = [draw(patterns(query_id).filter(possible)) for query_id in QUERIES[: draw(st.integers(1, 3))]]
    changes = []
    for _ in range(draw(st.integers(0, 2))):
        query_id, at = draw(st.sampled_from(QUERIES[:3])), draw(times)
        if rarely(draw, 4):
            changes.append(Step("deregister", {"query_id": query_id, "at": at}))
        else:
            changes.append(Step("register", {"query": draw(patterns(query_id).filter(possible)), "at": at}))
    readings = sorted(draw(st.lists(rows(times), min_size=1, max_size=24)), key=lambda row: row["t"])
    return TimeLine(COLUMNS, start, changes, readings, draw(st.sampled_from((None, 2))))


def random_pattern(random: Random, query_id: str, *, metres: bool = False) -> dict[str, Any]:
    """Make a pattern that is met rather often: wide intervals for few variables, narrow ones for many."""
    while True:
        names = random.sample("vwabc", random.choice((1, 2, 2, 3, 3, 3, 4, 5)))
        predicates = ("kind = 'A'", "kind <> 'A'", "kind = 'B'", "kind IS NOT NULL", "s <> 'b'")
        few = random.sample(predicates if metres else (*PREDICATES, "x IS NOT NULL"), random.choice((1, 1, 2, 3)))
        width = {1: 3, 2: 4, 3: 2, 4: 1, 5: 1}[len(names)]
        pairs = []
        alike = random.random() < 0.4  # then variables are interchangeable unless their predicates differ
        common = _random_pair(random, width, metres=metres)
        for a, b in combinations(names, 2):
            pair = dict(common) if alike else _random_pair(random, width, metres=metres)
            if alike and "after" in pair:
                reach = abs(pair["after"][1] or 0)
                pair["after"] = [-reach, reach]
            if "where" in pair:
                pair["where"] = pair["where"].format(a=a, b=b)
            if alike or len(names) < 3 or random.random() < 0.7:
                pairs.append({"a": a, "b": b, **pair})
        variables = {name: random.choice(few) for name in names}
        if not metres and random.random() < 0.15:
            variables[names[0]] = {"where": few[0], "region": random.choice(REGIONS)}
        # As a list: those who sort the keys of JSON would change the order of variables.
        declared = [{"name": n, **({"where": v} if isinstance(v, str) else v)} for n, v in variables.items()]
        form: dict[str, Any] = {"type": "pattern", "id": query_id, "variables": declared, "pairs": pairs}
        if random.random() < 0.5 or not pairs:
            form["retain"] = random.choice((0, 1, width, width + 1))
        if random.random() < 0.3:
            form |= random.choice(({"report": "first"}, {"cap": 1}, {"cap": 2}, {"cap": 4}))
        if possible(form):
            return form


def _random_pair(random: Random, width: int, *, metres: bool) -> dict[str, Any]:
    pair: dict[str, Any] = {}
    if random.random() < 0.8:
        low = random.randint(-width, width - 1)
        pair["after"] = [low, low + random.randint(0, width)]
    if random.random() < 0.5:
        pair["distance"] = random.choice(METRES[1:] if metres else DISTANCES)
    if random.random() < 0.15:
        pair["beyond"] = random.choice(METRES if metres else DISTANCES)
    if random.random() < 0.3:
        pair["where"] = random.choice(COMPARISONS[:4] if metres else COMPARISONS)
    return pair


def pattern_swarm(seed: int, *, metres: bool = False, rows: int = 36) -> Scenario:
    """Make patterns that are met again and again, and a script in which much is of one time and on one spot."""
    random = Random(seed)
    names = ["lon", "lat"] if metres else ["x", "y"]
    columns = {**COLUMNS, "values": names, **({"crs": "lonlat"} if metres else {})}
    options: dict[str, Any] = {"order": random.choice(("arrival", "event")), "lateness": random.choice((0, 0, 1))}
    options["expire_after"] = random.choice((None, None, None, 2))
    timed = options["order"] == "event" or options["lateness"] == 0
    start = [random_pattern(random, query_id, metres=metres) for query_id in QUERIES[: random.randint(1, 3)]]
    script, second, left = [], 0, rows
    while left > 0:
        count = min(left, random.choice((1, 3, 6, 12)))
        left -= count
        batch = []
        for _ in range(count):
            second += random.choice((0, 0, 0, 1, 1, 2))
            batch.append(_random_row(random, second * SECOND, names, metres=metres))
        script.append(Step("process", {"rows": batch}))
        at = (second + random.randint(-1, 2)) * SECOND if timed and random.random() < 0.5 else None
        if random.random() < 0.15:
            query = random_pattern(random, random.choice(QUERIES[:3]), metres=metres)
            script.append(Step("register", {"query": query, "at": at}))
        elif random.random() < 0.05:
            script.append(Step("deregister", {"query_id": random.choice(QUERIES[:3]), "at": at}))
        elif random.random() < 0.05:
            script.append(Step("advance", {"to": (second + random.randint(0, 3)) * SECOND}))
    return without_mistakes(Scenario(columns, start, options, [*script, Step("close")]))


def _random_row(random: Random, time: int, names: list[str], *, metres: bool) -> dict[str, Any]:
    across, up = ((-180.0, 179.0, 180.0, -179.0), (0.0, 1.0, 90.0, 89.0)) if metres else (PLACES, PLACES)
    return {
        "s": random.choice(STREAMS),
        "t": time,
        names[0]: random.choice(across),
        names[1]: random.choice(up),
        "kind": random.choice(("A", "A", "A", "B", "B", "C", "a", None)),
        "level": random.choice((0, 1, 2, None)),
        "flag": random.choice((True, False, None)),
        "score": random.choice((0.5, -0.0, 0.0, None)),
    }
