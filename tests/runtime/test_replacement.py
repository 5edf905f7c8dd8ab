"""What is emitted when queries are registered, deregistered and replaced."""

import numpy as np

from limen.model.event import ADD, DEREGISTERED, KINDS, MOVED, REASONS, REGISTERED, REMOVE
from limen.runtime.replacement import as_replaced, differences, of_streams
from limen.runtime.stream_table import StreamTable
from tests.runtime.batches import COLUMNS, rows

NOW = 9


def streams():
    """Streams 0, 1 and 2 with the values 10, 11 and 12."""
    table = StreamTable(COLUMNS, {}, dict)
    taken = rows(("a", 1, 10.0), ("b", 2, 11.0), ("c", 3, 12.0))
    table.step(taken, table.slots(taken.ids), -1)
    return table


def pairs(*of_queries):
    """Pairs of a query and a stream, as two arrays."""
    query, stream = zip(*of_queries, strict=True) if of_queries else ((), ())
    return np.array(query, np.int32), np.array(stream, np.int32)


def plain(events):
    """All events as (query, stream, kind, reason, time, value)."""
    return sorted(
        (query, stream, KINDS[kind], REASONS[each.reason], time, value)
        for each in events
        for query, stream, kind, time, value in zip(
            each.query.tolist(), each.stream.tolist(), each.kind, each.time.tolist(),
            each.values(0, len(each))[0].tolist(), strict=True,
        )
    )  # fmt: skip


def difference(old, new, replaced=()):
    return plain(differences(pairs(*old), pairs(*new), replaced, (ADD, REMOVE), NOW, streams()))


def test_a_new_query_adds_all_its_streams_and_one_that_is_gone_removes_them():
    assert difference(old=[(7, 0)], new=[(8, 1), (8, 2)]) == [
        (7, 0, "remove", "deregistered", NOW, 10.0),
        (8, 1, "add", "registered", NOW, 11.0),
        (8, 2, "add", "registered", NOW, 12.0),
    ]


def test_of_a_replaced_query_only_what_differs_is_emitted():
    assert difference(old=[(7, 0), (7, 1)], new=[(7, 1), (7, 2)], replaced=[7]) == [
        (7, 0, "remove", "changed", NOW, 10.0),
        (7, 2, "add", "changed", NOW, 12.0),
    ]


def test_a_query_with_the_same_id_that_is_no_replacement_ends_and_begins():
    assert difference(old=[(7, 1)], new=[(7, 1)]) == [
        (7, 1, "add", "registered", NOW, 11.0),
        (7, 1, "remove", "deregistered", NOW, 11.0),
    ]


def test_replaced_and_other_queries_together():
    assert difference(old=[(7, 0), (8, 0)], new=[(7, 0), (9, 0)], replaced=[7]) == [
        (8, 0, "remove", "deregistered", NOW, 10.0),
        (9, 0, "add", "registered", NOW, 10.0),
    ]


def test_queries_without_streams_emit_nothing():
    assert difference(old=[], new=[]) == []
    assert difference(old=[(7, 0)], new=[(7, 0)], replaced=[7]) == []


def events_of(kind, reason, *of_queries):
    query, stream = pairs(*of_queries)
    return of_streams(query, stream, kind, reason, np.full(len(query), NOW), stream[None] + 10.0)


def test_events_of_two_operators_become_those_of_a_replacement():
    events = [
        events_of(REMOVE, DEREGISTERED, (7, 0), (7, 1), (8, 1)),
        events_of(ADD, REGISTERED, (7, 1), (7, 2), (9, 1)),
    ]
    assert plain(as_replaced(events, [7])) == [
        (7, 0, "remove", "changed", NOW, 10.0),
        (7, 2, "add", "changed", NOW, 12.0),
        (8, 1, "remove", "deregistered", NOW, 11.0),
        (9, 1, "add", "registered", NOW, 11.0),
    ]


def test_where_no_query_is_replaced_nothing_changes():
    events = [events_of(ADD, REGISTERED, (7, 1)), events_of(ADD, MOVED, (8, 1))]
    assert plain(as_replaced(events, [])) == plain(events)
    assert as_replaced([], [7]) == []
