"""Live result sets that store only the streams they need, and what they shed when memory is short."""

import logging

import pytest

from limen import Border, Box, Nearest, Range, Within
from tests.queries.small_engine import PLANE, SmallEngine, assert_a_restart_changes_nothing

BOUNDS = {"max_speed": 1, "report_every": 10}  # a stream moves 10 at most between two reports
LOW = Within("low", Range(0, 10))
NEAR = Within("near", focal="f", radius=5)


def kept(own, *names):
    figures = own.counters["kept"]
    return [figures[name] for name in names]


def crowd(second, count=100):
    """Streams on a square of 10 by 10, all in the region SQUARE."""
    return [(f"s{number:03}", second, float(number % 10), float(number // 10)) for number in range(count)]


SQUARE = Within("square", Box((0, 0), (10, 10)))


def tight(shedding, *queries, memory=12_000):
    return SmallEngine(*(queries or (SQUARE,)), columns=PLANE, **BOUNDS, memory=memory, shedding=shedding)


def test_results_are_those_of_all_streams():
    own = SmallEngine(LOW, NEAR, **BOUNDS)
    assert own.process(("f", 1, 40.0), ("a", 1, 5.0), ("b", 1, 44.0), ("c", 1, 60.0)) == [
        (1, "low", "add", "a", "moved"),
        (1, "near", "add", "b", "moved"),
    ]
    assert own.process(("f", 6, 36.0), ("a", 6, 10.0)) == [
        (6, "low", "remove", "a", "moved"),
        (6, "near", "remove", "b", "moved"),
    ]


def test_a_stream_that_no_query_needs_is_not_stored():
    own = SmallEngine(LOW, NEAR, **BOUNDS)
    # The cache area of "near" reaches 2 * 10 beyond its radius; that of "low", which stays, nowhere.
    own.process(("f", 1, 100.0), ("a", 1, 5.0), ("b", 1, 11.0), ("edge", 1, 125.0), ("far", 1, 125.5))
    assert kept(own, "stored", "insignificant") == [3, 2]
    assert own.counters["streams"] == 3


def test_a_query_of_another_family_needs_all_streams():
    own = SmallEngine(LOW, Border("border", Range(50, 60)), **BOUNDS)
    own.process(("far", 1, 90.0))
    assert own.counters["streams"] == 1
    assert own.process(("far", 2, 55.0)) == [(2, "border", "enter", "far", "moved")]


def test_the_nearest_and_ties():
    own = SmallEngine(Nearest("one", k=1, center=[0]), **BOUNDS)
    assert own.process(("b", 1, 1.0), ("c", 1, -1.0), ("d", 1, 90.0)) == [(1, "one", "add", "b", "moved")]
    assert own.process(("b", 2, 2.0)) == [(2, "one", "remove", "b", "moved"), (2, "one", "add", "c", "moved")]
    assert own.process(("a", 3, 1.0)) == [(3, "one", "remove", "c", "moved"), (3, "one", "add", "a", "moved")]


def test_registered_changed_and_deregistered():
    own = SmallEngine(NEAR, **BOUNDS)
    own.process(("f", 1, 0.0), ("a", 1, 4.0), ("b", 1, 8.0))
    assert own.register(Within("near", focal="f", radius=9)) == [(1, "near", "add", "b", "changed")]
    assert own.register(Within("low", Range(0, 5))) == [
        (1, "low", "add", "a", "registered"),
        (1, "low", "add", "f", "registered"),
    ]
    assert own.deregister("near") == [
        (1, "near", "remove", "a", "deregistered"),
        (1, "near", "remove", "b", "deregistered"),
    ]


def test_a_silent_stream_is_forgotten_after_one_report():
    own = SmallEngine(LOW, **BOUNDS)
    own.process(("a", 1, 5.0))
    assert own.advance(11) == []
    assert own.advance(12) == [(11, "low", "remove", "a", "expired")]
    assert kept(own, "stored") == [0]


def test_a_stream_faster_than_allowed_is_counted():
    own = SmallEngine(LOW, **BOUNDS)
    own.process(("a", 1, 1.0))
    assert own.process(("a", 2, 9.0)) == []
    assert kept(own, "too_fast", "stored") == [1, 1]


def test_no_rows_and_missing_values():
    own = SmallEngine(LOW, **BOUNDS)
    assert own.process() == []
    assert own.process(("a", 1, None)) == []
    assert own.process(("a", 2, 5.0)) == [(2, "low", "add", "a", "moved")]
    assert own.process(("a", 3, None)) == []
    assert kept(own, "stored") == [1]


def test_without_shedding_every_result_is_complete():
    own = SmallEngine(SQUARE, columns=PLANE, **BOUNDS)
    own.process(*crowd(1))
    assert own.engine.accuracy.to_pylist() == [
        {"query_id": "square", "stored": 100, "missed": 0, "accuracy": 100.0, "share": 1.0, "locked": False}
    ]
    assert len(SmallEngine(SQUARE, columns=PLANE).engine.accuracy) == 0  # where every result is exact


@pytest.mark.parametrize("shedding", ["object", "query"])
def test_what_is_shed_is_removed_and_memory_is_kept_to(shedding, caplog):
    own, answer, shed = tight(shedding), set(), 0
    with caplog.at_level(logging.WARNING, "limen"):
        for second in range(0, 35, 5):
            for _, _, kind, stream, reason in own.process(*crowd(second, count=100 if second else 60)):
                (answer.add if kind == "add" else answer.remove)(stream)
                shed += reason == "shed"
                assert (kind, reason) in (("add", "moved"), ("remove", "shed"), ("remove", "moved"))
    assert shed > 0
    (figures,) = own.engine.accuracy.to_pylist()
    assert 0 < len(answer) < 100
    assert figures["missed"] > 0
    assert 0 < figures["accuracy"] < 100
    assert kept(own, "used")[0] <= 12_000
    assert any(record.getMessage().startswith(f"shedding by {shedding} begins") for record in caplog.records)


@pytest.mark.parametrize("shedding", ["object", "query"])
def test_results_are_complete_again_when_there_is_room(shedding):
    own = tight(shedding)
    for second in range(0, 35, 5):
        own.process(*crowd(second))
    for second in range(35, 100, 5):
        own.process(*crowd(second, count=20))
    (figures,) = own.engine.accuracy.to_pylist()
    assert (figures["stored"], figures["missed"], figures["accuracy"], figures["share"]) == (20, 0, 100.0, 1.0)


def test_a_query_for_which_there_is_no_room_is_refused():
    own = tight("object", memory=2_000)
    assert own.register(*(Within(f"q{number}", focal=f"f{number}", radius=1) for number in range(50))) == []
    refused = own.counters["changes"]["refused"]
    assert 0 < refused < 50
    assert own.counters["queries"] == 51 - refused
    own.deregister("square")  # makes room for another
    assert own.register(Within("small", Box((0, 0), (1, 1)))) == []
    assert own.counters["changes"]["refused"] == refused


def test_a_replacement_is_never_refused():
    own = tight("object", memory=2_000)
    own.register(*(Within(f"q{number}", focal=f"f{number}", radius=1) for number in range(50)))
    refused = own.counters["changes"]["refused"]
    own.register(Within("square", Box((0, 0), (20, 20))))
    assert own.counters["changes"]["refused"] == refused


def test_measured_accuracy():
    own = SmallEngine(SQUARE, columns=PLANE, **BOUNDS, memory=12_000, shedding="object", measure_accuracy=True)
    answer = set()
    for second in range(0, 35, 5):
        for _, _, kind, stream, _ in own.process(*crowd(second)):
            (answer.add if kind == "add" else answer.remove)(stream)
    assert own.engine.accuracy["measured"].to_pylist() == [pytest.approx(len(answer))]  # of 100


def test_a_restart_changes_nothing():
    assert_a_restart_changes_nothing(
        lambda: SmallEngine(LOW, NEAR, Nearest("one", k=1, focal="f"), **BOUNDS),
        [("f", 1, 40.0), ("a", 1, 5.0), ("b", 1, 44.0), ("far", 1, 900.0)],
        [("f", 6, 36.0), ("a", 6, 10.0)],
        [("b", 8, 38.0)],
        [("f", 15, 44.0)],
    )


@pytest.mark.parametrize("shedding", ["object", "query"])
def test_a_restart_while_shedding_changes_nothing(shedding):
    assert_a_restart_changes_nothing(
        lambda: tight(shedding, SQUARE, Within("corner", Box((0, 0), (3, 3)))),
        *([row for row in crowd(second) if (second // 5 + int(row[0][1:])) % 3] for second in range(0, 35, 5)),
    )
