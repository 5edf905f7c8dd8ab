"""What reviewers broke once, so that it stays mended."""

from datetime import timedelta

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from limen import Border, Circle, Columns, Engine, InvalidInput, InvalidQuery, Match, Range, load_queries
from limen.model import Expression

SECONDS = Columns(id="id", time="t", values="v", attributes="k", time_unit="s")
NOW = 1_760_000_000


def rows(ids, times, values, kinds=None):
    return pa.table({"id": ids, "t": times, "v": values, "k": kinds or ["a"] * len(ids)})


def test_conditions_that_are_gone_leave_their_groups_to_others():
    engine = Engine(SECONDS)
    for number in range(40):
        engine.register(Border("passing", Range(0, 1), where=f"k = 'old {number}'"))
        engine.process(rows(["s"], [number], [0.5]))
    engine.register(Border("last", Range(0, 1), where="k = 'a'"))
    engine.process(rows(["s"], [50], [5.0]))
    family = engine._shard.catalogue.operators[0]
    assert not any(key.mixed for key in family.keys)
    assert len(family.groups) <= 2
    events = engine.process(rows(["s", "s"], [51, 52], [0.5, 0.6], ["a", "b"]))
    assert events["kind"].to_pylist() == ["enter", "exit"]
    restored = Engine.restore(engine.snapshot())
    assert restored.process(rows(["s"], [53], [0.5])).equals(engine.process(rows(["s"], [53], [0.5])))


def test_a_condition_that_many_share_has_a_group_of_its_own_however_many_others_there_are():
    engine = Engine(SECONDS, [Border(f"q{number}", Range(0, 1), where=f"k = '{number}'") for number in range(40)])
    engine.register([Border(f"p{number}", Range(0, 1), where="k = 'popular'") for number in range(100)])
    family = engine._shard.catalogue.operators[0]
    by_condition = {key.condition: family.groups[number] for key, number in family.keys.items()}
    assert len(by_condition[Expression.parse("k = 'popular'").canonical].index) == 100
    engine.process(rows(["s"], [1], [0.5], ["none"]))
    assert len(engine.process(rows(["s"], [2], [0.5], ["popular"]))) == 100
    assert engine.process(rows(["s"], [3], [0.5], ["39"]))["kind"].to_pylist().count("enter") == 1


def test_events_of_changes_at_different_times_keep_their_own_counts():
    engine = Engine(SECONDS, lateness=50)
    engine.process(rows(["s", "s"], [90, 100], [5.0, 5.0]))
    report = Border("r", Range(4, 6), initial="report")
    tables = [engine.register(report)]
    engine.register(Border("z", Range(4, 6), initial="report"), at=92)
    tables += [engine.process(rows(["u"], [95], [5.0])), engine.deregister("r"), engine.register(report)]
    ids = pa.concat_tables(tables)["event_id"].to_pylist()
    assert len(set(ids)) == len(ids) == 8


def test_one_old_row_at_the_start_does_not_make_all_others_too_far_ahead():
    engine = Engine(SECONDS, max_ahead="1 hour")
    engine.process(rows(["bad", "a", "b"], [0, NOW, NOW], [1.0, 1.0, 1.0]))
    engine.process(rows(["a", "b", "c"], [NOW + 1, NOW + 1, NOW + 9999], [2.0, 2.0, 2.0]))
    assert engine.counters["rejected"] == {"too_far_ahead": 1}


def test_a_condition_that_does_not_fit_is_told_with_its_query():
    engine = Engine(SECONDS, [Border("fine", Range(0, 9)), Border("mine", Range(0, 9), where="k = 5")])
    with pytest.raises(InvalidQuery, match=r"^query 'mine': expression '.*k.* = 5.*': expected values of one kind"):
        engine.process(rows(["s"], [1], [1.0]))
    assert engine.counters["rows"] == 0
    engine.deregister("mine")
    engine.process(rows(["s"], [1], [1.0]))


def test_durations_and_times_are_bounded():
    with pytest.raises(InvalidInput, match="option 'expire_after': expected at most 10,000 years"):
        Engine(SECONDS, expire_after=1e13)
    micros = Columns(id="id", time="t", values="v", time_unit="us")
    with pytest.raises(InvalidInput, match="expected times that fit into 64 bits of microseconds"):
        Engine(micros).process(rows(["s", "s"], [-(2**62) - 5, 2**62 + 5], [1.0, 2.0]))


def test_counters_are_right_at_the_first_look():
    engine = Engine(SECONDS)
    engine.register(Border("q", Range(0, 1)))
    assert engine.counters["changes"]["applied"] == 1


def test_a_waiting_change_does_not_hurry_expiries():
    engine = Engine(SECONDS, [Border("q", Range(0, 10))], lateness=50, expire_after=60)
    engine.register(Border("other", Range(100, 200)), at=90)
    engine.process(rows(["s", "o"], [20, 100], [5.0, 5.0]))
    assert engine.process(rows(["s"], [70], [50.0]))["kind"].to_pylist() == ["exit"]


def test_silent_registrations_are_put_off_beside_queries_that_report():
    engine = Engine(SECONDS, [Border("told", Range(0, 10), initial="report")])
    engine.process(rows(["s"], [1], [5.0]))
    assert len(engine.register(Border("quiet", Range(0, 10)))) == 0
    assert engine._shard._deferred.keys() == {"quiet"}
    replaced = engine.register(Border("told", Range(0, 10)))
    assert [(event["kind"], event["reason"]) for event in replaced.to_pylist()] == [("exit", "deregistered")]


@pytest.mark.parametrize("where", ["not null", "not (null)", "not (null and null)"])
def test_what_is_always_unknown_is_never_true(where):
    engine = Engine(SECONDS, [Border("q", Range(0, 9), where=where, initial="report")])
    assert len(engine.process(rows(["s"], [1], [1.0]))) == 0


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([["s", 1, 1.0, "a", 2.0]], columns=["id", "t", "v", "k", "v"]),
        pd.DataFrame({"id": ["\ud800"], "t": [1], "v": [1.0], "k": ["a"]}),
        pd.DataFrame({"id": ["s"], "t": [1], "v": [1j], "k": ["a"]}),
        pd.DataFrame({"id": ["s"], "t": [1], "v": [2**70], "k": ["a"]}),
    ],
)
def test_frames_that_arrow_cannot_take_are_refused(frame):
    with pytest.raises(InvalidInput, match="batch"):
        Engine(SECONDS).process(frame)


def test_dictionaries_of_any_strings_and_floats_are_read():
    engine = Engine(SECONDS, [Border("q", Range(0, 9), where="k > 1", initial="report")])
    ids = pa.DictionaryArray.from_arrays(pa.array([0]), pa.array(["s"], pa.string_view()))
    kinds = pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([float("nan")]))
    assert len(engine.process(pa.table({"id": ids, "t": [1], "v": [1.0], "k": kinds}))) == 0


def test_defaults_in_other_words_are_defaults():
    assert Border("q", Range(0, 1), min_stay=timedelta(0)) == Border("q", Range(0, 1))


def test_arguments_of_the_wrong_kind():
    with pytest.raises(InvalidInput, match="Engine: expected limen"):
        Engine("x")
    with pytest.raises(InvalidQuery, match=r"got 'queries.jsonl'. Hint: limen.load_queries"):
        Engine(SECONDS, "queries.jsonl")
    with pytest.raises(InvalidInput, match="load_queries: expected the path of a file"):
        load_queries(None)
    with pytest.raises(InvalidInput, match="advance"):
        Engine(SECONDS).advance("no time")


def test_held_rows_come_out_however_many_batches_they_came_in():
    engine = Engine(SECONDS, [Border("q", Range(0, 5))], order="event", lateness=1000)
    order = np.random.default_rng(0).permutation(300)
    for second in order:
        engine.process(rows(["s"], [int(second)], [float(second % 10)]))
    assert engine.counters["held"] == 300
    assert len(engine._shard.reorder_buffer.parts) < 100
    assert len(engine.close()) == 59


@pytest.mark.parametrize("radius", [1e-150, 1e-160, 1e-170, 1e-200, 1e-300, 5e-324])
def test_a_circle_so_small_that_its_square_is_no_number_holds_its_center(radius):
    engine = Engine(Columns(id="id", time="t", values=("x", "y"), time_unit="s"), [Match("q", Circle((0, 0), radius))])
    events = engine.process(pa.table({"id": ["in", "out"], "t": [1, 1], "x": [0.0, 1e-100], "y": [0.0, 0.0]}))
    assert events["stream_id"].to_pylist() == ["in"]
