"""Events that are alike in all but their number have ids of their own."""

import pyarrow as pa
import pytest

import limen
from limen import Border, Columns, Engine, Range

COLUMNS = Columns("s", "t", "x", time_unit="s")
QUERY = Border("q", Range(0, 2), initial="report")


def rows(time):
    return pa.table({"s": ["a", "b"], "t": [time, time], "x": [1.0, 1.0]})


def on_and_off(engine, times):
    """Register and deregister the same query at one time; return the ids and kinds of all events."""
    events = []
    for _ in range(times):
        events += engine.register(QUERY).to_pylist()
        events += engine.deregister("q").to_pylist()
    return [event["event_id"] for event in events], [(event["kind"], event["reason"]) for event in events]


def test_a_query_that_comes_and_goes_at_one_time_never_repeats_an_id():
    engine = Engine(COLUMNS)
    engine.process(rows(1))
    ids, kinds = on_and_off(engine, times=3)
    assert kinds == [("enter", "registered")] * 2 + [("exit", "deregistered")] * 2 + kinds[:4] * 2
    assert len(set(ids)) == len(ids) == 12


def test_the_same_input_gives_the_same_ids():
    one, other = Engine(COLUMNS), Engine(COLUMNS)
    for engine in (one, other):
        engine.process(rows(1))
    assert on_and_off(one, times=3) == on_and_off(other, times=3)


@pytest.mark.parametrize("restart_after", range(3))
def test_a_restart_goes_on_counting(restart_after):
    steady, restarted = Engine(COLUMNS), Engine(COLUMNS)
    for engine in (steady, restarted):
        engine.process(rows(1))
    expected, _ = on_and_off(steady, times=3)
    first, _ = on_and_off(restarted, times=restart_after)
    restarted = limen.Engine.restore(restarted.snapshot())
    then, _ = on_and_off(restarted, times=3 - restart_after)
    assert first + then == expected


def test_the_count_begins_again_when_time_moves_on():
    engine, fresh = Engine(COLUMNS), Engine(COLUMNS)
    engine.process(rows(1))
    on_and_off(engine, times=2)
    for each in (engine, fresh):
        each.process(rows(2))
    assert on_and_off(engine, times=1) == on_and_off(fresh, times=1)
    assert len(engine._shard.repeats.to_array()) == 4
    engine.process(rows(3))
    assert not engine._shard.repeats.seen


def test_two_changes_of_one_region_there_and_back():
    engine = Engine(COLUMNS, [QUERY])
    engine.process(rows(1))
    events = []
    for region in (Range(5, 6), Range(0, 2), Range(5, 6), Range(0, 2)):
        events += engine.register(Border("q", region, initial="report")).to_pylist()
    assert [event["kind"] for event in events] == (["exit"] * 2 + ["enter"] * 2) * 2
    assert {event["reason"] for event in events} == {"changed"}
    assert len({event["event_id"] for event in events}) == 8
