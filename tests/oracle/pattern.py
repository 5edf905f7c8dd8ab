"""Patterns: which assignments of tuples to variables are alerts (SEMANTICS §8).

Everything seen since a pattern came is kept for ever, and every new tuple is tried in every place, with all others.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from tests.oracle.input_rows import Reading
from tests.oracle.query import Query, holds_of
from tests.oracle.region import contains, haversine

Assignment = dict[str, Reading]
Form = Mapping[str, Any]

MIRRORED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


class Watch:
    """A pattern at work: who may take which place, of all seen since it came; how many alerts it kept to itself."""

    def __init__(self, query: Query, columns: Mapping[str, Any]) -> None:
        self.query = query
        self.columns = columns
        self.left_out = 0
        self._candidates: dict[str, list[Reading]] = {name: [] for name in variables(query.form)}
        self._interchangeable = {
            names for names in combinations(self._candidates, 2) if interchangeable(query.form, *names)
        }
        self._known: dict[Any, bool] = {}  # what was found of two tuples is not asked again

    def see(self, new: Reading) -> list[Assignment]:
        """Take a tuple and return the alerts of which it is the last one."""
        form, on = self.query.form, self.query.on
        if uses_distance(form) and (all(new.own[name] is None for name in on) or None in point(self.query, new)):
            return []
        for name, variable in variables(form).items():
            if fits(self.query, variable, new, self.columns):
                self._candidates[name].append(new)
        found = [alert for alert in self._assignments({}) if any(each is new for each in alert.values())]
        found.sort(key=lambda alert: [canonical(each) for each in alert.values()])
        most = 1 if form.get("report") == "first" else form.get("cap")
        kept = found if most is None else found[:most]
        self.left_out += len(found) - len(kept)
        return kept

    def _assignments(self, begun: Assignment) -> Iterator[Assignment]:
        """Go through all ways to go on with an assignment, as long as it breaks no rule."""
        if len(begun) == len(self._candidates):
            yield dict(begun)
            return
        name = list(self._candidates)[len(begun)]
        for each in self._candidates[name]:
            tried = {**begun, name: each}
            if all(self._may_stand_together(other, name, tried) for other in begun):
                yield from self._assignments(tried)

    def _may_stand_together(self, one: str, other: str, tried: Assignment) -> bool:
        x, y = tried[one], tried[other]
        asked = (one, other, canonical(x), canonical(y))
        if asked not in self._known:
            self._known[asked] = x is not y and self._meet(one, other, tried)
        return self._known[asked]

    def _meet(self, one: str, other: str, tried: Assignment) -> bool:
        if (one, other) in self._interchangeable and canonical(tried[one]) > canonical(tried[other]):
            return False
        retain = self.query.form.get("retain")
        if retain is not None and abs(tried[one].time - tried[other].time) > micros(retain):
            return False
        pairs = [pair for pair in self.query.form.get("pairs", ()) if {pair["a"], pair["b"]} == {one, other}]
        return all(holds_between(self.query, pair, tried[pair["a"]], tried[pair["b"]], self.columns) for pair in pairs)


def variables(form: Form) -> dict[str, Any]:
    """By name, in declared order; a predicate may be text, or have a region and streams beside it."""
    given = form["variables"]
    if isinstance(given, list):
        given = {each["name"]: {key: value for key, value in each.items() if key != "name"} for each in given}
    return {name: {"where": each} if isinstance(each, str) else each for name, each in given.items()}


def uses_distance(form: Form) -> bool:
    return any(pair.get("distance") is not None or pair.get("beyond") is not None for pair in form.get("pairs", ()))


def fits(query: Query, variable: Form, reading: Reading, columns: Mapping[str, Any]) -> bool:
    """Whether a tuple may take a variable's place, by itself: by its own values."""
    streams, region = variable.get("streams"), variable.get("region")
    if query.streams is not None and reading.stream_id not in query.streams:
        return False
    if streams is not None and reading.stream_id not in streams:
        return False
    if region is not None:
        place = [reading.own[name] for name in query.on]
        if None in place or not contains(region, place, lonlat=query.lonlat):
            return False
    row = {"": whole_row(reading, columns)}
    return all(holds_of(each, row) for each in (query.where, variable.get("where")) if each is not None)


def holds_between(query: Query, pair: Form, a: Reading, b: Reading, columns: Mapping[str, Any]) -> bool:
    after = pair.get("after")
    if after is not None:
        low, high = after
        if low is not None and b.time - a.time < micros(low):
            return False
        if high is not None and b.time - a.time > micros(high):
            return False
    for key, near in (("distance", True), ("beyond", False)):
        if pair.get(key) is not None and is_nearer(query, a, b, pair[key]) != near:
            return False
    if pair.get("where") is None:
        return True
    rows = {pair["a"]: whole_row(a, columns), pair["b"]: whole_row(b, columns)}
    return holds_of(pair["where"], rows)


def is_nearer(query: Query, a: Reading, b: Reading, distance: float) -> bool:
    one, other = point(query, a), point(query, b)
    if query.lonlat:
        return haversine(one, other) < distance
    squares = 0.0
    # One after another, in the order of the columns: sums of floats depend on it.
    for x, y in zip(one, other, strict=True):
        squares += (x - y) * (x - y)
    return squares < distance * distance


def point(query: Query, reading: Reading) -> list[Any]:
    return [reading.known[name] for name in query.on]


def whole_row(reading: Reading, columns: Mapping[str, Any]) -> dict[str, Any]:
    return {columns["id"]: reading.stream_id, columns["time"]: reading.time, **reading.own, **reading.attributes}


def canonical(reading: Reading) -> tuple[int, bytes]:
    """The canonical order, as far as it is needed: a stream has one tuple of a time."""
    return reading.time, reading.stream_id.encode()


def interchangeable(form: Form, one: str, other: str) -> bool:
    """Whether exchanging two names leaves the pattern as it is."""
    given = variables(form)
    renamed = {one: other, other: one}
    return given[one] == given[other] and constraints(form, {}) == constraints(form, renamed)


def constraints(form: Form, renamed: Mapping[str, str]) -> dict[Any, Any]:
    """All that is said of each two variables, whatever the order it is said in, once they have other names."""
    found = {}
    for one, other in combinations(sorted(variables(form)), 2):
        said = []
        for pair in form.get("pairs", ()):
            a, b = (renamed.get(pair[key], pair[key]) for key in "ab")
            if {a, b} == {one, other}:
                said.append((a == one, pair, renamed))
        lows = [low for low, _ in (interval(forward, pair) for forward, pair, _ in said)]
        highs = [high for _, high in (interval(forward, pair) for forward, pair, _ in said)]
        found[one, other] = (
            max(lows, default=float("-inf")),
            min(highs, default=float("inf")),
            min((pair["distance"] for _, pair, _ in said if pair.get("distance") is not None), default=None),
            max((pair["beyond"] for _, pair, _ in said if pair.get("beyond") is not None), default=None),
            frozenset(comparison(pair["where"], renamed) for _, pair, renamed in said if pair.get("where") is not None),
        )
    return found


def interval(forward: bool, pair: Form) -> tuple[float, float]:
    low, high = pair.get("after") or (None, None)
    low, high = float("-inf") if low is None else micros(low), float("inf") if high is None else micros(high)
    return (low, high) if forward else (-high, -low)


def comparison(text: str, renamed: Mapping[str, str]) -> tuple[str, ...]:
    """A comparison of a column each, `a.kind = b.kind`, in the one of its two forms that sorts first."""
    parts = re.fullmatch(r"(\w+\.\w+) (=|<>|<=|>=|<|>) (\w+\.\w+)", text)
    if parts is None:  # more than that: the same only if it reads the same
        return (re.sub(r"\b(\w+)\.", lambda each: f"{renamed.get(each[1], each[1])}.", text),)
    one, operator, other = parts.groups()
    one, other = (f"{renamed.get(name, name)}.{column}" for name, column in (each.split(".") for each in (one, other)))
    return min((one, operator, other), (other, MIRRORED[operator], one))


def micros(seconds: float) -> int:
    return round(seconds * 1_000_000)
