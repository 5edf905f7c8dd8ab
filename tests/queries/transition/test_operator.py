"""Transition queries: crossings that are answered in time, and those that are not."""

from limen import Range, Transition
from tests.queries.small_engine import SmallEngine, assert_a_restart_changes_nothing

QUICK = Transition("t", Range(0, 2), within=10)


def inside(second, stream="a"):
    return stream, second, 1.0


def outside(second, stream="a"):
    return stream, second, 5.0


def started(own, *rows):
    """Process rows: (kind, second, the second of the start)."""
    events = own.process_in_full(*rows).to_pylist()
    return [(each["kind"], each["time"].timestamp(), each["started_at"].timestamp()) for each in events]


def test_a_stream_passes_through_and_returns():
    own = SmallEngine(QUICK)
    assert own.process(outside(1), inside(2), outside(12), inside(13)) == [
        (12, "t", "passed", "a", "moved"),  # within its limit, that included
        (13, "t", "returned", "a", "moved"),
    ]
    own = SmallEngine(QUICK)
    assert started(own, outside(1), inside(2), outside(12)) == [("passed", 12, 2)]


def test_a_stream_stays_or_is_gone():
    own = SmallEngine(QUICK)
    own.process(outside(1), inside(2))
    assert own.counters["starts"] == 1
    assert own.advance(12) == []
    assert own.advance(13) == [(12, "t", "stayed", "a", "timer")]
    assert own.process(outside(14)) == []  # the enter was answered by its deadline
    assert own.advance(25) == [(24, "t", "gone", "a", "timer")]
    assert own.counters["starts"] == 0


def test_a_late_answer_finds_the_deadline_passed():
    own = SmallEngine(QUICK)
    own.process(outside(1), inside(2))
    assert started(own, outside(13)) == [("stayed", 12, 2)]


def test_a_first_row_starts_nothing():
    own = SmallEngine(QUICK)
    assert own.process(inside(1), inside(2)) == []
    assert own.advance(100) == []
    own = SmallEngine(QUICK)
    assert own.process(inside(1), outside(2), inside(3)) == [(3, "t", "returned", "a", "moved")]


def test_a_query_chooses_its_kinds():
    own = SmallEngine(Transition("t", Range(0, 2), within=10, kinds=("returned", "stayed")))
    rows = [outside(1), inside(2), outside(3), inside(4), outside(20)]
    assert own.process(*rows) == [(4, "t", "returned", "a", "moved"), (14, "t", "stayed", "a", "timer")]
    assert own.advance(99) == []


def test_streams_and_queries_do_not_mix():
    own = SmallEngine(
        QUICK, Transition("short", Range(0, 2), within=3), Transition("b only", Range(0, 2), 10, streams="b")
    )
    own.process(outside(1), outside(1, "b"))
    own.process(inside(2), inside(3, "b"))
    assert own.process(outside(8, "b")) == [
        (5, "short", "stayed", "a", "timer"),
        (6, "short", "stayed", "b", "timer"),
        (8, "b only", "passed", "b", "moved"),
        (8, "t", "passed", "b", "moved"),
    ]


def test_values_are_those_known_at_the_deadline():
    own = SmallEngine(QUICK)
    own.process(outside(1), inside(2), ("a", 5, 0.5))
    events = own.process_in_full(("a", 20, 1.5)).to_pylist()
    assert [(each["kind"], each["values"]) for each in events] == [("stayed", [0.5])]


def test_no_rows_and_missing_values_cross_nothing():
    own = SmallEngine(QUICK)
    own.process(outside(1), inside(2))
    assert own.process() == []
    assert own.process(("a", 3, None)) == []
    assert own.process(outside(4)) == [(4, "t", "passed", "a", "moved")]


def test_a_query_that_is_replaced_or_removed_discards_what_is_pending():
    own = SmallEngine(QUICK)
    own.process(outside(1), inside(2))
    assert own.register(QUICK) == []
    assert own.process(outside(3)) == []  # the enter at 2 is forgotten
    assert own.counters["starts"] == 1
    assert own.deregister("t") == []
    assert own.counters["starts"] == 0
    assert own.advance(99) == []


def test_a_stream_that_expires_discards_what_is_pending():
    own = SmallEngine(QUICK, expire_after=5)
    own.process(outside(1), inside(2))
    assert own.advance(50) == []
    assert own.counters["starts"] == 0


def test_a_deadline_at_the_very_time_of_the_expiry_comes_first():
    own = SmallEngine(QUICK, expire_after=10)
    own.process(outside(1), inside(2))
    assert own.advance(50) == [(12, "t", "stayed", "a", "timer")]


def test_crossings_that_must_be_confirmed():
    own = SmallEngine(Transition("t", Range(0, 2), within=10, confirm=2))
    assert own.process(outside(1), inside(2), outside(3), inside(4), inside(5), outside(8)) == []
    assert started(own, outside(9)) == [("passed", 9, 5)]


def test_a_restart_changes_nothing():
    assert_a_restart_changes_nothing(
        lambda: SmallEngine(QUICK, Transition("calm", Range(0, 2), within=10, confirm=2), expire_after=60),
        [outside(1), inside(1, "b")],
        [inside(2), outside(2, "b")],
        [inside(3), outside(3, "b")],
        [outside(9)],
        [outside(30), inside(31, "b")],
    )
