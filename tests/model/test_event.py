import random

import pyarrow as pa
import pytest

from limen.model import event
from limen.model.event import KINDS, REASONS, SCHEMA, sort_events


def row(time=0, reason="moved", kind="enter", stream="s", query="q", started=None, bindings=None, id="0"):
    return {
        "event_id": id, "query_id": query, "kind": kind, "stream_id": stream, "time": time,
        "started_at": started, "reason": reason, "values": None, "bindings": bindings,
    }  # fmt: skip


def bound(*pairs):
    return [{"variable": variable, "stream_id": stream, "time": 0} for variable, stream in pairs]


# Each differs from the one before in the key named beside it, the first that decides.
IN_ORDER = [
    row(time=-5, reason="shed", kind="remove"),
    row(time=1, reason="deregistered", kind="exit", stream="z"),  # time
    row(time=1, reason="registered", kind="enter", stream="a"),  # exit before enter
    row(time=1, reason="changed", kind="enter", stream="b"),  # stream
    row(time=1, reason="moved", kind="passed", stream="z"),  # phase
    row(time=1, reason="appeared", kind="cross", stream="a"),  # exit-like before the rest
    row(time=1, kind="enter", stream="a"),  # kind
    row(time=1, kind="enter", stream="a", query="r"),  # query
    row(time=1, kind="enter", stream="z"),  # stream
    row(time=1, kind="enter", stream="é"),  # by bytes, not by the alphabet
    row(time=1, kind="enter", stream="\uffff"),
    row(time=1, kind="enter", stream="\U0001f600"),  # by UTF-8, not by UTF-16
    row(time=1, kind="alert", stream=None, bindings=bound(("a", "s"))),  # no stream comes last
    row(time=1, kind="alert", stream=None, bindings=bound(("a", "s"), ("b", "s"))),  # bindings
    row(time=1, kind="alert", stream=None, bindings=bound(("a", "t"))),
    row(time=1, reason="timer", kind="gone", started=-3),  # phase
    row(time=1, reason="timer", kind="gone", started=2),  # started
    row(time=1, reason="expired", kind="gone", started=None),
    row(time=1, reason="timer", kind="stayed"),
    row(time=1, reason="timer", kind="stayed", id="1"),  # a counter told them apart
]


@pytest.mark.parametrize("seed", range(5))
def test_the_canonical_order(seed):
    shuffled = random.Random(seed).sample(IN_ORDER, k=len(IN_ORDER))
    table = pa.Table.from_pylist(shuffled, schema=SCHEMA)
    assert sort_events(table).equals(pa.Table.from_pylist(IN_ORDER, schema=SCHEMA))


def test_nothing_sorts_to_nothing():
    assert sort_events(SCHEMA.empty_table()).equals(SCHEMA.empty_table())


def test_chunks_do_not_matter():
    parts = [pa.Table.from_pylist([each], schema=SCHEMA) for each in reversed(IN_ORDER)]
    ordered = sort_events(pa.concat_tables(parts)).combine_chunks()
    assert ordered.equals(pa.Table.from_pylist(IN_ORDER, schema=SCHEMA))


def test_codes_are_positions():
    assert [KINDS[getattr(event, kind.upper())] for kind in KINDS] == list(KINDS)
    assert [REASONS[getattr(event, reason.upper())] for reason in REASONS] == list(REASONS)
    # Snapshots hold these codes: they may grow, not change.
    assert (event.ENTER, event.EXIT, event.MATCH, event.ALERT) == (0, 1, 2, 10)
    assert (event.MOVED, event.APPEARED, event.REGISTERED, event.EXPIRED, event.SHED) == (0, 1, 2, 5, 7)


def test_the_schema():
    time = pa.timestamp("us", tz="UTC")
    assert SCHEMA.names == [
        "event_id", "query_id", "kind", "stream_id", "time", "started_at", "reason", "values", "bindings",
    ]  # fmt: skip
    assert SCHEMA.field("time").type == SCHEMA.field("started_at").type == time
    assert SCHEMA.field("values").type == pa.list_(pa.float64())
    binding = pa.struct([("variable", pa.string()), ("stream_id", pa.string()), ("time", time)])
    assert SCHEMA.field("bindings").type == pa.list_(binding)
