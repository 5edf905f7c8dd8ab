# ruff: noqa: E501  # texts of errors are quoted whole
from datetime import timedelta

import numpy as np
import pytest

from limen.errors import InvalidInput
from limen.model.options import Options


def test_defaults():
    assert Options.of({}) == Options(order="arrival", lateness=0, max_ahead=None, on_bad_row="count", expire_after=None)


@pytest.mark.parametrize(
    ("given", "micros"),
    [
        (10, 10_000_000),
        (0.5, 500_000),
        ("500 ms", 500_000),
        ("2 minutes", 120_000_000),
        (timedelta(hours=1), 3_600_000_000),
        (np.timedelta64(3, "s"), 3_000_000),
        (0, 0),
    ],
)
@pytest.mark.parametrize("name", ["lateness", "max_ahead", "expire_after"])
def test_durations_are_read_in_every_form(name, given, micros):
    assert getattr(Options.of({name: given}), name) == micros


@pytest.mark.parametrize(("name", "off"), [("lateness", 0), ("max_ahead", None), ("expire_after", None)])
def test_none_turns_a_duration_off(name, off):
    assert getattr(Options.of({name: None}), name) == off


def test_choices():
    options = Options.of({"order": "event", "on_bad_row": "fail"})
    assert (options.order, options.on_bad_row) == ("event", "fail")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            {"latenes": 3},
            "option 'latenes': expected one of order, lateness, max_ahead, on_bad_row, expire_after, expiry. Hint: did you mean 'lateness'?",
        ),
        (
            {"zzz": 3},
            "option 'zzz': expected one of order, lateness, max_ahead, on_bad_row, expire_after",
        ),
        ({"order": "random"}, "option 'order': expected 'arrival' or 'event', got 'random'"),
        ({"order": 3}, "option 'order': expected 'arrival' or 'event', got 3"),
        ({"on_bad_row": "ignore"}, "option 'on_bad_row': expected 'count' or 'fail', got 'ignore'"),
        ({"lateness": -1}, "option 'lateness': expected a duration of 0 or more, got -1"),
        ({"expire_after": "-1 s"}, "option 'expire_after': expected a duration of 0 or more, got -1 s"),
        (
            {"max_ahead": "soon"},
            "option 'max_ahead': expected a timedelta, a number of seconds or text such as '10 seconds', got 'soon'",
        ),
        (
            {"lateness": float("nan")},
            "option 'lateness': expected a timedelta, a number of seconds or text such as '10 seconds', got nan",
        ),
        (
            {"lateness": True},
            "option 'lateness': expected a timedelta, a number of seconds or text such as '10 seconds', got True",
        ),
    ],
)
def test_what_is_wrong_is_said(given, text):
    with pytest.raises(InvalidInput) as caught:
        Options.of(given)
    assert str(caught.value) == text
