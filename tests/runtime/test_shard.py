"""A shard: rows and changes in order of time, and the watermark."""

import pyarrow as pa
import pytest

from limen import Border, Columns, InvalidInput, InvalidQuery, Match, Range, Transition, Within, sort_events
from limen.checkpoint import snapshot
from limen.model.change import Deregister, Register
from limen.model.options import Options
from limen.queries.registry import new_shard
from limen.runtime.admission import read_arrivals
from limen.runtime.events import table_of

COLUMNS = Columns("s", "t", "x", time_unit="us")
KIND = Columns("s", "t", "x", "kind", time_unit="us")
LOW = Border("low", Range(0, 2), initial="report")


def shard(*queries, columns=COLUMNS, **options):
    made = new_shard(columns, Options(**options))
    made.change([Register(query) for query in queries])
    return made


def batch(*cells, **columns):
    """Rows (stream, microsecond, x)."""
    ids, times, values = zip(*cells, strict=True) if cells else ((), (), ())
    values = pa.array(values, pa.float64())
    return pa.table({"s": pa.array(ids, pa.string()), "t": pa.array(times, pa.int64()), "x": values, **columns})


def brief(own, events):
    """Events in canonical order: (time, query, kind, stream, reason)."""
    table = sort_events(table_of(events, own.catalogue.ids, own.streams.ids))
    table = table.set_column(4, "time", table["time"].cast(pa.int64()))
    told = table.select(["time", "query_id", "kind", "stream_id", "reason"]).to_pylist()
    return [tuple(each.values()) for each in told]


def process(own, *cells):
    return brief(own, own.process(batch(*cells)))


def change(own, *changes):
    return brief(own, own.change(list(changes)))


def test_rows_of_a_batch_are_processed_in_order_of_time():
    own = shard(LOW)
    assert process(own, ("a", 3, 5.0), ("b", 2, 1.0), ("a", 1, 1.0)) == [
        (1, "low", "enter", "a", "appeared"),
        (2, "low", "enter", "b", "appeared"),
        (3, "low", "exit", "a", "moved"),
    ]
    assert own.watermark == 3


def test_a_batch_without_rows_changes_nothing():
    own = shard(LOW)
    before = own.watermark
    assert process(own) == []
    assert own.watermark == before


def test_of_rows_with_one_stream_and_time_the_first_by_content_counts():
    own = shard(Match("hit", Range(0, 9)))
    assert [event.values(0, 1).tolist() for event in own.process(batch(("a", 1, 7.0), ("a", 1, 3.0)))] == [[[3.0]]]
    assert own.counters["late"] == 1


def test_by_arrival_a_row_behind_its_stream_is_late():
    own = shard(LOW)
    process(own, ("a", 5, 5.0))
    assert process(own, ("a", 4, 1.0), ("b", 4, 1.0)) == [(4, "low", "enter", "b", "appeared")]
    assert own.counters["late"] == 1


def test_in_order_of_event_time_rows_wait_until_they_are_complete():
    own = shard(LOW, order="event", lateness=3)
    assert process(own, ("a", 10, 5.0)) == []
    assert process(own, ("a", 8, 1.0), ("b", 11, 1.0)) == []
    assert (own.watermark, len(own.reorder_buffer)) == (8, 3)
    assert process(own, ("b", 13, 1.0), ("c", 7, 1.0)) == [(8, "low", "enter", "a", "appeared")]
    assert own.counters["late"] == 1  # c was before the watermark
    assert brief(own, own.advance(12)) == [
        (10, "low", "exit", "a", "moved"),
        (11, "low", "enter", "b", "appeared"),
    ]
    assert brief(own, own.close()) == []
    assert len(own.reorder_buffer) == 0


def test_the_watermark_never_goes_back():
    own = shard(lateness=3)
    process(own, ("a", 10, 1.0))
    own.advance(9)
    own.advance(2)
    process(own, ("b", 4, 1.0))
    assert own.watermark == 9


def test_a_change_takes_effect_at_its_time_before_the_rows_of_that_time():
    own = shard()
    assert change(own, Register(LOW, at=5), Deregister("low", at=7)) == []
    assert not own.has_query("low")
    assert process(own, ("a", 4, 1.0), ("b", 5, 1.0), ("a", 6, 9.0), ("b", 7, 9.0)) == [
        (5, "low", "enter", "a", "registered"),
        (5, "low", "enter", "b", "appeared"),
        (6, "low", "exit", "a", "moved"),
        (7, "low", "exit", "b", "deregistered"),
    ]
    assert own.changes == {"applied": 2, "late": 0, "superseded": 0, "rejected": 0, "refused": 0}


def test_a_change_that_comes_late_holds_from_the_watermark():
    own = shard()
    process(own, ("a", 9, 1.0))
    assert change(own, Register(LOW, at=4)) == [(9, "low", "enter", "a", "registered")]
    assert (own.changes["late"], own.changes["applied"]) == (1, 1)


def test_changes_of_one_time_are_made_in_the_order_of_their_numbers():
    own = shard()
    change(own, Register(Border("q", Range(4, 6), initial="report"), at=5, seq=2), Register(LOW, at=5, seq=9))
    change(own, Register(Border("q", Range(0, 2), initial="report"), at=5, seq=1), Deregister("low", at=5, seq=8))
    assert process(own, ("a", 1, 5.0), ("b", 6, 9.0)) == [(5, "q", "enter", "a", "registered")]
    assert (own.changes["applied"], own.changes["superseded"]) == (2, 2)


def test_in_order_of_event_time_a_change_at_the_watermark_waits():
    own = shard(order="event")
    process(own, ("a", 5, 1.0))
    assert not own.takes_effect_at_once(5)
    assert own.takes_effect_at_once(4)
    assert change(own, Register(LOW, at=5)) == []
    assert brief(own, own.close()) == [(5, "low", "enter", "a", "appeared")]


def test_registrations_are_counted_before_they_are_made():
    own = shard()
    for number in range(3):
        change(own, Register(Match(f"q{number}", Range(0, 2))))
    assert (own.queries, own.changes["applied"], own.has_query("q1")) == (3, 3, True)
    change(own, Register(Match("q1", Range(5, 6))))  # in place of the one before
    assert (own.queries, own.changes["applied"]) == (3, 4)
    assert [event[1] for event in process(own, ("a", 1, 1.0))] == ["q0", "q2"]
    assert change(own, Deregister("q0")) == []
    assert (own.queries, own.has_query("q0")) == (2, False)


def test_an_unknown_id_is_a_problem_and_no_error():
    own = shard()
    assert change(own, Deregister("unknown")) == []
    assert own.changes["rejected"] == 1
    assert own.problems == ["deregister: no query has the id 'unknown'"]


def test_a_change_that_no_longer_fits_when_its_time_comes_is_rejected():
    own = shard(columns=KIND)
    change(own, Register(Border("q", Range(0, 2), where="kind > 1"), at=5), Register(LOW, at=5))
    own.process(batch(("a", 1, 1.0), kind=["bus"]))
    assert brief(own, own.advance(5)) == [(5, "low", "enter", "a", "registered")]
    assert (own.changes["rejected"], own.queries) == (1, 1)
    assert own.problems[0].startswith("query 'q': ")


def test_a_batch_that_does_not_fit_the_conditions_changes_nothing():
    own = shard(Border("q", Range(0, 2), where="kind > 1"), columns=KIND)
    with pytest.raises(InvalidQuery, match="query 'q'"):
        own.process(batch(("a", 9, 1.0), kind=["bus"]))
    assert own.types == {}
    assert own.admission.rows == 0
    own.process(batch(("a", 1, 5.0), kind=[2]))
    assert brief(own, own.process(batch(("a", 2, 1.0), kind=[2]))) == [(2, "q", "enter", "a", "moved")]


def test_bad_rows_are_rejected_or_an_error():
    own, strict = shard(LOW), shard(LOW, on_bad_row="fail")
    assert process(own, ("a", 1, float("inf")), ("b", 2, 1.0)) == [(2, "low", "enter", "b", "appeared")]
    assert own.admission.rejected == {"infinite_value": 1}
    with pytest.raises(InvalidInput, match="1 infinite_value"):
        process(strict, ("a", 1, float("inf")), ("b", 2, 1.0))
    assert process(strict, ("b", 2, 1.0)) == [(2, "low", "enter", "b", "appeared")]


def test_streams_expire_and_deadlines_pass_by_the_watermark():
    own = shard(LOW, Transition("rest", Range(0, 2), within=0.000004), expire_after=10)
    process(own, ("a", 1, 9.0))
    process(own, ("a", 2, 1.0))
    assert brief(own, own.advance(6)) == []
    assert brief(own, own.advance(7)) == [(6, "rest", "stayed", "a", "timer")]
    assert brief(own, own.advance(12)) == []
    assert brief(own, own.advance(13)) == [(12, "low", "exit", "a", "expired")]
    assert own.counters["expired"] == 1


def test_a_row_behind_all_others_is_late_only_for_queries_on_many_streams():
    own = shard(LOW, Within("near", Range(0, 2)))
    process(own, ("b", 9, 9.0))
    assert process(own, ("a", 5, 1.0), ("b", 10, 1.0)) == [
        (5, "low", "enter", "a", "appeared"),
        (10, "low", "enter", "b", "moved"),
        (10, "near", "add", "b", "moved"),
    ]
    assert own.counters["late"] == 1


def test_parts_that_were_read_elsewhere_are_one_batch():
    own = shard(LOW, max_ahead=10)
    parts = [
        read_arrivals(batch(*cells), COLUMNS, {}, 10)
        for cells in ([("a", 3, 9.0), ("b", 99, 1.0)], [("a", 1, 1.0)], [])
    ]
    assert brief(own, own.process_parts(parts, advance_to=8)) == [
        (1, "low", "enter", "a", "appeared"),
        (3, "low", "exit", "a", "moved"),
    ]
    assert own.watermark == 8
    assert (own.admission.rows, own.admission.rejected) == (3, {"too_far_ahead": 1})


def test_changes_that_are_replayed_emit_nothing():
    own = shard()
    process(own, ("a", 1, 1.0))
    own.replay_changes([Register(LOW)])
    assert own.has_query("low")
    assert process(own, ("a", 2, 5.0)) == [(2, "low", "exit", "a", "moved")]
    own.clear_queries()
    assert own.queries == 0
    assert process(own, ("a", 3, 1.0)) == []


AT_12 = [(12, "later", "enter", "a", "registered"), (12, "later", "enter", "b", "registered")]
REST = {
    # a at 8 was late for "near", which had seen b at 9.
    "arrival": [*AT_12, (12, "low", "exit", "a", "moved")],
    "event": [
        (8, "low", "enter", "a", "appeared"),
        (8, "near", "add", "a", "moved"),
        (10, "low", "enter", "b", "moved"),
        (10, "near", "add", "b", "moved"),
        *AT_12,
        (12, "low", "exit", "a", "moved"),
        (12, "near", "remove", "a", "moved"),
    ],
}


@pytest.mark.parametrize("order", ["arrival", "event"])
def test_a_restart_by_dump_and_load(order):
    own = shard(LOW, Within("near", Range(0, 2)), order=order, lateness=2, expire_after=50)
    change(own, Register(Border("later", Range(0, 9), initial="report"), at=12))
    process(own, ("b", 9, 9.0))
    process(own, ("a", 8, 1.0), ("b", 10, 1.0))
    again, facts = snapshot.load(snapshot.dump(own, {"own": 1}))
    assert facts == {"own": 1}
    assert (again.watermark, again.queries, again.counters) == (own.watermark, own.queries, own.counters)
    for each in (own, again):
        assert process(each, ("a", 12, 5.0)) + brief(each, each.close()) == REST[order]
