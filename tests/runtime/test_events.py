"""Events as arrays, and the table that they become."""

from datetime import UTC, datetime

import numpy as np

from limen import SCHEMA
from limen.model.event import ALERT, CHANGED, ENTER, EXIT, MOVED, STAYED, TIMER
from limen.runtime.bindings import Bindings
from limen.runtime.events import Events, table_of
from limen.runtime.ids import Ids
from limen.runtime.kernels.streams import NEVER

QUERIES, STREAMS = Ids.of(["fence", "gate"]), Ids.of(["a", "b", "ü"])


def found(query=(0, 1, 0), stream=(2, 0, 1), kind=(ENTER, EXIT, ENTER), reason=MOVED, time=(5, 6, 7), **more):
    """Three events of streams ü, a and b."""
    values = np.array([[1.0, 2.0, 3.0], [np.nan, 5.0, np.nan]])
    return Events(
        np.array(query, np.int32),
        np.array(stream, np.int32),
        np.array(kind, np.int8),
        reason,
        np.array(time, np.int64),
        lambda first, last: values[:, first:last],
        **more,
    )


def micros(number):
    return datetime(1970, 1, 1, 0, 0, 0, number, UTC)


def ids_of(*events):
    return table_of(list(events), QUERIES, STREAMS)["event_id"].to_pylist()


def test_a_table_of_events():
    table = table_of([found()], QUERIES, STREAMS)
    table.validate(full=True)
    assert table.schema == SCHEMA
    assert table.select(["query_id", "kind", "stream_id", "time", "started_at", "reason", "values"]).to_pylist() == [
        {
            "query_id": query, "kind": kind, "stream_id": stream, "time": micros(time), "started_at": None,
            "reason": "moved", "values": values,
        }
        for query, kind, stream, time, values in (
            ("fence", "enter", "ü", 5, [1.0, None]),
            ("gate", "exit", "a", 6, [2.0, 5.0]),
            ("fence", "enter", "b", 7, [3.0, None]),
        )
    ]  # fmt: skip
    assert table["bindings"].null_count == 3


def test_no_events_are_a_table_too():
    assert table_of([], QUERIES, STREAMS).equals(SCHEMA.empty_table())


def test_kinds_are_counted():
    assert found().count_kinds() == {"enter": 2, "exit": 1}
    assert found((), (), (), time=()).count_kinds() == {}


def test_a_beginning_where_there_is_one():
    table = table_of([found(kind=(STAYED,) * 3, reason=TIMER, started=np.array([1, NEVER, 3]))], QUERIES, STREAMS)
    assert table["started_at"].to_pylist() == [micros(1), None, micros(3)]
    assert table["reason"].to_pylist() == ["timer"] * 3


def test_alerts_have_bindings_in_place_of_a_stream_and_values():
    bound = Bindings(
        np.array([0, 1, 2, 3]), np.zeros(3, np.int32), np.array([0, 1, 1], np.int32), np.arange(3), Ids.of(["v"])
    )
    table = table_of([found(kind=(ALERT,) * 3, bindings=bound)], QUERIES, STREAMS)
    assert (table["stream_id"].null_count, table["values"].null_count) == (3, 3)
    assert table["bindings"].to_pylist() == [
        [{"variable": "v", "stream_id": stream, "time": micros(time)}]
        for stream, time in (("a", 0), ("b", 1), ("b", 2))
    ]
    assert len(set(table["event_id"].to_pylist())) == 3


def test_an_event_id_is_made_of_all_that_the_event_says():
    once = np.array([0, 0, 0])
    ids = [
        ids_of(each)[0]
        for each in (
            found(),
            found(query=(1, 1, 0)),
            found(stream=(0, 0, 1)),
            found(kind=(EXIT, EXIT, ENTER)),
            found(reason=CHANGED),
            found(time=(4, 6, 7)),
            found(repeat=once + 1),
            found(started=once),
        )
    ]
    assert len(set(ids)) == len(ids)
    assert {len(each) for each in ids} == {32}
    assert ids_of(found(repeat=once)) == ids_of(found())  # the first of its kind is not a repeat


def test_more_events_than_are_made_at_once():
    n = 2**16 + 3
    number = np.arange(n)
    many = Events(
        np.zeros(n, np.int32),
        (number % 3).astype(np.int32),
        np.full(n, ENTER, np.int8),
        MOVED,
        number,
        lambda first, last: number[None, first:last] / 2,
        started=np.where(number % 2, number, NEVER),
    )
    table = table_of([many], QUERIES, STREAMS)
    assert table["time"].cast("int64").to_pylist() == number.tolist()
    assert table["values"].to_pylist()[-3:] == [[value / 2] for value in (n - 3, n - 2, n - 1)]
    assert table["stream_id"].to_pylist()[-3:] == [["a", "b", "ü"][each % 3] for each in (n - 3, n - 2, n - 1)]
    assert table["started_at"].null_count == n // 2 + 1
