"""When a change of side counts: what may be asked, and what is refused."""

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from limen import Border, Box, InvalidQuery, Range, Transition
from limen.formats.query_json import query_from_dict, query_to_dict


@pytest.mark.parametrize(
    ("arguments", "debounced"),
    [
        ({}, False),
        ({"margin": 0, "confirm": 1, "min_stay": 0}, False),
        ({"margin": 0.0, "min_stay": timedelta(0)}, False),
        ({"margin": 5e-324}, True),
        ({"confirm": np.int64(2)}, True),
        ({"min_stay": "1 us"}, True),
    ],
)
def test_a_query_is_calm_when_it_asks_for_more_than_a_crossing(arguments: dict[str, Any], debounced: bool) -> None:
    assert Border("q", Range(0, 1), **arguments).debounced is debounced
    assert Transition("q", Range(0, 1), within=1, **arguments).debounced is debounced


def test_a_duration_may_be_said_in_any_way() -> None:
    for said in (2, 2.0, "2 s", "2 seconds", timedelta(seconds=2)):
        assert Border("q", Range(0, 1), min_stay=said).min_stay == timedelta(seconds=2)


@pytest.mark.parametrize("kind", ["border", "transition"])
def test_what_is_written_is_read_back(kind: str) -> None:
    more = {"crossings": True} if kind == "border" else {"within": 5}
    plain = {
        "type": kind, "id": "q", "region": {"type": "box", "lo": [0.0, 0.0], "hi": [1.0, 1.0]}, **more,
        "margin": 0.5, "confirm": 3, "min_stay": 1.5,
    }  # fmt: skip
    query = query_from_dict(plain)
    assert query_to_dict(query) == plain
    assert query_from_dict(query_to_dict(query)) == query


def test_defaults_are_left_out() -> None:
    query = Border("q", Box((0, 0), (1, 1)), margin=0.0, confirm=1, min_stay=timedelta(0))
    assert set(query_to_dict(query)) == {"type", "id", "region"}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"margin": -1}, "margin: expected a distance from 0 to 1e+150, got -1"),
        ({"margin": float("nan")}, "margin: expected a distance from 0 to 1e+150, got nan"),
        ({"margin": float("inf")}, "margin: expected a distance from 0 to 1e+150, got inf"),
        ({"margin": "5 m"}, "margin: expected a distance from 0 to 1e+150, got '5 m'"),
        ({"margin": True}, "margin: expected a distance from 0 to 1e+150, got True"),
        ({"margin": None}, "margin: expected a distance from 0 to 1e+150, got None"),
        ({"confirm": 0}, "confirm: expected a number of rows, 1 or more, got 0"),
        ({"confirm": 2.5}, "confirm: expected a number of rows, 1 or more, got 2.5"),
        ({"confirm": 2**40}, "confirm: expected a number of rows, 1 or more, got 1099511627776"),
        ({"confirm": True}, "confirm: expected a number of rows, 1 or more, got True"),
        ({"min_stay": -1}, "min_stay: expected a duration of 0 or more, got -1"),
        (
            {"min_stay": "soon"},
            "min_stay: expected a timedelta, a number of seconds or text such as '10 seconds', got 'soon'",
        ),
        ({"min_stay": 10**20}, "min_stay: expected at most 10,000 years, got 100000000000000000000"),
        ({"crossings": 1}, "crossings: expected true or false, got 1"),
    ],
)
def test_what_is_refused(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidQuery) as caught:
        Border("q", Range(0, 1), **arguments)
    assert str(caught.value) == f"query 'q': {text}"
