# ruff: noqa: E501  # texts of errors are quoted whole
import json
import math
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.errors import InvalidQuery
from limen.formats.query_json import (
    canonical_json,
    change_from_dict,
    change_from_json,
    change_to_dict,
    query_from_dict,
    query_to_dict,
)
from limen.model import Advance, Border, Box, Deregister, Match, Range, Register, Transition

words = st.text(st.characters(codec="utf-8"), min_size=1)
intervals = st.tuples(st.floats(allow_nan=False), st.floats(allow_nan=False)).map(sorted).filter(lambda p: p[0] < p[1])
boxes = st.lists(intervals, min_size=1, max_size=3).map(lambda pairs: Box(*zip(*pairs, strict=True)))
common = {
    "on": st.none() | st.lists(words, min_size=1, unique=True),
    "streams": st.none() | st.lists(words, min_size=1),
    "where": st.none() | st.sampled_from(["x > 1", "kind = 'é' OR y IS NULL"]),
}
regions = intervals.map(lambda pair: Range(*pair)) | boxes
borders = st.builds(Border, words, regions, initial=st.sampled_from(["silent", "report"]), **common)
limits = st.timedeltas(timedelta(microseconds=1), timedelta(days=3_650_000))
kinds = st.sets(st.sampled_from(["passed", "returned", "stayed", "gone"]), min_size=1)
transitions = st.builds(Transition, words, regions, within=limits, kinds=kinds, **common)
queries = borders | transitions | st.builds(Match, words, regions, **common)
times = st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999)
seqs = st.none() | st.integers()
changes = (
    st.builds(Register, queries, st.none() | times, seqs)
    | st.builds(Deregister, words, st.none() | times, seqs)
    | st.builds(Advance, times)
)


@given(changes)
def test_what_is_written_is_read_back(change):
    text = canonical_json(change_to_dict(change))
    assert change_from_json(text) == change
    assert canonical_json(change_to_dict(change_from_json(text))) == text
    text.encode()


@given(queries)
def test_queries_are_written_and_read_alone_too(query):
    assert query_from_dict(query_to_dict(query)) == query


def test_a_time_limit_is_written_in_seconds():
    written = [query_to_dict(Transition("t", Range(0, 1), within=limit)) for limit in (180, "1.5 s", "3 minutes")]
    assert [plain["within"] for plain in written] == [180, 1.5, 180]
    assert "kinds" not in written[0]
    plain = {"type": "transition", "id": "t", "region": {"type": "range", "lo": 0}, "within": "3 minutes"}
    assert query_from_dict({**plain, "kinds": ["gone", "stayed"]}).kinds == ("stayed", "gone")
    with pytest.raises(InvalidQuery, match="query 't': expected the key 'within', got none"):
        query_from_dict({key: plain[key] for key in ("type", "id", "region")})


@pytest.mark.parametrize(
    ("within", "text"),
    [
        ("1" + "0" * 400, "query 't': within: expected at most 10,000 years, got 1"),
        ("1" + "0" * 5000, "JSON: expected numbers of a few digits, got Exceeds the limit"),
        ('"1' + "0" * 5000 + ' s"', "query 't': within: expected a timedelta, a number of seconds or text such as"),
        ("1e400", "query 't': within: expected a timedelta, a number of seconds or text such as"),
    ],
    ids=["beyond floats", "beyond integers", "text", "infinite"],
)
def test_numbers_of_any_length_are_refused_in_order(within, text):
    change = '{"type": "transition", "id": "t", "region": {"type": "range", "lo": 0}, "within": WITHIN}'
    with pytest.raises(InvalidQuery) as caught:
        change_from_json('{"op": "register", "query": ' + change.replace("WITHIN", within) + "}")
    assert str(caught.value).startswith(text)


def test_the_example_of_the_specification():
    changes = [
        change_from_json(line)
        for line in (
            '{"op": "register", "query": {"type": "border", "id": "downtown", "on": ["x", "y"], "region": {"type": "box", "lo": [0, 0], "hi": [10, 10]}, "initial": "report"}, "at": "2026-01-01T00:00:00Z"}',
            '{"op": "deregister", "id": "downtown"}',
            '{"op": "advance", "to": "2026-01-01T01:00:00Z"}',
        )
    ]
    downtown = Border("downtown", Box((0, 0), (10, 10)), "report", on=("x", "y"))
    at = 1_767_225_600_000_000
    assert changes == [Register(downtown, at), Deregister("downtown"), Advance(at + 3_600_000_000)]


def test_defaults_are_left_out():
    assert query_to_dict(Match("q", Range(0, 1))) == {
        "type": "match",
        "id": "q",
        "region": {"type": "range", "lo": 0.0, "hi": 1.0},
    }
    assert change_to_dict(Deregister("q")) == {"op": "deregister", "id": "q"}
    assert change_to_dict(Deregister("q", 0, 3)) == {
        "op": "deregister", "id": "q", "at": "1970-01-01T00:00:00Z", "seq": 3,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("plain", "region"),
    [
        ({"type": "range", "lo": 3}, Range(3, math.inf)),
        ({"type": "range", "lo": None, "hi": 3}, Range(-math.inf, 3)),
        ({"type": "range", "lo": "-inf", "hi": "inf"}, Range(None, None)),
        ({"type": "range"}, Range(None, None)),
        ({"type": "box", "lo": [0, None], "hi": ["inf", 1]}, Box((0, None), (None, 1))),
        ({"type": "box", "hi": [1, 2]}, Box((None, None), (1, 2))),
        ({"type": "box", "lo": [1, 2]}, Box((1, 2), (None, None))),
    ],
)
def test_infinite_bounds(plain, region):
    assert query_from_dict({"type": "match", "id": "q", "region": plain}).region == region


def test_canonical_json():
    assert canonical_json({"b": [1.0, None], "a": "é"}) == '{"a":"é","b":[1.0,null]}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(math.inf)


REGION = {"type": "range", "lo": 0, "hi": 1}
QUERY = {"type": "border", "id": "q", "region": REGION}


@pytest.mark.parametrize(
    ("plain", "text"),
    [
        ([], "query: expected a JSON object, got []"),
        ({**QUERY, "type": "boarder"}, "query: expected type 'border', 'match', 'transition', 'within', 'nearest' or 'pattern', got 'boarder'. Hint: did you mean 'border'?"),
        ({"id": "q"}, "query: expected type 'border', 'match', 'transition', 'within', 'nearest' or 'pattern', got none"),
        ({"type": "border", "id": "q"}, "query 'q': expected the key 'region', got none"),
        ({"type": "match", "region": REGION}, "query: expected the key 'id', got none"),
        (
            {**QUERY, "type": "match", "wher": "x > 1"},
            "query 'q': expected the keys id, region, on, streams, where, got 'wher'. Hint: did you mean 'where'?",
        ),
        (
            {**QUERY, "type": "match", "initial": "report"},
            "query 'q': expected the keys id, region, on, streams, where, got 'initial'",
        ),
        ({**QUERY, "region": 3}, "query 'q': region: expected a JSON object, got 3"),
        ({**QUERY, "region": {"type": "bx"}}, "query 'q': region: expected type 'range', 'box', 'circle', 'polygon' or 'multipolygon', got 'bx'. Hint: did you mean 'box'?"),
        ({**QUERY, "region": {**REGION, "low": 3}}, "query 'q': region: expected the keys lo, hi, got 'low'. Hint: did you mean 'lo'?"),
        ({**QUERY, "region": {**REGION, "lo": 1}}, "query 'q': range: expected lo < hi, got lo 1.0, hi 1.0"),
        ({**QUERY, "region": {**REGION, "lo": "0"}}, "query 'q': range: lo: expected a number or None, got '0'"),
        ({**QUERY, "region": {"type": "box", "lo": [0], "hi": [1, 1]}}, "query 'q': box: expected lo and hi of one length, got 1 and 2"),
        ({**QUERY, "initial": "loud"}, "query 'q': initial: expected 'silent' or 'report', got 'loud'"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_query_is_said(plain, text):
    with pytest.raises(InvalidQuery) as caught:
        query_from_dict(plain)
    assert str(caught.value) == text


def test_a_box_without_any_corner_is_refused():
    with pytest.raises(InvalidQuery, match="query 'q': box: lo: expected a number for each dimension, got None"):
        query_from_dict({**QUERY, "region": {"type": "box"}})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "JSON: expected one object, got Expecting property name enclosed in double quotes at character 2"),
        ("[" * 100_000, "JSON: expected one object, got endlessly nested ones"),
        ("3", "change: expected a JSON object, got 3"),
        ('{"op": "advance", "op": "advance", "to": "2026-01-01"}', "JSON: expected each key once, got 'op' twice"),
        ('{"op": "registr"}', "change: expected op 'register', 'deregister' or 'advance', got 'registr'. Hint: did you mean 'register'?"),
        ('{"op": ["register"]}', "change: expected op 'register', 'deregister' or 'advance', got ['register']"),
        ('{"op": "advance"}', "change advance: expected the key 'to', got none"),
        ('{"op": "advance", "to": 3}', "change advance: to: expected a time, got the number 3. Hint: give its unit: time_unit='s', 'ms', 'us' or 'ns'"),
        ('{"op": "deregister", "id": "q", "at": "soon"}', "change deregister: at: expected an ISO-8601 time such as 2026-01-01T00:00:00Z, got 'soon'"),
        ('{"op": "deregister", "id": "q", "seq": "1"}', "change: seq: expected a whole number, got '1'"),
        ('{"op": "deregister", "id": "q", "att": 1}', "change deregister: expected the keys id, at, seq, got 'att'. Hint: did you mean 'at'?"),
        ('{"op": "deregister", "id": ""}', "query: expected an id: text that is not empty, or an integer, got ''"),
        (json.dumps({"op": "register", "query": {**QUERY, "id": "\ud800"}}), "query: expected an id: text that is not empty, or an integer, got '\\ud800'"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_change_is_said(text, message):
    with pytest.raises(InvalidQuery) as caught:
        change_from_json(text)
    assert str(caught.value) == message


def test_a_change_is_read_from_plain_data_too():
    assert change_from_dict({"op": "register", "query": QUERY}) == Register(Border("q", Range(0, 1)))
