"""What cannot be used is refused with a text that helps, and the engine goes on as if nothing had happened."""
# ruff: noqa: E501  # texts of errors are quoted whole

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from limen import Border, Box, Columns, Engine, InvalidInput, InvalidQuery, Range, StateError
from tests.engine.inputs import COLUMNS, QUERIES, batch, next_events, refused, running

PART = "Hint: Columns(…) gives each column its role"


@pytest.fixture(params=["arrival", "event"])
def engine(request):
    return running(order=request.param)


# ---- queries ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Range(3, 3), "range: expected lo < hi, got lo 3.0, hi 3.0"),
        (lambda: Range(3, 1), "range: expected lo < hi, got lo 3.0, hi 1.0"),
        (lambda: Range(math.nan, 1), "range: expected lo < hi, got lo nan, hi 1.0"),
        (lambda: Box((0, 5), (1, 2)), "box, dimension 2: expected lo < hi, got lo 5.0, hi 2.0"),
        (lambda: Box((0, 0), (1, math.nan)), "box, dimension 2: expected lo < hi, got lo 0.0, hi nan"),
        (lambda: Box((0, 0), (1,)), "box: expected lo and hi of one length, got 2 and 1"),
    ],
)
def test_a_region_that_is_none_never_gets_as_far_as_an_engine(make, text):
    with pytest.raises(InvalidQuery) as caught:
        make()
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (
            Border("q", Range(0, 1)),
            "query 'q': expected a region of 2 dimensions (x, y), got 1. Hint: name the columns that the region is about with on=",
        ),
        (
            Border("q", Box((0, 0), (1, 1)), on="x"),
            "query 'q': expected a region of 1 dimension (x), got 2. Hint: name the columns that the region is about with on=",
        ),
        (
            Border("q", Range(0, 1), on="z"),
            "query 'q': on: expected a column among x, y, got 'z'",
        ),
        (
            Border("q", Range(0, 1), on="kind"),
            "query 'q': on: expected a column among x, y, got 'kind', which is an attribute",
        ),
        (
            Border("q", Range(0, 1), on="t"),
            "query 'q': on: expected a column among x, y, got 't', which is the time column",
        ),
        (
            Border("q", Range(0, 1), on="x", where="knd = 'bus'"),
            "query 'q': where: expected a column among kind, level, x, y, got 'knd'. Hint: did you mean 'kind'?",
        ),
        (
            Border("q", Range(0, 1), on="x", where="s = 'a'"),
            "query 'q': where: expected a column among kind, level, x, y, got 's', which is the id column",
        ),
    ],
)
def test_a_query_that_does_not_fit_the_columns(engine, query, text):
    with refused(engine, InvalidQuery, text):
        engine.register(query)
    with refused(engine, InvalidQuery, text):
        engine.register(query, at=99)
    with pytest.raises(InvalidQuery) as caught:
        Engine(COLUMNS, [query])
    assert str(caught.value) == text


def test_of_several_queries_none_is_taken_when_one_is_bad(engine):
    bad = Border("bad", Range(0, 1), on="z")
    with refused(engine, InvalidQuery, "query 'bad': on: expected a column among x, y, got 'z'"):
        engine.register([Border("good", Range(0, 9), on="x", initial="report"), bad])


@pytest.mark.parametrize(
    ("thing", "shown"),
    [
        ("low", "'low'. Hint: limen.load_queries(path) reads a file"),
        ([7], "7"),
        ([None], "None"),
        ({"type": 1}, "'type'. Hint: limen.load_queries(path) reads a file"),
        (42, "42"),
        (None, "None"),
    ],
)
def test_what_is_no_query_is_refused(engine, thing, shown):
    with refused(engine, InvalidQuery, f"register: expected a query such as limen.Border(…), or several, got {shown}"):
        engine.register(thing)


@pytest.mark.parametrize(
    ("where", "got"),
    [("kind > 3", "kind"), ("level = 'two'", "level"), ("x LIKE 'a%'", "x"), ("NOT kind", "kind")],
)
def test_a_condition_that_does_not_fit_the_types_fails_when_it_is_registered(engine, where, got):
    snapshot, counters = engine.snapshot(), engine.counters
    with pytest.raises(InvalidQuery, match=f"^query 'q': expression .*{got}"):
        engine.register(Border("q", Range(0, 1), on="x", where=where))
    assert (engine.snapshot(), engine.counters) == (snapshot, counters)


def test_a_condition_whose_types_become_known_later_fails_with_the_first_batch():
    engine = Engine(COLUMNS, [*QUERIES, Border("q", Range(0, 9), on="x", where="kind > 3")])
    snapshot, counters = engine.snapshot(), engine.counters
    for _ in range(2):
        with pytest.raises(
            InvalidQuery,
            match=r"^query 'q': expression .*kind.*: expected values of one kind for >, got .*kind.*string",
        ):
            engine.process(batch())
        assert (engine.snapshot(), engine.counters) == (snapshot, counters)
    engine.deregister("q")
    assert engine.process(batch()).num_rows > 0


def test_an_unknown_query_cannot_be_deregistered(engine):
    with refused(engine, InvalidQuery, "deregister: expected the id of a registered query, got 'lost'"):
        engine.deregister("lost")
    with refused(engine, InvalidQuery, "query: expected an id: text that is not empty, or an integer, got ''"):
        engine.deregister("")


def test_a_query_may_not_be_known_yet_when_its_end_is_in_the_future(engine):
    engine.deregister("lost", at=5)
    assert engine.counters["changes"]["waiting"] == 1
    engine.advance(6)
    assert engine.counters["changes"]["rejected"] == 1


@pytest.mark.parametrize(
    ("at", "text"),
    [
        ("yesterday", "at: expected an ISO-8601 time such as 2026-01-01T00:00:00Z, got 'yesterday'"),
        (math.nan, "at: expected a time, got nan"),
        ([], "at: expected a time, got []"),
        ("9999-12-31T23:59:59.999999-01:00", "at: expected a time in the years 1 to 9999, got '9999-12-31T23:59:59.999999-01:00'"),
    ],
)  # fmt: skip
def test_times_that_are_none(engine, at, text):
    with refused(engine, InvalidInput, text):
        engine.register(Border("q", Range(0, 1), on="x"), at=at)
    with refused(engine, InvalidInput, text):
        engine.deregister("low", at=at)
    with refused(engine, InvalidInput, text.replace("at:", "advance:")):
        engine.advance(at)


def test_to_advance_needs_a_time(engine):
    with refused(engine, InvalidInput, "advance: expected a time, got None"):
        engine.advance(None)


# ---- columns and options ---------------------------------------------------------------------------------------------


def test_a_column_has_one_role():
    with pytest.raises(InvalidInput) as caught:
        Columns("s", "t", ("x", "y"), ("x",))
    assert str(caught.value) == "columns: 'x': expected one role for each column, got values and attributes"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"latness": 1},
            "option 'latness': expected one of order, lateness, max_ahead, on_bad_row, expire_after, expiry, max_speed, report_every, cache, cache_model, measure_accuracy, memory, shedding. Hint: did you mean 'lateness'?",
        ),
        ({"lateness": -1}, "option 'lateness': expected a duration of 0 or more, got -1"),
        ({"on_bad_row": "drop"}, "option 'on_bad_row': expected 'count' or 'fail', got 'drop'"),
    ],
)
def test_options_that_are_none(options, text):
    with pytest.raises(InvalidInput) as caught:
        Engine(COLUMNS, **options)
    assert str(caught.value) == text


# ---- batches ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({"s": None}, f"batch: expected a column 's' (the id column), got columns t, x, y, kind, level. {PART}"),
        ({"t": None}, f"batch: expected a column 't' (the time column), got columns s, x, y, kind, level. {PART}"),
        ({"y": None}, f"batch: expected a column 'y' (the value column), got columns s, t, x, kind, level. {PART}"),
        ({"level": None}, f"batch: expected a column 'level' (the attribute column), got columns s, t, x, y, kind. {PART}"),
        ({"s": [1.5, 2.5]}, "batch: id column 's': expected strings or integers, got double"),
        ({"t": ["1", "2"]}, "batch: time column 't': expected timestamps, or integers with Columns(time_unit=…), got string"),
        ({"x": ["1", "2"]}, "batch: value column 'x': expected numbers, got string"),
        ({"y": [True, False]}, "batch: value column 'y': expected numbers, got bool"),
        ({"kind": [1, 2]}, "batch: attribute column 'kind': expected string, got int64. Hint: an attribute keeps the type it had when it first came"),
        ({"t": [2**61, 1]}, "batch: time column 't': expected times that fit into 64 bits of microseconds, got 1 to 2305843009213693952 s. Hint: is the unit right?"),
    ],
    ids=lambda case: "-".join(case) if isinstance(case, dict) else "",
)  # fmt: skip
def test_a_batch_that_lacks_a_column_or_has_a_wrong_type(engine, columns, text):
    with refused(engine, InvalidInput, text):
        engine.process(batch(**columns))


@pytest.mark.parametrize("thing", [None, [1], {"s": ["a"]}, "rows"], ids=repr)
def test_what_is_no_batch_is_refused(engine, thing):
    text = f"batch: expected a pyarrow.Table, pyarrow.RecordBatch or pandas.DataFrame, got {type(thing).__name__}"
    with refused(engine, InvalidInput, text):
        engine.process(thing)


@pytest.mark.parametrize("empty", [batch().slice(0, 0), batch().to_pandas().iloc[:0], batch().schema.empty_table()])
def test_an_empty_batch_changes_nothing(engine, empty):
    snapshot, counters = engine.snapshot(), engine.counters
    assert engine.process(empty).num_rows == 0
    assert (engine.snapshot(), engine.counters) == (snapshot, counters)


BAD = batch(s=["a", None], t=[None, 10], x=[math.inf, 1.0])


def test_a_batch_of_nothing_but_bad_rows_is_only_counted(engine):
    untouched = Engine.restore(engine.snapshot())
    assert engine.process(BAD).num_rows == 0
    assert engine.counters["rejected"] == {"null_id": 1, "null_time": 1}
    assert engine.counters["rows"] == 6
    assert next_events(engine) == next_events(untouched) != []


def test_on_bad_row_fail_takes_nothing_of_the_batch():
    engine = running(on_bad_row="fail", max_ahead=100)
    with refused(
        engine,
        InvalidInput,
        'batch: expected good rows only, got 1 null_id, 1 null_time. Hint: on_bad_row="count" counts them and goes on',
    ):
        engine.process(BAD)
    with refused(
        engine,
        InvalidInput,
        'batch: expected good rows only, got 1 infinite_value. Hint: on_bad_row="count" counts them and goes on',
    ):
        engine.process(batch(x=[1.0, -math.inf]))
    with refused(
        engine,
        InvalidInput,
        'batch: expected good rows only, got 1 too_far_ahead. Hint: on_bad_row="count" counts them and goes on',
    ):
        engine.process(batch(t=[10, 1000]))


# ---- ids and times that are unusual but sound ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["x" * 10_000, "日本語 😀", "e\u0301", "", "a\0b", "'; DROP TABLE", " a "],
    ids=lambda name: repr(name[:15]),
)
def test_ids_of_every_kind(name):
    columns = Columns("s", "t", "x", time_unit="s")
    query = Border(name or "q", Range(0, 2), initial="report", streams=[name])
    engine = Engine(columns, [query])
    (event,) = engine.process(pa.table({"s": [name], "t": [1], "x": [1.0]})).to_pylist()
    assert (event["stream_id"], event["query_id"], event["kind"]) == (name, query.id, "enter")
    engine = Engine.restore(engine.snapshot())
    (event,) = engine.process(pa.table({"s": [name], "t": [2], "x": [3.0]})).to_pylist()
    assert (event["stream_id"], event["query_id"], event["kind"]) == (name, query.id, "exit")


def test_a_long_id_in_an_error_is_shortened():
    with pytest.raises(InvalidQuery) as caught:
        Engine(COLUMNS).deregister("x" * 10_000)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("year", ["0001", "1500", "1969", "2201", "2600", "9999"])
@pytest.mark.parametrize("order", ["arrival", "event"])
def test_times_of_every_age(year, order):
    times = np.array([f"{year}-01-01", f"{year}-01-02", f"{year}-12-31"], "datetime64[us]")
    engine = Engine(Columns("s", "t", "x"), [Border("q", Range(0, 2))], order=order, expire_after="300 days")
    events = engine.process(pa.table({"s": ["a"] * 3, "t": pa.array(times), "x": [5.0, 1.0, 1.0]}))
    events = pa.concat_tables([events, engine.close()])
    assert events["time"].cast(pa.timestamp("us")).to_numpy().tolist() == times[1:2].tolist()
    assert engine.counters["expired"] == 1


# ---- snapshots and the end -------------------------------------------------------------------------------------------

SNAPSHOT = running().snapshot()


@pytest.mark.parametrize("length", [1, 8, 20, 24, len(SNAPSHOT) // 2, len(SNAPSHOT) - 1])
def test_a_truncated_snapshot(length):
    with pytest.raises(StateError, match=f"^snapshot: expected [0-9]+ bytes, got {length}: it is truncated"):
        Engine.restore(SNAPSHOT[:length])


def test_a_snapshot_of_another_version():
    other = SNAPSHOT[:8] + (99).to_bytes(4, "little") + SNAPSHOT[12:]
    with pytest.raises(StateError) as caught:
        Engine.restore(other)
    assert str(caught.value) == (
        "snapshot: expected format version 1, got version 99. Hint: read it with the release of Limen that wrote it"
    )


def test_a_snapshot_that_is_damaged_or_not_ours():
    with pytest.raises(StateError, match=r"got bytes with another checksum\. Hint: the snapshot is damaged"):
        Engine.restore(SNAPSHOT[:-1] + bytes([SNAPSHOT[-1] ^ 1]))
    with pytest.raises(StateError, match=r"expected bytes that Limen wrote, got 4 other bytes"):
        Engine.restore(b"PAR1")
    with pytest.raises(StateError, match=r"^snapshot: expected bytes, got str$"):
        Engine.restore("snapshot")


def test_nothing_follows_the_end(engine):
    engine.close()
    text = "the engine is closed: its input has ended. Hint: make a new Engine, or restore a snapshot"
    counters = engine.counters
    for call in (
        lambda: engine.process(batch()),
        lambda: engine.register(QUERIES[0]),
        lambda: engine.deregister("low"),
        lambda: engine.advance(99),
    ):
        with pytest.raises(StateError) as caught:
            call()
        assert str(caught.value) == text
    assert engine.counters == counters
    assert engine.close().num_rows == 0
    with pytest.raises(StateError, match="the engine is closed"):
        Engine.restore(engine.snapshot()).process(batch())


def test_a_data_frame_of_mixed_types_is_refused(engine):
    frame = pd.DataFrame({**batch().to_pydict(), "s": ["a", 1]})
    snapshot, counters = engine.snapshot(), engine.counters
    with pytest.raises(InvalidInput, match=r"^batch: .*Hint: a column of a data frame must hold one type$"):
        engine.process(frame)
    assert (engine.snapshot(), engine.counters) == (snapshot, counters)
