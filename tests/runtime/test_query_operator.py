"""The contract of query families: a family of a few lines, alone and in a shard."""

import numpy as np
import pyarrow as pa
import pytest

from limen import Match, Range
from limen.model.change import Deregister, Register
from limen.model.event import MATCH, MOVED
from limen.model.options import Options
from limen.runtime.catalogue import Families
from limen.runtime.events import Events, table_of
from limen.runtime.query_operator import QueryOperator
from limen.runtime.shard import Shard
from tests.runtime.batches import COLUMNS, table


class EveryRow(QueryOperator):
    """A family whose queries match every row, in one group; regions are not looked at."""

    reporting = False

    def change(self, removed, queries, handles, streams, time):
        self.displace(removed)
        self.place(0, handles, np.arange(len(handles), dtype=np.int32))
        return []

    def reports(self, handle):
        return False

    def conditions(self):
        return []

    def step(self, step):
        handles = np.flatnonzero(self.group_of >= 0).astype(np.int32)
        row = np.repeat(np.flatnonzero(~step.late), len(handles))
        query = np.tile(handles, len(row) // max(len(handles), 1))
        kind = np.full(len(row), MATCH, np.int8)
        after = step.after[:, row]
        return [
            Events(query, step.slot[row], kind, MOVED, step.rows.time[row], lambda first, last: after[:, first:last])
        ]


def int32s(*numbers):
    return np.array(numbers, np.int32)


def shard():
    return Shard(COLUMNS, Options(), Families(lambda: [EveryRow(COLUMNS)], {"match": 0}, dict))


def matches(shard, batch):
    found = table_of(shard.process(batch), shard.catalogue.ids, shard.streams.ids)
    return list(zip(found["query_id"].to_pylist(), found["stream_id"].to_pylist(), strict=True))


def test_a_family_needs_no_more_than_it_has():
    own = shard()
    assert own.change([Register(Match("p", Range(0, 1))), Register(Match("q", Range(0, 1)))]) == []
    assert matches(own, table()) == [("p", "a"), ("q", "a"), ("p", "b"), ("q", "b")]
    assert own.change([Deregister("p")]) == []
    assert matches(own, table(t=[3, 4])) == [("q", "a"), ("q", "b")]
    assert own.close() == []


def test_a_family_without_queries_is_not_called():
    own = shard()
    assert own.process(table()) == []
    own.change([Register(Match("p", Range(0, 1)))])
    own.change([Deregister("p")])
    assert own.process(table(t=[3, 4])) == []


def test_a_step_without_rows_matches_nothing():
    own = shard()
    own.change([Register(Match("p", Range(0, 1)))])
    assert matches(own, table().slice(0, 0)) == []


def test_handles_are_placed_in_groups_and_found_again():
    operator = QueryOperator(COLUMNS)
    operator.place(0, int32s(2, 5), int32s(0, 1))
    operator.place(1, int32s(0), int32s(7))
    operator.place(1, int32s(), int32s())
    assert operator.count == 3
    by_group = [(group, handles.tolist()) for group, handles in operator.numbers_of(int32s(5, 0, 2))]
    assert by_group == [(0, [5, 2]), (1, [0])]
    assert operator.slot_of[int32s(5, 0, 2)].tolist() == [1, 7, 0]
    assert [(group, handles.tolist()) for group, handles in operator.numbers_of(int32s(5))] == [(0, [5])]


def test_displaced_handles_are_in_no_group():
    operator = QueryOperator(COLUMNS)
    operator.place(3, int32s(0, 1, 2), int32s(0, 1, 2))
    operator.displace(int32s(1))
    assert operator.count == 2
    assert operator.group_of[:3].tolist() == [3, -1, 3]


def test_handles_are_renumbered_also_where_the_last_ones_are_of_other_families():
    operator = QueryOperator(COLUMNS)
    operator.place(0, int32s(1, 3), int32s(10, 30))
    operator.keep_handles(int32s(3, 9, 1))
    assert operator.group_of.tolist() == [0, -1, 0]
    assert operator.slot_of[[0, 2]].tolist() == [30, 10]
    operator.keep_handles(int32s())
    assert operator.group_of.tolist() == []


def test_what_a_family_does_not_have():
    operator, changes = QueryOperator(COLUMNS), [Deregister("q")]
    assert operator.admit(changes, shard().catalogue) == (changes, [])
    assert operator.dump() == ({}, [])
    assert operator.gauges(shard().streams) == {}
    assert operator.concerned().tolist() == []
    assert operator.due(9, shard().streams, rows_may_follow=True) == []
    assert operator.replacement_key(0) is None
    assert operator.accuracy_table(shard().catalogue.ids, None) is None
    assert not operator.needs_global_order
    assert not operator.stores_streams


@pytest.mark.parametrize(
    "call",
    [
        lambda operator: operator.step(None),
        lambda operator: operator.change(int32s(), [], int32s(), None, None),
        lambda operator: operator.reporting,
        lambda operator: operator.conditions(),
        lambda operator: operator.dump_queries("", {}),
        lambda operator: operator.is_stored(int32s(0)),
    ],
)
def test_what_a_family_must_have(call):
    with pytest.raises(NotImplementedError):
        call(QueryOperator(COLUMNS))


def test_a_bad_batch_reaches_no_family():
    own = shard()
    own.change([Register(Match("p", Range(0, 1)))])
    assert matches(own, table(s=pa.array([None, "b"]))) == [("p", "b")]
