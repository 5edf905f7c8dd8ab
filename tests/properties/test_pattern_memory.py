"""What patterns keep, tuple by tuple: exactly what the rule of each strategy says, worked out slowly by itself."""

import math
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import limen
from limen import Columns, Engine, Pair, Pattern
from limen.queries.registry import OPERATORS

PATTERN = list(OPERATORS).index("pattern")

COLUMNS = Columns(id="id", time="t", values=("x",), attributes=("kind",), time_unit="s")
KINDS = "ABC"
#: No two alike, so that no two variables are interchangeable; many overlap.
PLACES = ("A", "AB", "ABC", "BC", "C", "AC", "B")


@dataclass
class Said:
    """A pattern in plain numbers: by variable its kinds; by two variables the least and most seconds, the distance."""

    kinds: list[str]
    after: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    distance: dict[tuple[int, int], int] = field(default_factory=dict)

    def pattern(self) -> Pattern:
        names = [f"v{number}" for number in range(len(self.kinds))]
        places = {
            name: f"kind IN ({', '.join(map(repr, kinds))})" for name, kinds in zip(names, self.kinds, strict=True)
        }
        pairs = [
            Pair(names[a], names[b], after=after, distance=self.distance.get((a, b)))
            for (a, b), after in self.after.items()
        ]
        return Pattern("p", places, pairs)

    def completed(self) -> tuple[list[list[float]], list[list[float]]]:
        """By two variables, the most seconds from one to the other, and below which distance they are."""
        m = len(self.kinds)
        latest = [[0.0 if a == b else math.inf for b in range(m)] for a in range(m)]
        near = [[0.0 if a == b else math.inf for b in range(m)] for a in range(m)]
        for (a, b), (low, high) in self.after.items():
            latest[a][b], latest[b][a] = high, -low
        for (a, b), distance in self.distance.items():
            near[a][b] = near[b][a] = distance
        for table in (latest, near):
            for over, a, b in product(range(m), repeat=3):
                table[a][b] = min(table[a][b], table[a][over] + table[over][b])
        return latest, near


@dataclass
class Kept:
    """A tuple in the place of a variable, until a time."""

    variable: int
    stream: str
    time: int
    x: int
    until: float


class Keeper:
    """Keeps tuples by the rules of `loose` or `tight`, going through all there are."""

    def __init__(self, said: Said, *, tight: bool) -> None:
        self.said, self.tight = said, tight
        self.latest, self.near = said.completed()
        self.kept: list[Kept] = []

    def see(self, stream: str, time: int, x: int, kind: str) -> None:
        self.kept = [each for each in self.kept if each.until >= time]
        new = []
        for variable, kinds in enumerate(self.said.kinds):
            if kind in kinds:
                until = self._until(Kept(variable, stream, time, x, time))
                if until is not None:
                    new.append(Kept(variable, stream, time, x, until))
        self.kept += new

    def _until(self, new: Kept) -> float | None:
        """Return how long a tuple may be of use; None for not at all. With `tight` others are given more time."""
        i, m = new.variable, len(self.said.kinds)
        found = {j: [each for each in self.kept if each.variable == j and self._fit(new, each)] for j in range(m)}
        others = [j for j in range(m) if j != i]
        if any(self.latest[i][j] < 0 and not found[j] for j in others):
            return None  # one that must have come before has not
        future = [j for j in others if self.latest[i][j] >= 0]
        if not future:
            return None
        missing = [j for j in future if not found[j]]
        wait = (
            min(self.latest[i][j] for j in missing)
            if self.tight and missing
            else max(self.latest[i][j] for j in future)
        )
        until = new.time + wait
        if self.tight:
            for j in others:
                longest = max((self.latest[j][k] for k in range(m) if k != j), default=0)
                for each in found[j]:
                    each.until = max(each.until, min(until, each.time + longest))
        return until

    def _fit(self, new: Kept, old: Kept) -> bool:
        i, j = new.variable, old.variable
        if i == j or (new.stream, new.time) == (old.stream, old.time):
            return False
        apart, distance = old.time - new.time, self.said.distance.get((min(i, j), max(i, j)))
        if not -self.latest[j][i] <= apart <= self.latest[i][j] or abs(new.x - old.x) > self.near[i][j]:
            return False
        return distance is None or abs(new.x - old.x) < distance


@st.composite
def patterns(draw: st.DrawFn) -> Said:
    m = draw(st.integers(2, 4))
    said = Said(draw(st.permutations(PLACES))[:m])
    for b in range(1, m):
        partners = {draw(st.integers(0, b - 1)), *draw(st.sets(st.integers(0, b - 1), max_size=1))}
        for a in partners:
            low = draw(st.integers(-4, 4))
            said.after[a, b] = low, low + draw(st.integers(0, 5))
            if draw(st.booleans()):
                said.distance[a, b] = draw(st.integers(1, 4))
    return said


@pytest.mark.parametrize("expiry", ["loose", "tight", "no-index"])
@settings(max_examples=max(10, settings().max_examples))
@given(said=patterns(), data=st.data())
def test_after_every_tuple_just_what_the_rule_says_is_kept(expiry: str, said: Said, data: st.DataObject) -> None:
    try:
        engine = Engine(COLUMNS, said.pattern(), expiry=expiry)
    except limen.InvalidQuery:
        assume(False)  # times that contradict each other
    keeper = Keeper(said, tight=expiry != "loose")
    time = 0
    for _ in range(data.draw(st.integers(1, 25))):
        time += data.draw(st.sampled_from((0, 0, 1, 1, 2, 5)))
        # Of one time there is one tuple a stream, in the order of their names.
        streams = sorted(data.draw(st.sets(st.sampled_from("abcd"), min_size=1, max_size=3)))
        for stream in streams:
            x, kind = data.draw(st.integers(0, 5)), data.draw(st.sampled_from(KINDS))
            row = {"id": [stream], "t": [time], "x": [float(x)], "kind": [kind]}
            engine.process(pa.table(row))
            keeper.see(stream, time, x, kind)
            assert kept_by(engine) == sorted((e.variable, e.stream, e.time, e.until) for e in keeper.kept)
        time += 1


def kept_by(engine: Engine) -> list[Any]:
    shard = engine._shard
    (group,) = shard.catalogue.operators[PATTERN].groups
    kept, record = group.index.kept(), group.index.tuples.record
    ids = shard.streams.ids
    return sorted(
        (int(variable), ids.take(record["stream"][slot : slot + 1])[0].as_py(), int(record["time"][slot]) // 10**6,
         int(until) / 10**6)
        for slot, variable, until in zip(kept.tuple, kept.variable, kept.until, strict=True)
    )  # fmt: skip
