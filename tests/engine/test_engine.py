"""The engine's interface: what goes in, what is counted, and that a snapshot holds all of it."""

from datetime import UTC, datetime

import pyarrow as pa
import pytest

import limen
from limen import Border, Columns, Engine, Range
from tests.engine.inputs import COLUMNS, QUERIES, batch, next_events, running


@pytest.mark.parametrize(
    "convert",
    [
        lambda table: table,
        lambda table: table.to_batches()[0],
        lambda table: table.to_pandas(),
        lambda table: table.slice(0, 1).to_pandas().set_index("kind", drop=False),
    ],
    ids=["table", "record batch", "data frame", "data frame with an index"],
)
def test_batches_of_every_kind_give_the_same_events(convert):
    table = batch().slice(0, 1)
    expected = running().process(table)
    assert expected.num_rows > 0
    assert running().process(convert(table)).equals(expected)


def test_events_have_the_public_schema_also_when_there_are_none():
    engine = Engine(COLUMNS)
    for events in (
        engine.process(batch()),
        engine.register(QUERIES),
        engine.deregister("low"),
        engine.advance(50),
        engine.process(batch(60)),
        engine.close(),
    ):
        assert events.schema == limen.SCHEMA
        events.validate(full=True)


def test_an_event_in_full():
    engine = Engine(Columns("s", "t", ("x", "y"), time_unit="s"), [Border("q", Range(0, 2), on="x")])
    rows = pa.table({"s": ["a", "a"], "t": [1, 2], "x": [5.0, 1.0], "y": pa.nulls(2)})
    (event,) = engine.process(rows).to_pylist()
    assert event == {
        "event_id": "903004501e2b3380a068c686b04b75c6",
        "query_id": "q",
        "kind": "enter",
        "stream_id": "a",
        "time": datetime(1970, 1, 1, 0, 0, 2, tzinfo=UTC),
        "started_at": None,
        "reason": "moved",
        "values": [1.0, None],
        "bindings": None,
    }


def test_counters_tell_all_that_happened():
    engine = Engine(COLUMNS, QUERIES, expire_after=100, max_ahead=1000)
    engine.process(batch(1, x=[5.0, 1.0]))
    engine.process(batch(2, s=["a", None]))
    engine.process(batch(2, x=[float("inf"), 1.0]))
    engine.process(batch(1))
    engine.process(batch(99_999))
    engine.register(Border("later", Range(0, 1), on="x"), at=500)
    engine.deregister("low", at=0)
    counters = engine.counters
    assert counters.pop("state_bytes") > 0
    assert counters == {
        "rows": 10,
        "late": 2,
        "rejected": {"null_id": 1, "infinite_value": 1, "too_far_ahead": 2},
        "held": 0,
        "events": {"enter": 3, "match": 2},
        "changes": {"applied": 5, "late": 1, "superseded": 0, "rejected": 0, "waiting": 1},
        "queries": 3,
        "streams": 2,
        "starts": 0,
        "unconfirmed": 0,
        "expired": 0,
        "stored": 0,
        "most_stored": 0,
        "left_out": 0,
    }


def test_counters_are_a_copy():
    engine = running()
    counters = engine.counters
    counters["rejected"]["null_id"] = 99
    counters["events"].clear()
    counters["changes"]["late"] = 99
    assert engine.counters == running().counters


def test_rows_that_wait_are_counted_and_kept():
    engine = Engine(COLUMNS, QUERIES, order="event", lateness=10)
    assert engine.process(batch(5)).num_rows == 0
    assert (engine.counters["held"], engine.watermark) == (2, -5_000_000)
    engine = Engine.restore(engine.snapshot())
    assert engine.counters["held"] == 2
    assert engine.close().num_rows > 0
    assert engine.counters["held"] == 0


def test_the_watermark():
    engine = Engine(COLUMNS, lateness=3)
    assert engine.watermark is None
    engine.process(batch(10))
    assert engine.watermark == 7_000_000
    engine.advance(9)
    engine.advance(8)
    assert engine.watermark == 9_000_000


def test_an_engine_can_be_asked_for_its_columns():
    assert running().columns == COLUMNS
    assert Engine.restore(running().snapshot()).columns == COLUMNS


@pytest.mark.parametrize("order", ["arrival", "event"])
@pytest.mark.parametrize("batches", range(4))
def test_a_snapshot_holds_all_there_is(order, batches):
    steady = Engine(COLUMNS, QUERIES, order=order, lateness=1, expire_after=50)
    steady.register(Border("later", Range(0, 9), on="x", initial="report"), at=15)
    for number in range(batches):
        steady.process(batch(number, x=[5.0 * (number % 2), None], kind=["bus", None]))
    restored = Engine.restore(steady.snapshot())
    # Room that was taken ahead is not part of a state.
    without_room = [{**each.counters, "state_bytes": None} for each in (steady, restored)]
    assert without_room[0] == without_room[1]
    again = Engine.restore(restored.snapshot())
    assert next_events(again) == next_events(restored) == next_events(steady) != []


def test_a_snapshot_is_of_its_moment():
    engine = running()
    snapshot = engine.snapshot()
    engine.process(batch(30, x=[9.0, 9.0]))
    assert next_events(Engine.restore(snapshot)) == next_events(running())


def test_two_engines_share_nothing():
    one, other = running(), running()
    one.process(batch(10, x=[9.0, 9.0]))
    one.deregister("low")
    assert next_events(other) == next_events(running())


def test_registering_nothing_is_nothing():
    engine = running()
    assert engine.register([]).num_rows == 0
    assert engine.counters == running().counters


def test_queries_may_come_from_any_iterable():
    engine = Engine(COLUMNS, (query for query in QUERIES))
    engine.register(Border(name, Range(0, 1), on="x") for name in ("p", "q"))
    assert engine.counters["queries"] == len(QUERIES) + 2


def test_a_costly_query_is_taken_and_remarked_on(caplog):
    engine = Engine(COLUMNS)
    engine.register(limen.Transition("long", Range(0, 1), within="731 days", on="x"))
    assert engine.counters["queries"] == 1
    assert [record.getMessage()[:42] for record in caplog.records] == ["query 'long': within is 731 days; each bor"]
