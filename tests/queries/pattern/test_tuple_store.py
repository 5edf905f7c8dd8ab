"""Patterns and their tuples in the index, against all assignments tried one by one."""

from itertools import combinations, permutations, product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limen import Pair, Pattern
from limen.model.graph import graph_of
from limen.model.options import EXPIRIES
from limen.queries.pattern.tables import HOW, Link, PatternRules
from limen.queries.pattern.tuple_store import PatternIndex
from limen.runtime.ids import Ids
from tests.oracle.region import haversine

strategies = pytest.mark.parametrize("expiry", EXPIRIES)
NAMES = Ids.of(["b", "a", "é", "B", "ab"])
TEXTS = NAMES.all().to_pylist()
SECOND = 1_000_000
NO_VARIABLES = np.empty(0, np.int32)


def paper_pattern() -> Pattern:
    variables = {"a": "kind = 'A'", "b": "kind = 'B'", "c": "kind = 'C'"}
    return Pattern("p", variables, [Pair("a", "b", (0, 5), 1), Pair("b", "c", (1, 5), 1)])


def take(index: PatternIndex, second: float, stream: int, place: Any, tasks: list[int], link: Any = ()) -> list[Any]:
    """Play one tuple; return the alerts as streams and seconds."""
    slot = index.take_slots(1)
    place, link = np.array([place], np.float64), np.array([link], np.float64)
    index.set_tuples(slot, np.array([round(second * SECOND)]), np.array([stream], np.int32), place, link)
    record = index.tuples.record
    told = []
    for found in index.play(slot, np.array([0, len(tasks)]), np.array(tasks, np.int32), NAMES):
        for _, pattern, *slots in found.tolist():
            size = int(index.patterns.pattern["size"][pattern])
            told.append((pattern, *((int(record["stream"][x]), int(record["time"][x])) for x in slots[:size])))
    index.release()
    return told


def until(index: PatternIndex) -> dict[int, int]:
    """Tell until which second each stream's tuple is kept."""
    kept = index.kept()
    return {
        int(index.tuples.record["stream"][x]): int(time) // SECOND
        for x, time in zip(kept.tuple, kept.until, strict=True)
    }


@pytest.mark.parametrize(
    ("expiry", "first", "renewed", "alone"), [("loose", 11, 11, 7), ("tight", 6, 8, 2), ("no-index", 6, 8, 2)]
)
def test_the_example_of_the_paper(expiry: str, first: int, renewed: int, alone: int) -> None:
    """One alert, at 6; a1 is kept until 11, or until 6 and then, when b2 has come, until 8.

    b1 is near no a; one of the same time may still come, and so it is kept at least until that time has passed.
    """
    index = PatternIndex(2, expiry, lonlat=False)
    index.set_patterns([PatternRules(graph_of(paper_pattern()))], NO_VARIABLES)
    a1, b1, b2, c1, c2 = range(5)
    assert take(index, 1, a1, (0, 0), [0]) == []
    assert until(index) == {a1: first}
    assert take(index, 2, b1, (5, 0), [1]) == []
    assert until(index) == {a1: first, b1: alone}
    assert take(index, 3, b2, (0.5, 0), [1]) == []
    left = {b1: alone} if expiry == "loose" else {}
    assert until(index) == {a1: renewed, b2: 8, **left}
    assert take(index, 3, c1, (0.5, 0), [2]) == []
    assert until(index) == {a1: renewed, b2: 8, **left}
    assert take(index, 6, c2, (1, 0), [2]) == [(0, (a1, 1 * SECOND), (b2, 3 * SECOND), (c2, 6 * SECOND))]
    assert until(index) == {a1: renewed, b2: 8, **left}
    index.expire(9 * SECOND)
    index.release()
    assert index.stored == (1 if expiry == "loose" else 0)
    assert index.most_stored == (3 if expiry == "loose" else 2)
    index.expire(12 * SECOND)
    assert index.stored == 0


@pytest.mark.parametrize("expiry", ["tight", "no-index"])
def test_a_tuple_stored_for_its_own_time_only_is_given_more_by_one_of_the_same_time(expiry: str) -> None:
    variables = {"a": "kind = 'A'", "b": "kind = 'B'", "c": "kind = 'C'"}
    pattern = Pattern("p", variables, [Pair("a", "b", (0, 0), 1), Pair("b", "c", (0, 5), 1)])
    index = PatternIndex(2, expiry, lonlat=False)
    index.set_patterns([PatternRules(graph_of(pattern))], NO_VARIABLES)
    a, b, alone, c = range(4)
    assert take(index, 1, a, (0, 0), [0]) == []
    assert take(index, 1, alone, (9, 9), [0]) == []
    assert until(index) == {a: 1, alone: 1}
    assert take(index, 1, b, (0, 0), [1]) == []
    assert until(index) == {a: 6, b: 6, alone: 1}
    assert take(index, 4, c, (0, 0), [2]) == [(0, (a, SECOND), (b, SECOND), (c, 4 * SECOND))]
    assert until(index) == {a: 6, b: 6, c: 4}
    index.expire(7 * SECOND)
    assert index.stored == 0


@strategies
def test_who_was_given_more_time_stays_and_is_too_old_for_newer_ones(expiry: str) -> None:
    index = PatternIndex(2, expiry, lonlat=False)
    index.set_patterns([PatternRules(graph_of(paper_pattern()))], NO_VARIABLES)
    a1, b1, a2, b2, c = range(5)
    for second, stream, variable in ((1, a1, 0), (3, b1, 1), (4, a2, 0)):
        assert take(index, second, stream, (0, 0), [variable]) == []
    assert take(index, 7, b2, (0, 0), [1]) == []
    assert a1 in until(index)  # until 8, since b1 has come; but b2 is later than 5 seconds after it
    alerts = take(index, 8, c, (0, 0), [2])
    bound = {tuple(stream for stream, _ in alert[1:]) for alert in alerts}
    assert bound == {(a1, b1, c), (a2, b2, c)}


def random_rules(random: Random, links: int, *, lonlat: bool) -> PatternRules:
    """Make a pattern of up to four variables, some of which may be interchangeable."""
    while True:
        names = "abcd"[: random.choice((1, 2, 2, 3, 3, 4))]
        pairs = []
        unit = 112_000.0 if lonlat else 1.0
        for a, b in combinations(names, 2):
            low = random.randint(-2, 2)
            after = random.choice(((low, low + random.randint(0, 3)), (-2, 2), (0, 0)))
            near = random.choice((None, unit, 2 * unit, 1.5 * unit))
            beyond = random.choice((None, None, None, unit))
            pairs.append(Pair(a, b, after, near, None if near is not None and beyond is not None else beyond))
        variables = {name: random.choice(("x > 1", "x > 1", "x > 2")) for name in names}
        try:
            pattern = Pattern("p", variables, pairs)
        except ValueError:
            continue
        compared = []
        if links and len(names) > 1:
            for _ in range(random.choice((0, 0, 1, 2))):
                a, b = random.sample(range(len(names)), 2)
                compared.append(
                    Link(a, random.randrange(links), random.choice(list(HOW.values())), b, random.randrange(links))
                )
        graph = graph_of(pattern)
        if compared and graph.order.any():
            continue  # exchanging what is compared would make a difference
        return PatternRules(graph, tuple(compared), random.choice((None, None, 1, 2)))


COMPARE = {
    HOW["="]: lambda a, b: a == b, HOW["<>"]: lambda a, b: a < b or a > b, HOW["<"]: lambda a, b: a < b,
    HOW["<="]: lambda a, b: a <= b, HOW[">"]: lambda a, b: a > b, HOW[">="]: lambda a, b: a >= b,
}  # fmt: skip


def meet(rules: PatternRules, chosen: tuple[Any, ...], *, lonlat: bool) -> bool:
    """Whether tuples, one for each variable, are an alert, by what was said."""
    graph = rules.graph
    for (i, x), (j, y) in permutations(enumerate(chosen), 2):
        if x is y or y["time"] - x["time"] > graph.given_latest[i, j]:
            return False
        if graph.order[i, j] > 0 and (x["time"], TEXTS[x["stream"]].encode()) > (
            y["time"],
            TEXTS[y["stream"]].encode(),
        ):
            return False
        if lonlat:
            apart, measure = haversine(x["place"], y["place"]), lambda metres: metres
        else:
            apart = 0.0
            for a, b in zip(x["place"], y["place"], strict=True):
                apart += (a - b) * (a - b)
            measure = lambda limit: limit * limit  # noqa: E731
        near, beyond = graph.given_distance[i, j], graph.beyond[i, j]
        if (near < np.inf and not apart < measure(near)) or (beyond > 0 and apart < measure(beyond)):
            return False
    return all(
        COMPARE[link.how](chosen[link.a]["link"][link.column_a], chosen[link.b]["link"][link.column_b])
        for link in rules.links
    )


class Trial:
    """An index, and all that it has seen, to try all assignments of."""

    def __init__(self, seed: int, expiry: str) -> None:
        self.random = random = Random(seed)
        self.lonlat = random.random() < 0.3
        self.dimensions = 2 if self.lonlat else random.choice((0, 1, 2, 3, 4))
        self.links = random.choice((0, 2))
        self.rules = [self._rules() for _ in range(random.randint(1, 3))]
        self.index = PatternIndex(self.dimensions, expiry, lonlat=self.lonlat)
        self.index.set_links(self.links)
        self.index.set_patterns(self.rules, NO_VARIABLES)
        self.seen: list[list[list[Any]]] = [[[] for _ in rules.graph.names] for rules in self.rules]
        self.left_out = 0

    def _rules(self) -> PatternRules:
        if self.dimensions:
            return random_rules(self.random, self.links, lonlat=self.lonlat)
        return PatternRules(graph_of(Pattern("p", {"a": "x > 1", "b": "x > 2"}, Pair("a", "b", (-1, 2)))))

    def row(self, second: int) -> dict[str, Any] | None:
        """Make a tuple that comes after those of its time in canonical order, as rows are played."""
        rows = [row for each in self.seen for rows in each for row in rows]
        taken = {row["stream"] for row in rows if row["time"] == second * SECOND}
        later = [s for s in range(5) if all(TEXTS[s].encode() > TEXTS[t].encode() for t in taken)]
        grid = (-180.0, 179.0, 0.0) if self.lonlat else (0.0, 1.0, 2.0, 1e300, 5e-324)
        if not later:
            return None
        return {
            "time": second * SECOND,
            "stream": self.random.choice(later),
            "place": [self.random.choice(grid) for _ in range(self.dimensions)],
            "link": [self.random.choice((0.0, 1.0, 2.0, float("nan"))) for _ in range(self.links)],
        }

    def expected(self, number: int, row: dict[str, Any], tasks: list[int]) -> list[Any]:
        """Try all assignments of which a tuple is the last, the smallest first."""
        rules, first = self.rules[number], self.index.patterns.pattern["first"][number]
        own = []
        for i in range(len(rules.graph.names)):
            if first + i in tasks:
                others = [each if j != i else [row] for j, each in enumerate(self.seen[number])]
                own += [chosen for chosen in product(*others) if meet(rules, chosen, lonlat=self.lonlat)]
        own.sort(key=lambda chosen: [(x["time"], TEXTS[x["stream"]].encode()) for x in chosen])
        return [(number, *((x["stream"], x["time"]) for x in chosen)) for chosen in own]

    def take(self, second: int, row: dict[str, Any]) -> None:
        """Play a tuple, and compare what it completes."""
        tasks = [v for v in range(self.index.variables) if self.random.random() < 0.6]
        wanted = [self.expected(number, row, tasks) for number in range(len(self.rules))]
        got = take(self.index, second, row["stream"], row["place"], tasks, row["link"])
        for number, rules in enumerate(self.rules):
            told = [alert for alert in got if alert[0] == number]
            if rules.most is None:
                assert sorted(told) == sorted(wanted[number])
            else:  # for each place of the last tuple the smallest are told
                assert len(set(told)) == len(told)
                assert set(wanted[number][: rules.most]) <= set(told) <= set(wanted[number])
                self.left_out += len(wanted[number]) - len(told)
            for i in range(len(rules.graph.names)):
                if self.index.patterns.pattern["first"][number] + i in tasks:
                    self.seen[number][i].append(row)


@strategies
@settings(max_examples=max(5, settings().max_examples))
@given(seed=st.integers(0, 2**32 - 1))
def test_all_assignments_are_found_and_no_others(expiry: str, seed: int) -> None:
    trial = Trial(seed, expiry)
    index, random = trial.index, trial.random
    second = most = 0
    for _ in range(random.randint(4, 24)):
        second += random.choice((0, 0, 1, 1, 2))
        row = trial.row(second)
        if row is None:
            continue
        trial.take(second, row)
        kept = index.kept()
        assert (kept.until >= second * SECOND).all()
        assert index.stored == (len(kept.tuple) if expiry == "no-index" else len(set(kept.tuple.tolist())))
        most = max(most, index.stored)
        if random.random() < 0.2:  # what is written can be read
            index.put(kept)
    assert index.most_stored == most
    assert index.left_out == trial.left_out


@strategies
@pytest.mark.parametrize("distance", [None, 5.0])
def test_more_than_there_is_room_for(expiry: str, distance: float | None) -> None:
    """Lists, candidates and alerts grow as they have to; a tuple that completes many alerts completes all of them."""
    pairs = [Pair("a", "c", (0, 999), distance), Pair("b", "c", (0, 999), distance)]
    index = PatternIndex(1, expiry, lonlat=False)
    index.set_patterns(
        [PatternRules(graph_of(Pattern("p", {"a": "x > 1", "b": "x > 2", "c": "x > 3"}, pairs)))], NO_VARIABLES
    )
    for number in range(150):
        take(index, number, 0, (0,), [number % 2])
    assert len(take(index, 150, 1, (0,), [2])) == 75 * 75
    assert index.stored == 151  # the last one too: others of its time may come
    assert index.nbytes_streams > 0
    assert index.nbytes_queries > 0


def test_what_one_step_of_the_search_rules_out_the_next_does_not_look_at() -> None:
    """Four variables in a row: those too far from the second are out before the third chooses."""
    names = "abcd"
    pairs = [Pair(one, other, (0, 9), 1.5) for one, other in ("ab", "bc")] + [Pair("c", "d", (0, 9))]
    pattern = Pattern("p", {name: f"x > {number}" for number, name in enumerate(names)}, pairs)
    index = PatternIndex(1, "loose", lonlat=False)
    index.set_patterns([PatternRules(graph_of(pattern))], NO_VARIABLES)
    for second, (variable, place) in enumerate(((0, 0), (0, 2), (1, 0), (1, 1), (1, 3), (2, 0), (2, 2), (2, 9))):
        take(index, second / 4, second % 5, (place,), [variable])
    told = take(index, 3, 0, (100,), [3])
    places = {(a, b, c) for a in (0, 2) for b in (0, 1, 3) for c in (0, 2, 9) if abs(a - b) < 1.5 and abs(b - c) < 1.5}
    assert len(told) == len(places)


def test_one_variable_alone_tells_every_tuple_however_many_come_at_once() -> None:
    index = PatternIndex(0, "tight", lonlat=False)
    index.set_patterns([PatternRules(graph_of(Pattern("p", {"a": "x > 1"})))], NO_VARIABLES)
    slots = index.take_slots(200)
    none = np.empty((200, 0))
    index.set_tuples(slots, np.arange(200), np.zeros(200, np.int32), none, none)
    (found,) = index.play(slots, np.arange(201), np.zeros(200, np.int32), NAMES)
    assert found[:, 0].tolist() == list(range(200))
    index.release()
    assert not index.taken.any()


def test_many_alerts_are_handed_over_in_portions_a_whole_row_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limen.queries.pattern.tuple_store.PORTION", 64)
    pattern = Pattern("p", {"a": "x > 1", "b": "x > 2"}, Pair("a", "b", (0, 9)))
    index = PatternIndex(0, "tight", lonlat=False)
    index.set_patterns([PatternRules(graph_of(pattern))], NO_VARIABLES)
    for second in range(40):
        take(index, second / 10, second % 5, (), [0])
    slots = index.take_slots(5)
    none = np.empty((5, 0))
    index.set_tuples(slots, np.full(5, 5 * SECOND), np.arange(5, dtype=np.int32), none, none)
    portions = [found[:, 0].tolist() for found in index.play(slots, np.arange(6), np.ones(5, np.int32), NAMES)]
    assert [row for portion in portions for row in portion] == [row for row in range(5) for _ in range(40)]
    assert len(portions) > 1
    assert all(portion.count(row) == 40 for portion in portions for row in set(portion))


def test_beyond_a_cap_no_more_than_ten_thousand_are_counted() -> None:
    variables = dict.fromkeys("abc", "x > 1") | {"last": "x > 2"}
    pairs = [Pair(one, "last", (1, 9)) for one in "abc"]
    index = PatternIndex(0, "loose", lonlat=False)
    index.set_patterns([PatternRules(graph_of(Pattern("p", variables, pairs, cap=2)), (), 2)], NO_VARIABLES)
    for second in range(50):
        take(index, second / 100, second % 5, (), [0, 1, 2])
    told = take(index, 2, 0, (), [3])
    assert [[binding[1] for binding in alert[1:4]] for alert in told] == [[0, 10_000, 20_000], [0, 10_000, 30_000]]
    assert index.left_out == 10_000


def test_a_cap_keeps_the_smallest_and_counts_the_rest() -> None:
    pattern = Pattern("p", {"a": "x > 1", "b": "x > 2"}, Pair("a", "b", (0, 9)), cap=3)
    index = PatternIndex(0, "tight", lonlat=False)
    index.set_patterns([PatternRules(graph_of(pattern), (), 3)], NO_VARIABLES)
    for stream in (1, 0, 2, 4, 3):  # in no order at one time
        take(index, 1, stream, (), [0])
    told = take(index, 2, 0, (), [1])
    assert [TEXTS[alert[1][0]] for alert in told] == sorted(TEXTS, key=str.encode)[:3]
    assert index.left_out == 2


@strategies
def test_patterns_come_and_go_and_take_their_tuples_with_them(expiry: str) -> None:
    index = PatternIndex(2, expiry, lonlat=False)
    rules = PatternRules(graph_of(paper_pattern()))
    index.set_patterns([rules, rules], NO_VARIABLES)
    take(index, 1, 0, (0, 0), [0, 3])
    take(index, 2, 1, (0, 0), [4])
    index.set_patterns([rules], np.array([-1, -1, -1, 0, 1, 2], np.int32))
    assert len(index.kept().tuple) == 2
    index.set_links(2)
    assert np.isnan(index.tuples.link).all()
    assert take(index, 3, 2, (0, 0), [2], (0.0, 0.0)) == [(0, (0, SECOND), (1, 2 * SECOND), (2, 3 * SECOND))]
    index.set_patterns([], np.array([-1, -1, -1], np.int32))
    assert index.stored == 0
    assert not index.taken.any()


def test_far_away_cells_are_many_and_are_not_looked_into_one_by_one() -> None:
    """A pattern with a wide pair and a narrow one: of the narrow one's cells the wide pair would see too many."""
    pairs = [Pair("a", "b", (0, 9), 1.0), Pair("a", "c", (0, 9), 100.0), Pair("b", "c", (0, 9), 100.0)]
    pattern = Pattern("p", {"a": "x > 1", "b": "x > 2", "c": "x > 3"}, pairs)
    index = PatternIndex(3, "tight", lonlat=False)
    index.set_patterns([PatternRules(graph_of(pattern))], NO_VARIABLES)
    index.patterns.variable["side"][:] = 1.0
    take(index, 1, 0, (0, 0, 0), [0])
    take(index, 2, 1, (0.5, 0, 0), [1])
    assert len(take(index, 3, 2, (50, 0, 0), [2])) == 1
