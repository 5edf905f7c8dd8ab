"""Border queries: streams that enter and leave regions."""

from datetime import UTC, datetime

from limen import Border, Box, Circle, Polygon, Range
from tests.queries.small_engine import PLANE, SmallEngine, assert_a_restart_changes_nothing

LOW = Border("low", Range(0, 2))
REPORTED = Border("low", Range(0, 2), initial="report")


def test_a_stream_enters_and_leaves():
    own = SmallEngine(LOW)
    assert own.process(("a", 1, 5.0), ("a", 2, 1.0), ("a", 3, 1.5), ("a", 4, 2.0)) == [
        (2, "low", "enter", "a", "moved"),
        (4, "low", "exit", "a", "moved"),  # the upper end is outside
    ]
    assert own.process(("a", 5, 0.0)) == [(5, "low", "enter", "a", "moved")]  # the lower end is inside


def test_a_first_row_is_reported_only_where_the_query_reports_completely():
    assert SmallEngine(LOW).process(("a", 1, 1.0)) == []
    assert SmallEngine(REPORTED).process(("a", 1, 1.0)) == [(1, "low", "enter", "a", "appeared")]


def test_no_rows_and_rows_without_values_emit_nothing():
    own = SmallEngine(REPORTED)
    assert own.process() == []
    assert own.process(("a", 1, None)) == []
    assert own.process(("a", 2, 1.0)) == [(2, "low", "enter", "a", "appeared")]
    assert own.process(("a", 3, None)) == []
    assert own.process(("a", 4, 5.0)) == [(4, "low", "exit", "a", "moved")]


def test_a_silent_query_is_changed_without_an_event():
    own = SmallEngine()
    own.process(("a", 1, 1.0))
    assert own.register(LOW) == []
    assert own.process(("a", 2, 5.0)) == [(2, "low", "exit", "a", "moved")]
    assert own.register(Border("low", Range(4, 6))) == []
    assert own.process(("a", 3, 1.0)) == [(3, "low", "exit", "a", "moved")]  # both sides by the new region
    assert own.deregister("low") == []
    assert own.process(("a", 4, 5.0)) == []


def test_a_query_that_reports_completely_pairs_enters_and_exits():
    own = SmallEngine(expire_after=10)
    own.process(("a", 1, 1.0), ("b", 1, 5.0))
    assert own.register(REPORTED) == [(1, "low", "enter", "a", "registered")]
    assert own.register(Border("low", Range(1, 6), initial="report")) == [(1, "low", "enter", "b", "changed")]
    assert own.register(Border("low", Range(4, 6), initial="report")) == [(1, "low", "exit", "a", "changed")]
    assert own.advance(12) == [(11, "low", "exit", "b", "expired")]
    assert own.process(("b", 13, 5.0)) == [(13, "low", "enter", "b", "appeared")]
    assert own.deregister("low") == [(13, "low", "exit", "b", "deregistered")]


def test_an_expiry_is_the_same_when_a_row_finds_it():
    own = SmallEngine(REPORTED, expire_after=10)
    own.process(("a", 1, 1.0))
    assert own.process(("a", 20, 1.5)) == [
        (11, "low", "exit", "a", "expired"),
        (20, "low", "enter", "a", "appeared"),
    ]


def test_another_initial_is_a_deregistration_and_a_registration():
    own = SmallEngine(REPORTED)
    own.process(("a", 1, 1.0))
    assert own.register(LOW) == [(1, "low", "exit", "a", "deregistered")]
    assert own.register(REPORTED) == [(1, "low", "enter", "a", "registered")]


def test_every_kind_of_region():
    own = SmallEngine(
        Border("box", Box((0, 0), (2, 2))),
        Border("circle", Circle((1, 1), 1)),
        Border("triangle", Polygon([(0, 0), (2, 0), (0, 2)])),
        Border("strip", Range(0, 2), on="y"),
        columns=PLANE,
    )
    own.process(("a", 1, 9.0, 9.0))
    assert [event[1] for event in own.process(("a", 2, 0.5, 0.5))] == ["box", "circle", "strip", "triangle"]
    assert own.process(("a", 3, 1.5, 1.5)) == [(3, "triangle", "exit", "a", "moved")]
    assert own.process(("a", 4, 1.9, 1.9)) == [(4, "circle", "exit", "a", "moved")]


def test_a_jump_over_a_region():
    own = SmallEngine(Border("thin", Range(2, 3), crossings=True), Border("plain", Range(2, 3)))
    assert own.process(("a", 1, 0.0), ("a", 2, 9.0), ("a", 3, 9.5)) == [(2, "thin", "cross", "a", "moved")]
    assert own.process(("a", 4, 2.5)) == [(4, "plain", "enter", "a", "moved"), (4, "thin", "enter", "a", "moved")]


def test_a_crossing_is_confirmed_after_a_stay():
    own = SmallEngine(Border("low", Range(0, 2), min_stay=3))
    own.process(("a", 1, 5.0))
    assert own.process(("a", 2, 1.0), ("a", 3, 5.0)) == []  # too short
    assert own.process(("a", 10, 1.0), ("a", 12, 1.5)) == []
    assert own.counters["unconfirmed"] == 1
    (event,) = own.process_in_full(("b", 20, 9.0)).to_pylist()
    assert (event["kind"], event["time"].second, event["started_at"]) == (
        "enter",
        13,
        datetime(1970, 1, 1, 0, 0, 10, tzinfo=UTC),
    )
    assert event["values"] == [1.5]
    assert own.counters["unconfirmed"] == 0


def test_a_stream_without_confirmation_counts_as_where_it_was():
    own = SmallEngine(Border("low", Range(0, 2), confirm=2, initial="report"))
    own.process(("a", 1, 5.0), ("b", 1, 1.0))
    assert own.process(("a", 2, 1.0), ("b", 2, 5.0)) == []
    assert own.deregister("low") == [(2, "low", "exit", "b", "deregistered")]
    assert own.counters["unconfirmed"] == 0


def test_a_restart_changes_nothing():
    assert_a_restart_changes_nothing(
        lambda: SmallEngine(REPORTED, Border("slow", Range(0, 2), min_stay=3), expire_after=20),
        [("a", 1, 5.0), ("b", 1, 1.0)],
        [("a", 2, 1.0)],
        [("a", 6, 1.0), ("b", 7, 9.0)],
        [("b", 30, 1.0)],
    )
