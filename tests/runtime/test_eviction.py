"""Queries and streams that are gone give their room back, and nobody else notices."""

import pyarrow as pa
import pytest

from limen import Border, Columns, Engine, Match, Range, Transition, sort_events

COLUMNS = Columns("s", "t", "x", "kind", time_unit="s")
SURVIVORS = [
    Border("all", Range(0, 2)),
    Border("told", Range(0, 2), initial="report"),
    Border("one", Range(0, 2), streams="s5", initial="report"),
    Border("two", Range(0, 2), streams=["s7", "later"], where="kind = 'bus'", initial="report"),
    Border("kind", Range(0, 2), where="kind = 'bus'", initial="report"),
    Match("match", Range(1, 2), streams="s5"),
    Transition("all gone", Range(0, 2), within=3),
    Transition("one gone", Range(0, 2), within=3, streams="s5"),
]
STORY = [
    ("s5", 1.0),
    ("s7", 1.0),
    ("later", 1.0),
    ("s6", 3.0),
    ("s5", 5.0),
    ("s7", 5.0),
    ("later", 5.0),
    ("s6", 1.0),
]


def table(rows):
    """Rows (stream, second, x)."""
    streams, times, xs = zip(*rows, strict=True)
    return pa.table({"s": streams, "t": times, "x": xs, "kind": ["bus"] * len(rows)})


def story(engine, second):
    """Let some streams move in and out; return the events in canonical order."""
    events = [engine.process(table([(stream, second + number, x)])) for number, (stream, x) in enumerate(STORY)]
    events.append(engine.advance(second + 100))
    return sort_events(pa.concat_tables(events)).to_pylist()


def churn_queries(engine, first, count):
    names = [f"short-lived {number}" for number in range(first, first + count)]
    engine.register([Border(name, Range(50, 60)) for name in names])
    engine.process(table([("s0", first + 1, 1.0)]))
    for name in names:
        engine.deregister(name)


def test_many_short_lived_queries_leave_no_trace():
    engine = Engine(COLUMNS, SURVIVORS)
    sizes = []
    for generation in range(4):
        churn_queries(engine, first=generation * 5000, count=5000)
        sizes.append(engine.counters["state_bytes"])
    assert engine.counters["queries"] == len(SURVIVORS)
    assert len(engine._shard.catalogue.ids) < 10_000
    assert sizes[3] < 1.2 * sizes[1]
    fresh = Engine(COLUMNS, SURVIVORS)
    fresh.process(table([("s0", 15_001, 1.0)]))
    events = story(engine, 20_000)
    assert events == story(fresh, 20_000)
    assert {event["query_id"] for event in events} == {query.id for query in SURVIVORS}


def test_starts_wait_on_while_queries_and_streams_are_renumbered():
    within = 10_000
    queries = [Transition("long", Range(0, 2), within=within), Transition("short", Range(0, 2), within=9_000)]
    engine = Engine(
        COLUMNS, [Border(f"first {number}", Range(50, 60)) for number in range(3000)], order="event", expire_after=20
    )
    engine.register(queries)
    crowd = [f"crowd {number}" for number in range(6000)]
    engine.process(table([(name, 0, 1.0) for name in (*crowd, "car")]))
    engine.process(table([("car", 1, 9.0), ("car", 2, 1.0)]))
    for second in range(3, 300, 15):  # the crowd expires, the first queries go, and both are numbered anew
        engine.process(table([("car", second, 1.0)]))
    for number in range(3000):
        engine.deregister(f"first {number}")
    engine.register([Border(f"more {number}", Range(50, 60)) for number in range(3000)])
    for number in range(3000):
        engine.deregister(f"more {number}")
    engine.process(table([("car", 301, 1.0)]))
    assert engine._shard.streams.renumbered
    assert engine._shard.catalogue.renumbered
    assert engine.counters["starts"] == 2
    told = []
    for second in range(315, within + 100, 15):
        told += engine.process(table([("car", second, 1.0)])).to_pylist()
    assert [(event["query_id"], event["kind"], event["time"].timestamp()) for event in told] == [
        ("short", "stayed", 9002.0),
        ("long", "stayed", 10002.0),
    ]


def pass_by(engine, generations, streams):
    """Let streams come, say one thing and fall silent, one generation a minute; return the sizes of state."""
    sizes = []
    for generation in range(generations):
        names = [f"s{number}" for number in range(generation * streams, (generation + 1) * streams)]
        engine.process(table([(name, 60 * generation, 1.0) for name in names]))
        engine.advance(60 * generation + 30)
        sizes.append(engine.counters["state_bytes"])
    return sizes


@pytest.mark.parametrize("queries", [SURVIVORS, SURVIVORS[:2], []])
def test_streams_that_expire_give_their_room_back_in_event_order(queries):
    engine = Engine(COLUMNS, queries, order="event", expire_after=10)
    sizes = pass_by(engine, generations=8, streams=3000)
    assert engine.counters["expired"] == 8 * 3000
    assert engine.counters["streams"] == 0
    assert len(engine._shard.streams.ids) < 4 * 3000
    assert max(sizes[4:]) < 1.2 * max(sizes[:4])


def test_after_streams_are_renumbered_the_answer_is_the_same():
    engine = Engine(COLUMNS, SURVIVORS[:2], order="event", expire_after=10)
    pass_by(engine, generations=1, streams=3000)
    engine.register(SURVIVORS[2:])  # the streams these are bound to are numbered behind some that will be forgotten
    pass_by(engine, generations=5, streams=3000)
    assert len(engine._shard.streams.ids) < 9000
    fresh = Engine(COLUMNS, SURVIVORS, order="event", expire_after=10)
    fresh.advance(4 * 60 + 30)
    events = story(engine, 1000)
    assert events == story(fresh, 1000)
    assert {event["query_id"] for event in events} == {query.id for query in SURVIVORS}
    restored = Engine.restore(engine.snapshot())
    assert story(engine, 2000) == story(restored, 2000)


def test_in_order_of_arrival_a_forgotten_stream_still_knows_which_rows_are_late():
    engine = Engine(COLUMNS, SURVIVORS, expire_after=10)
    pass_by(engine, generations=5, streams=3000)
    engine.process(table([("s5", 9, 1.0), ("s5", 10, 1.0)]))
    # s5 spoke at 0 and was forgotten at 10: what comes from before that is late for ever.
    assert (engine.counters["late"], engine.counters["streams"]) == (1, 0)
