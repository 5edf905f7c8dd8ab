"""Match queries: every row inside a region."""

from limen import Box, Circle, Match, Range
from tests.queries.small_engine import PLANE, SmallEngine, assert_a_restart_changes_nothing

LOW = Match("low", Range(0, 2))


def match(second, query, stream):
    return second, query, "match", stream, "moved"


def test_every_row_inside_matches_also_the_first_and_the_same_again():
    own = SmallEngine(LOW)
    assert own.process(("a", 1, 1.0), ("a", 2, 1.0), ("b", 2, 5.0), ("a", 3, 9.0)) == [
        match(1, "low", "a"),
        match(2, "low", "a"),
    ]


def test_ends_of_ranges():
    own = SmallEngine(Match("left", Range(None, 2)), LOW, Match("right", Range(2, None)))
    assert own.process(("a", 1, 2.0)) == [match(1, "right", "a")]
    assert own.process(("a", 2, 0.0)) == [match(2, "left", "a"), match(2, "low", "a")]
    assert own.process(("a", 3, -1e308)) == [match(3, "left", "a")]


def test_a_missing_value_matches_nothing_though_it_was_known():
    own = SmallEngine(LOW, Match("one", Range(0, 2), on="x"))
    own.process(("a", 1, 1.0))
    assert own.process(("a", 2, None)) == []
    plane = SmallEngine(Match("x", Range(0, 2), on="x"), Match("both", Box((0, 0), (2, 2))), columns=PLANE)
    plane.process(("a", 1, 1.0, 1.0))
    table = plane.process_in_full(("a", 2, 1.5, None))
    assert table["query_id"].to_pylist() == ["x"]
    assert table["values"].to_pylist() == [[1.5, 1.0]]  # events have the last known ones


def test_a_late_row_matches_nothing():
    own = SmallEngine(LOW)
    own.process(("a", 5, 1.0))
    assert own.process(("a", 5, 1.0), ("a", 4, 1.0)) == []
    assert own.counters["late"] == 2


def test_streams_and_conditions():
    own = SmallEngine(
        Match("bus", Range(0, 2), where="kind = 'bus'"),
        Match("mine", Range(0, 2), streams=["a", "z"]),
        Match("my bus", Range(0, 2), streams="a", where="kind = 'bus'"),
    )
    assert own.process(("a", 1, 1.0, "bus")) == [match(1, query, "a") for query in ("bus", "mine", "my bus")]
    assert own.process(("a", 2, 1.0, "car"), ("b", 2, 1.0, "bus")) == [match(2, "mine", "a"), match(2, "bus", "b")]
    assert own.process(("a", 3, 1.0)) == [match(3, "mine", "a")]


def test_boxes_and_circles():
    own = SmallEngine(Match("box", Box((0, 0), (2, 2))), Match("disc", Circle((0, 0), 1)), columns=PLANE)
    assert own.process(("a", 1, 1.0, 0.0)) == [match(1, "box", "a"), match(1, "disc", "a")]
    assert own.process(("a", 2, 1.0, 1.0)) == [match(2, "box", "a")]
    assert own.process(("a", 3, -0.5, 0.0)) == [match(3, "disc", "a")]


def test_queries_come_change_and_go_without_events():
    own = SmallEngine()
    own.process(("a", 1, 1.0))
    assert own.register(LOW) == []
    assert own.process(("a", 2, 1.0)) == [match(2, "low", "a")]
    assert own.register(Match("low", Range(5, 6))) == []
    assert own.process(("a", 3, 1.0), ("b", 3, 5.0)) == [match(3, "low", "b")]
    assert own.deregister("low") == []
    assert own.process(("b", 4, 5.0)) == []


def test_many_queries_of_all_sizes():
    queries = [Match(f"q{lo} {size}", Range(lo, lo + size)) for lo in range(0, 200, 7) for size in (0.5, 3, 40, 1000)]
    own = SmallEngine(*queries)
    for second, x in enumerate((0.0, 7.4, 7.5, 103.0, 1100.0)):
        expected = sorted(query.id for query in queries if query.region.lo <= x < query.region.hi)
        assert expected
        assert sorted(event[1] for event in own.process(("a", second, x))) == expected


def test_a_restart_changes_nothing():
    assert_a_restart_changes_nothing(
        lambda: SmallEngine(
            LOW, Match("bus", Range(0, 9), where="kind = 'bus'"), Match("mine", Range(0, 9), streams="a")
        ),
        [("a", 1, 1.0, "bus")],
        [("b", 2, 1.0, "bus"), ("a", 2, 5.0, "car")],
        [],
        [("a", 3, 8.0)],
    )
