"""Answers that keep only what matters: options that must go together, budgets that cannot hold, and what is said."""
# ruff: noqa: E501  # texts of errors are quoted whole

from random import Random

import pyarrow as pa
import pytest

from limen import Box, Columns, Engine, InvalidInput, Nearest, Range, Within

COLUMNS = Columns(id="symbol", time="t", values="price", time_unit="s")
OPTIONS = {"max_speed": 10, "report_every": "30 seconds"}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"max_speed": 10}, "option 'max_speed': expected 'report_every' beside it, got none"),
        ({"report_every": 10}, "option 'report_every': expected 'max_speed' beside it, got none"),
        ({"max_speed": 0, "report_every": 1}, "option 'max_speed': expected a number above 0, in units a second, got 0"),
        ({"max_speed": "fast"}, "option 'max_speed': expected a number above 0, in units a second, got 'fast'"),
        ({**OPTIONS, "report_every": 0}, "option 'report_every': expected a microsecond or more, got 0"),
        ({**OPTIONS, "report_every": "0 seconds"}, "option 'report_every': expected a microsecond or more, got 0"),
        ({"cache": 0.5}, "option 'cache': expected 'max_speed' beside it, got none"),
        ({"cache_model": "paper"}, "option 'cache_model': expected 'max_speed' beside it, got none"),
        ({"max_speed": 1e200, "report_every": 1}, "option 'max_speed': expected a number above 0, in units a second, got 1e+200"),
        ({**OPTIONS, "memory": "9e99 GB"}, "option 'memory': expected a number of bytes above 0, or text such as '64 MB', got '9e99 GB'"),
        ({**OPTIONS, "cache": 1.5}, "option 'cache': expected a number from 0 to 1, got 1.5"),
        ({**OPTIONS, "cache": -0.1}, "option 'cache': expected a number from 0 to 1, got -0.1"),
        ({**OPTIONS, "cache": float("nan")}, "option 'cache': expected a number from 0 to 1, got nan"),
        ({**OPTIONS, "cache_model": "bold"}, "option 'cache_model': expected 'safe' or 'paper', got 'bold'"),
        ({**OPTIONS, "memory": 1000}, "option 'memory': expected 'shedding' beside it, got none"),
        ({**OPTIONS, "shedding": "object"}, "option 'shedding': expected 'memory' beside it, got none"),
        ({"memory": 1000, "shedding": "object"}, "option 'memory': expected 'max_speed' beside it, got none"),
        ({**OPTIONS, "memory": "much"}, "option 'memory': expected a number of bytes above 0, or text such as '64 MB', got 'much'"),
        ({**OPTIONS, "memory": 0}, "option 'memory': expected a number of bytes above 0, or text such as '64 MB', got 0"),
        ({**OPTIONS, "shedding": "rows"}, "option 'shedding': expected 'query' or 'object' or None, got 'rows'"),
        ({"measure_accuracy": True}, "option 'measure_accuracy': expected 'max_speed' beside it, got none"),
        ({**OPTIONS, "measure_accuracy": 1}, "option 'measure_accuracy': expected True or False, got 1"),
        ({**OPTIONS, "expire_after": 10}, "option 'expire_after': expected at least report_every, or streams that report on time would be forgotten, got 10 seconds"),
    ],
)  # fmt: skip
def test_options_that_do_not_fit(options, text):
    with pytest.raises(InvalidInput) as caught:
        Engine(COLUMNS, **options)
    assert str(caught.value) == text


def test_a_budget_too_small_for_the_focals_alone():
    queries = [Within(f"q{number}", focal=f"s{number}", radius=1) for number in range(10)]
    with pytest.raises(InvalidInput, match=r"memory': expected room for the queries .* leave 8 queries out"):
        Engine(COLUMNS, queries, **OPTIONS, memory=1200, shedding="object")
    engine = Engine(COLUMNS, queries[:2], **OPTIONS, memory=1200, shedding="object")
    assert not len(engine.register(queries[2:]))
    assert engine.counters["queries"] == 2
    assert engine.counters["changes"]["refused"] == 8


def test_a_query_that_brings_more_than_there_is_room_for():
    engine = Engine(COLUMNS, **OPTIONS, memory=2000, shedding="object")
    engine.register(Within("few", Range(0, 1), streams=["a", "b"]))
    used = engine.counters["kept"]["used"]
    engine.register(Within("many", Range(0, 1), streams=[f"s{number}" for number in range(1000)]))
    assert engine.counters["changes"]["refused"] == 1
    assert engine.counters["kept"]["used"] == used
    engine.deregister("few")
    assert engine.counters["kept"]["used"] == 0


def test_what_cannot_be_held_is_said():
    """Everything is wanted, and there is no room for it: it is kept, and said."""
    strict = [Within("all", Range(0, 100), min_accuracy=100), Nearest("near", 2, center=[0], min_accuracy=100)]
    for shedding in ("query", "object"):
        engine = Engine(COLUMNS, strict, max_speed=1, report_every=4, memory=2000, shedding=shedding)
        for second in range(12):
            rows = {"symbol": [f"s{number}" for number in range(20)], "t": [second] * 20}
            engine.process(pa.table({**rows, "price": [float(number) for number in range(20)]}))
        kept = engine.counters["kept"]
        assert kept["full"]
        assert kept["overdrawn"] > 0
        assert kept["locked"] == 2
        assert engine.accuracy["accuracy"].to_pylist() == [100.0, 100.0]
        engine.register(Within("more", Range(0, 1)))
        assert engine.counters["changes"]["refused"] == 1


PLANE = Columns(id="s", time="t", values=("x", "y"), time_unit="s")
SQUARE = Box((0, 0), (10, 10))


def seen(second, rows):
    """Make a table of (stream, x, y)."""
    names, x, y = zip(*rows, strict=True)
    x, y = pa.array(x, pa.float64()), pa.array(y, pa.float64())
    return pa.table({"s": names, "t": [second] * len(rows), "x": x, "y": y})


def test_a_group_that_has_lost_its_queries_does_not_confuse_a_restart():
    queries = [Within("a", SQUARE, where="x < 5"), Within("b", SQUARE)]
    engine = Engine(PLANE, queries, max_speed=2, report_every=10)
    engine.process(seen(0, [("p", 1, 1), ("r", 7, 7)]))
    engine.deregister("a")
    again = Engine.restore(engine.snapshot())
    for each in (engine, again):
        told = each.process(seen(1, [("p", 20, 1), ("r", 20, 7)])).to_pylist()
        assert sorted((event["query_id"], event["kind"], event["stream_id"]) for event in told) == [
            ("b", "remove", "p"),
            ("b", "remove", "r"),
        ]


@pytest.mark.parametrize("streams", [200, 1000, 5000])
@pytest.mark.parametrize("instants", [1, 4])
def test_shedding_keeps_as_many_as_there_is_room_for(streams, instants):
    """However many come in one instant."""
    engine = Engine(PLANE, [Within("q", SQUARE)], max_speed=2, report_every=10, memory=12_000, shedding="object")
    rows = [(f"s{number}", number % 10, number / streams) for number in range(streams)]
    for second in range(24):
        engine.process(seen(second, rows[second % instants :: instants]))
    kept = engine.counters["kept"]
    assert 0.7 * 12_000 < kept["used"] <= 12_000
    assert kept["stored"] >= 50
    (figures,) = engine.accuracy.to_pylist()
    assert figures["stored"] == kept["stored"]
    assert 0.5 * streams < figures["stored"] + figures["missed"] < 2 * streams  # shadows stand for many


def test_strict_queries_keep_their_accuracy_while_others_lose_theirs():
    random = Random(3)
    places = [(random.uniform(0, 1000), random.uniform(0, 1000)) for _ in range(3000)]
    strict = [Within(f"q{i}", Box((100 * i, 0), (100 * i + 90, 90)), min_accuracy=80) for i in range(10)]
    others = [Within("big", Box((0, 0), (1000, 1000))), Within("half", Box((0, 500), (1000, 1000)))]
    engine = Engine(
        PLANE, [*strict, *others], max_speed=1, report_every=8, memory=80_000, shedding="object", measure_accuracy=True
    )
    for second in range(40):
        engine.process(seen(second, [(f"s{i}", *places[i]) for i in range(3000) if i % 8 == second % 8]))
    figures = {row["query_id"]: row for row in engine.accuracy.to_pylist()}
    assert all(figures[query.id]["measured"] >= 80 for query in strict)
    assert figures["big"]["measured"] < 60
    assert engine.counters["kept"]["used"] <= 80_000


@pytest.mark.parametrize("shedding", ["query", "object"])
def test_memory_that_was_full_takes_queries_again(shedding):
    whole = Within("q", Box((0, 0), (100, 100)), min_accuracy=100)
    engine = Engine(PLANE, [whole], max_speed=1, report_every=4, memory=4000, shedding=shedding)
    for second in range(12):
        engine.process(seen(second, [(f"s{i}", i, 1) for i in range(50)]))
    assert engine.counters["kept"]["full"]
    engine.deregister("q")
    engine.register(Within("new", Box((0, 0), (5, 5))))
    assert engine.counters["queries"] == 1
    assert engine.counters["changes"]["refused"] == 0


def test_an_area_without_end_does_not_shrink():
    endless = Within("endless", Box((0, None), (None, None)))
    engine = Engine(
        PLANE, [endless, Within("square", SQUARE)], max_speed=1, report_every=4, memory=2000, shedding="query"
    )
    engine.process(seen(0, [(f"s{i}", i % 9, i % 7) for i in range(50)]))
    figures = {row["query_id"]: row for row in engine.accuracy.to_pylist()}
    assert figures["endless"]["share"] == 1.0
    assert figures["endless"]["stored"] == 50
    assert figures["square"]["share"] < 0.1


def test_a_least_accuracy_holds_where_streams_are_at_the_rim():
    """Areas that shrink lose most of what is at their rims: as many as it may, and no more."""
    random = Random(5)
    rim = [random.choice([(random.uniform(0, 10), 9.9), (0.1, random.uniform(0, 10))]) for _ in range(100)]
    elsewhere = [(random.uniform(20, 80), random.uniform(20, 80)) for _ in range(300)]
    strict = Within("strict", SQUARE, min_accuracy=80)
    others = [Within("other", Box((20, 20), (80, 80))), Within("same", SQUARE)]
    options = {"max_speed": 1, "report_every": 8, "memory": 30_000, "shedding": "query", "measure_accuracy": True}
    engine = Engine(PLANE, [strict, *others], **options)
    for second in range(32):
        rows = [(f"s{i}", *place) for i, place in enumerate(rim + elsewhere) if i % 8 == second % 8]
        engine.process(seen(second, rows))
        figures = {row["query_id"]: row for row in engine.accuracy.to_pylist()}
        assert figures["strict"]["measured"] >= 80
        assert figures["strict"]["measured"] == pytest.approx(figures["strict"]["accuracy"])
        assert engine.counters["kept"]["used"] <= 30_000
    assert figures["strict"]["share"] == 1.0  # another tenth of the area would have most of them
    assert figures["strict"]["locked"]
    assert figures["same"]["accuracy"] == figures["same"]["measured"] < 50
    assert figures["other"]["share"] < 0.8


@pytest.mark.parametrize("load", [0.5, 0.75, 0.85, 0.95, 0.99])
@pytest.mark.parametrize("shedding", ["query", "object"])
def test_after_a_spike_all_that_fits_comes_back(load, shedding):
    """In two groups, of which one needs most of the memory, and after a restart in the midst."""
    memory, random = 40_000, Random(7)
    place = [(random.uniform(0, 100), random.uniform(0, 100)) for _ in range(1000)]
    queries = [
        Within("most", Box((0, 0), (90, 100))),
        Within("few", Box((90, 0), (100, 100)), where="x > 0"),
        Nearest("near", 5, center=(95, 50), where="x > 0", streams=[f"s{i}" for i in range(20)]),
    ]
    options = {"max_speed": 0.001, "report_every": 8, "shedding": shedding}
    roomy = Engine(PLANE, queries, memory=10 * memory, **options)
    fit, used = 0, 0
    while used < load * memory:
        roomy.process(seen(0, [(f"s{i}", *place[i]) for i in range(fit, fit + 10)]))
        fit, used = fit + 10, roomy.counters["kept"]["used"]
    engine = Engine(PLANE, queries, memory=int(used / load), **options)
    for second in range(24):
        engine.process(seen(second, [(f"s{i}", *place[i]) for i in range(second % 8, 1000, 8)]))
    assert engine.counters["kept"]["least_accuracy"] < 60
    for second in range(24, 24 + 8 * 8):
        engine.process(seen(second, [(f"s{i}", *place[i]) for i in range(second % 8, fit, 8)]))
        if second == 40:
            engine = Engine.restore(engine.snapshot())
    kept = engine.counters["kept"]
    assert kept["least_accuracy"] == 100
    assert kept["share"] == 1.0
    assert kept["shadows"] == 0
    assert kept["overdrawn"] <= 24


@pytest.mark.parametrize("shedding", ["query", "object"])
def test_small_queries_are_not_taken_for_complete_where_few_shadows_are_kept(shedding):
    """One shadow stands for many then, and most queries have none of the few that there are."""
    random = Random(11)
    place = [(random.uniform(0, 100), random.uniform(0, 100)) for _ in range(2000)]
    queries = [
        Within(f"q{i}", Box((x, y), (x + 5, y + 5))) for i, (x, y) in enumerate((7 * a, 7 * b) for a in range(13) for b in range(13))
    ]  # fmt: skip
    engine = Engine(
        PLANE, queries, max_speed=0.001, report_every=8, memory=100_000, shedding=shedding, measure_accuracy=True
    )
    for second in range(40):
        engine.process(seen(second, [(f"s{i}", *place[i]) for i in range(second % 8, 2000, 8)]))
    rows = engine.accuracy.to_pylist()
    own, measured = ([row[name] for row in rows] for name in ("accuracy", "measured"))
    assert sum(measured) < 60 * len(rows)
    assert abs(sum(own) - sum(measured)) < 10 * len(rows)
    assert all(row["accuracy"] < 100 for row in rows if row["missed"])
    kept = engine.counters["kept"]
    true = sum(row["stored"] for row in rows if row["measured"] < 100)
    assert 0 < kept["shadows"] < true + 2000  # a sample
