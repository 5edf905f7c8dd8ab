from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.errors import InvalidInput
from limen.model.time import from_micros, seconds, to_micros


class Stamp:
    """Like a library's own time that can turn itself into Python's."""

    def to_pydatetime(self):
        return datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "micros"),
    [
        (datetime(1970, 1, 1, 0, 0, 1), 1_000_000),  # noqa: DTZ001  # naive on purpose
        (datetime(1970, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), 0),
        ("1970-01-01T00:00:00.000001Z", 1),
        ("1970-01-01 02:00:00+02:00", 0),
        ("1970-01-02", 86_400_000_000),
        ("1969-12-31T23:59:59.9999999Z", -1),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
        (np.datetime64("1970-01-01T00:00:01"), 1_000_000),
        (np.datetime64(-1, "ns"), -1),
        (np.datetime64("9999-12-31"), 253_402_214_400_000_000),
        (pd.Timestamp("1970-01-01T00:00:01.000000999Z"), 1_000_000),
        (pd.Timestamp("1970-01-01T02:00:00", tz="Africa/Cairo"), 0),
        (Stamp(), 1_000_000),
    ],
)
def test_times(value, micros):
    assert to_micros(value) == micros


@pytest.mark.parametrize(
    ("value", "unit", "micros"),
    [
        (2, "s", 2_000_000),
        (0.29, "s", 290_000),
        (np.int64(-3), "ms", -3000),
        (7, "us", 7),
        (1999, "ns", 1),
        (-1, "ns", -1),
        (-1.0, "ns", -1),
        (2**53 + 1, "us", 2**53 + 1),
    ],
)
def test_numbers_need_a_unit(value, unit, micros):
    assert to_micros(value, unit) == micros
    with pytest.raises(InvalidInput, match=r"ts: expected a time, got the number .* Hint: give its unit"):
        to_micros(value, where="ts")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        ("soon", None, "at: expected an ISO-8601 time such as 2026-01-01T00:00:00Z, got 'soon'"),
        (None, None, "at: expected a time, got None"),
        (True, "s", "at: expected a time, got True"),
        (float("nan"), "s", "at: expected a time, got nan"),
        (float("inf"), "s", "at: expected a time, got inf"),
        (1, "h", "at: expected a unit 's', 'ms', 'us' or 'ns', got 'h'"),
        (10**12, "s", "at: expected a time in the years 1 to 9999, got 1000000000000"),
        (np.datetime64("NaT"), None, "at: expected a time in the years 1 to 9999, got NaT"),
        (pd.NaT, None, "at: expected a time in the years 1 to 9999, got NaT"),
        (
            np.datetime64(300_000_000, "Y"),
            None,
            "at: expected a time in the years 1 to 9999, got 300001970",
        ),
        (
            "0001-01-01T00:00:00+01:00",
            None,
            "at: expected a time in the years 1 to 9999, got '0001-01-01T00:00:00+01:00'",
        ),
    ],
)
def test_what_is_no_time_is_refused(value, unit, text):
    with pytest.raises(InvalidInput) as caught:
        to_micros(value, unit)
    assert str(caught.value) == text


@given(st.datetimes(timezones=st.just(UTC)))
def test_writing_and_reading_agree(moment):
    micros = to_micros(moment)
    assert to_micros(from_micros(micros)) == micros
    assert datetime.fromisoformat(from_micros(micros)) == moment


def test_writing():
    assert from_micros(0) == "1970-01-01T00:00:00Z"
    assert from_micros(-1) == "1969-12-31T23:59:59.999999Z"
    assert from_micros(-62_135_596_800_000_000) == "0001-01-01T00:00:00Z"
    with pytest.raises(InvalidInput, match=r"time: expected a time in the years 1 to 9999, got .* µs since 1970"):
        from_micros(10**18)


@pytest.mark.parametrize(
    ("value", "micros"),
    [
        (timedelta(seconds=1, microseconds=5), 1_000_005),
        (pd.Timedelta("1.5s"), 1_500_000),
        (np.timedelta64(3, "ms"), 3000),
        (10, 10_000_000),
        (0.1, 100_000),
        (-300, -300_000_000),
        ("10 seconds", 10_000_000),
        ("3 Minutes", 180_000_000),
        (" 500ms ", 500_000),
        ("1 hour", 3_600_000_000),
        ("2 days", 172_800_000_000),
        ("1.5 s", 1_500_000),
        ("7 us", 7),
    ],
)
def test_durations(value, micros):
    assert seconds(value, "lateness") == micros


@pytest.mark.parametrize(
    "value",
    ["10", "ten seconds", "3 fortnights", True, None, float("nan"), np.timedelta64(1, "M"), "1 s 2 s"],
)
def test_what_is_no_duration_is_refused(value):
    with pytest.raises(InvalidInput) as caught:
        seconds(value, "lateness")
    assert str(caught.value) == (
        f"lateness: expected a timedelta, a number of seconds or text such as '10 seconds', got {value!r}"
    )
