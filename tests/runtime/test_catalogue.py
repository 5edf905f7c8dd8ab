"""All queries by id, and what changes to them cause."""

import numpy as np
import pyarrow as pa
import pytest

from limen import Border, Columns, InvalidQuery, Match, Range, Within
from limen.model.change import Deregister, Register
from limen.model.options import Options
from limen.queries.registry import new_shard
from limen.runtime.events import table_of
from limen.runtime.timeline import Timeline

COLUMNS = Columns("s", "t", "x", "kind", time_unit="us")
LOW = Border("low", Range(0, 2), initial="report")


class Example:
    """A catalogue, and streams a at 1 and b at 5."""

    def __init__(self):
        self.shard = new_shard(COLUMNS, Options())
        self.shard.process(pa.table({"s": ["a", "b"], "t": [1, 1], "x": [1.0, 5.0], "kind": ["bus", "car"]}))
        self.catalogue = self.shard.catalogue
        self.timelines = Timeline(self.shard.streams, Options()), self.shard.timeline

    def apply(self, *changes, time=7):
        """Make changes; return their events in brief, their outcomes and the unknown ids."""
        changes = [Deregister(each) if isinstance(each, str) else Register(each) for each in changes]
        events, outcomes, unknown = self.catalogue.apply(changes, self.timelines, time)
        table = table_of(events, self.catalogue.ids, self.shard.streams.ids)
        told = table.select(["query_id", "kind", "stream_id", "reason"]).to_pylist()
        return sorted(tuple(each.values()) for each in told), outcomes, unknown


def outcomes(applied=0, rejected=0, superseded=0):
    return {"applied": applied, "rejected": rejected, "superseded": superseded}


def test_queries_of_all_families_are_found_by_id():
    example = Example()
    example.apply(LOW, Match("hit", Range(0, 9)), Within("near", Range(0, 2)))
    assert len(example.catalogue) == 3
    assert [each in example.catalogue for each in ("low", "hit", "near", "far")] == [True, True, True, False]
    assert [each.count for each in example.catalogue.operators if each.count] == [1, 1, 1]


def test_an_empty_catalogue():
    example = Example()
    assert len(example.catalogue) == 0
    assert "low" not in example.catalogue
    assert not example.catalogue.reports("low")
    assert example.apply() == ([], outcomes(), [])
    assert example.catalogue.active[0] == example.catalogue.active[1] == []


def test_a_change_emits_what_it_causes():
    example = Example()
    assert example.apply(LOW) == ([("low", "enter", "a", "registered")], outcomes(applied=1), [])
    moved = Border("low", Range(4, 6), initial="report")
    changed = [("low", "enter", "b", "changed"), ("low", "exit", "a", "changed")]
    assert example.apply(moved) == (changed, outcomes(applied=1), [])
    assert example.apply("low") == ([("low", "exit", "b", "deregistered")], outcomes(applied=1), [])
    assert "low" not in example.catalogue


def test_an_unknown_id_is_rejected():
    assert Example().apply("unknown", LOW, "unknown") == (
        [("low", "enter", "a", "registered")],
        outcomes(applied=1, rejected=1, superseded=1),
        ["unknown"],
    )


def test_of_several_changes_to_one_id_the_last_wins():
    example = Example()
    told, counts, _ = example.apply(LOW, "low", Border("low", Range(4, 6), initial="report"))
    assert (told, counts) == ([("low", "enter", "b", "registered")], outcomes(applied=1, superseded=2))
    told, counts, _ = example.apply(LOW, "low")
    assert (told, counts) == ([("low", "exit", "b", "deregistered")], outcomes(applied=1, superseded=1))


def test_a_query_of_another_family_ends_the_one_that_had_its_id():
    example = Example()
    example.apply(LOW)
    told, _, _ = example.apply(Within("low", Range(0, 2)))
    assert told == [("low", "add", "a", "registered"), ("low", "exit", "a", "deregistered")]
    assert len(example.catalogue) == 1


def test_a_region_that_stays_and_one_that_moves_replace_each_other():
    example = Example()
    example.apply(Within("q", Range(0, 2)))
    assert example.apply(Within("q", focal="a", radius=4)) == (
        [("q", "add", "b", "changed"), ("q", "remove", "a", "changed")],
        outcomes(applied=1),
        [],
    )
    assert example.apply(Within("q", Range(4, 6)))[0] == []  # b stays


def test_changes_made_elsewhere_emit_nothing():
    example = Example()
    assert example.apply(LOW, time=None) == ([], outcomes(applied=1), [])
    assert "low" in example.catalogue
    assert example.apply("low")[0] == [("low", "exit", "a", "deregistered")]


def test_operators_are_active_while_they_have_queries():
    example = Example()
    example.apply(LOW, Within("near", Range(0, 2)))
    (by_stream,) = example.catalogue.active[0]
    (by_time,) = example.catalogue.active[1]
    assert by_stream.count == by_time.count == 1
    example.apply("near")
    assert example.catalogue.active[1] == []


def test_which_changes_can_cause_events():
    example = Example()
    example.apply(Border("silent", Range(0, 2)), LOW, Match("hit", Range(0, 9)))
    assert [example.catalogue.reports(each) for each in ("silent", "low", "hit", "none")] == [False, True, False, False]


def test_conditions_are_tested_against_types_that_come_later():
    shard = new_shard(COLUMNS, Options())
    shard.change([Register(Border("buses", Range(0, 2), where="kind = 'bus'")), Register(Match("all", Range(0, 2)))])
    shard.catalogue.check_conditions(COLUMNS, {"kind": pa.string()})
    with pytest.raises(InvalidQuery, match=r"^query 'buses': "):
        shard.catalogue.check_conditions(COLUMNS, {"kind": pa.int64()})


def test_handles_of_queries_that_are_gone_are_given_back():
    example = Example()
    example.apply(*(Border(f"q{number}", Range(0, 2), initial="report") for number in range(5000)))
    assert example.catalogue.forget_unused() is None  # all are in use
    gone = [f"q{number}" for number in range(5000) if number not in (7, 4000)]
    example.apply(*gone, Match("hit", Range(0, 9)))
    full = example.catalogue.nbytes
    number = example.catalogue.forget_unused()
    assert np.flatnonzero(number >= 0).tolist() == [7, 4000, 5000]
    assert number[[7, 4000, 5000]].tolist() == [0, 1, 2]
    assert example.catalogue.nbytes < full
    assert [each in example.catalogue for each in ("q7", "q8", "q4000", "hit")] == [True, False, True, True]
    assert example.apply("q4000")[0] == [("q4000", "exit", "a", "deregistered")]
    assert example.apply(LOW)[0] == [("low", "enter", "a", "registered")]
