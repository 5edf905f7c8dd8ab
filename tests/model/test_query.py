# ruff: noqa: E501  # texts of errors are quoted whole
import pickle
import timeit
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from limen.errors import InvalidQuery
from limen.model import Border, Box, Columns, Match, Query, Range, Transition

PLACE = Columns("id", "t", ("x", "y"), ("kind", "size"))
INSIDE = Range(0, 1)


def test_the_order_of_arguments_is_public():
    border = Border("q", INSIDE, "report", False, 0, 1, 0, "x", "s", "kind = 'a'")
    assert border == Border(id="q", region=INSIDE, initial="report", on=["x"], streams=["s"], where="kind = 'a'")
    assert Match("q", INSIDE, "x", "s", "x > 1") == Match(
        id="q", region=INSIDE, on=("x",), streams=("s",), where="x > 1"
    )
    assert (Border.type, Match.type) == ("border", "match")


def test_defaults():
    border = Border("q", INSIDE)
    assert (border.on, border.streams, border.where, border.initial) == (None, None, None, "silent")
    assert (border.crossings, border.margin, border.confirm, border.min_stay) == (False, 0, 1, timedelta(0))


def test_queries_are_values():
    border = Border("q", INSIDE, streams=("b", "a"))
    assert isinstance(border, Query)
    assert pickle.loads(pickle.dumps(border)) == border
    assert len({border, Border("q", INSIDE, streams=("a", "b"))}) == 1
    assert replace(border, id="r") == Border("r", INSIDE, streams=("a", "b"))
    assert Border("q", INSIDE) != Match("q", INSIDE)
    with pytest.raises(AttributeError):
        border.id = "r"


def test_integers_become_text():
    assert Border(7, INSIDE).id == "7"
    assert Border(np.int64(7), INSIDE, streams=np.int32(3)).streams == ("3",)
    assert type(Border(np.str_("é"), INSIDE).id) is str


def test_streams_are_sorted_by_their_bytes_and_unique():
    border = Border("q", INSIDE, streams=iter(["z", "é", "z", "\U0001f600", "\uffff", 10, "9"]))
    assert border.streams == tuple(sorted({"z", "é", "\U0001f600", "\uffff", "10", "9"}, key=str.encode))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"id": ""}, "query: expected an id: text that is not empty, or an integer, got ''"),
        ({"id": None}, "query: expected an id: text that is not empty, or an integer, got None"),
        ({"id": True}, "query: expected an id: text that is not empty, or an integer, got True"),
        ({"id": "\ud800"}, "query: expected an id: text that is not empty, or an integer, got '\\ud800'"),
        ({"region": (0, 1)}, "query 'q': expected a region such as Range(0, 10), got (0, 1)"),
        ({"on": ()}, "query 'q': on: expected names of value columns, got ()"),
        ({"on": 3}, "query 'q': on: expected names of value columns, got 3"),
        ({"on": ("x", None)}, "query 'q': on: expected names of value columns, got ('x', None)"),
        ({"on": ("x", "x")}, "query 'q': on: expected each column once, got ('x', 'x')"),
        ({"streams": ()}, "query 'q': streams: expected one stream id or more, got ()"),
        ({"streams": 1.5}, "query 'q': streams: expected one stream id or more, got 1.5"),
        ({"streams": b"ab"}, "query 'q': streams: expected one stream id or more, got b'ab'"),
        ({"streams": {"a": 1}}, "query 'q': streams: expected one stream id or more, got {'a': 1}"),
        ({"streams": ["a", None]}, "query 'q': streams: expected one stream id or more, got ['a', None]"),
        ({"where": 3}, "query 'q': where: expected SQL text, got 3"),
        ({"where": ""}, "query 'q': expression: expected a condition, got ''"),
        ({"where": "x >"}, "query 'q': expression 'x >': expected a condition in SQL, got a syntax error near '>' in line 1, column 3"),
        ({"initial": "loud"}, "query 'q': initial: expected 'silent' or 'report', got 'loud'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(arguments, text):
    with pytest.raises(InvalidQuery) as caught:
        Border(**{"id": "q", "region": INSIDE, **arguments})
    assert str(caught.value) == text


def test_a_long_id_is_shortened_in_errors():
    with pytest.raises(InvalidQuery) as caught:
        Border("q" * 10_000, INSIDE, initial="loud")
    assert len(str(caught.value)) < 400


def test_check_gives_positions():
    assert Border("q", Box((0, 0), (1, 1))).check(PLACE) == (0, 1)
    assert Border("q", Box((0, 0), (1, 1)), on=("y", "x")).check(PLACE) == (1, 0)
    assert Match("q", INSIDE, on="y", where="kind = 'a' AND size > x").check(PLACE) == (1,)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (
            Border("q", INSIDE),
            "query 'q': expected a region of 2 dimensions (x, y), got 1. Hint: name the columns that the region is about with on=",
        ),
        (
            Match("q", Box((0, 0), (1, 1)), on="y"),
            "query 'q': expected a region of 1 dimension (y), got 2. Hint: name the columns that the region is about with on=",
        ),
        (Border("q", INSIDE, on="speed"), "query 'q': on: expected a column among x, y, got 'speed'"),
        (
            Border("q", INSIDE, on="size"),
            "query 'q': on: expected a column among x, y, got 'size', which is an attribute",
        ),
        (
            Border("q", INSIDE, on="x", where="knd = 'a'"),
            "query 'q': where: expected a column among kind, size, x, y, got 'knd'. Hint: did you mean 'kind'?",
        ),
        (
            Border("q", INSIDE, on="x", where="Kind = 'a'"),
            "query 'q': where: expected a column among kind, size, x, y, got 'Kind'. Hint: did you mean 'kind'?",
        ),
        (
            Border("q", INSIDE, on="x", where="t > DATE '2026-01-01'"),
            "query 'q': where: expected a column among kind, size, x, y, got 't', which is the time column",
        ),
        (
            Border("q", INSIDE, on="x", where="id = 'a'"),
            "query 'q': where: expected a column among kind, size, x, y, got 'id', which is the id column",
        ),
    ],
)
def test_check_says_what_does_not_fit(query, text):
    with pytest.raises(InvalidQuery) as caught:
        query.check(PLACE)
    assert str(caught.value) == text


def test_a_million_queries_are_built_in_seconds():
    count = 2000
    best = min(timeit.repeat(lambda: Border("price 17", Range(1.0, 2.0)), number=count, repeat=20)) / count
    # 2.5 µs when measured; room for slow and busy machines, none for a regular expression or a parser.
    assert best < 20e-6


def test_transitions():
    query = Transition("q", INSIDE, 180, ("gone", "passed", "gone"), "x", "s", "x > 1")
    assert query == Transition(
        id="q", region=INSIDE, within="3 minutes", kinds=["passed", "gone"], on=["x"], streams=["s"], where="x > 1"
    )
    assert (query.type, query.within, query.kinds) == ("transition", timedelta(minutes=3), ("passed", "gone"))
    assert Transition("q", INSIDE, timedelta(seconds=1)).kinds == ("passed", "returned", "stayed", "gone")
    assert Transition("q", INSIDE, 1, kinds="stayed").kinds == ("stayed",)
    assert pickle.loads(pickle.dumps(query)) == query
    assert replace(query, id="r", within=query.within).within == query.within


KINDS = "expected one or more of passed, returned, stayed, gone"
DURATION = "expected a timedelta, a number of seconds or text such as '10 seconds'"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"within": 0}, "within: expected a duration above 0, got 0"),
        ({"within": -1}, "within: expected a duration above 0, got -1"),
        ({"within": timedelta(0)}, "within: expected a duration above 0, got datetime.timedelta(0)"),
        ({"within": 4e-7}, "within: expected a duration above 0, got 4e-07"),
        ({"within": float("nan")}, f"within: {DURATION}, got nan"),
        ({"within": float("inf")}, f"within: {DURATION}, got inf"),
        ({"within": None}, f"within: {DURATION}, got None"),
        ({"within": "3 fortnights"}, f"within: {DURATION}, got '3 fortnights'"),
        ({"within": "20000000 days"}, "within: expected at most 10,000 years, got '20000000 days'"),
        ({"kinds": ()}, f"kinds: {KINDS}, got ()"),
        ({"kinds": None}, f"kinds: {KINDS}, got None"),
        ({"kinds": ["stayed", "enter"]}, f"kinds: {KINDS}, got 'enter'"),
        ({"kinds": "stay"}, f"kinds: {KINDS}, got 'stay'. Hint: did you mean 'stayed'?"),
        ({"kinds": [3]}, f"kinds: {KINDS}, got 3"),
    ],
)
def test_transitions_that_are_refused(arguments, text):
    with pytest.raises(InvalidQuery) as caught:
        Transition(**{"id": "q", "region": INSIDE, "within": 1, **arguments})
    assert str(caught.value) == f"query 'q': {text}"


def test_a_limit_of_more_than_a_year_says_what_it_costs():
    assert Transition("q", INSIDE, "366 days").remark() is None
    assert Border("q", INSIDE).remark() is None
    assert Transition("q", INSIDE, "400 days").remark() == (
        "query 'q': within is 400 days; each border event of that time is remembered until it is over or answered, "
        "in about 60 bytes"
    )
