"""What all families of region queries share: groups, filters of streams, and state."""

import numpy as np
import pyarrow as pa

from limen import Border, Box, Circle, Match, Range
from limen.model.change import Register
from limen.model.options import Options
from limen.queries.regional.operator import MANY_ALIKE, MOST_CONDITIONS
from limen.queries.registry import OPERATORS, new_shard
from tests.queries.small_engine import LINE, PLANE, SmallEngine, assert_a_restart_changes_nothing

BORDERS = list(OPERATORS).index("border")


def borders(*queries, columns=LINE):
    """Return the operator of border queries, and the shard it is in."""
    shard = new_shard(columns, Options())
    shard.change([Register(query) for query in queries])
    shard.flush()
    return shard.catalogue.operators[BORDERS], shard


def queries_of(events):
    return [event[1] for event in events]


def test_a_stream_that_fails_a_filter_is_outside():
    own = SmallEngine(
        Border("all", Range(0, 2)),
        Border("buses", Range(0, 2), where="kind = 'bus'"),
        Border("mine", Range(0, 2), streams=["a", "never seen"]),
        Border("my buses", Range(0, 2), streams="a", where="kind = 'bus'"),
    )
    own.process(("a", 1, 5.0, "bus"), ("b", 1, 5.0, "bus"))
    assert queries_of(own.process(("a", 2, 1.0, "bus"))) == ["all", "buses", "mine", "my buses"]
    assert queries_of(own.process(("b", 2, 1.0, "bus"))) == ["all", "buses"]
    # A bus that becomes a car leaves without a move; one without a kind is no bus.
    assert own.process(("a", 3, 1.0, "car"), ("b", 3, 1.0)) == [
        (3, "buses", "exit", "a", "moved"),
        (3, "my buses", "exit", "a", "moved"),
        (3, "buses", "exit", "b", "moved"),
    ]
    assert queries_of(own.process(("a", 4, 1.0, "bus"))) == ["buses", "my buses"]


def test_queries_on_different_columns_and_of_different_shapes():
    own = SmallEngine(
        Border("x", Range(0, 2), on="x"),
        Border("y", Range(0, 2), on="y"),
        Border("swapped", Box((0, 10), (2, 20)), on=("y", "x")),
        Border("disc", Circle((0, 0), 1)),
        columns=PLANE,
    )
    own.process(("a", 1, 15.0, 15.0))
    assert queries_of(own.process(("a", 2, None, 1.0))) == ["swapped", "y"]
    assert queries_of(own.process(("a", 3, 0.0, None))) == ["swapped", "disc", "x"]  # an exit first


def test_more_conditions_than_there_are_groups_for():
    count = 2 * MOST_CONDITIONS
    own = SmallEngine(
        *(Border(f"q{number:03}", Range(0, 2), where=f"kind = 'k{number}'") for number in range(count)),
        *(Match(f"p{number:03}", Range(0, 2), where=f"kind = 'k{number}'") for number in range(count)),
    )
    own.process(*((f"s{number}", 1, 5.0, f"k{number}") for number in range(count)))
    events = own.process(*((f"s{number}", 2, 1.0, f"k{number}") for number in range(count)))
    expected = [(f"{letter}{number:03}", f"s{number}") for number in range(count) for letter in "pq"]
    assert sorted((event[1], event[3]) for event in events) == sorted(expected)


def test_a_condition_that_many_queries_share():
    rare = [Border(f"r{number}", Range(0, 2), where=f"kind = 'k{number}'") for number in range(MOST_CONDITIONS + 1)]
    shared = [Border(f"q{number}", Range(number, number + 1), where="kind = 'bus'") for number in range(MANY_ALIKE)]
    own = SmallEngine(*rare, *shared)
    own.process(("a", 1, -1.0, "bus"))
    assert own.process(("a", 2, 7.5, "bus")) == [(2, "q7", "enter", "a", "moved")]
    assert own.process(("a", 3, 8.5, "car")) == [(3, "q7", "exit", "a", "moved")]


def test_the_room_of_a_condition_is_used_again():
    own = SmallEngine()
    for number in range(3 * MOST_CONDITIONS):
        own.register(Border("q", Range(0, 2), where=f"kind = 'k{number}'"))
        own.process(("a", 2 * number, 5.0, "none"))
        assert queries_of(own.process(("a", 2 * number + 1, 1.0, f"k{number}"))) == ["q"]


def test_each_condition_is_listed_once_with_a_query_that_has_it():
    operator, shard = borders(
        Border("one", Range(0, 2), where="kind = 'bus'"),
        Border("two", Range(0, 3), where="(kind='bus')"),
        Border("three", Range(0, 3), where="x > 1"),
        Border("four", Range(0, 3), streams="a", where="x > 2"),
        Border("five", Range(0, 3)),
    )
    found = {shard.catalogue.ids.take(np.array([handle]))[0].as_py() for _, handle in operator.conditions()}
    assert len(operator.conditions()) == 3
    assert {"three", "four"} < found
    assert borders()[0].conditions() == []


def test_streams_that_queries_name_keep_their_slots():
    operator, shard = borders(Border("q", Range(0, 2), streams=["b", "c"]), Border("all", Range(0, 2)))
    named = shard.streams.ids.take(operator.concerned()).to_pylist()
    assert sorted(named) == ["b", "c"]
    assert borders(Border("all", Range(0, 2)))[0].concerned().tolist() == []


def test_renumbered_streams_are_still_those_that_a_query_names():
    own = SmallEngine(Border("q", Range(0, 2), streams="z", initial="report"), order="event", expire_after=5)
    own.process(*((f"s{number}", 1, 1.0) for number in range(5000)))
    own.advance(100)  # all expire, and their slots are given back
    own.process(*((f"t{number}", 101, 1.0) for number in range(10)), ("z", 101, 1.0))
    assert own.close() == [(101, "q", "enter", "z", "appeared")]


def test_which_queries_report_completely():
    operator, _ = borders(Border("silent", Range(0, 2)))
    assert not operator.reporting
    operator, shard = borders(Border("silent", Range(0, 2)), Border("told", Range(0, 2), initial="report"))
    assert operator.reporting
    handles = shard.catalogue.ids.find(["silent", "told"]).tolist()
    assert [operator.reports(handle) for handle in handles] == [False, True]


def test_queries_take_room():
    operator, _ = borders()
    empty = operator.nbytes_queries
    operator, shard = borders(*(Border(f"q{number}", Range(0, number + 1)) for number in range(100)))
    assert operator.nbytes_queries > empty + 100 * 16
    assert (operator.count, len(shard.catalogue)) == (100, 100)


def test_no_queries_and_no_rows():
    own = SmallEngine()
    assert own.process(("a", 1, 1.0)) == []
    own.register(Border("q", Range(0, 2)))
    assert own.process() == []
    assert own.engine.process(pa.table({"s": ["a"], "t": [2], "x": [9.0], "kind": pa.nulls(1)})).num_rows == 1


def test_a_restart_changes_nothing():
    conditions = [
        Border(f"q{number}", Range(0, 2), where=f"kind <> 'k{number}'") for number in range(MOST_CONDITIONS + 3)
    ]
    assert_a_restart_changes_nothing(
        lambda: SmallEngine(*conditions, Border("mine", Range(0, 2), streams=["b", "a"], where="x < 1.5")),
        [("a", 1, 5.0, "k1"), ("b", 1, 1.0, "k34")],
        [("a", 2, 1.0, "k2"), ("b", 2, 1.0, "k1")],
        [("a", 3, 1.8, "k40"), ("b", 3, 9.0, "k1")],
    )
