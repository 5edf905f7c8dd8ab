"""Patterns: alerts for rows of several streams that belong together."""

import pytest

from limen import Box, InvalidQuery, Pair, Pattern
from tests.queries.small_engine import PLANE, SmallEngine, assert_a_restart_changes_nothing

BRAKE_CRASH = Pattern("p", {"b": "kind = 'brake'", "c": "kind = 'crash'"}, [Pair("b", "c", after=(0, 5))])


def alerts(own, *rows):
    """Process rows: (second, query, {variable: (stream, second)}) of each alert."""
    events = own.process_in_full(*rows).to_pylist()
    assert {(each["kind"], each["stream_id"], each["values"], each["reason"]) for each in events} <= {
        ("alert", None, None, "moved")
    }
    found = [
        (
            int(each["time"].timestamp()),
            each["query_id"],
            {bound["variable"]: (bound["stream_id"], int(bound["time"].timestamp())) for bound in each["bindings"]},
        )
        for each in events
    ]
    return sorted(found, key=repr)


def brake(stream, second, x=0.0):
    return stream, second, x, "brake"


def crash(stream, second, x=0.0):
    return stream, second, x, "crash"


def test_an_alert_binds_a_row_to_each_variable():
    own = SmallEngine(BRAKE_CRASH)
    assert alerts(own, brake("a", 1)) == []
    assert alerts(own, crash("z", 6)) == [(6, "p", {"b": ("a", 1), "c": ("z", 6)})]
    assert alerts(own, crash("y", 7)) == []  # too late


def test_rows_of_one_batch_and_of_one_time_belong_together():
    own = SmallEngine(BRAKE_CRASH)
    assert alerts(own, crash("z", 3), brake("a", 3)) == [(3, "p", {"b": ("a", 3), "c": ("z", 3)})]


def test_every_assignment_is_an_alert_once():
    own = SmallEngine(BRAKE_CRASH)
    alerts(own, brake("a", 1), brake("b", 2))
    found = alerts(own, crash("z", 3), crash("z", 4))
    assert [(time, bound["b"], bound["c"]) for time, _, bound in found] == [
        (3, ("a", 1), ("z", 3)),
        (3, ("b", 2), ("z", 3)),
        (4, ("a", 1), ("z", 4)),
        (4, ("b", 2), ("z", 4)),
    ]


def test_one_row_never_takes_two_places():
    own = SmallEngine(Pattern.at_least("two", 2, where="x > 1", within=10))
    assert alerts(own, ("a", 1, 5.0)) == []
    assert alerts(own, ("a", 2, 5.0)) == [(2, "two", {"r1": ("a", 1), "r2": ("a", 2)})]  # once, not in both orders


def test_distances_and_regions():
    close = Pattern(
        "close",
        {"a": {"where": "kind = 'A'", "region": Box((0, 0), (10, 10))}, "b": "kind = 'B'"},
        [Pair("a", "b", after=(0, 9), distance=5)],
    )
    own = SmallEngine(close, columns=PLANE)
    own.process(("in", 1, 1.0, 1.0, "A"), ("out", 1, 11.0, 1.0, "A"))
    assert alerts(own, ("far", 2, 4.0, 5.0, "B")) == []  # exactly 5 away is not below 5
    assert alerts(own, ("b", 3, 4.0, 4.9, "B")) == [(3, "close", {"a": ("in", 1), "b": ("b", 3)})]


def test_rows_are_compared():
    same = Pattern("p", {"b": "x < 5", "c": "x >= 5"}, [Pair("b", "c", after=(0, 9), where="b.kind = c.kind")])
    own = SmallEngine(same)
    own.process(("a", 1, 1.0, "red"), ("b", 1, 1.0, "blue"), ("n", 1, 1.0, None))
    assert alerts(own, ("z", 2, 7.0, "red"), ("y", 2, 7.0, None)) == [(2, "p", {"b": ("a", 1), "c": ("z", 2)})]


def test_filters_of_the_whole_pattern():
    own = SmallEngine(
        Pattern("p", {"b": "kind = 'brake'", "c": "kind = 'crash'"}, [Pair("b", "c", after=(0, 5))],
                streams=["a", "z"], where="x > 0")
    )  # fmt: skip
    alerts(own, brake("a", 1, 1.0), brake("other", 1, 1.0), brake("z", 1, 0.0))
    assert alerts(own, crash("z", 2, 1.0)) == [(2, "p", {"b": ("a", 1), "c": ("z", 2)})]


@pytest.mark.parametrize(("limit", "kept", "left_out"), [({"report": "first"}, 1, 2), ({"cap": 2}, 2, 1), ({}, 3, 0)])
def test_alerts_beyond_the_cap_are_counted(limit, kept, left_out):
    own = SmallEngine(
        Pattern("p", {"b": "kind = 'brake'", "c": "kind = 'crash'"}, [Pair("b", "c", after=(0, 5))], **limit)
    )
    alerts(own, brake("a", 1), brake("b", 1), brake("c", 1))
    assert [bound["b"] for _, _, bound in alerts(own, crash("z", 2))] == [("a", 1), ("b", 1), ("c", 1)][:kept]
    assert own.counters["left_out"] == left_out


def test_tuples_are_stored_only_while_they_can_still_be_of_use():
    own = SmallEngine(BRAKE_CRASH)
    own.process(brake("a", 1), crash("z", 1), ("n", 1, 0.0, "none"))
    assert own.counters["stored"] == 2
    own.advance(2)
    assert own.counters["stored"] == 1  # no brake comes after the crash
    own.advance(6)
    assert own.counters["stored"] == 1
    own.advance(7)
    assert (own.counters["stored"], own.counters["most_stored"]) == (0, 2)
    assert alerts(own, crash("z", 7)) == []


def test_a_pattern_sees_rows_from_its_registration_on():
    own = SmallEngine()
    own.process(brake("a", 1))
    assert own.register(BRAKE_CRASH) == []
    assert alerts(own, crash("z", 2)) == []
    own.process(brake("a", 3))
    assert own.register(BRAKE_CRASH) == []  # a replacement starts afresh
    assert alerts(own, crash("z", 4)) == []
    own.process(brake("a", 5))
    assert own.deregister("p") == []
    assert own.counters["stored"] == 0
    assert alerts(own, crash("z", 6)) == []


def test_removing_one_pattern_leaves_the_tuples_of_another():
    other = Pattern("q", {"b": "kind = 'brake'", "c": "kind = 'crash'"}, [Pair("b", "c", after=(0, 9))])
    own = SmallEngine(BRAKE_CRASH, other)
    own.process(brake("a", 1))
    own.deregister("p")
    assert alerts(own, crash("z", 9)) == [(9, "q", {"b": ("a", 1), "c": ("z", 9)})]


def test_forgetting_a_stream_does_not_undo_its_rows():
    own = SmallEngine(BRAKE_CRASH, expire_after=1)
    own.process(brake("a", 1))
    own.advance(4)
    assert own.counters["expired"] == 1
    assert alerts(own, crash("z", 5)) == [(5, "p", {"b": ("a", 1), "c": ("z", 5)})]


def test_late_rows_and_no_rows_complete_nothing():
    own = SmallEngine(BRAKE_CRASH)
    own.process(brake("a", 3))
    assert alerts(own) == []
    assert alerts(own, crash("z", 2)) == []
    assert own.counters["late"] == 1


def test_a_condition_that_does_not_fit_the_data_is_refused():
    own = SmallEngine(Pattern("p", {"a": "kind > 1"}))
    with pytest.raises(InvalidQuery, match="query 'p'"):
        own.process(("a", 1, 1.0, "brake"))


@pytest.mark.parametrize("expiry", ["tight", "loose", "no-index"])
def test_a_restart_changes_nothing(expiry):
    near = Pattern.at_least("crowd", 3, where="x < 5", distance=2, within=10, cap=2)
    assert_a_restart_changes_nothing(
        lambda: SmallEngine(BRAKE_CRASH, near, expiry=expiry, expire_after=2),
        [brake("a", 1), brake("b", 1, 1.0)],
        [crash("c", 2, 1.5), brake("d", 3)],
        [crash("e", 7)],
        [crash("a", 40)],
    )
