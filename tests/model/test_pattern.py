# ruff: noqa: E501  # texts of errors are quoted whole
import json
import pickle
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pyarrow as pa
import pytest

from limen import Box, Circle, Columns, InvalidQuery, Pair, Pattern, Polygon, Range, Variable
from limen.formats.query_json import canonical_json, query_from_dict, query_to_dict
from limen.model.graph import UNBOUNDED, graph_of
from limen.runtime.condition_check import check_query

COLUMNS = Columns("id", "t", ("x", "y", "wind"), attributes=("kind", "level"))
TWO = {"a": "kind = 'A'", "b": "kind = 'B'"}
THREE = {**TWO, "c": "kind = 'C'"}
CHAIN = [Pair("a", "b", after=(0, 5), distance=1), Pair("b", "c", after=(1, 5), distance=1)]

ALL = [
    Pattern("q", TWO, [Pair("a", "b", after=(0, 300), distance=5.0, beyond=None, where="a.kind <> b.kind")]),
    Pattern("q", {"z": "wind > 3", "a": None}, Pair("z", "a", after=("-5 min", None), beyond=2), retain=3600),
    Pattern("q", {"a": {"where": "wind > 1", "region": Box((0, 0), (1, 1)), "streams": ["s2", "s1"]}}, on=("x", "y")),
    Pattern("q", {"a": Variable("a", region=Polygon([(0, 0), (4, 0), (4, 4)])), "b": "level > 1"}, retain=1, cap=3, on=("x", "y")),
    Pattern("q", TWO, CHAIN[:1], report="first", where="wind < 9", streams="s1"),
    Pattern.at_least("q", 5, where="wind > 3", distance=5.0, within=300),
]  # fmt: skip


@pytest.mark.parametrize("query", ALL, ids=repr)
def test_patterns_are_values(query):
    assert pickle.loads(pickle.dumps(query)) == query == query_from_dict(query_to_dict(query))
    assert len({query, replace(query, id="q")}) == 1
    assert replace(query, id="other") != query
    # Whoever sorts the keys of JSON does not change the order of the variables.
    assert query_from_dict(json.loads(canonical_json(query_to_dict(query)))) == query


def test_json_may_name_variables_in_an_object():
    plain = {"type": "pattern", "id": "q", "variables": {"b": "wind > 1", "a": {"region": {"type": "range", "hi": 3}}},
             "pairs": [{"a": "b", "b": "a", "after": [0, 5]}], "on": ["x"]}  # fmt: skip
    query = query_from_dict(plain)
    assert query == Pattern(
        "q", {"b": "wind > 1", "a": {"region": Range(None, 3)}}, Pair("b", "a", after=(0, 5)), on="x"
    )
    assert [variable.name for variable in query.variables] == ["b", "a"]


def test_what_is_given_is_read():
    pair = Pair("a", "b", after=(-np.inf, timedelta(minutes=1)))
    assert pair.after == (None, timedelta(seconds=60))
    assert pair.micros == (None, 60_000_000)
    assert Pattern("q", {"a": "wind > 1"}).pairs == ()
    assert Pattern("q", TWO, CHAIN[:1], report="first").most == 1


@pytest.mark.parametrize("after", [(np.inf, np.inf), (None, -np.inf), (np.inf, None)])
def test_an_end_without_limit_is_at_its_own_side(after):
    with pytest.raises(InvalidQuery, match=r"expected a duration; for no limit None, or -inf as the least"):
        Pair("a", "b", after=after)


SECOND = 1_000_000


def test_what_follows_from_what_is_said():
    graph = graph_of(Pattern("q", THREE, CHAIN))
    assert (graph.latest // SECOND).tolist() == [[0, 5, 10], [0, 0, 5], [-1, -1, 0]]
    assert graph.given_latest[0, 2] == UNBOUNDED
    assert graph.distance.tolist() == [[0, 1, 2], [1, 0, 1], [2, 1, 0]]


def test_what_is_said_is_tightened():
    pairs = [*CHAIN, Pair("a", "c", after=(0, 7), distance=9)]
    graph = graph_of(Pattern("q", THREE, pairs))
    assert (graph.latest[0, 2], graph.latest[2, 0], graph.distance[0, 2]) == (7 * SECOND, -SECOND, 2)
    twice = [Pair("a", "b", after=(0, 5)), Pair("b", "a", after=(-3, 9))]
    assert graph_of(Pattern("q", TWO, twice)).latest.tolist() == [[0, 3 * SECOND], [0, 0]]


def test_retain_bounds_every_pair():
    graph = graph_of(Pattern("q", THREE, CHAIN[:1], retain=60))
    assert graph.latest[0, 2] == graph.latest[2, 0] == 60 * SECOND


@pytest.mark.parametrize(
    ("variables", "pairs", "same"),
    [
        (dict.fromkeys("abc", "wind > 1"), [Pair(*two, after=(-5, 5)) for two in ("ab", "bc", "ca")], ["ab", "ac", "bc"]),
        (dict.fromkeys("abc", "wind > 1"), [Pair("a", "b", after=(-5, 5)), Pair("c", "b", after=(-5, 5))], ["ac"]),
        ({"a": "wind > 1", "b": "1 < wind", "c": "wind >= 1"}, [Pair(*two, after=(-5, 5)) for two in ("ab", "bc", "ca")], ["ab"]),
        (dict.fromkeys("ab", "wind > 1"), [Pair("a", "b", after=(0, 5))], []),
        (dict.fromkeys("ab", "wind > 1"), [Pair("a", "b", after=(-5, 5), where="a.kind <> b.kind")], ["ab"]),
        (dict.fromkeys("ab", "wind > 1"), [Pair("a", "b", after=(-5, 5), where="a.level < b.level")], []),
        (dict.fromkeys("ab", "wind > 1"), [Pair("a", "b", after=(-5, 5)), Pair("b", "a", where="a.x + b.x > 3 and a.y = b.y")], ["ab"]),
    ],
)  # fmt: skip
def test_interchangeable_variables(variables, pairs, same):
    order = graph_of(Pattern("q", variables, pairs)).order
    names = list(variables)
    found = [names[i] + names[j] for i in range(len(names)) for j in range(len(names)) if order[i, j] > 0]
    assert found == same
    assert np.array_equal(order, -order.T)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Pair("a", "a"), "pair 'a', 'a': expected two different variables, got 'a' twice"),
        (lambda: Pair("a", ""), "pair: expected the names of two variables, got ''"),
        (
            lambda: Pair("a", "b", after=5),
            "pair 'a', 'b': after: expected two durations: the least and the most time from a to b, got 5",
        ),
        (lambda: Pair("a", "b", after=(5, 0)), "pair 'a', 'b': after: expected the least before the most, got (5, 0)"),
        (
            lambda: Pair("a", "b", after=(0, "soon")),
            "pair 'a', 'b': after: expected a timedelta, a number of seconds or text such as '10 seconds', got 'soon'",
        ),
        (
            lambda: Pair("a", "b", after=(0, 1e15)),
            "pair 'a', 'b': after: expected at most 10,000 years, got 1000000000000000.0",
        ),
        (lambda: Pair("a", "b", distance=0), "pair 'a', 'b': distance: expected a distance above 0, got 0"),
        (lambda: Pair("a", "b", beyond=-1), "pair 'a', 'b': beyond: expected a distance above 0, got -1"),
        (
            lambda: Pair("a", "b", distance=float("nan")),
            "pair 'a', 'b': distance: expected a distance above 0, got nan",
        ),
        (lambda: Pair("a", "b", where=3), "pair 'a', 'b': where: expected SQL text, got 3"),
        (
            lambda: Pair("a", "b", where="a.x >"),
            "pair 'a', 'b': expression 'a.x >': expected a condition in SQL, got a syntax error near '>' in line 1, column 5",
        ),
        (
            lambda: Pair("a", "b", where="a.x > x"),
            "pair 'a', 'b': where: expected columns of the two, such as a.x, got 'x'. Hint: a condition on one tuple alone belongs to its variable",
        ),
        (lambda: Pattern("q", {}), "query 'q': variables: expected 1 to 12 variables, got 0"),
        (
            lambda: Pattern("q", {f"v{n}": "x > 1" for n in range(13)}, retain=1),
            "query 'q': variables: expected 1 to 12 variables, got 13",
        ),
        (
            lambda: Pattern("q", "x > 1"),
            "query 'q': variables: expected variables by name, such as {'a': 'humidity > 90', 'b': 'wind < 5'}, got 'x > 1'",
        ),
        (
            lambda: Pattern("q", {"a": "x > 1 )"}),
            "query 'q': variable 'a': expression 'x > 1 )': expected a condition in SQL, got a syntax error near ')' in line 1, column 7",
        ),
        (
            lambda: Pattern("q", {"a": "x + 1"}),
            "query 'q': variable 'a': expression 'x + 1': expected a condition, got a number",
        ),
        (
            lambda: Pattern("q", {"a": 3}),
            "query 'q': variable 'a': expected a condition in SQL, or where, region and streams, got 3",
        ),
        (
            lambda: Pattern("q", {"a": {"when": "x"}}),
            "query 'q': variable 'a': expected the keys where, region, streams, got 'when'. Hint: did you mean 'where'?",
        ),
        (
            lambda: Pattern("q", {"a": {"region": "here"}}),
            "query 'q': variable 'a': region: expected a region such as Box((0, 0), (10, 10)), got 'here'",
        ),
        (
            lambda: Pattern("q", [Variable("a"), Variable("a")], retain=1),
            "query 'q': variables: expected each name once, got a, a",
        ),
        (
            lambda: Pattern("q", TWO, [("a", "b")]),
            "query 'q': pairs: expected pairs such as limen.Pair('a', 'b', after=(0, 300)), got ('a', 'b')",
        ),
        (
            lambda: Pattern("q", {"wind": "x > 1", "b": None}, Pair("wnd", "b")),
            "query 'q': pair 'wnd', 'b': expected a variable among wind, b, got 'wnd'. Hint: did you mean 'wind'?",
        ),
        (
            lambda: Pattern("q", TWO, Pair("a", "b", distance=3)),
            "query 'q': pair 'a', 'b': expected a limit to the time between the two, given or following from others, got none. Hint: add after=(least, most) to a pair, or retain=… to the pattern",
        ),
        (
            lambda: Pattern(
                "q", THREE, [Pair("a", "b", after=(0, 5)), Pair("b", "c", after=(1, 5)), Pair("c", "a", after=(1, 3))]
            ),
            "query 'q': expected consistent time constraints, got contradictory ones: c → b → a → c adds up to -2 seconds",
        ),
        (
            lambda: Pattern("q", TWO, Pair("a", "b", after=(3, 5)), retain=2),
            "query 'q': expected consistent time constraints, got contradictory ones: b → a → b adds up to -1 seconds",
        ),
        (
            lambda: Pattern("q", TWO, Pair("a", "b", after=(0, 5), distance=3, beyond=3)),
            "query 'q': pair 'a', 'b': expected a possible distance: below 3, by the other constraints, got beyond 3",
        ),
        (
            lambda: Pattern("q", TWO, CHAIN[:1], report="last"),
            "query 'q': report: expected 'all' or 'first', got 'last'",
        ),
        (lambda: Pattern("q", TWO, CHAIN[:1], cap=0), "query 'q': cap: expected a number of alerts, 1 or more, got 0"),
        (
            lambda: Pattern("q", TWO, CHAIN[:1], retain=-1),
            "query 'q': retain: expected a duration of 0 or more, got -1",
        ),
        (
            lambda: Pattern.at_least("q", 13, within=5),
            "query 'q': at_least: expected a number of tuples from 1 to 12, got 13",
        ),
    ],
)
def test_patterns_that_cannot_be(make, text):
    with pytest.raises(InvalidQuery) as error:
        make()
    assert str(error.value) == text


GLOBE = Columns("id", "t", ("lon", "lat", "height"), crs="lonlat")


@pytest.mark.parametrize(
    ("query", "columns", "text"),
    [
        (
            Pattern("q", {"a": "wnd > 1"}),
            COLUMNS,
            "query 'q': variable 'a': expected a column among id, t, kind, level, x, y, wind, got 'wnd'. Hint: did you mean 'wind'?",
        ),
        (
            Pattern("q", TWO, Pair("a", "b", after=(0, 1), where="a.knd = b.kind")),
            COLUMNS,
            "query 'q': pair 'a', 'b': expected a column among id, t, kind, level, x, y, wind, got 'knd'. Hint: did you mean 'kind'?",
        ),
        (
            Pattern("q", {"a": "wind > 1"}, on="kind"),
            COLUMNS,
            "query 'q': on: expected a column among x, y, wind, got 'kind', which is an attribute",
        ),
        (
            Pattern("q", {"a": "kind > 1"}),
            COLUMNS,
            "query 'q': variable 'a': expression 'kind > 1': expected values of one kind for >, got `kind` (string), 1 (int64)",
        ),
        (
            Pattern("q", {"a": "t > 5"}),
            COLUMNS,
            "query 'q': variable 'a': expression 't > 5': expected values of one kind for >, got `t` (timestamp[us, tz=UTC]), 5 (int64)",
        ),
        (
            Pattern("q", TWO, Pair("a", "b", after=(0, 1), where="a.kind = b.wind")),
            COLUMNS,
            "query 'q': pair 'a', 'b': expression 'a.kind = b.wind': expected values of one kind for =, got `a.kind` (string), `b.wind` (double)",
        ),
        (
            Pattern("q", {"a": {"region": Circle((0, 0), 1)}}),
            COLUMNS,
            "query 'q': variable 'a': expected a region of 3 dimensions (x, y, wind), got 2. Hint: name the columns that the region is about with on=",
        ),
        (
            Pattern("q", {"a": None, "b": None}, Pair("a", "b", after=(0, 1), distance=5)),
            GLOBE,
            "query 'q': expected distances on longitude and latitude (lon, lat), got one on lon, lat, height",
        ),
    ],
)
def test_patterns_that_do_not_fit_the_data(query, columns, text):
    with pytest.raises(InvalidQuery) as error:
        check_query(query, columns, {"kind": pa.string(), "level": pa.int64()})
    assert str(error.value) == text


def test_patterns_that_fit():
    for query in ALL:
        check_query(query, Columns("id", "t", ("x", "y", "wind"), attributes=("kind", "level")), {})
    check_query(Pattern("q", {"a": "t >= TIMESTAMP '2026-01-01T00:00:00Z' and id like 'b%'"}), COLUMNS, {})
