"""Answers that keep only what matters, against the oracle, which keeps everything; their memory against its budget."""

from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import limen
from tests.folding import Fold, without_empty
from tests.oracle import Oracle
from tests.subject import Subject

SECOND = 1_000_000
REPORT_EVERY = 4  # seconds
SIDE = 24  # of the plane on which streams move
LINES = max(4, settings().max_examples // 2)


class Town:
    """Streams that keep to the bounds: a step a second at most, and a report every few seconds, not regularly."""

    def __init__(self, seed: int, *, lonlat: bool = False) -> None:
        self.random = random = Random(seed)
        self.lonlat = lonlat
        self.step = 0.25 if lonlat else 1.0  # degrees
        self.speed = 28_000.0 if lonlat else 1.0
        self.names = [f"s{number}" for number in range(random.choice((3, 8, 16)))]
        self.kinds = {name: random.choice(("car", "bus")) for name in self.names}  # for good
        self.places = {name: [random.randint(0, SIDE), random.randint(0, SIDE)] for name in self.names}
        self.seen: dict[str, int] = {}
        self.due = {name: random.randint(0, REPORT_EVERY) for name in self.names}
        crs = {"crs": "lonlat"} if lonlat else {}
        self.columns = {"id": "s", "time": "t", "values": ["x", "y"], "attributes": ["kind"], **crs}

    def query(self, query_id: str) -> dict[str, Any]:
        random, size = self.random, self.speed if self.lonlat else 1.0
        x, y = (self.step * random.randint(0, SIDE) for _ in range(2))
        around = {"focal": random.choice(self.names)}
        nearest = {"type": "nearest", "k": random.choice((1, 2, 3, 50))}
        forms = [
            {"type": "within", "region": {"type": "box", "lo": [x, y], "hi": [x + 4 * self.step, y + 3 * self.step]}},
            {"type": "within", "region": {"type": "circle", "center": [x, y], "radius": 3 * size}},
            {"type": "within", "region": {"type": "polygon", "shell": [[0, 0], [4, 1], [3, 6], [2, 2]], "holes": []}},
            {"type": "within", **around, "width": 4 * size, "height": 3 * size},
            {"type": "within", **around, "radius": 3 * size},
            {**nearest, "center": [x, y]},
            {**nearest, **around},
        ]
        form = {"id": query_id, **random.choice(forms)}
        if random.randrange(4) == 0:
            form["streams"] = random.sample(self.names, 2)
        if random.randrange(4) == 0:
            form["where"] = "kind = 'car'"
        return form

    def reports(self, second: int) -> list[dict[str, Any]]:
        rows = []
        for name in self.names:
            if self.due[name] != second:
                continue
            place = self.places[name]
            for _ in range(second - self.seen.get(name, second)):
                place[self.random.randrange(2)] += self.random.choice((-1, 0, 1))
            self.seen[name], self.due[name] = second, second + self.random.randint(1, REPORT_EVERY)
            x, y = (self.step * each for each in place)
            rows.append({"s": name, "t": second * SECOND, "x": x, "y": y, "kind": self.kinds[name]})
        return rows


@pytest.mark.parametrize("lonlat", [False, True], ids=["plane", "globe"])
@settings(max_examples=LINES)
@given(seed=st.integers(0, 2**32 - 1))
def test_within_the_bounds_answers_are_exact_after_two_reports(seed: int, lonlat: bool) -> None:
    town = Town(seed, lonlat=lonlat)
    queries = [town.query(f"q{number}") for number in range(town.random.randint(1, 6))]
    subject = Subject(town.columns, queries, max_speed=town.speed, report_every=REPORT_EVERY)
    oracle = Oracle(town.columns, queries, expire_after=REPORT_EVERY)
    fold, since = Fold(), {query["id"]: 0 for query in queries}
    for second in range(40):
        if town.random.randrange(10) == 0:
            query = town.query(f"q{town.random.randrange(8)}")
            fold.take(subject.register(query))
            oracle.register(query)
            since[query["id"]] = second
        rows = town.reports(second)
        oracle.process(rows)
        fold.take(subject.process(rows))
        if town.random.randrange(12) == 0:
            subject.restart()
        settled = {query_id for query_id, begin in since.items() if second >= begin + 2 * REPORT_EVERY}
        expected = {each: answer for each, answer in without_empty(oracle.answers).items() if each in settled}
        assert {each: answer for each, answer in fold.answers.items() if each in settled} == expected, second
    kept = subject.engine.counters["kept"]
    assert kept["too_fast"] == 0
    assert kept["least_accuracy"] == 100


@pytest.mark.parametrize("shedding", ["query", "object"])
@settings(max_examples=LINES)
@given(seed=st.integers(0, 2**32 - 1), memory=st.sampled_from((6_000, 9_000, 14_000)))
def test_a_budget_holds_and_events_still_fold(seed: int, memory: int, shedding: str) -> None:
    town = Town(seed)
    queries = [town.query(f"q{number}") for number in range(6)]
    for query in queries[::2]:
        query["min_accuracy"] = 60
    options = {"max_speed": 1, "report_every": REPORT_EVERY, "memory": memory, "shedding": shedding}
    subject, fold, over_since = Subject(town.columns, queries, measure_accuracy=True, **options), Fold(), None
    for second in range(40):
        fold.take(subject.process(town.reports(second)))
        if town.random.randrange(12) == 0:
            subject.restart()
        kept, figures = subject.engine.counters["kept"], subject.engine.accuracy.to_pylist()
        assert {row["query_id"] for row in figures} == {query["id"] for query in queries}
        stored = [row for row in figures if row["stored"]]
        least = {query["id"]: query.get("min_accuracy", 0) for query in queries}
        assert all(row["accuracy"] >= least[row["query_id"]] or row["locked"] for row in stored)
        assert all(0 <= row["measured"] <= 100 for row in figures)
        if kept["used"] <= memory or kept["full"]:
            over_since = None
        else:
            over_since = second if over_since is None else over_since
            assert second - over_since <= 1.25 * REPORT_EVERY


def test_streams_that_matter_to_nobody_are_not_kept() -> None:
    columns = limen.Columns(id="s", time="t", values=("x", "y"), time_unit="s")
    corner = limen.Within("corner", limen.Box((0, 0), (10, 10)))
    engine = limen.Engine(columns, [corner], max_speed=5, report_every=10)
    names = [f"s{number}" for number in range(20_000)]
    for second in range(4):
        places = {"x": [float(number % 1000) for number in range(20_000)], "y": [5.0] * 20_000}
        engine.process(pa.table({"s": names, "t": [second] * 20_000, **places}))
    assert engine.counters["kept"]["stored"] == engine.counters["streams"] == 200
    exact = limen.Engine(columns, [corner], expire_after=10)
    exact.process(pa.table({"s": names, "t": [0] * 20_000, **places}))
    assert engine.counters["state_bytes"] < exact.counters["state_bytes"] / 2
    assert len(engine._shard.streams.ids) < 10_000  # names of those who are gone go, too
