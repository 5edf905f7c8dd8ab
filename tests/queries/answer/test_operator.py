"""Live result sets of queries that move, and of the nearest."""

import pytest

from limen import Box, Nearest, Range, Within
from tests.queries.small_engine import PLANE, SmallEngine, assert_a_restart_changes_nothing

NEAR = Within("near", focal="f", radius=3)


def moved(second, query, **streams):
    """Events of one time: which streams are added ("add") and removed ("remove")."""
    events = [(second, query, kind, stream, "moved") for stream, kind in streams.items()]
    return sorted(events, key=lambda event: (event[2] == "add", event[3]))


def test_a_circle_moves_with_its_focal():
    own = SmallEngine(NEAR)
    assert own.process(("f", 1, 10.0), ("a", 1, 7.0), ("b", 1, 14.0)) == moved(1, "near", a="add")
    assert own.process(("f", 2, 12.0)) == moved(2, "near", a="remove", b="add")
    assert own.process(("b", 3, 20.0)) == moved(3, "near", b="remove")


def test_a_box_contains_its_lower_sides_only():
    own = SmallEngine(Within("box", focal="f", width=4, height=2), columns=PLANE)
    rows = [
        ("f", 1, 10.0, 10.0),
        ("sw", 1, 8.0, 9.0),
        ("ne", 1, 12.0, 11.0),
        ("in", 1, 11.9, 10.9),
        ("n", 1, 10.0, 11.0),
    ]
    assert own.process(*rows) == moved(1, "box", sw="add", **{"in": "add"})


def test_a_focal_that_is_not_known_has_no_answer():
    own = SmallEngine(NEAR, expire_after=10)
    assert own.process(("a", 1, 1.0)) == []
    assert own.process(("f", 2, 1.0)) == moved(2, "near", a="add")
    own.process(("a", 9, 1.0))
    assert own.advance(13) == [(12, "near", "remove", "a", "expired")]
    assert own.process(("f", 14, 1.0)) == moved(14, "near", a="add")


def test_rows_of_one_time_are_applied_together():
    own = SmallEngine(NEAR)
    own.process(("f", 1, 1.0), ("a", 1, 1.0), ("b", 1, 50.0))
    # All jump to 100 at once, and b comes along: a was in the answer before and is after.
    assert own.process(("a", 2, 100.0), ("b", 2, 100.0), ("f", 2, 100.0)) == moved(2, "near", b="add")


def test_the_nearest_of_a_place():
    own = SmallEngine(Nearest("two", k=2, center=[0]))
    assert own.process(("a", 1, 5.0)) == moved(1, "two", a="add")  # fewer are known
    assert own.process(("b", 2, 6.0), ("c", 2, 7.0)) == moved(2, "two", b="add")
    assert own.process(("c", 3, -1.0)) == moved(3, "two", b="remove", c="add")
    assert own.process(("a", 4, 5.5)) == []


def test_ties_of_distance_go_to_the_smaller_id():
    own = SmallEngine(Nearest("one", k=1, center=[0]))
    assert own.process(("b", 1, 1.0), ("c", 1, -1.0)) == moved(1, "one", b="add")
    assert own.process(("a", 2, -1.0)) == moved(2, "one", a="add", b="remove")


def test_the_nearest_of_a_stream_never_include_it():
    own = SmallEngine(Nearest("one", k=1, focal="f"))
    assert own.process(("f", 1, 0.0)) == []
    assert own.process(("a", 2, 9.0), ("b", 2, 8.0)) == moved(2, "one", b="add")
    assert own.process(("f", 3, 20.0)) == moved(3, "one", a="add", b="remove")


def test_a_stream_that_expires_makes_room_for_the_next():
    own = SmallEngine(Nearest("one", k=1, center=[0]), expire_after=10)
    own.process(("a", 1, 1.0), ("b", 5, 2.0))
    assert own.advance(12) == [(11, "one", "remove", "a", "expired"), (11, "one", "add", "b", "expired")]


def test_streams_and_conditions():
    own = SmallEngine(
        Within("buses", focal="f", radius=3, where="kind = 'bus'"),
        Nearest("mine", k=1, focal="f", streams=["a", "c"]),
    )
    assert own.process(("f", 1, 0.0, "car"), ("a", 1, 2.0, "car"), ("b", 1, 1.0, "bus")) == [
        (1, "mine", "add", "a", "moved"),
        (1, "buses", "add", "b", "moved"),
    ]
    assert own.process(("b", 2, 1.0, "car"), ("c", 2, 1.0, "bus")) == [
        (2, "mine", "remove", "a", "moved"),
        (2, "buses", "remove", "b", "moved"),
        (2, "buses", "add", "c", "moved"),
        (2, "mine", "add", "c", "moved"),
    ]


def test_missing_values():
    own = SmallEngine(Within("near", focal="f", radius=3), columns=PLANE)
    own.process(("f", 1, 0.0, 0.0), ("a", 1, None, 1.0))  # a is nowhere
    assert own.process(("a", 2, 1.0, None)) == moved(2, "near", a="add")
    assert own.process(("a", 3, None, None), ("f", 3, None, None)) == []
    assert own.process(("f", 4, None, 9.0)) == moved(4, "near", a="remove")


def test_no_rows_change_no_answer():
    own = SmallEngine(NEAR, Nearest("one", k=1, center=[0]))
    assert own.process() == []
    own.process(("f", 1, 0.0), ("a", 1, 1.0))
    assert own.process() == []


def test_registered_changed_and_deregistered():
    own = SmallEngine()
    own.process(("f", 1, 10.0), ("a", 1, 8.0), ("b", 1, 15.0))
    assert own.register(NEAR) == [(1, "near", "add", "a", "registered")]
    assert own.register(Within("near", focal="f", radius=6)) == [(1, "near", "add", "b", "changed")]
    # Around b at 15: f at 10 and not a, and b itself never.
    assert own.register(Within("near", focal="b", radius=6)) == [
        (1, "near", "remove", "a", "changed"),
        (1, "near", "remove", "b", "changed"),
        (1, "near", "add", "f", "changed"),
    ]
    assert own.deregister("near") == [(1, "near", "remove", "f", "deregistered")]


@pytest.mark.parametrize("stays", [Within("q", Range(7, 11)), Within("q", Box((7,), (11,)))])
def test_a_region_that_stays_becomes_one_that_moves(stays):
    own = SmallEngine(stays)
    own.process(("f", 1, 10.0), ("a", 1, 8.0), ("b", 1, 13.0))
    assert own.register(Within("q", focal="f", radius=3)) == [
        (1, "q", "remove", "f", "changed"),
        (1, "q", "add", "b", "changed"),
    ]


def test_nearest_in_place_of_within_ends_one_query_and_begins_another():
    own = SmallEngine(NEAR)
    own.process(("f", 1, 10.0), ("a", 1, 8.0))
    assert own.register(Nearest("near", k=1, focal="f")) == [
        (1, "near", "remove", "a", "deregistered"),
        (1, "near", "add", "a", "registered"),
    ]


def test_a_row_behind_all_others_is_late():
    own = SmallEngine(NEAR)
    own.process(("f", 5, 0.0))
    assert own.process(("a", 4, 1.0)) == []
    assert own.counters["late"] == 1
    assert own.process(("a", 5, 1.0)) == moved(5, "near", a="add")


def test_a_restart_changes_nothing():
    assert_a_restart_changes_nothing(
        lambda: SmallEngine(NEAR, Nearest("two", k=2, center=[5]), Within("mine", focal="f", radius=9, streams="a")),
        [("f", 1, 0.0), ("a", 1, 2.0), ("b", 1, 8.0)],
        [("f", 2, 7.0), ("c", 2, 5.0)],
        [("a", 1, 9.0)],  # late
        [("c", 3, 50.0), ("f", 4, 2.0)],
    )
