"""What `limen.changes` makes of events, against the slow and obvious fold of the same events."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import limen
from limen import InvalidInput, changes
from limen.changes.aggregate import Aggregate
from limen.changes.fold import take
from limen.changes.several import Several
from tests.answer_strategies import answer_lines, answer_swarm, planes
from tests.feeding import feed
from tests.folding import answers_by_time
from tests.naive_changes import (
    ARGUMENTS,
    GATE,
    VISITS,
    Naive,
    as_events,
    as_table,
    history,
    naive_answer,
    naive_distinct,
    naive_rows,
    plain,
    table,
)
from tests.strategies import TimeLine
from tests.subject import Event, Subject

FEW = max(4, settings().max_examples // 3)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


# ---- as the slow and obvious way -------------------------------------------------------------------------------------


def of_answers(events: Iterable[Event]) -> list[Event]:
    return [event for event in events if event["kind"] in ("add", "remove")]


@settings(max_examples=FEW // 2)
@given(seed=st.integers(0, 2**32 - 1))
def test_table_after_table_of_a_live_engine(seed: int) -> None:
    scenario = answer_swarm(seed)
    subject = Subject(scenario.columns, scenario.queries, **scenario.options)
    running = {helper: changes.Running(helper, *arguments) for helper, arguments in ARGUMENTS.items()}
    naive = {helper: Naive() for helper in (*ARGUMENTS, "distinct")}
    running["distinct"], running["answer"] = changes.Running("distinct", "stream_id"), changes.Running("answer")
    for step in scenario.steps:
        events = of_answers(getattr(subject, step.call)(**step.arguments))
        table = as_table(events)
        for helper in ARGUMENTS:
            assert plain(running[helper].take(table)) == naive_rows(naive[helper], helper, events)
        assert plain(running["distinct"].take(table)) == naive_distinct(naive["distinct"], events)
        answer = running["answer"].take(table)
        assert plain(answer.select(["query_id", "stream_id", "since", "values"])) == naive_answer(naive["count"])


@settings(max_examples=FEW)
@given(line=answer_lines(planes()), seed=st.integers(0, 2**32 - 1))
def test_one_table_in_any_order(line: TimeLine, seed: int) -> None:
    subject = Subject(line.columns, line.queries, expire_after=line.expire_after)
    events = of_answers(feed(subject, line, [line.rows]))
    table = as_table(events).take(pa.array(np.random.default_rng(seed).permutation(len(events))))
    for helper, arguments in ARGUMENTS.items():
        assert plain(getattr(changes, helper)(table, *arguments)) == naive_rows(Naive(), helper, events)
    assert plain(changes.distinct(table, "stream_id")) == naive_distinct(Naive(), events)
    for time, expected in answers_by_time(events).items():
        answer = changes.answer(table, at=EPOCH + timedelta(microseconds=time))
        found: dict[str, set[str]] = {}
        for row in answer.to_pylist():
            found.setdefault(row["query_id"], set()).add(row["stream_id"])
        assert found == expected


@settings(max_examples=FEW)
@given(line=answer_lines(planes()), cut=st.integers(0, 40))
def test_several_numbers_side_by_side_are_those_of_the_helpers(line: TimeLine, cut: int) -> None:
    subject = Subject(line.columns, line.queries, expire_after=line.expire_after)
    events = as_table(of_answers(feed(subject, line, [line.rows])))
    times = sorted(set(events["time"].to_pylist()))
    early = pc.less(events["time"], times[cut % len(times)]) if times else pa.array([], pa.bool_())
    together = Several(("n", "total", "mean"), tuple(
        Aggregate(helper, ("query_id",), ("query_id", "stream_id"), *ARGUMENTS[helper])
        for helper in ("count", "sum", "average")
    ))  # fmt: skip
    first, carried = take(together, None, events.filter(early))
    second, _ = take(together, carried, events.filter(pc.invert(early)))
    told = pa.concat_tables([first, second]).to_pylist()
    assert told == take(together, None, events)[0].to_pylist(), "in two tables as in one"
    for helper, name in (("count", "n"), ("sum", "total"), ("average", "mean")):
        last: dict[str, float | None] = {}
        alone = []
        for row in told:
            before = last.get(row["query_id"], None if helper == "average" else 0)
            if repr(row[name]) != repr(before) and row[name] != before:
                alone.append({"query_id": row["query_id"], "time": row["time"], helper: row[name]})
            last[row["query_id"]] = row[name]
        assert alone == getattr(changes, helper)(events, *ARGUMENTS[helper]).to_pylist()


def test_borders_that_report_everything_pair_too() -> None:
    events = history(
        limen.Border("gate", limen.Range(0, 10), initial="report"),
        [(1, "bus", 5), (2, "van", 50), (3, "van", 9), (4, "bus", 11), (5, "van", 10)],
    )
    assert plain(changes.count(events)) == naive_rows(Naive(), "count", as_events(events))
    assert changes.count(events)["count"].to_pylist() == [1, 2, 1, 0]


# ---- what they mean --------------------------------------------------------------------------------------------------


def test_a_member_counts_with_the_value_of_its_add_until_it_is_removed() -> None:
    events = history(GATE, VISITS)
    assert changes.sum(events, 0)["sum"].to_pylist() == [3.0, 7.0, 4.0, 0.0]
    assert changes.average(events, 0)["average"].to_pylist() == [3.0, 3.5, 4.0, None]


def test_sums_of_whole_numbers_are_whole_and_exact() -> None:
    large = 2**62 + 1
    times = pa.array([1, 2, 3, 4], pa.timestamp("s", tz="UTC"))
    events = pa.table({"query_id": ["q"] * 4, "kind": ["add", "add", "remove", "add"], "stream_id": list("abac"),
                       "time": times, "n": pa.array([large, -large - 3, 0, None], pa.int64())})  # fmt: skip
    told = changes.sum(events, "n")
    assert (told["sum"].type, told["sum"].to_pylist()) == (pa.int64(), [large, -3, -large - 3])
    assert changes.average(events, "n")["average"].type == pa.float64()
    small = events.set_column(4, "n", events["n"].cast(pa.int8(), safe=False))
    assert changes.sum(small, "n")["sum"].to_pylist() == [1, -3, -4]
    running = changes.Running("sum", "n")
    assert [running.take(events.slice(place, 1))["sum"].to_pylist() for place in range(4)] == [
        [large], [-3], [-large - 3], []
    ]  # fmt: skip
    for column in (pa.array([2**62, 2**62, 0, 0]), pa.array([-(2**62), -(2**62) - 1, 0, 0])):
        with pytest.raises(limen.InvalidInput, match="changes: sum: expected a sum that 64 bits hold, got a larger"):
            changes.sum(events.set_column(4, "n", column), "n")
    too_large = pa.array([2**63, 0, 0, 0], pa.uint64())
    with pytest.raises(limen.InvalidInput, match=r"expected whole numbers below 2\^63, got 9223372036854775808"):
        changes.sum(events.set_column(4, "n", too_large), "n")


def test_a_value_is_a_column_a_position_or_a_name_among_values() -> None:
    events = history(GATE, VISITS)
    with_column = events.append_column("x", pa.array([values[0] for values in events["values"].to_pylist()]))
    by_name = changes.sum(events, "x", columns=limen.Columns("car", "t", "x"))
    assert by_name == changes.sum(with_column, "x") == changes.sum(events, 0)


def test_a_sliced_table_is_read_where_it_is() -> None:
    events = history(GATE, VISITS)
    doubled = pa.concat_tables([events, events]).combine_chunks().slice(len(events))
    assert changes.sum(doubled, 0) == changes.sum(events, 0)
    assert changes.count(events.combine_chunks().to_batches()[0]) == changes.count(events)


def test_missing_values_add_nothing_and_are_no_part_of_an_average() -> None:
    rows = [("q", "a", 1, 1, None), ("q", "b", 1, 2, 4.0), ("q", "c", 1, 3, float("nan")), ("q", "b", -1, 4, 9.0)]
    events = table(*[(*row[:3], row[4], row[3]) for row in rows], names=("query_id", "stream_id", "sign", "v", "time"))
    assert changes.count(events)["count"].to_pylist() == [1, 2, 3, 2]
    assert changes.sum(events, "v")["sum"].to_pylist() == [4.0, 0.0]
    assert changes.average(events, "v")["average"].to_pylist() == [4.0, None]


def test_sums_are_exact_and_an_empty_answer_has_none_left() -> None:
    names = ("query_id", "stream_id", "sign", "v", "time")
    adds = [("q", f"s{n}", 1, value, n) for n, value in enumerate([0.1, 1e300, -1e300, 0.2, 1e-300])]
    removes = [("q", f"s{n}", -1, 0.0, 10 + n) for n in range(5)]
    sums = changes.sum(table(*adds, *removes, names=names), "v")["sum"].to_pylist()
    assert sums == [0.1, 1e300, 0.1, 0.30000000000000004, 0.2, -1e300, 0.2, 1e-300, 0.0]


def test_signed_leaves_out_what_is_not_about_members() -> None:
    border = limen.Border("gate", limen.Range(0, 10), crossings=True)
    events = history(border, [(1, "bus", 20), (2, "bus", 5), (3, "bus", 20), (4, "bus", -5)])
    assert events["kind"].to_pylist() == ["enter", "exit", "cross"]
    once = changes.signed(events)
    assert once["sign"].to_pylist() == [1, -1]
    assert changes.signed(once) == once


def test_only_what_an_instant_leaves_behind_is_told() -> None:
    swap = table(("q", "a", 1, 1), ("q", "a", -1, 2), ("q", "b", 1, 2), ("q", "c", 1, 3), ("q", "c", -1, 3))
    assert changes.count(swap)["count"].to_pylist() == [1]
    assert changes.distinct(swap, "query_id")["sign"].to_pylist() == [1]
    assert changes.answer(swap)["stream_id"].to_pylist() == ["b"]


def test_a_join_groups_and_multiplies_members() -> None:
    signed = changes.signed(history(GATE, VISITS)).select(["query_id", "stream_id", "sign", "time"])
    tags = pa.table({"stream_id": ["bus", "bus", "van"], "tag": ["big", "red", "red"]})
    joined = signed.join(tags, "stream_id", join_type="inner")
    with pytest.raises(InvalidInput, match=r"stream_id 'bus'.*a second add at .*member=\(…\)"):
        changes.count(joined)
    member = ("query_id", "stream_id", "tag")
    assert changes.count(joined, member=member)["count"].to_pylist() == [2, 3, 1, 0]
    by_tag = changes.count(joined, by="tag")
    assert [(row["tag"], row["count"]) for row in by_tag.to_pylist()] == [
        ("big", 1), ("red", 1), ("red", 2), ("big", 0), ("red", 1), ("red", 0),
    ]  # fmt: skip
    assert changes.count(joined, by=(), member=member).schema.names == ["time", "count"]
    assert changes.answer(joined.filter(pc.field("tag") == "red"), at="1970-01-01T00:00:02Z").select(
        ["stream_id", "tag"]
    ).to_pylist() == [{"stream_id": "bus", "tag": "red"}, {"stream_id": "van", "tag": "red"}]


def test_distinct_values_are_changes_again() -> None:
    seen = table(("q", "a", 1, 1), ("r", "a", 1, 2), ("q", "b", 1, 3), ("q", "a", -1, 4), ("r", "a", -1, 5))
    streams = changes.distinct(seen, "stream_id")
    assert list(zip(*(streams[name].to_pylist() for name in ("stream_id", "sign")), strict=True)) == [
        ("a", 1), ("b", 1), ("a", -1),
    ]  # fmt: skip
    assert changes.count(streams, by=(), member="stream_id")["count"].to_pylist() == [1, 2, 1]
    assert changes.distinct(seen, ["query_id", "stream_id"]).num_rows == 5


def test_nothing_comes_of_nothing() -> None:
    empty = limen.SCHEMA.empty_table()
    assert changes.signed(empty).num_rows == 0
    for helper, arguments in {**ARGUMENTS, "distinct": ("stream_id",), "answer": ()}.items():
        assert getattr(changes, helper)(empty, *arguments).num_rows == 0
        running = changes.Running(helper, *arguments)
        assert running.take(empty).num_rows == running.take(empty).num_rows == 0
